"""Checks the table by which FTS5 finds the page of a term; scans of a search index do not read it.

It has one row for each page in which a term begins: the number of the page, and the start of its first term,
which sorts behind all terms of earlier pages. Without the row, searches find none of these terms.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, pairwise
from operator import itemgetter

from annotator.store.connection import Connection

_PAGES = """
SELECT id>>37, id & 0x7fffffff, block FROM main.{table}_data
WHERE id>10 AND id < 1<<53 AND (id>>31 & 63)=0 ORDER BY id
"""
"""Part, number and content of the pages with terms; with other bits they are of other kinds."""
_ROWS = "SELECT segid, term, pgno>>1 FROM main.{table}_idx ORDER BY segid, term"
_Row = tuple[bytes, int]
"""Start of the first term, and number of the page."""


def is_lookup_damaged(connection: Connection, table: str) -> bool:
    """Return whether a search would not find a term that is in the index.

    Args:
        connection: The project, in a transaction.
        table: Name of the search table.
    """
    rows: dict[int, list[_Row]] = {}
    for part, term, page in connection.execute(_ROWS.format(table=table)):
        rows.setdefault(part, []).append((term, page))
    try:
        pages = groupby(connection.execute(_PAGES.format(table=table)), key=itemgetter(0))
        return any(_is_damaged(rows.get(part, []), ((n, block) for _, n, block in of)) for part, of in pages)
    # A page that is cut off, or a row of another type.
    except (IndexError, TypeError):
        return True


def _is_damaged(rows: list[_Row], pages: Iterator[tuple[int, bytes]]) -> bool:
    """Return whether the rows of one part do not lead to its pages."""
    first, block = next(pages)
    last = [b"", *_terms(block)][-1]
    # The first page needs no row, and rows can be left of pages before it that a merge has deleted.
    starts = {page: start for start, page in rows if page > first}
    for page, block in pages:
        terms = _terms(block)
        if not terms:
            continue
        start = starts.pop(page, None)
        if start is None or not (terms[0].startswith(start) and start > last):
            return True
        last = terms[-1]
    return bool(starts) or any(one >= other for (_, one), (_, other) in pairwise(rows))


def _terms(block: bytes) -> list[bytes]:
    """Return the terms that begin in a page; their distances from each other stand at its end."""
    index, end = 0, int.from_bytes(block[2:4])
    found: list[bytes] = []
    while end < len(block):
        step, end = _number(block, end)
        index += step
        kept, at = _number(block, index) if found else (0, index)
        length, at = _number(block, at)
        found.append((found[-1][:kept] if found else b"") + block[at : at + length])
    return found


def _number(block: bytes, at: int) -> tuple[int, int]:
    """Return a number of seven bits a byte, the highest first, and the place behind it."""
    number = 0
    while (byte := block[at]) >= 0x80:
        number, at = number << 7 | byte & 0x7F, at + 1
    return number << 7 | byte, at + 1
