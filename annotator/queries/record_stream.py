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


def rows_by_number(
    connection: Connection,
    select: str,
    values: tuple[object, ...],
    *,
    streams: WeakSet[Cursor],
    after: str = "n>",
) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a query in order of their numbers.

    Inside a snapshot all are of its state. Outside of one, those of a stream that lasts longer than
    ``STATE_S`` are of newer states, each row once.

    Args:
        connection: The reader's.
        select: Sorted by its first column, ``n``; ``{after}`` is at the end of its condition.
        values: Its values.
        streams: Gets the open cursors.
        after: Column and comparison by which the rest is found: ``n>``, ``n<`` for the newest first,
            ``+n>`` where the query is answered by another index.
    """
    until, count = time.monotonic() + STATE_S, FETCH
    cursor = connection.execute(select.format(after=""), values)
    streams.add(cursor)
    # A consumer that stops early leaves the cursor open; ``snapshot`` closes it.
    while rows := cursor.fetchmany(count):
        is_old = not connection.in_transaction and time.monotonic() > until
        if is_old:
            cursor.close()
        yield from rows
        if is_old:
            cursor = connection.execute(select.format(after=f"AND {after}{int(rows[-1][0])}"), values)
            streams.add(cursor)
            count = PAGE
