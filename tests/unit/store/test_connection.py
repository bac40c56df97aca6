from __future__ import annotations

from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from annotator.errors import EnvironmentFailure, UserError
from annotator.session import Session
from annotator.store import connection as connections
from annotator.store.connection import (
    IntegrityError,
    OperationalError,
    SharingTransactions,
    connect,
    convert_disk_errors,
    file_identity,
    transaction,
)
from annotator.store.lock_waiters import waiting_for_lock
from tests.unit.store.making import an_item, created, write

WRITING = {
    "journal_mode": "wal",
    "synchronous": 2,
    "busy_timeout": 10_000,
    "foreign_keys": 1,
    "trusted_schema": 0,
    "cell_size_check": 1,
    "query_only": 0,
}
READING = {**WRITING, "query_only": 1}


@pytest.mark.parametrize(("read_only", "wanted"), [(False, WRITING), (True, READING)])
def test_connect_when_open_then_has_the_settings_that_keep_the_file_whole(
    session: Session, read_only: bool, wanted: dict[str, object]
) -> None:
    with closing(connect(session.path, read_only=read_only)) as connection:
        found = {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in wanted}
    assert found == wanted


def test_connect_when_reading_then_sqlite_itself_refuses_to_write(session: Session) -> None:
    with closing(connect(session.path, read_only=True)) as connection:
        with pytest.raises(OperationalError, match="readonly"):
            connection.execute("DELETE FROM item")
        connection.execute("PRAGMA query_only=OFF")
        with pytest.raises(OperationalError, match="readonly"):
            connection.execute("DELETE FROM item")


def test_connect_when_sqlite_is_too_old_then_refuses_with_words(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections.sqlite3, "sqlite_version_info", (3, 51, 2))
    monkeypatch.setattr(connections.sqlite3, "sqlite_version", "3.51.2")
    with pytest.raises(EnvironmentFailure, match=r"SQLite 3\.51\.2 is too old.* 3\.51\.3 .*pysqlite3"):
        Session.create(path)
    assert not path.exists()


def test_connect_when_the_sqlite_is_the_first_mended_one_then_is_content(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections.sqlite3, "sqlite_version_info", (3, 51, 3))
    Session.create(path).close()
    assert path.is_file()


@pytest.mark.parametrize("name", ["a#b?c%20.vantage", "空 格.vantage"])
def test_connect_when_the_name_has_signs_of_an_address_then_opens_that_file(
    tmp_path: Path, name: str
) -> None:
    Session.create(tmp_path / name, title="T").close()
    assert [path.name for path in tmp_path.iterdir()] == [name]
    with Session.open(tmp_path / name) as session:
        assert session.title == "T"


def test_connect_when_the_folder_does_not_exist_then_says_what_to_look_at(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailure, match=r"cannot be opened.*Check that the folder exists"):
        connect(tmp_path / "no" / "p.vantage", read_only=False)


def test_connect_when_the_file_is_text_then_is_no_project(path: Path) -> None:
    path.write_text("not a project\n" * 1000)
    with pytest.raises(UserError, match="is not a Vantage project"):
        connect(path, read_only=True)


def test_connect_when_the_file_was_cut_off_then_calls_it_damaged(session: Session) -> None:
    session.close()
    session.path.write_bytes(session.path.read_bytes()[: 3 * 4096])
    with pytest.raises(EnvironmentFailure, match=r"is damaged: .*backup"):
        Session.open(session.path)


@pytest.mark.parametrize("read_only", [False, True])
def test_connect_when_the_schema_is_no_text_any_more_then_calls_the_file_damaged(
    session: Session, *, read_only: bool
) -> None:
    session.close()
    session.path.write_bytes(session.path.read_bytes().replace(b"CREATE TABLE", b"CREATE T\xa0BLE"))
    with pytest.raises(EnvironmentFailure, match=r"is damaged: .*backup"):
        connect(session.path, read_only=read_only)


def test_transaction_when_the_block_fails_then_nothing_stays(session: Session) -> None:
    with closing(connect(session.path, read_only=False)) as connection:

        def fail() -> None:
            with transaction(connection):
                connection.execute("INSERT INTO head VALUES ('x', 'y', 'z')")
                raise KeyError("a bug")

        with pytest.raises(KeyError):
            fail()
        assert not connection.in_transaction
        assert connection.execute("SELECT * FROM head").fetchall() == []


