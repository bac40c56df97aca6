"""A large project is verified by two processes, which together find what one finds."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import pytest

from annotator.errors import Cancelled, EnvironmentFailure, UserError
from annotator.progress import Progress
from annotator.session import Session
from annotator.store import verification_process
from annotator.store.verification import Problem, verify_project
from annotator.store.verification_process import verify_in_processes
from tests.unit.store.conftest import Tamper
from tests.unit.store.making import an_item, changed, created, write


@pytest.fixture(autouse=True)
def _is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verification_process, "SHARED_FROM_BYTES", 0)


@pytest.fixture
def altered(session: Session, tamper: Tamper) -> Path:
    """Give a project with one fault in the log and one in a table."""
    item = an_item()
    write(session, created("item", item))
    write(session, *changed("item", item.id, question="How many blue cars?"))
    tamper("UPDATE event SET wall_time='1999-01-01' WHERE field='question'")
    tamper("UPDATE item SET state='accepted'")
    return session.path


def found(path: Path) -> list[Problem]:
    return list(verify_in_processes(path, progress=Progress()))


def test_verify_when_two_processes_share_the_work_then_they_find_what_one_finds(altered: Path) -> None:
    problems = list(verify_project(altered, progress=Progress()))
    assert {problem.kind for problem in problems} == {"hash", "projection"}
    assert found(altered) == problems


def test_verify_when_two_processes_share_the_work_then_a_sound_project_has_no_problem(
    session: Session,
) -> None:
    write(session, created("item", an_item()))
    assert found(session.path) == []


def test_verify_when_no_second_process_can_be_started_then_one_does_all(
    altered: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> NoReturn:
        raise EnvironmentFailure("A process cannot be started.")

    monkeypatch.setattr(verification_process, "call_in_process", refuse)
    assert found(altered) == list(verify_project(altered, progress=Progress()))


def test_verify_when_cancelled_then_the_second_process_ends_too(altered: Path) -> None:
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        list(verify_in_processes(altered, progress=progress))


def test_verify_when_the_file_is_no_project_then_both_refuse(tmp_path: Path) -> None:
    path = tmp_path / "notes.vantage"
    path.write_text("no database" * 200)
    with pytest.raises(UserError):
        found(path)
