"""Tests a model: runs the command ``models try`` in a child process and shows its output."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import msgspec
from PySide6.QtCore import QProcess, Qt, QTimer, Signal
from PySide6.QtWidgets import QPushButton, QWidget

import annotator
from widgets.box_layout import row_layout
from widgets.labels import label, set_role
from widgets.translation import mark as _
from widgets.translation import tr

SECOND_MS = 1000
BEFORE = _("Saves the models, then sends a small test request to the selected model.")
BUTTON_PX = 72
END_WAIT_MS = 5000
"""Maximum wait for the exit of a killed process, in milliseconds."""


class _TestResult(msgspec.Struct, frozen=True, kw_only=True):
    findings: tuple[str, ...]


class ConnectionTest(QWidget):
    """A button that tests a model, with the result beside it.

    The model is loaded in a child process: its memory is not part of the window's process, and killing the
    child process stops the test at any time.

    Signals:
        requested: Emitted when the button is clicked and no test runs.
        ended: Emitted when a test has finished, failed or was stopped.
    """

    requested = Signal()
    ended = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.button = QPushButton()
        self.button.setMinimumWidth(BUTTON_PX)
        self.button.clicked.connect(self._on_button_clicked)
        self.text = label(role="dim", wrap=True, selectable=True)
        self._process: QProcess | None = None
        self._name, self._began = "", 0.0
        self._clock = QTimer(self)
        self._clock.setInterval(SECOND_MS)
        self._clock.timeout.connect(self._show_waiting)
        row = row_layout(self, margins_px=0, spacing_px=12)
        row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.text, 1)
        self._show_button()
        self.forget()

    @property
    def is_trying(self) -> bool:
        """Whether a test is running."""
        return self._process is not None

    def try_model(self, name: str) -> None:
        """Start a test of a saved profile; does nothing while a test is running."""
        if self._process is not None:
            return
        process = self._process = QProcess(self)
        # Nobody can answer a prompt of the child process: an open standard input would block it for ever.
        process.setStandardInputFile(QProcess.nullDevice())
        process.finished.connect(self._on_process_finished)
        process.errorOccurred.connect(self._on_process_error_occurred)
        self._name, self._began = name, time.monotonic()
        self._show_button()
        self._show_waiting()
        self._clock.start()
        program, *arguments = command_of_test(name)
        process.start(program, arguments)

    def stop(self) -> None:
        """Kill the child process and wait for its exit."""
        process = self._leave()
        if process is not None:
            process.kill()
            # Qt warns of a process object that is deleted before its process has ended.
            process.waitForFinished(END_WAIT_MS)
            self._say(tr("Stopped."), role="dim")

    def forget(self) -> None:
        """Clear the result after the model or its profile has changed; a running test keeps its text."""
        if not self.is_trying:
            self._say(tr(BEFORE), role="dim")

    def _leave(self) -> QProcess | None:
        process, self._process = self._process, None
        if process is not None:
            # Disconnected first: kill() would report the stopped test as a failure.
            process.finished.disconnect(self._on_process_finished)
            process.errorOccurred.disconnect(self._on_process_error_occurred)
            process.deleteLater()
            self._clock.stop()
            self._show_button()
            self.ended.emit()
        return process

    def _show_button(self) -> None:
        self.button.setText(tr("Stop test") if self.is_trying else tr("Test model"))
        self.button.setToolTip(tr("Stop the test of the model") if self.is_trying else tr(BEFORE))

    def _show_waiting(self) -> None:
        seconds = int(time.monotonic() - self._began)
        text = tr("Testing {name} …", name=self._name)
        self._say(f"{text} {tr('{n} s', n=seconds)}" if seconds else text, role="dim")

    def _say(self, text: str, *, role: str) -> None:
        self.text.setText(text)
        set_role(self.text, role)

    def _on_button_clicked(self) -> None:
        if self.is_trying:
            self.stop()
        else:
            self.requested.emit()

    def _on_process_finished(self, status: int, exit_status: QProcess.ExitStatus) -> None:
        process = self._leave()
        if process is None:
            return
        output = bytes(process.readAllStandardOutput().data())
        failure = bytes(process.readAllStandardError().data()).decode(errors="replace").strip()
        if status == 0 and exit_status == QProcess.ExitStatus.NormalExit:
            self._say("\n".join(msgspec.json.decode(output, type=_TestResult).findings), role="body")
        else:
            ended = tr(
                "The test ended without a message (exit status {status}). Start the test again.",
                status=status,
            )
            self._say(failure or ended, role="warn")

    def _on_process_error_occurred(self, error: QProcess.ProcessError) -> None:
        # All other errors are followed by ``finished``, which reports them.
        if error == QProcess.ProcessError.FailedToStart:
            process = self._leave()
            reason = process.errorString() if process is not None else ""
            self._say(tr("The test cannot be started: {reason}", reason=reason), role="warn")


def command_of_test(name: str) -> tuple[str, ...]:
    """Return the command line that tests a model; a frozen build calls its own executable."""
    main = str(Path(annotator.__file__).parent.parent / "main.py")
    program = (sys.executable,) if getattr(sys, "frozen", False) else (sys.executable, main)
    # A name can begin with a dash, which would make it an option.
    return (*program, "models", "try", "--json", "--", name)
