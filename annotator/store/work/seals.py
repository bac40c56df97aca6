"""Seals of model work: sums over the rows of each table, kept with every change and recomputed by ``verify``.

The log is protected by a chain of hashes. The rows of model work change: jobs move from state to state, and
costs add up. So the file keeps, for each table and run, the number of rows and the sum of the SHA-256 of each
of them, modulo 2^256. A changed, added or removed row gives another sum. Like the chain, it shows what was
changed by accident or by another program; whoever writes to the file can compute new sums.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, NamedTuple

from annotator.progress import Progress
from annotator.store.connection import Connection, transaction

SEAL_TABLE = """
CREATE TABLE work_seal (
    part TEXT NOT NULL,
    run TEXT NOT NULL,
    rows INTEGER NOT NULL,
    total BLOB NOT NULL,
    PRIMARY KEY (part, run)
) STRICT, WITHOUT ROWID
"""
SEALED: dict[str, str] = {
    "run": "id",
    "job": "run",
    "attempt": "run",
    "request": "",
    "reply": "",
    "prediction": "",
    "spending": "",
    "spending_limit": "",
}
"""Sealed tables, each with the column that names the run; "" where its rows belong to none. Of workers only
signs of life are stored."""
SINCE = "since"
"""Part whose run is the time from which on model work was sealed as it was recorded."""
MODULUS = 1 << 256
BYTES = 32
FUNCTION = "note_seal"
AT_A_TIME = 2_000


class SealProblem(NamedTuple):
    """Rows that are not as they were recorded.

    Attributes:
        part: The table.
        run: Id of the run, "" for none.
        message: What is different.
    """

    part: str
    run: str
    message: str


class _Change(NamedTuple):
    rows: int
    total: int


class WorkSeals:
    """Keeps the sums of one connection that writes model work.

    Temporary triggers report each change of a row, so that no statement can forget it.

    Args:
        connection: Of a project of this version, for writing.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._changes: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
        # -1: any number of arguments, since tables have different numbers of columns.
        connection.create_function(FUNCTION, -1, self._note)
        for table, run in SEALED.items():
            for statement in _triggers(connection, table, run=run):
                connection.execute(statement)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make one transaction of the block, in which the sums change together with the rows."""
        if self._connection.in_transaction:
            yield
            return
        # A transaction that failed has left its changes here.
        self._changes.clear()
        with transaction(self._connection):
            yield
            self._write()

    def _note(self, part: str, run: str, sign: int, *row: Any) -> None:  # noqa: ANN401 - values of SQLite
        change = self._changes[part, run]
        change[0] += sign
        change[1] += sign * row_number(row)

    def _write(self) -> None:
        for (part, run), (rows, total) in self._changes.items():
            if rows or total:
                _add(self._connection, part, run, rows=rows, total=total)
        self._changes.clear()


def row_number(row: tuple[Any, ...]) -> int:
    """Return the SHA-256 of a row as a number; rows differ where a value or its type does."""
    # Their text in Python names each value and its type, and is made in one call.
    text = repr(row).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(text).digest(), "big")


def create_seals(connection: Connection, *, is_new: bool) -> None:
    """Create the table and seal the rows that are there, inside the caller's transaction.

    Args:
        connection: The project.
        is_new: Whether model work was sealed from its beginning; otherwise the time of today is noted.
    """
    connection.execute(SEAL_TABLE)
    for (part, run), change in _sums(connection, progress=Progress()).items():
        _add(connection, part, run, rows=change.rows, total=change.total)
    if not is_new:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        _add(connection, SINCE, now, rows=0, total=0)


def sealed_since(connection: Connection) -> str:
    """Return from when on model work was sealed as it was recorded, "" for always."""
    found = connection.execute("SELECT run FROM work_seal WHERE part=?", (SINCE,)).fetchone()
    return "" if found is None else str(found[0])


def seal_problems(connection: Connection, *, progress: Progress) -> Iterator[SealProblem]:
    """Yield the tables and runs whose rows differ from the sums.

    Args:
        connection: The project; it must show one state throughout.
        progress: One step per row.
    """
    kept = {
        (part, run): _Change(rows, int.from_bytes(total, "big"))
        for part, run, rows, total in connection.execute("SELECT part, run, rows, total FROM work_seal")
        if part != SINCE
    }
    found = _sums(connection, progress=progress)
    for part, run in sorted(kept.keys() | found.keys()):
        before, now = kept.get((part, run), _Change(0, 0)), found.get((part, run), _Change(0, 0))
        if before.rows != now.rows:
            message = f"There are {now.rows:,} rows; {before.rows:,} were recorded."
            yield SealProblem(part, run, message)
        elif before.total != now.total:
            yield SealProblem(part, run, message="Rows were changed after they were recorded.")


def _sums(connection: Connection, *, progress: Progress) -> dict[tuple[str, str], _Change]:
    sums: dict[tuple[str, str], _Change] = {}
    for table, run in SEALED.items():
        names = ", ".join((run or "''", *_columns(connection, table)))
        rows = connection.execute(f'SELECT {names} FROM main."{table}"')
        while batch := rows.fetchmany(AT_A_TIME):
            for of_run, *row in batch:
                before = sums.get((table, of_run), _Change(0, 0))
                total = (before.total + row_number(tuple(row))) % MODULUS
                sums[table, of_run] = _Change(before.rows + 1, total)
            progress.step(len(batch))
    return sums


def _add(connection: Connection, part: str, run: str, *, rows: int, total: int) -> None:
    select = "SELECT rows, total FROM work_seal WHERE part=? AND run=?"
    found = connection.execute(select, (part, run)).fetchone() or (0, b"")
    summed = (int.from_bytes(found[1], "big") + total) % MODULUS
    connection.execute(
        "INSERT INTO work_seal (part, run, rows, total) VALUES (?, ?, ?, ?) "
        "ON CONFLICT DO UPDATE SET rows=excluded.rows, total=excluded.total",
        (part, run, found[0] + rows, summed.to_bytes(BYTES, "big")),
    )


def _triggers(connection: Connection, table: str, *, run: str) -> Iterator[str]:
    def note(row: str, sign: int) -> str:
        columns = ", ".join(f"{row}.{name}" for name in _columns(connection, table))
        of_run = f"{row}.{run}" if run else "''"
        return f"SELECT {FUNCTION}('{table}', {of_run}, {sign}, {columns});"

    for verb, notes in (
        ("insert", note("NEW", 1)),
        ("update", note("OLD", -1) + note("NEW", 1)),
        ("delete", note("OLD", -1)),
    ):
        yield (
            f"CREATE TEMP TRIGGER IF NOT EXISTS seal_{table}_{verb} AFTER {verb} ON main.{table} "
            f"BEGIN {notes} END"
        )


def _columns(connection: Connection, table: str) -> list[str]:
    return [row[0] for row in connection.execute("SELECT name FROM pragma_table_info(?, 'main')", (table,))]
