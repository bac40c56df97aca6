"""The guards bite: bad tests run in a process of their own, and the report must name each of them."""

from __future__ import annotations

import gc
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[2]

BAD_TESTS = """
import logging, os, socket, threading
from contextlib import suppress
from pathlib import Path
import pytest

def test_socket(): socket.create_connection(("192.0.2.1", 9), timeout=0.1)
def test_name(): socket.getaddrinfo("example.org", 80)
def test_swallowed():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock, suppress(Exception):
        sock.sendto(b"x", ("192.0.2.1", 9))
def test_warning(): logging.getLogger("shop.till").warning("till is empty")
def test_thread():
    threading.Thread(target=threading.Event().wait, args=(30,), daemon=True, name="idler").start()
def test_home_one(): (Path.home() / "kept").touch()

def test_loopback_is_fine():
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        pass
@pytest.mark.allow_messages("till is .*")
def test_marked_warning_is_fine(): logging.getLogger("shop.till").warning("till is empty")
def test_allowed_warning_is_fine(guard_messages):
    guard_messages.allow("till")
    logging.getLogger("shop.till").error("till is empty")
def test_info_is_fine(): logging.getLogger("shop.till").info("till is full")
def test_joined_thread_is_fine():
    thread = threading.Thread(target=int); thread.start(); thread.join()
def test_home_two_is_fine():
    assert not (Path.home() / "kept").exists()
    assert os.environ["XDG_DATA_HOME"].startswith(str(Path.home()))
"""

BAD_QT_TESTS = """
import gc, threading
from contextlib import suppress
from PySide6.QtCore import QObject, QSettings, QThread, QTimer, qInfo, qWarning
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QDialog, QFileDialog, QMessageBox, QWidget

kept = []

def test_qt_message(): qWarning("paper jam")
def test_timer(): kept.append(QTimer()); kept[-1].setObjectName("egg"); kept[-1].start(60_000)
def test_qt_thread(): kept.append(QThread()); kept[-1].setObjectName("spinner"); kept[-1].start()
def test_widget(): kept.append(QWidget()); kept[-1].setObjectName("orphan")
def test_dialog(qtbot): dialog = QDialog(); qtbot.addWidget(dialog); dialog.exec()
def test_message_box(): QMessageBox.question(None, "Sure?", "Really?")
def test_swallowed_file_dialog():
    with suppress(Exception):
        QFileDialog.getOpenFileName()
def test_message_box_instance(qtbot): box = QMessageBox(); qtbot.addWidget(box); box.exec()
def run_beside(work): thread = threading.Thread(target=work, name="beside"); thread.start(); thread.join()
def test_image_beside(): run_beside(lambda: QImage(2, 2, QImage.Format.Format_RGB32))
def test_decoding_beside(): run_beside(lambda: QImage.fromData(b"x"))
def test_scaling_beside():
    image = QImage(2, 2, QImage.Format.Format_RGB32); image.fill(0)
    run_beside(lambda: image.scaled(1, 1))
def test_painting_beside():
    image = QImage(2, 2, QImage.Format.Format_RGB32); image.fill(0)
    run_beside(lambda: QPainter(image).end())
def test_freed_beside(): things = [QObject()]; run_beside(things.clear)
def test_cycle_freed_beside():
    gc.collect()
    thing = QObject(); thing.me = thing; del thing
    run_beside(gc.collect)
def test_settings_one(): QSettings("maker", "program").setValue("kept", 1)

def test_end_spinner_is_fine():
    for thread in kept:
        if isinstance(thread, QThread):
            thread.quit(); thread.wait()
def test_info_is_fine(): qInfo("all well")
def test_widget_of_qtbot_is_fine(qtbot): widget = QWidget(); qtbot.addWidget(widget); widget.show()
def test_window_with_a_smallest_size_is_fine(qtbot):
    widget = QWidget(); qtbot.addWidget(widget); widget.show(); widget.setMinimumSize(300, 200)
def test_stopped_timer_is_fine(): timer = QTimer(); timer.start(60_000); timer.stop()
def test_widget_in_a_cycle_is_fine():
    widget = QWidget()
    widget.me = widget
def test_stubbed_dialog_is_fine(monkeypatch):
    monkeypatch.setattr(QMessageBox, "question", lambda *_: QMessageBox.StandardButton.Yes)
    assert QMessageBox.question(None, "Sure?", "Really?") == QMessageBox.StandardButton.Yes
def test_cycle_beside_allocations_is_fine():
    thing = QObject(); thing.me = thing; del thing
    run_beside(lambda: [[number] for number in range(50_000)])
def test_image_here_is_fine(): assert QImage(2, 2, QImage.Format.Format_RGB32).scaled(1, 1).width() == 1
def test_settings_two_is_fine(): assert QSettings("maker", "program").value("kept") is None
"""