def test_transaction_when_it_ends_then_others_see_it(session: Session) -> None:
    with closing(connect(session.path, read_only=False)) as connection:
        with transaction(connection):
            connection.execute("INSERT INTO head VALUES ('x', 'y', 'z')")
            assert session.reader._connection.execute("SELECT * FROM head").fetchall() == []
        assert session.reader._connection.execute("SELECT * FROM head").fetchall() == [("x", "y", "z")]


def test_transaction_when_another_program_holds_the_file_then_says_so_and_keeps_the_state(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "BUSY_TIMEOUT_MS", 5)
    with closing(connect(session.path, read_only=False)) as other:
        with (
            transaction(other),
            pytest.raises(EnvironmentFailure, match=r"Another program is writing.*The project is unchanged"),
        ):
            write(session, created("item", an_item()))
        assert session.reader.counts()["item"] == 0
        write(session, created("item", an_item()))
    assert session.reader.counts()["item"] == 1


def test_transaction_when_another_program_frees_the_lock_then_it_is_taken_within_a_poll(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite itself asks again after up to 100 ms, and misses a lock that an import frees for a moment."""
    polls: list[float] = []
    with closing(connect(session.path, read_only=False)) as other:
        other.execute("BEGIN IMMEDIATE")

        def sleep(seconds: float) -> None:
            polls.append(seconds)
            if len(polls) == 30:
                other.execute("ROLLBACK")

        monkeypatch.setattr(connections.time, "sleep", sleep)
        with closing(connect(session.path, read_only=False)) as connection:
            with transaction(connection):
                assert connection.in_transaction
            assert connection.execute("PRAGMA busy_timeout").fetchone()[0] == WRITING["busy_timeout"]
    assert polls == [connections.LOCK_POLL_S] * 30
    assert connections.LOCK_POLL_S * 2 < connections.SHORTEST_PAUSE_S


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Give a clock that sleeping advances, with the pauses made."""
    clock = SimpleNamespace(now=100.0, pauses=[])

    def sleep(seconds: float) -> None:
        clock.pauses.append(round(seconds, 6))
        clock.now += seconds

    monkeypatch.setattr(connections, "time", SimpleNamespace(sleep=sleep, monotonic=lambda: clock.now))
    return clock


def test_transactions_of_long_work_when_others_want_the_lock_then_it_stays_free_as_long_as_it_was_held(
    session: Session, clock: SimpleNamespace
) -> None:
    with closing(connect(session.path, read_only=False)) as connection:
        transactions = SharingTransactions(connection)
        with waiting_for_lock(file_identity(connection)):
            for held_s, elsewhere_s in ((0.02, 0.0), (0.02, 0.015), (0.001, 0.0), (30.0, 0.0), (0.0, 1.0)):
                with transactions.next():
                    assert connection.in_transaction
                    clock.now += held_s
                assert not connection.in_transaction
                clock.now += elsewhere_s
            with transactions.next():
                pass
    longest = connections.LONGEST_PAUSE_S
    assert clock.pauses == [0.0, 0.02, 0.005, connections.SHORTEST_PAUSE_S, longest, 0.0]


def test_transactions_of_long_work_when_nobody_wants_the_lock_then_follow_each_other_and_are_longer(
    session: Session, clock: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(connect(session.path, read_only=False)) as connection:
        transactions = SharingTransactions(connection)
        for _ in range(3):
            with transactions.next():
                clock.now += connections.LONGEST_TRANSACTION_S / 2
                assert transactions.has_time()
                with monkeypatch.context() as wanted:
                    wanted.setattr(connections, "is_lock_wanted", lambda _: True)
                    assert not transactions.has_time()
                clock.now += connections.LONGEST_TRANSACTION_S
                assert not transactions.has_time()
    assert clock.pauses == []


def test_transaction_when_the_project_is_read_only_then_says_so_and_what_to_do(session: Session) -> None:
    with (
        closing(connect(session.path, read_only=True)) as connection,
        pytest.raises(EnvironmentFailure, match="read-only") as refused,
        transaction(connection),
    ):
        connection.execute("INSERT INTO head VALUES ('x', 'y', 'z')")
    assert "copy the project" in refused.value.hint
    assert "disk space" not in str(refused.value)


def test_disk_errors_when_a_rule_of_a_table_is_broken_then_are_not_converted(
    session: Session,
) -> None:
    with closing(connect(session.path, read_only=False)) as connection:
        connection.execute("INSERT INTO head VALUES ('x', 'y', 'z')")
        with pytest.raises(IntegrityError), convert_disk_errors():
            connection.execute("INSERT INTO head VALUES ('x', 'y', 'z')")
