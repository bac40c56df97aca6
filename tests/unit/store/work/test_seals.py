"""Model work that was changed by somebody else: verify finds each row."""

from __future__ import annotations

import gzip
import random
from contextlib import closing
from pathlib import Path

import pytest

from annotator.errors import EnvironmentFailure
from annotator.progress import Progress
from annotator.session import Session
from annotator.store.connection import connect
from annotator.store.verification import verify_project, work_sealed_since
from annotator.store.work.queue import WorkQueue
from annotator.store.work.seals import SEALED, seal_problems
from tests.unit.jobs.working import Voice, enter, make_project, plans, work

STORED = Path(__file__).parents[1] / "projects" / "model-work-9.vantage.gz"


def found(path: Path) -> list[tuple[str, str]]:
    problems = verify_project(path, progress=Progress())
    return [(one.kind, one.where.split()[0]) for one in problems]


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Give the content of a project with answers, failures, costs, limits, and a run under way."""
    path = make_project(tmp_path_factory.mktemp("worked") / "p.vantage")
    enter(path, plans(8), run="r1", limit_micro=1_000)
    work(path, Voice())
    enter(path, plans(4, first=4, worst=5), run="r2")
    with closing(WorkQueue.open(path)) as queue:
        queue.runs.limit_all("day", 7_000)
        queue.runs.limit_all("day", 8_000)
        claims = queue.claim("w", run="r2", model="voice", count=2, now=1.0)
        queue.mark_sent(claims, [b"{}"] * len(claims))
        queue.runs.pause("r2")
    with closing(connect(path, read_only=False)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
    return path.read_bytes()


@pytest.fixture
def path(worked: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "p.vantage"
    path.write_bytes(worked)
    return path


def test_verify_when_work_was_planned_done_paused_and_limited_then_finds_nothing(path: Path) -> None:
    assert found(path) == []
    assert work_sealed_since(path) == ""


def rows_of(path: Path) -> list[str]:
    with closing(connect(path, read_only=True)) as connection:
        return [
            table for table in SEALED if connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        ]


@pytest.mark.parametrize("table", [table for table in SEALED if table != "spending"])
def test_verify_when_any_value_of_a_row_is_changed_then_finds_it(path: Path, table: str) -> None:
    assert table in rows_of(path)
    with closing(connect(path, read_only=False)) as connection:
        columns = connection.execute(f"SELECT name, type FROM pragma_table_info('{table}')").fetchall()
        key = columns[0][0]
        for name, kind in columns:
            new = {"TEXT": "x", "BLOB": b"x"}.get(kind, 4_711)
            connection.execute(
                f"UPDATE {table} SET {name}=? WHERE {key}=(SELECT min({key}) FROM {table})", (new,)
            )
            assert ("model_work", table) in found(path), name


@pytest.mark.parametrize("table", SEALED)
def test_verify_when_rows_are_removed_then_finds_it(path: Path, table: str) -> None:
    had_rows = table in rows_of(path)
    with closing(connect(path, read_only=False)) as connection:
        connection.execute(f"DELETE FROM {table}")
    assert (("model_work", table) in found(path)) == had_rows


def test_verify_when_a_seal_is_changed_or_removed_then_finds_it(path: Path) -> None:
    for statement in ("UPDATE work_seal SET rows=rows+1 WHERE part='job'", "DELETE FROM work_seal"):
        with closing(connect(path, read_only=False)) as connection:
            connection.execute(statement)
        assert ("model_work", "job") in found(path)


def fail(queue: WorkQueue) -> None:
    """Change a row in a transaction that is rolled back."""
    with queue.transaction():
        queue.runs.limit_all("project", 5)
        raise EnvironmentFailure("The disk is full.")


def test_transaction_when_it_fails_then_the_sums_are_those_of_the_rows(path: Path) -> None:
    with closing(WorkQueue.open(path)) as queue:
        with pytest.raises(EnvironmentFailure):
            fail(queue)
        queue.runs.limit_all("project", None)
        queue.runs.resume("r2")
    assert found(path) == []


def test_queues_when_two_write_in_turn_then_the_sums_are_right(path: Path) -> None:
    with closing(WorkQueue.open(path)) as one, closing(WorkQueue.open(path)) as other:
        for micro, queue in enumerate((one, other, one, other), start=1):
            queue.runs.limit_run("r1", micro)
        one.runs.cancel("r2")
        other.expire(now=1e9)
    assert found(path) == []


def test_open_when_a_project_is_older_then_its_work_is_sealed_as_it_is_and_that_is_told(
    tmp_path: Path,
) -> None:
    path = tmp_path / "old.vantage"
    path.write_bytes(gzip.decompress(STORED.read_bytes()))
    Session.open(path).close()
    assert found(path) == []
    assert work_sealed_since(path).startswith("20")
    with closing(connect(path, read_only=False)) as connection:
        connection.execute("UPDATE prediction SET kind='answer'")
    assert found(path) == [("model_work", "prediction")]


@pytest.mark.parametrize("count", [60, pytest.param(2_000, marks=pytest.mark.slow)])
def test_seals_when_one_bit_of_a_value_is_flipped_then_the_table_is_named(path: Path, count: int) -> None:
    chance = random.Random(count)
    tables = rows_of(path)
    with closing(connect(path, read_only=False)) as connection:
        for _ in range(count):
            table = chance.choice(tables)
            names = connection.execute(f"SELECT name FROM pragma_table_info('{table}')").fetchall()
            (key,), *columns = names
            (column,) = chance.choice(columns)
            select = f"SELECT {key}, {column} FROM {table} WHERE length({column})>0 ORDER BY 1"
            rows = connection.execute(select).fetchall() or [(None, None)]
            row, value = chance.choice(rows)
            if row is None:
                continue
            update = f"UPDATE {table} SET {column}=? WHERE {key}=?"
            connection.execute(update, (flipped(value, chance), row))
            assert {one.part for one in seal_problems(connection, progress=Progress())} == {table}
            connection.execute(update, (value, row))
    assert found(path) == []


def flipped(value: bytes | str | float, chance: random.Random) -> bytes | str | float:
    """Return a value of the same type that differs in one bit."""
    if isinstance(value, int):
        return value ^ 1 << chance.randrange(31)
    if isinstance(value, float):
        return value + 1
    content = bytearray(value if isinstance(value, bytes) else value.encode())
    content[chance.randrange(len(content))] ^= 1
    return bytes(content) if isinstance(value, bytes) else content.decode("latin-1")
