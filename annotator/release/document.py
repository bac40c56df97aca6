"""A document of sections, texts and tables: the same values are written as Markdown, HTML and PDF."""

from __future__ import annotations

import unicodedata
from typing import Literal

from annotator.domain.clean_text import clean_text
from annotator.domain.record import ValueObject

MOST_LETTERS = 300
"""Characters of a text of the project that a document shows; an item may contain megabytes."""
MOST_ROWS = 200
"""Rows of a table that a document shows; a line below says how many there are."""
UNSEEN = frozenset({"Cc", "Cs", "Co", "Cn"})
"""Categories of characters without a glyph: controls, halves of surrogate pairs, private and unassigned."""
PlotKind = Literal["", "bar", "interval"]


class Mark(ValueObject, frozen=True, kw_only=True):
    """What the plot beside a row of a table draws.

    Attributes:
        value: Length of the bar, or place of the point; None draws nothing.
        low: Lower end of the interval, None without one.
        high: Upper end of the interval.
    """

    value: float | None
    low: float | None = None
    high: float | None = None


class DocumentTable(ValueObject, frozen=True, kw_only=True):
    """A table, with a plot of its rows where it has marks.

    Attributes:
        title: Its title.
        head: Names of the columns.
        rows: Cells, one tuple a row; all texts are shown as they are, never as markup.
        numeric: Columns of numbers, which are aligned at their right end.
        marks: What the plot draws for each row; empty for no plot.
        plot: Kind of the plot.
        low: Value at the left end of the plot.
        high: Value at the right end of the plot.
        note: A sentence below it, "" for none.
        worded: Columns whose cells are words of the program, which are translated; others are data.
    """

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int] = frozenset()
    marks: tuple[Mark, ...] = ()
    plot: PlotKind = ""
    low: float = 0.0
    high: float = 1.0
    note: str = ""
    worded: frozenset[int] = frozenset()

    @property
    def shown(self) -> tuple[tuple[str, ...], ...]:
        """The rows that a document shows, with texts that can be shown."""
        return tuple(tuple(shown_text(cell) for cell in row) for row in self.rows[:MOST_ROWS])

    @property
    def notes(self) -> tuple[str, ...]:
        """The sentences below it."""
        hidden = len(self.rows) - MOST_ROWS
        left_out = f"The table shows {MOST_ROWS:,} rows of {len(self.rows):,}." if hidden > 0 else ""
        return tuple(filter(None, (shown_text(self.note), left_out)))


class Section(ValueObject, frozen=True, kw_only=True):
    """A part of a document.

    Attributes:
        title: Its title.
        texts: Paragraphs above the tables.
        tables: Its tables.
    """

    title: str
    texts: tuple[str, ...] = ()
    tables: tuple[DocumentTable, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether it says nothing."""
        return not self.texts and not self.tables


class Document(ValueObject, frozen=True, kw_only=True):
    """A document.

    Attributes:
        title: Its title.
        lead: Paragraphs below the title.
        sections: Its parts.
        language: Code of the language of its texts.
    """

    title: str
    lead: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    language: str = "en"


def shown_text(text: str) -> str:
    """Return a text of others as one line that can be shown: without controls, and not longer than a limit.

    Marks that change the direction of writing are removed, since they would also turn what follows.
    """
    # Cut off first, since a text may have megabytes; four times, since runs of spaces become one.
    beginning = clean_text(" ".join(text[: MOST_LETTERS * 4].split()))
    visible = "".join(
        "\N{REPLACEMENT CHARACTER}" if unicodedata.category(sign) in UNSEEN else sign
        for sign in beginning[: MOST_LETTERS + 1]
    )
    if len(visible) <= MOST_LETTERS:
        return visible
    return f"{visible[:MOST_LETTERS]}… ({len(text):,} characters)"


def table_of_counts(
    title: str, counts: dict[str, int], *, head: tuple[str, str], note: str = "", is_worded: bool = False
) -> DocumentTable | None:
    """Return a table of names with counts, shares and bars; None for no counts.

    Args:
        title: Its title.
        counts: Numbers by name.
        head: Titles of names and numbers.
        note: A sentence below it, "" for none.
        is_worded: Whether the names are words of the program.
    """
    total = sum(counts.values())
    if not total:
        return None
    return DocumentTable(
        title=title,
        head=(*head, "share"),
        rows=tuple((name, f"{n:,}", f"{n / total:.1%}") for name, n in counts.items()),
        numeric=frozenset({1, 2}),
        marks=tuple(Mark(value=float(n)) for n in counts.values()),
        plot="bar",
        high=float(max(counts.values())),
        note=note,
        worded=frozenset({0}) if is_worded else frozenset(),
    )


def present(*tables: DocumentTable | None) -> tuple[DocumentTable, ...]:
    """Return the tables that have rows."""
    return tuple(table for table in tables if table is not None and table.rows)
