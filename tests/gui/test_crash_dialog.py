from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from annotator.diagnostics.crash_report import CrashReport
from tests.guards import Messages
from tests.windows import NO_SIZE_HINTS, make_project
from widgets.crash_dialog import CrashDialog, SaveStatus
from widgets.crash_presenter import CrashPresenter
from widgets.qt_messages import log_qt_messages

REPO = Path(__file__).resolve().parents[2]
WINDOW = """
import sys, threading
from pathlib import Path
import main
from annotator.diagnostics.crash_monitor import CrashMonitor
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
monitor = CrashMonitor("window"); monitor.install()
window = main.build(Path(sys.argv[1]))
main.show_crashes(window, monitor)
window.show()
def fail(): raise KeyError("where is the red car")
def fail_in_thread():
    thread = threading.Thread(target=fail, name="reader-1"); thread.start(); thread.join()
def look():
    dialog = window.crashes.dialog
    if dialog is None or dialog._count < 2:
        return QTimer.singleShot(20, look)
    print(dialog.headline.text()); print(dialog.saved.text()); print(dialog.report.toPlainText())
    dialog.quit.click()
QTimer.singleShot(0, fail_in_thread); QTimer.singleShot(0, fail); QTimer.singleShot(0, look)
raise SystemExit(QApplication.exec())
"""


def report(error: BaseException | None = None, *, thread: str = "MainThread") -> CrashReport:
    return CrashReport.of(error or KeyError("the red car"), process="window", thread=thread)


@pytest.fixture
def window(qtbot: QtBot, guard_messages: Messages) -> QWidget:
    guard_messages.allow(NO_SIZE_HINTS)
    made = QWidget()
    made.resize(1280, 720)
    qtbot.addWidget(made)
    with qtbot.waitExposed(made):
        made.show()
    return made


@pytest.fixture
def left() -> list[str]:
    return []


@pytest.fixture
def presenter(window: QWidget, left: list[str]) -> CrashPresenter:
    status = SaveStatus(project="pilot.vantage", saved_at=0.0, tasks=("Importing",))
    return CrashPresenter(window, status=lambda: status, quit_window=lambda: left.append("quit"))


@pytest.fixture
def dialog(presenter: CrashPresenter, qtbot: QtBot) -> Iterator[CrashDialog]:
    presenter.report(report())
    qtbot.waitUntil(lambda: presenter.dialog is not None)
    made = presenter.dialog
    assert made is not None
    yield made
    if isValid(made) and made.isVisible():
        made.accept()


def dialogs() -> list[QDialog]:
    return [
        widget
        for widget in QApplication.topLevelWidgets()
        if isinstance(widget, QDialog) and widget.isVisible()
    ]


def test_status_when_nothing_was_open_then_no_data_is_affected() -> None:
    assert SaveStatus().text() == "No project was open. No data is affected."


def test_status_when_edits_were_made_then_names_the_time_and_the_file() -> None:
    text = SaveStatus(project="pilot.vantage", saved_at=1_750_000_000.0).text()
    assert text.startswith("All edits up to ")
    assert "are saved in pilot.vantage. An unfinished drawing" in text


def test_dialog_when_opened_then_says_what_is_saved_and_blocks_its_window(dialog: CrashDialog) -> None:
    assert dialog.isVisible()
    assert dialog.windowModality() == Qt.WindowModality.WindowModal
    assert dialog.headline.text() == "An internal error occurred in Vantage."
    assert dialog.saved.text() == (
        "pilot.vantage was not changed in this window. An unfinished drawing or text may be lost. "
        "Still running: Importing. A failed task does not change the project."
    )
    assert not dialog.open_log.isVisible()


def test_dialog_when_the_report_is_copied_then_the_clipboard_has_no_values(
    dialog: CrashDialog, qtbot: QtBot
) -> None:
    qtbot.mouseClick(dialog.copy, Qt.MouseButton.LeftButton)
    text = QGuiApplication.clipboard().text()
    assert "KeyError" in text
    assert "Python: " in text
    assert "red car" not in text
    assert dialog.copy.text() == "Copied"


