"""Writes tables of results as Markdown, LaTeX (booktabs) and CSV."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from pathlib import Path
from typing import Literal

import msgspec

from annotator.errors import EnvironmentFailure
from annotator.release.cells import csv_line
from annotator.scoring.measures import MEASURES, RANK
from annotator.scoring.result_table import ResultTable, TableCell
from annotator.scoring.table_layouts import TableColumn

TextForm = Literal["markdown", "latex", "csv"]
Orientation = Literal["models", "tasks"]
TEXT_FORMS: tuple[TextForm, ...] = ("markdown", "latex", "csv")
ORIENTATIONS: tuple[Orientation, ...] = ("models", "tasks")
CSV_DECIMALS = 4
NONE = "–"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""Before a CSV file: without it, spreadsheet programs do not read UTF-8."""
_MARKDOWN_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|~#])")
_LATEX_SPECIAL: Mapping[str, str] = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # After the end of a row, LaTeX takes a bracket or a star for an argument of it.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
}
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


class _Line(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a table as printed: its labels, then values with their columns.

    Attributes:
        labels: What stands before the values.
        values: The values, each with the column that says how it is written.
        section: Lines with another section are set off by a rule.
    """

    labels: tuple[str, ...]
    values: tuple[tuple[TableColumn, TableCell], ...]
    section: str


class _Grid(msgspec.Struct, frozen=True, kw_only=True):
    """A table as printed.

    Attributes:
        corner: Headings of the labels.
        headings: Upper heading of each column of values, "" for none.
        titles: Heading of each.
        lines: The lines.
    """

    corner: tuple[str, ...]
    headings: tuple[str, ...]
    titles: tuple[str, ...]
    lines: tuple[_Line, ...]


def table_text(
    tables: Sequence[ResultTable],
    form: TextForm,
    *,
    rows: Orientation = "models",
    with_intervals: bool = False,
) -> str:
    """Return tables as text.

    Args:
        tables: The tables, one below the other.
        form: How they are written.
        rows: What the rows are: models, or tasks (and whatever else the columns would be).
        with_intervals: Whether values have their 95 % intervals.
    """
    write = _WRITERS[form]
    return "\n".join(write(table, _grid(table, rows=rows), with_intervals) for table in tables)


def write_table(path: Path, text: str, form: TextForm) -> None:
    """Write the text of tables into a file.

    Raises:
        EnvironmentFailure: The disk refused.
    """
    mark = BYTE_ORDER_MARK if form == "csv" else b""
    # Names of models come from names of files, which may have bytes that are no text.
    write_content(path, mark + text.encode("utf-8", errors="backslashreplace"))


def write_content(path: Path, content: bytes) -> None:
    """Write a file of a table or a plot.

    Raises:
        EnvironmentFailure: The disk refused.
    """
    try:
        path.write_bytes(content)
    except OSError as error:
        raise EnvironmentFailure(f"{path} cannot be written: {error.strerror}.") from error


def _grid(table: ResultTable, *, rows: Orientation) -> _Grid:
    return _grid_of_models(table) if rows == "models" else _grid_of_tasks(table)


def _grid_of_models(table: ResultTable) -> _Grid:
    columns = table.layout.columns
    return _Grid(
        corner=("Model",),
        headings=tuple(column.heading for column in columns),
        titles=tuple(column.title for column in columns),
        lines=tuple(
            _Line(
                labels=(row.name,),
                values=tuple(zip(columns, row.cells, strict=True)),
                section="models" if row.kind == "model" else "references",
            )
            for row in table.rows
        ),
    )


def _grid_of_tasks(table: ResultTable) -> _Grid:
    columns = table.layout.columns
    has_headings = any(column.heading for column in columns)
    return _Grid(
        corner=("Group", "Task") if has_headings else ("Task",),
        headings=("",) * len(table.rows),
        titles=tuple(row.name for row in table.rows),
        lines=tuple(
            _Line(
                labels=(column.heading, column.title) if has_headings else (column.title,),
                values=tuple((column, row.cells[index]) for row in table.rows),
                section=column.heading,
            )
            for index, column in enumerate(columns)
        ),
    )


def _markdown(table: ResultTable, grid: _Grid, with_intervals: bool) -> str:  # noqa: FBT001 - one of a registry
    titles = [_joined(heading, title) for heading, title in zip(grid.headings, grid.titles, strict=True)]
    head = [_markdown_text(text) for text in (*grid.corner, *titles)]
    rules = [*("---" for _ in grid.corner), *("---:" for _ in titles)]
    body = (
        [
            *map(_markdown_text, line.labels),
            *(_marked(*value, "**{}**", "<u>{}</u>", with_intervals=with_intervals) for value in line.values),
        ]
        for line in grid.lines
    )
    rows = "\n".join(f"| {' | '.join(cells)} |" for cells in chain([head, rules], body))
    notes = _markdown_text(" ".join(table.notes))
    return f"**{_markdown_text(table.layout.title)}**\n\n{rows}\n\n{notes}\n"


def _latex(table: ResultTable, grid: _Grid, with_intervals: bool) -> str:  # noqa: FBT001 - one of a registry
    labels = len(grid.corner)
    lines = [
        f"% {_one_line(table.layout.title)}. Needs \\usepackage{{booktabs}}.",
        *(f"% {note}" for note in table.notes),
        f"\\begin{{tabular}}{{{'l' * labels}{'r' * len(grid.titles)}}}",
        r"\toprule",
        *_latex_headings(grid.headings, labels=labels),
        _latex_row([_latex_text(text) for text in (*grid.corner, *grid.titles)]),
    ]
    for _, section in groupby(grid.lines, key=lambda line: line.section):
        lines.append(r"\midrule")
        for line in section:
            values = (
                _latex_value(
                    _marked(*value, r"\textbf{{{}}}", r"\underline{{{}}}", with_intervals=with_intervals)
                )
                for value in line.values
            )
            lines.append(_latex_row([*map(_latex_text, line.labels), *values]))
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _latex_headings(headings: Sequence[str], *, labels: int) -> Iterator[str]:
    """Yield the row of upper headings over the columns that each has, and the rules below them."""
    if not any(headings):
        return
    cells, rules, at = [""] * labels, [], labels + 1
    for heading, group in groupby(headings):
        size = len(list(group))
        if heading:
            cells.append(rf"\multicolumn{{{size}}}{{c}}{{{_latex_text(heading)}}}")
            rules.append(rf"\cmidrule(lr){{{at}-{at + size - 1}}}")
        else:
            cells += [""] * size
        at += size
    yield _latex_row(cells)
    yield " ".join(rules)


def _csv(table: ResultTable, grid: _Grid, with_intervals: bool) -> str:  # noqa: FBT001 - one of a registry
    ends = ("", " low", " high") if with_intervals else ("",)
    titles = [
        _joined(heading, title) + end
        for heading, title in zip(grid.headings, grid.titles, strict=True)
        for end in ends
    ]
    lines = [csv_line(("Task set", *map(_one_line, (*grid.corner, *titles))))]
    for line in grid.lines:
        cells = ((cell.value, cell.low, cell.high)[: len(ends)] for _, cell in line.values)
        numbers = ["" if value is None else repr(round(value, CSV_DECIMALS)) for value in chain(*cells)]
        lines.append(csv_line((table.layout.task_set, *map(_one_line, line.labels)), numbers=numbers))
    return b"".join(lines).decode()


def _marked(column: TableColumn, cell: TableCell, best: str, second: str, *, with_intervals: bool) -> str:
    """Return a value as printed, in the marks of the best or the second model."""
    if cell.value is None:
        return NONE
    decimals = 0 if column.measure == RANK else MEASURES[column.measure].decimals
    text = f"{cell.value:.{decimals}f}"
    text = best.format(text) if cell.rank == 1 else second.format(text) if cell.rank == 2 else text
    if not with_intervals or cell.low is None or cell.high is None:
        return text
    return f"{text} [{cell.low:.{decimals}f}, {cell.high:.{decimals}f}]"


def _joined(heading: str, title: str) -> str:
    return f"{heading}: {title}" if heading else title


def _one_line(text: str) -> str:
    return _CONTROLS.sub(" ", text).strip()


def _markdown_text(text: str) -> str:
    return _MARKDOWN_SPECIAL.sub(r"\\\1", _one_line(text)).replace("&", "&amp;")


def _latex_text(text: str) -> str:
    return "".join(_LATEX_SPECIAL.get(character, character) for character in _one_line(text))


def _latex_value(text: str) -> str:
    return "--" if text == NONE else text


def _latex_row(cells: Sequence[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


_WRITERS: Mapping[TextForm, Callable[[ResultTable, _Grid, bool], str]] = {
    "markdown": _markdown,
    "latex": _latex,
    "csv": _csv,
}
