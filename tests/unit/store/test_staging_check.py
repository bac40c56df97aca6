"""What a wrong row of a staged entry can hide, and what it deletes: nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotator.cli.command_line import run
from annotator.errors import EnvironmentFailure
from annotator.progress import Progress
from annotator.session import Session
from annotator.store.backups import make_backup
from annotator.store.rebuild import rebuild_project
from annotator.store.staged_rows import LAST_NUMBER
from annotator.store.staging import Stage
from annotator.verification import IS_CUT_OFF, IS_UNFINISHED, verify_unopened
from tests.unit.store.conftest import Tamper
from tests.unit.store.making import ANNA, BEN, an_item, created, events, problems, reading, write

ROWS = 10
ROW = (
    "INSERT INTO staging (slot, id, first_n, hidden_from, hidden_to, host, process, active_at) "
    "VALUES (1, ?, ?, ?, ?, 'elsewhere', 1, 0)"
)


@pytest.fixture
def closed(session: Session) -> Path:
    """Give a project whose last command has created ten items."""
    write(session, *(created("item", an_item(name=f"item {n}")) for n in range(ROWS)), label="Ten")
    session.close()
    return session.path


def last_number(path: Path) -> int:
    return int(events(path, "n")[-1][0])


def session_id(path: Path) -> str:
    return str(events(path, "incarnation")[-1][0])


def told(path: Path) -> list[tuple[str, str]]:
    return [(found.kind, found.message) for found in problems(path)]


HIDES_EVENTS = ("staging", "The staged entry hides events that are not its own.")
HIDES_RECORDS = ("staging", "The staged entry hides records that no undo has removed.")
NO_GAP = ("staging", "The staged entry does not begin behind a gap of arrival numbers.")


def test_project_when_a_row_hides_events_of_others_then_verify_says_so_and_nothing_is_deleted(
    closed: Path, tamper: Tamper
) -> None:
    before = events(closed)
    tamper(ROW, "c" * 32, last_number(closed) - 7, 1, 0)
    assert told(closed) == [HIDES_EVENTS]
    assert IS_UNFINISHED not in verify_unopened(closed, progress=Progress()).notes
    with pytest.raises(EnvironmentFailure, match="damaged: The staged entry hides events"):
        Session.open(closed, actor=BEN)
    with pytest.raises(EnvironmentFailure, match="damaged"):
        Stage.begin(closed, actor=BEN)
    with pytest.raises(EnvironmentFailure, match="damaged"):
        make_backup(closed, reason="test", progress=Progress())
    assert events(closed) == before


def test_project_when_a_row_names_the_last_writer_then_it_must_begin_behind_a_gap(
    closed: Path, tamper: Tamper
) -> None:
    before = events(closed)
    tamper(ROW, f"deleted {session_id(closed)}", last_number(closed) - 7, 1, 0)
    assert told(closed) == [NO_GAP]
    with pytest.raises(EnvironmentFailure, match="behind a gap"):
        Session.open(closed, actor=BEN)
    assert events(closed) == before


def test_project_when_a_row_stages_the_whole_log_then_verify_says_so_and_nothing_is_deleted(
    closed: Path, tamper: Tamper
) -> None:
    (first,) = {event[0] for event in events(closed, "incarnation", "entity='project'")}
    # A project in which one opening has written all there is, as a stranger can send it.
    tamper("DELETE FROM event WHERE incarnation<>?", first)
    before = events(closed)
    tamper(ROW, first, 1, 1, 0)
    assert NO_GAP in told(closed)
    with pytest.raises(EnvironmentFailure, match="behind a gap"):
        Session.open(closed, actor=BEN)
    assert events(closed) == before


@pytest.mark.parametrize("process", [0, -1, 1 << 62, -(1 << 62)])
def test_project_when_an_entry_claims_a_process_that_cannot_be_then_opening_deletes_it(
    closed: Path, tamper: Tamper, process: int
) -> None:
    before = events(closed)
    with Stage.begin(closed, actor=ANNA) as stage:
        stage.add(created("item", an_item(name="staged")), command="c" * 32)
        stage.write(command="c" * 32)
    tamper("UPDATE staging SET process=?", process)
    Session.open(closed, actor=BEN).close()
    assert events(closed) == before
    assert told(closed) == []


def test_project_when_a_row_hides_records_that_nobody_removed_then_verify_says_so_and_they_stay(
    closed: Path, tamper: Tamper
) -> None:
    last = last_number(closed)
    created_from = min(n for n, entity in events(closed, "n, entity") if entity == "item")
    tamper(ROW, "c" * 32, LAST_NUMBER, created_from, last)
    assert told(closed) == [HIDES_RECORDS]
    Session.open(closed, actor=BEN).close()
    assert told(closed) == []
    with reading(closed) as connection:
        assert connection.execute("SELECT count(*) FROM item WHERE removed=0").fetchone() == (ROWS,)


def test_verify_when_a_wrong_row_hides_changes_then_it_finds_them_behind_it(
    closed: Path, tamper: Tamper
) -> None:
    tamper("UPDATE item SET name='forged' WHERE name='item 8'")
    tamper(ROW, "c" * 32, last_number(closed) - 7, 1, 0)
    assert "projection" in {kind for kind, _ in told(closed)}


def test_rebuild_when_a_row_hides_events_of_others_then_all_of_them_are_there(
    closed: Path, tamper: Tamper
) -> None:
    before = events(closed)
    tamper(ROW, "c" * 32, last_number(closed) - 7, 1, 0)
    rebuild_project(closed, progress=Progress())
    assert events(closed) == before
    assert told(closed) == []
    Session.open(closed, actor=BEN).close()


def test_verify_verb_when_a_process_left_an_entry_then_it_is_noted_and_stays(
    closed: Path, tamper: Tamper, capsys: pytest.CaptureFixture[str]
) -> None:
    with Stage.begin(closed, actor=ANNA) as stage:
        for number in range(3):
            stage.add(created("item", an_item(name=f"staged {number}")), command="c" * 32)
        stage.write(command="c" * 32)
    tamper("UPDATE staging SET host='elsewhere', active_at=0")
    before = events(closed)
    assert run(["verify", str(closed)]) == 0
    assert IS_CUT_OFF in capsys.readouterr().out
    notes = verify_unopened(closed, progress=Progress()).notes
    assert (IS_CUT_OFF in notes, IS_UNFINISHED in notes) == (True, False)
    assert events(closed) == before
    tamper("UPDATE staging SET active_at=unixepoch('now')")
    assert IS_UNFINISHED in verify_unopened(closed, progress=Progress()).notes
    tamper("UPDATE staging SET active_at=0")
    # Opening it for writing deletes what belongs to the entry, and only that.
    Session.open(closed, actor=BEN).close()
    assert len(events(closed)) == len(before) - 3
    assert told(closed) == []