def test_dialog_when_more_errors_come_then_takes_them_in(
    dialog: CrashDialog, presenter: CrashPresenter, qtbot: QtBot
) -> None:
    for number in range(30):
        presenter.report(report(type(f"Error{number}", (ValueError,), {})(), thread=f"reader-{number}"))
    presenter.report(report())
    qtbot.waitUntil(lambda: dialog.headline.text().startswith("32 "))
    assert dialogs() == [dialog]
    assert dialog.report.toPlainText().count("Traceback") == 10


def test_dialog_when_closed_then_the_same_error_does_not_bring_it_back(
    dialog: CrashDialog, presenter: CrashPresenter, qtbot: QtBot
) -> None:
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    assert presenter.dialog is None
    presenter.report(report())
    presenter.report(report(ValueError("other")))
    qtbot.waitUntil(lambda: presenter.dialog is not None)
    assert presenter.dialog is not None
    assert "ValueError" in presenter.dialog.report.toPlainText()
    assert presenter.dialog.headline.text() == "An internal error occurred in Vantage."
    presenter.dialog.accept()


def test_dialog_when_quit_is_chosen_then_the_window_is_asked_to_close(
    dialog: CrashDialog, left: list[str], qtbot: QtBot
) -> None:
    qtbot.mouseClick(dialog.quit, Qt.MouseButton.LeftButton)
    assert left == ["quit"]
    assert not dialog.isVisible()


def test_dialog_when_there_is_a_log_then_its_folder_can_be_opened(
    presenter: CrashPresenter, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    presenter.log_path = tmp_path / "vantage.log"
    presenter.report(report())
    qtbot.waitUntil(lambda: presenter.dialog is not None)
    assert presenter.dialog is not None
    qtbot.mouseClick(presenter.dialog.open_log, Qt.MouseButton.LeftButton)
    assert opened == [QUrl.fromLocalFile(str(tmp_path))]
    presenter.dialog.accept()


def test_presenter_when_another_dialog_is_open_then_lies_over_it(
    presenter: CrashPresenter, window: QWidget, qtbot: QtBot
) -> None:
    other = QDialog(window)
    other.open()
    thread = threading.Thread(target=presenter.report, args=[report()])
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: presenter.dialog is not None)
    assert presenter.dialog is not None
    assert presenter.dialog.parent() is other
    presenter.dialog.accept()
    other.accept()


def test_presenter_when_the_dialog_cannot_be_made_then_logs_it(
    window: QWidget, qtbot: QtBot, guard_messages: Messages, caplog: pytest.LogCaptureFixture
) -> None:
    guard_messages.allow("could not be opened")

    def fail() -> SaveStatus:
        raise RuntimeError("no status")

    presenter = CrashPresenter(window, status=fail, quit_window=lambda: None)
    presenter.report(report())
    qtbot.waitUntil(lambda: bool(caplog.records))
    assert presenter.dialog is None


def test_qt_message_when_a_warning_then_is_in_the_log(
    guard_messages: Messages, caplog: pytest.LogCaptureFixture, quiet_qt: None
) -> None:
    guard_messages.allow("QObject::startTimer")
    log_qt_messages()
    lonely = QObject()
    thread = threading.Thread(target=lonely.startTimer, args=[1000])
    thread.start()
    thread.join()
    (record,) = [record for record in caplog.records if record.name == "qt"]
    assert (record.levelno, "startTimer" in record.getMessage()) == (logging.WARNING, True)


def test_window_when_thread_and_gui_fail_as_a_process_then_one_dialog_says_so(tmp_path: Path) -> None:
    project = make_project(tmp_path / "pilot.vantage")
    ended = subprocess.run(
        [sys.executable, "-c", WINDOW, str(project)],
        cwd=REPO,
        env={**os.environ, "VANTAGE_LOG": str(tmp_path / "log"), "LC_ALL": "C.UTF-8"},
        capture_output=True,
        encoding="utf-8",
        timeout=240,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith(
        "2 internal errors occurred in Vantage.\npilot.vantage was not changed in this window."
    )
    assert "Thread: reader-1" in ended.stdout
    assert "red car" not in ended.stdout
    log = (tmp_path / "log" / "vantage.log").read_text(encoding="utf-8")
    assert "Unhandled exception in thread reader-1" in log
    assert "red car" not in log
