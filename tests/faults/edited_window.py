"""The window of a project in which somebody types and comments without a pause; each saved edit is printed.

``python tests/faults/edited_window.py PROJECT START``: a line ``question TEXT`` or ``comment TEXT`` says that
the window called this edit saved. It ends with its parent, or after two minutes.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from PySide6.QtCore import QObject, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

import main
from annotator.commands.comments import WriteComment
from tests.patience import PATIENCE_MS
from widgets.screenshot import wait_until_settled
from widgets.window import MainWindow


class Hands(QObject):
    """Types the next text, or writes the next comment, when the last one is saved."""

    def __init__(self, window: MainWindow, start: str) -> None:
        super().__init__(window)
        assert window.refine is not None
        self._window, self._start, self._number = window, start, 0
        self._workspace = window.refine.workspace
        self._workspace.typed.saved.connect(self._on_saved)
        self._text = ""

    def go_on(self) -> None:
        """Make the next edit."""
        self._number += 1
        self._text = f"edit {self._start}.{self._number}"
        item = self._workspace.form.item
        assert item is not None
        if self._number % 3 == 0:
            command = WriteComment(entity="item", target=item.id, text=self._text)
            work = self._window.controller.execute(command, title="Write", is_gesture=True)
            work.finished.connect(partial(self._acknowledge, "comment", self._text))
            return
        self._workspace.form.edit_question()
        self._workspace.form.question.selectAll()
        QTest.keyClicks(self._workspace.form.question, self._text)
        self._workspace.typed.end()

    def _on_saved(self, _item: str) -> None:
        # A timer saves what was typed until then, too.
        item = self._workspace.form.item
        if item is not None and self._workspace.typed.text(item.id, "question") is None:
            self._acknowledge("question", self._text)

    def _acknowledge(self, kind: str, text: str, _result: object = None) -> None:
        print(kind, text, flush=True)
        QTimer.singleShot(0, self.go_on)


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
    alone.timeout.connect(lambda: os._exit(1) if os.getppid() != parent else None)
    alone.start(500)
    QTimer.singleShot(PATIENCE_MS, window, lambda: os._exit(2))
    hands.go_on()
    return QApplication.exec()


if __name__ == "__main__":
    raise SystemExit(work(Path(sys.argv[1]), sys.argv[2]))
