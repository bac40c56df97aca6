"""Bare baselines: the least that a thing can cost on this machine, with nothing of the product around it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path
from types import TracebackType

import msgspec

from annotator.domain.record import Record
from annotator.store.connection import connect

ROW_BYTES = 600
"""Bytes of a committed row: about what an edit of a question adds to the log."""
WRITE_BYTES = 1 << 20
SYNC_BYTES = 64 << 20


class BareCommits:
    """A file of its own with one table: each commit adds one row, WAL and FULL as in a project."""

    def __init__(self, path: Path) -> None:
        self._connection = connect(path, read_only=False)
        self._connection.execute("CREATE TABLE row (n INTEGER PRIMARY KEY, text TEXT) STRICT")
        self._text = "x" * ROW_BYTES

    def __enter__(self) -> BareCommits:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def commit(self) -> None:
        """Commit one row."""
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.execute("INSERT INTO row (text) VALUES (?)", (self._text,))
        self._connection.execute("COMMIT")


class BarePages:
    """A keyset page of items by plain SQL: no filter, no facets, no records."""

    def __init__(self, project: Path) -> None:
        self._connection = connect(project, read_only=True)

    def __enter__(self) -> BarePages:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def page(self, after: int, *, limit: int = 100) -> list[tuple[object, ...]]:
        """Return rows after a number."""
        select = "SELECT n, id, name, task_set, task, state, question FROM item WHERE n>? ORDER BY n LIMIT ?"
        return list(self._connection.execute(select, (after, limit)).fetchall())


def encode_and_write(records: Sequence[tuple[str, Record]], *, count: int, path: Path) -> int:
    """Encode records that lie in memory and write them, a line each, in the native release's shape.

    The file is brought to the disk as a release is: after every 64 MB and at the end.

    Args:
        records: A fair sample of the records, each with its kind; gone through again and again.
        count: Number of lines to write.
        path: The file; overwritten.

    Returns:
        Bytes written.
    """
    encode, tail = msgspec.json.Encoder().encode, b"}\n"
    sample = [(b'{"entity":"%s","record":' % entity.encode(), record) for entity, record in records]
    lines: list[bytes] = []
    total = held = unsynced = 0
    with path.open("wb", buffering=0) as file:
        for head, record in islice(cycle(sample), count):
            line = head + encode(record) + tail
            lines.append(line)
            held += len(line)
            if held >= WRITE_BYTES:
                file.write(b"".join(lines))
                lines.clear()
                total, unsynced, held = total + held, unsynced + held, 0
            if unsynced >= SYNC_BYTES:
                os.fsync(file.fileno())
                unsynced = 0
        file.write(b"".join(lines))
        os.fsync(file.fileno())
    return total + held
