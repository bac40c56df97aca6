"""Edits items while a worker works through a run: ``python -m tests.bench.probes.runs PROJECT SECONDS``.

With ``idle`` behind it no run is begun: the same minute without model work. The worker is the program itself,
a process of its own, and asks a server in a third process that answers after a fixed time. Prints JSON: the
milliseconds between two moments at which the window was free to paint, over the whole time, and how many
requests were answered meanwhile.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from pathlib import Path

from PySide6.QtCore import QElapsedTimer, QObject, Qt, QTimer
from PySide6.QtTest import QTest

from annotator.commands.item_states import ChangeState
from annotator.domain.actor import Actor
from annotator.domain.profile import ModelProfile
from annotator.domain.record import new_id
from annotator.domain.work import RunOrder
from annotator.errors import EnvironmentFailure
from annotator.session import Session
from tests.bench.fixed_answer import IN_FLIGHT
from tests.bench.fixed_server import answering
from tests.bench.probes.eyes import wait_until, work_for
from tests.bench.probes.stand import application, tell
from widgets.cycle_collector import CycleCollector
from widgets.idle_work import IdleWork
from widgets.runs.slot import RunsSlot
from widgets.settings import Settings
from widgets.window import MainWindow, build

WINDOW_PX = (1600, 1000)
MODEL = "fixed"
BEAT_MS = 4
"""How often the window is asked whether it is free."""
REST_S = 0.12
"""A person's pause between two gestures."""
LOOK_EVERY = 8
"""Every so many turns the person looks at the run."""


class Pulse(QObject):
    """Notes for how long the window was not free, from one beat to the next.

    Args:
        parent: It beats as long as this lives.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.gaps_ms: list[float] = []
        self._since = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(BEAT_MS)
        self._timer.timeout.connect(self._on_timer_timeout)

    def start(self) -> None:
        """Begin."""
        self._since.start()
        self._timer.start()

    def stop(self) -> None:
        """Note no more."""
        self._timer.stop()

    def _on_timer_timeout(self) -> None:
        self.gaps_ms.append(self._since.nsecsElapsed() / 1e6)
        self._since.restart()


class Editor:
    """Somebody who goes through items, rejects some, takes it back, and looks at the run now and then.

    Args:
        window: A window with a project of many items, shown.
        has_run: Whether there is a run to look at.
    """

    def __init__(self, window: MainWindow, *, has_run: bool) -> None:
        self.turns = 0
        self._window, self._has_run = window, has_run

    def edit_for(self, seconds: float) -> None:
        """Go on for so long."""
        end_s = time.monotonic() + seconds
        while time.monotonic() < end_s:
            self._turn()
            self.turns += 1

    def _turn(self) -> None:
        library = self._window.library
        if library is None:
            raise EnvironmentFailure("The Library did not open.")
        table = library.listing().table
        for _ in range(3):
            QTest.keyClick(table, Qt.Key.Key_Down)
            work_for(REST_S)
        row = library.listing().current_row()
        if row is not None:
            self._window.controller.execute(
                ChangeState(items=(row.id,), state="rejected", reason="seen twice"), title="Reject"
            )
            work_for(REST_S)
            self._window.controller.undo()
            work_for(REST_S)
        if self._has_run and self.turns % LOOK_EVERY == LOOK_EVERY - 1:
            self._look_at_run()

    def _look_at_run(self) -> None:
        self._window.show_workspace("runs")
        work_for(4 * REST_S)
        runs = self._window.slots.find(RunsSlot).workspace
        if runs is not None and runs.list.run_at_hand():
            runs.open_run(runs.list.run_at_hand())
            work_for(8 * REST_S)
            runs.go_back()
        self._window.show_workspace("library")
        work_for(REST_S)


def edit(project: Path, *, seconds: float, has_run: bool) -> dict[str, object]:
    """Edit a project in the window, with or without a run, and return what was measured.

    Args:
        project: A project of many items with options; it is copied first.
        seconds: How long.
        has_run: Whether a worker works meanwhile.

    Raises:
        EnvironmentFailure: The run ended before the time was over, or did not begin.
    """
    with tempfile.TemporaryDirectory() as folder, answering() as address:
        copy = Path(shutil.copy(project, Path(folder) / "edited.vantage"))
        session = Session.open(copy, actor=Actor(id=new_id(), name="Ada"))
        window = build(session, settings=Settings(Path(folder) / "window.ini"))
        window.resize(*WINDOW_PX)
        window.show()
        window.activateWindow()
        QTest.qWaitForWindowActive(window)
        # As main.py does it: else threads collect garbage, and plots are loaded during the measurement.
        idle = IdleWork(window, CycleCollector(window))
        try:
            wait_until(window.is_settled, what="the window to come to rest")
            answered = begin(session, address) if has_run else 0
            window.show_workspace("runs")
            work_for(1.0)
            window.show_workspace("library")
            work_for(1.0)
            wait_until(lambda: idle.is_done, what="the work of an idle window")
            pulse = Pulse(window)
            editor = Editor(window, has_run=has_run)
            pulse.start()
            editor.edit_for(seconds)
            pulse.stop()
            if has_run:
                answered = require_going(session) - answered
        finally:
            if has_run:
                session.runs.worker.stop()
            window.close()
            window.deleteLater()
    return {"gaps_ms": pulse.gaps_ms, "turns": editor.turns, "answered": answered}


def begin(session: Session, address: str) -> int:
    """Begin a run over all items and wait until its first answers are there; return how many."""
    profile = ModelProfile(
        name=MODEL, adapter="openai", model=MODEL, base_url=address, in_flight=IN_FLIGHT, max_tokens=5
    )
    session.runs.save_profiles({MODEL: profile})
    planned = session.runs.start(RunOrder(kind="blind", models=(MODEL,)))
    wait_until(planned.done, what="the plan of the run")
    run, _counts = planned.result()
    session.runs.worker.start()
    wait_until(lambda: session.reader.runs.progress(run.id).done > 0, what="the first answers")
    return session.reader.runs.progress(run.id).done


def require_going(session: Session) -> int:
    """Return how many requests of the newest run were answered.

    Raises:
        EnvironmentFailure: It is over: what was measured is not a window beside model work.
    """
    run = session.reader.runs.all()[0]
    if run.state != "running":
        raise EnvironmentFailure(
            f"The run was {run.state} before the time was over.", hint="Take more items."
        )
    return session.reader.runs.progress(run.id).done


def main(project: Path, seconds: float, has_run: bool) -> None:
    """Measure and print."""
    # Held until the end: without an application there is no window.
    held = application()
    found = edit(project, seconds=seconds, has_run=has_run)
    tell(found)
    held.quit()


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]), "idle" not in sys.argv[3:])
