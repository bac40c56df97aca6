"""Escaping of CSV cells that a spreadsheet program would run as formulas.

A cell that begins with ``= + - @``, their full-width forms, a tab or a line end would be run as a
formula by a spreadsheet program; an apostrophe before it makes it text. A cell that already has
apostrophes before such a character gets one more, so that unescaping is unambiguous.

Source: OWASP, "CSV Injection", for the list of characters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

MARK = "'"
QUOTE = '"'
_FORMULA = re.compile(r"'*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n]")
_SPECIAL = re.compile(r'[,"\r\n]')


def guard_cell(text: str) -> str:
    """Return a cell as written: with one more apostrophe if it would start a formula."""
    return MARK + text if _FORMULA.match(text) else text


def csv_line(cells: Sequence[str]) -> bytes:
    """Return one line of a CSV file: guarded cells, quoted only where needed, UTF-8, LF.

    Args:
        cells: Two or more; a single empty cell would be a blank line.
    """
    return f"{','.join([_quoted(guard_cell(cell)) for cell in cells])}\n".encode()


def _quoted(cell: str) -> str:
    # Python 3.11's csv module leaves a carriage return unquoted, that of 3.13 quotes it; releases must not
    # depend on it.
    return f'"{cell.replace(QUOTE, QUOTE * 2)}"' if _SPECIAL.search(cell) else cell