# What the report must say of each bad test; every other test in the two files must pass.
TOLD = {
    "test_socket": "tried to reach 192.0.2.1",
    "test_name": "tried to reach example.org",
    "test_swallowed": "tried to reach ('192.0.2.1', 9)",
    "test_warning": "unexpected messages",
    "test_thread": "threads left running: idler",
}
TOLD_QT = {
    "test_qt_message": "unexpected messages",
    "test_timer": "left over: QTimer 'egg'",
    "test_qt_thread": "left over: QThread 'spinner'",
    "test_widget": "left over: QWidget 'orphan'",
    "test_dialog": "dialogs that wait for a person: QDialog.exec",
    "test_message_box": "dialogs that wait for a person: QMessageBox.question",
    "test_message_box_instance": "dialogs that wait for a person: QDialog.exec",
    "test_image_beside": "Qt image calls off the GUI thread: QImage.__init__ on beside",
    "test_decoding_beside": "Qt image calls off the GUI thread: QImage.fromData on beside",
    "test_scaling_beside": "Qt image calls off the GUI thread: QImage.scaled on beside",
    "test_painting_beside": "Qt image calls off the GUI thread: QPainter.__init__ on beside",
    "test_freed_beside": "Qt objects freed off the GUI thread: QObject on beside",
    "test_cycle_freed_beside": "QObject on beside",
    "test_swallowed_file_dialog": "dialogs that wait for a person: QFileDialog.getOpenFileName",
}
# Refused at once, in the call itself, and not only when the test is over.
REFUSED_AT_ONCE = {"test_socket", "test_name", "test_dialog", "test_message_box", "test_message_box_instance"}


def run_bad_tests(folder: Path, *, source: str, conftests: tuple[str, ...]) -> dict[str, set[str]]:
    """Run tests under our own conftests in a process of its own; return what was reported of each bad one."""
    lines = [f"from tests.{name} import *\n" for name in conftests]
    # The thread that stays is not waited for in vain.
    lines.append("from tests import guards\nguards.THREAD_GRACE_S = 0.1\n")
    (folder / "conftest.py").write_text("".join(lines), encoding="utf-8")
    (folder / "test_bad.py").write_text(source, encoding="utf-8")
    options = ["-c", str(REPO / "pyproject.toml"), "--rootdir", str(folder), "-p", "no:cacheprovider", "-q"]
    command = [sys.executable, "-m", "pytest", *options, "--tb=no", str(folder / "test_bad.py")]
    environment = {**os.environ, "PYTHONPATH": str(REPO), "COLUMNS": "200"}
    # Without the guard against dialogs the run would wait for a person.
    done = subprocess.run(
        command, cwd=REPO, env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    reported: dict[str, set[str]] = {}
    for kind, name, message in re.findall(r"^(ERROR|FAILED) \S*::(\w+) - (.*)$", done.stdout, re.MULTILINE):
        reported.setdefault(name, set()).add(f"{kind} {message}")
    return reported


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    folder = tmp_path_factory.mktemp("bad")
    return run_bad_tests(folder, source=BAD_TESTS, conftests=("conftest",))


@pytest.fixture(scope="module")
def reported_qt(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    folder = tmp_path_factory.mktemp("bad_qt")
    return run_bad_tests(folder, source=BAD_QT_TESTS, conftests=("conftest", "gui.conftest"))


@pytest.mark.parametrize(("name", "message"), TOLD.items(), ids=TOLD)
def test_guard_when_a_test_misbehaves_then_says_what(
    reported: dict[str, set[str]], name: str, message: str
) -> None:
    assert any(line.startswith("ERROR") and message in line for line in reported[name]), reported[name]


@pytest.mark.parametrize(("name", "message"), TOLD_QT.items(), ids=TOLD_QT)
def test_qt_guard_when_a_test_misbehaves_then_says_what(
    reported_qt: dict[str, set[str]], name: str, message: str
) -> None:
    assert any(line.startswith("ERROR") and message in line for line in reported_qt[name]), reported_qt[name]


def test_guards_when_tests_behave_then_say_nothing(
    reported: dict[str, set[str]], reported_qt: dict[str, set[str]]
) -> None:
    assert set(reported) == set(TOLD)
    assert set(reported_qt) == set(TOLD_QT)


def test_network_and_dialogs_when_used_then_are_refused_in_the_call(
    reported: dict[str, set[str]], reported_qt: dict[str, set[str]]
) -> None:
    failed = {
        name for name, lines in {**reported, **reported_qt}.items() if any("FAILED" in x for x in lines)
    }
    assert failed == REFUSED_AT_ONCE


def test_tests_when_collected_then_are_left_out_of_the_collection_of_garbage() -> None:
    assert gc.get_freeze_count() > 10_000
