"""The window of a project in which somebody edits without a pause; each saved edit is printed.

``python tests/faults/edited_window.py PROJECT START``: a line ``question TEXT``, ``comment TEXT`` or ``item
TEXT`` says that the window called this edit saved. After a line of input it stops, prints how many items the
Library shows as ``shown COUNT``, and ends; it also ends with its parent.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from multiprocessing import parent_process
from multiprocessing.connection import Connection
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from PySide6.QtCore import QObject, QSocketNotifier, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

import main
from annotator.commands.command import Command
from annotator.commands.comments import WriteComment
from tests.unit.store.making import Write, created
from tests.windows import make_item
from widgets.screenshot import wait_until_settled
from widgets.window import MainWindow


class Hands(QObject):
    """Types the next text, writes the next comment or adds the next item when the last edit is saved."""

    def __init__(self, window: MainWindow, start: str) -> None:
        super().__init__(window)
        self._window, self._start, self._number = window, start, 0
        self._workspace = window.slots["refine"].workspace
        self._workspace.typed.saved.connect(self._on_saved)
        self._workspace.typed.failed.connect(self._on_failed)
        self._text, self._will_stop = "", False
        self._input = QSocketNotifier(sys.stdin.fileno(), QSocketNotifier.Type.Read, self)
        self._input.activated.connect(self._on_input)

    def go_on(self) -> None:
        """Make the next edit."""
        self._number += 1
        self._text = f"edit {self._start}.{self._number}"
        item = self._workspace.form.item
        assert item is not None
        if self._number % 3 == 0:
            self._execute("comment", WriteComment(entity="item", target=item.id, text=self._text))
            return
        if self._number % 5 == 0:
            self._execute("item", Write((created("item", make_item(self._number, name=self._text)),)))
            return
        self._workspace.form.edit_question()
        self._workspace.form.question.selectAll()
        QTest.keyClicks(self._workspace.form.question, self._text)
        self._workspace.typed.end()

    def _execute(self, kind: str, command: Command) -> None:
        work = self._window.controller.execute(command, title="Write", is_gesture=True)
        work.finished.connect(partial(self._acknowledge, kind, self._text))

    def _on_failed(self, item: str) -> None:
        # Somebody else has edited the same text: the person decides for the own one.
        self._workspace.typed.decide(item, "question", is_kept=True)

    def _on_input(self) -> None:
        self._input.setEnabled(False)
        self._will_stop = True

    def _stop(self) -> None:
        """Print what the Library shows, and close the window."""
        self._window.show_workspace("library")
        wait_until_settled(self._window)
        assert self._window.library is not None
        self._window.library.show_list("item")
        wait_until_settled(self._window)
        print("shown", self._window.library.listing().model.rowCount(), flush=True)
        self._window.close_now()

    def _on_saved(self, _item: str) -> None:
        # A timer saves what was typed until then, too.
        item = self._workspace.form.item
        if item is not None and self._workspace.typed.text(item.id, "question") is None:
            self._acknowledge("question", self._text)

    def _acknowledge(self, kind: str, text: str, _result: object = None) -> None:
        print(kind, text, flush=True)
        QTimer.singleShot(0, self._stop if self._will_stop else self.go_on)


def is_alone(parent: int) -> bool:
    """Return whether the process that started this one has ended, or the one that had it forked."""
    other = parent_process()
    return os.getppid() != parent or (other is not None and not other.is_alive())


def work(project: Path, start: str) -> int:
    """Open the window and edit until this process is ended."""
    window = main.build(project)
    window.resize(1280, 720)
    window.show()
    wait_until_settled(window)
    window.show_workspace("refine")
    wait_until_settled(window)
    hands = Hands(window, start)
    parent = os.getppid()
    alone = QTimer(window)
    # Whatever becomes of the test: no window stays.
    alone.timeout.connect(lambda: os._exit(1) if is_alone(parent) else None)
    alone.start(500)
    hands.go_on()
    return QApplication.exec()


def work_until_killed(project: Path, start: str, output: Connection) -> None:
    """Do it in a process that `multiprocessing` has forked; what is printed goes to a pipe."""
    os.dup2(output.fileno(), sys.stdout.fileno())
    # Without an end, unlike the input that such a process has.
    sys.stdin = os.fdopen(os.pipe()[0])
    work(project, start)


if __name__ == "__main__":
    raise SystemExit(work(Path(sys.argv[1]), sys.argv[2]))
