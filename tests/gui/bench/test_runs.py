"""The program that edits while a worker works: what it notes, and that it leaves nothing behind."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from annotator.domain.run import Run
from annotator.errors import EnvironmentFailure
from annotator.progress import Progress
from annotator.session import Session
from annotator.store.work.queue import WorkQueue
from tests.bench.probes.eyes import work_for
from tests.bench.probes.runs import Pulse, edit, require_going
from tests.guards import Messages
from tests.windows import NO_SIZE_HINTS, make_item, make_project


@pytest.fixture(autouse=True)
def real_window_text(guard_messages: Messages) -> None:
    guard_messages.allow(NO_SIZE_HINTS)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "pilot.vantage", [make_item(number) for number in range(1, 9)])


def test_pulse_when_the_window_is_held_up_then_notes_for_how_long(qtbot: QtBot) -> None:
    parent = QObject()
    pulse = Pulse(parent)
    pulse.start()
    while len(pulse.gaps_ms) < 2:
        work_for(0.05)
    before = len(pulse.gaps_ms)
    held_until = time.monotonic() + 0.05
    while time.monotonic() < held_until:
        sum(range(1000))
    while len(pulse.gaps_ms) == before:
        work_for(0.05)
    pulse.stop()
    assert max(pulse.gaps_ms[before:]) >= 50


@pytest.mark.usefixtures("exempt_again")
def test_edit_when_done_then_the_project_given_is_as_it_was(project: Path) -> None:
    before = project.read_bytes()
    found = edit(project, seconds=0.6, has_run=False)
    assert found["turns"]
    assert found["answered"] == 0
    assert found["gaps_ms"]
    assert project.read_bytes() == before


def test_going_when_the_run_is_over_then_says_so(project: Path) -> None:
    with Session.open(project) as session:
        queue = WorkQueue.open(project)
        queue.runs.plan(Run(id="r1", kind="blind", models=("m",)), [], progress=Progress())
        queue.runs.cancel("r1")
        queue.close()
        with pytest.raises(EnvironmentFailure, match="before the time was over"):
            require_going(session)
