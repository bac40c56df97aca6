"""Executes the edits of the record that is shown, and knows when all of them are stored and shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Signal

from annotator.commands.command import Command
from widgets import display_text
from widgets.project_controller import ProjectController
from widgets.record_loader import RecordLoader
from widgets.task import Task


class RecordEdits(QObject):
    """Sends commands, reads the record again after each, and calls back when nothing is pending.

    Signals:
        refused: A command failed; its reason is shown by the window.
    """

    refused = Signal()

    def __init__(self, *, controller: ProjectController, loader: RecordLoader[Any], parent: QObject) -> None:
        super().__init__(parent)
        self._controller, self._loader = controller, loader
        self._pending = 0
        self._waiting: Callable[[], object] | None = None
        loader.read.connect(self._on_loader_read)

    def execute(self, command: Command) -> Task:
        """Execute a command."""
        self._pending += 1
        work = self._controller.execute(
            command, title=display_text.command_summary_text(command.summary), is_gesture=True
        )
        work.finished.connect(self._on_finished)
        work.failed.connect(self._on_failed)
        return work

    def when_stored(self, call: Callable[[], object]) -> None:
        """Call a function when all commands are stored and the record is read again; not after a failure."""
        self._waiting = call
        self._call_if_stored()

    def is_settled(self) -> bool:
        """Return whether no command is pending."""
        return not self._pending and self._waiting is None

    def _call_if_stored(self) -> None:
        if self._waiting is not None and not self._pending and self._loader.is_settled():
            call, self._waiting = self._waiting, None
            call()

    def _on_finished(self, _changes: object) -> None:
        self._pending -= 1
        # Not only by the change of the project, which arrives by itself, before or after this.
        self._loader.reload(is_forced=True)

    def _on_failed(self, _error: BaseException) -> None:
        self._pending -= 1
        self._waiting = None
        self._loader.reload(is_forced=True)
        self.refused.emit()

    def _on_loader_read(self) -> None:
        self._call_if_stored()
