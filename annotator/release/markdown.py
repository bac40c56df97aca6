"""Documents as Markdown, for cards of data sets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from annotator.release.document import Document, DocumentTable, Section, shown_text

# An underscore inside a word is no emphasis; names of fields stay readable without the escapes.
_SPECIAL = re.compile(r"([\\`*{}\[\]<>#|~!&]|(?<!\w)_|_(?!\w))")


def markdown_of(document: Document) -> str:
    """Return a document as Markdown; texts of others are escaped, so that none becomes markup."""
    lines = [f"# {escape(document.title)}", ""]
    for text in document.lead:
        lines += [escape(text), ""]
    for section in document.sections:
        lines += _section(section)
    return "\n".join(lines)


def escape(text: str) -> str:
    """Return a text of others as one line of Markdown that shows it as it is."""
    return _SPECIAL.sub(r"\\\1", shown_text(text))


def _section(section: Section) -> Iterator[str]:
    yield from (f"## {escape(section.title)}", "")
    for text in section.texts:
        yield from (escape(text), "")
    for table in section.tables:
        yield from _table(table)


def _table(table: DocumentTable) -> Iterator[str]:
    if table.title:
        yield from (f"### {escape(table.title)}", "")
    yield _row(table.head)
    yield _row("---:" if at in table.numeric else "---" for at in range(len(table.head)))
    yield from (_row(map(escape, row)) for row in table.shown)
    yield ""
    for note in table.notes:
        yield from (escape(note), "")


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
