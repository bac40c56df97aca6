"""Rows in order of arrival that somebody takes slowly, without keeping an old state of the project."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any
from weakref import WeakSet

from annotator.store.connection import Connection, Cursor

FETCH = 500
"""Rows fetched at a time while streaming: bounds memory at any size of project."""
STATE_S = 1.0
"""Time for which a stream keeps the state in which it began. The write-ahead log cannot be emptied beside an
older state: while a large undo read the events of its command, each record took 2 KB of log."""
PAGE = 10_000
"""Rows of a stream that has become older: each page is another query."""


class RecordStreams:
    """The open streams of a reader; the end of a snapshot closes them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._open: WeakSet[Cursor] = WeakSet()

    def rows(self, select: str, values: tuple[object, ...] = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query, all of one state."""
        # A consumer that stops early leaves the cursor open; ``close`` ends it.
        cursor = self._connection.execute(select, values)
        self._open.add(cursor)
        while rows := cursor.fetchmany(FETCH):
            yield from rows

    def rows_by_number(
        self, select: str, values: tuple[object, ...], *, after: str = "n>"
    ) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query in order of their numbers.

        Inside a snapshot all are of its state. Outside of one, those of a stream that lasts longer than
        ``STATE_S`` are of newer states, each row once.

        Args:
            select: Sorted by its first column, ``n``; ``{after}`` is at the end of its condition.
            values: Its values.
            after: Column and comparison by which the rest is found: ``n>``, ``n<`` for the newest first,
                ``+n>`` where the query is answered by another index.
        """
        until, count = time.monotonic() + STATE_S, FETCH
        cursor = self._connection.execute(select.format(after=""), values)
        self._open.add(cursor)
        while rows := cursor.fetchmany(count):
            is_old = not self._connection.in_transaction and time.monotonic() > until
            if is_old:
                cursor.close()
            yield from rows
            if is_old:
                rest = select.format(after=f"AND {after}{int(rows[-1][0])}")
                cursor = self._connection.execute(rest, values)
                self._open.add(cursor)
                count = PAGE

    def close(self) -> None:
        """Close them; one that is not read to the end, for instance in a traceback, keeps its state open."""
        for cursor in list(self._open):
            cursor.close()
