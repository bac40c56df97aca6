from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from tests.bench.figure import TARGETS, Figure
from tests.bench.hands.effort import Effort
from tests.bench.hands.measure import FIGURES
from tests.bench.hands.run import SCRIPTS, Script, run_script
from tests.guards import Messages
from tests.windows import NO_SIZE_HINTS


@pytest.fixture(autouse=True)
def real_window_text(guard_messages: Messages, qapp: QApplication) -> Iterator[None]:
    guard_messages.allow(NO_SIZE_HINTS)
    yield
    qapp.processEvents()


def test_effort_when_timed_then_a_drag_points_twice_and_typed_texts_take_their_keys() -> None:
    effort = Effort(keys=2, typed=10, clicks=1, drags=1, thoughts=1)
    assert effort.actions == 4
    assert effort.seconds == pytest.approx(12 * 0.28 + 3 * 1.1 + 1.35)
    assert effort.text.startswith("2 keys, 10 typed characters, 1 click, 1 drag, 1 thought; 8.0 s")


def test_scripts_when_listed_then_each_has_a_figure() -> None:
    assert tuple(script.figure for script in SCRIPTS) == FIGURES


@pytest.mark.parametrize("script", SCRIPTS, ids=[script.figure for script in SCRIPTS])
def test_work_when_done_in_the_window_then_takes_no_more_actions_than_asked(script: Script) -> None:
    effort = run_script(script)
    assert effort.actions
    target = TARGETS[script.figure].value
    assert target is None or Figure(name=script.figure, value=effort.actions).is_met, effort.text
