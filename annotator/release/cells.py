"""Escaping of CSV cells that a spreadsheet program would run as formulas.

A cell that begins with ``= + - @``, their full-width forms, a tab or a line end would be run as a
formula by a spreadsheet program; an apostrophe before it makes it text. A cell that already has
apostrophes before such a character gets one more, so that unescaping is unambiguous.

A program that also splits at another separator, as LibreOffice does at commas, semicolons and tabs until it
is told otherwise, would begin a new cell inside of one. So a cell that contains any of them is quoted.

Source: OWASP, "CSV Injection", for the list of characters.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

import msgspec

MARK = "'"
QUOTE = '"'
INDEX_COLUMN = ""
"""Scripts that write tables with pandas number rows in a column without a name; a release has other rows."""
_FORMULA = re.compile(r"'*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n]")
_SPECIAL = re.compile(r'[,;\t"\r\n]')
# Readers take the separator from the header line: a semicolon in a name could be taken for it.
_NOT_IN_HEADER = re.compile(r'[,;"\x00-\x1f\x7f-\x9f\u2028\u2029]')


def guard_cell(text: str) -> str:
    """Return a cell as written: with one more apostrophe if it would start a formula."""
    return MARK + text if _FORMULA.match(text) else text


def csv_line(cells: Sequence[str], *, numbers: Sequence[str] = ()) -> bytes:
    """Return one line of a CSV file: guarded cells, quoted where needed, UTF-8, LF.

    Args:
        cells: Two or more; a single empty cell would be a blank line.
        numbers: Cells after them that are numbers or empty: -5 is no formula.
    """
    return joined_line([*map(guard_cell, cells), *numbers])


def joined_line(cells: Sequence[str]) -> bytes:
    """Return one line of a CSV file as ``csv_line`` does, of cells that are guarded or numbers."""
    return f"{','.join(map(_quoted, cells))}\n".encode()


def tsv_line(cells: Sequence[str]) -> bytes:
    """Return one line of a file with tabs between cells, guarded and quoted as those of ``csv_line``."""
    return ("\t".join([_quoted(guard_cell(cell)) for cell in cells]) + "\n").encode()


def can_head(column: str, *, reserved: Container[str]) -> bool:
    """Return whether a column of this name is read back under the same name as an extra column.

    Args:
        column: The name.
        reserved: Names in lower case that readers take for columns of the format.
    """
    is_plain_name = column == column.strip() == guard_cell(column) and not _NOT_IN_HEADER.search(column)
    return bool(column) and is_plain_name and column.casefold() not in reserved


def value_text(value: object) -> str:
    """Return a value of an extra field as the text of a cell."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _quoted(cell: str) -> str:
    # Python 3.11's csv module leaves a carriage return unquoted, that of 3.13 quotes it; releases must not
    # depend on it.
    return f'"{cell.replace(QUOTE, QUOTE * 2)}"' if _SPECIAL.search(cell) else cell
