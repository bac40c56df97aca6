"""Guards around every test with Qt: settings in a private folder, no message, no leak, no dialog that blocks.

`tests/gui/conftest.py` and `tests/e2e/conftest.py` take the fixtures in; `tests/contracts/test_guards.py`
shows that each of them bites.
"""

from __future__ import annotations

import gc
import threading
import weakref
from functools import cache, partialmethod, wraps
from typing import TYPE_CHECKING

import pytest
from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QMessageLogContext,
    QObject,
    QSettings,
    Qt,
    QThread,
    QThreadPool,
    QTimer,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtGui import (
    QGuiApplication,
    QImage,
    QImageReader,
    QImageWriter,
    QKeySequence,
    QPainter,
    QPixmap,
    QWindow,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QColorDialog,
    QDialog,
    QFileDialog,
    QFontDialog,
    QInputDialog,
    QMessageBox,
    QWidget,
)
from pytestqt.qtbot import QtBot
from shiboken6 import getAllValidWrappers

from tests.patience import PATIENCE_MS
from widgets import display_text, theme
from widgets.qt_translations import install_qt_translations
from widgets.translation import set_language
from widgets.window import MainWindow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.guards import Messages

BUTTONS = (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton, Qt.MouseButton.RightButton)
WARNING_TYPES = {QtMsgType.QtWarningMsg, QtMsgType.QtCriticalMsg, QtMsgType.QtFatalMsg}
BLOCKING_CALLS: dict[type, tuple[str, ...]] = {
    QDialog: ("exec", "exec_"),
    QMessageBox: ("about", "aboutQt", "critical", "information", "question", "warning"),
    QFileDialog: (
        "getExistingDirectory",
        "getExistingDirectoryUrl",
        "getOpenFileName",
        "getOpenFileNames",
        "getOpenFileUrl",
        "getOpenFileUrls",
        "getSaveFileName",
        "getSaveFileUrl",
    ),
    QInputDialog: ("getDouble", "getInt", "getItem", "getMultiLineText", "getText"),
    QColorDialog: ("getColor",),
    QFontDialog: ("getFont",),
}
# Not the virtual ones: Qt would call the recording from inside its own calls.
_PIXEL_CALLS = (
    "__init__", "convertToFormat", "copy", "fill", "fromImage", "load", "loadFromData", "fromData", "save",
    "scaled", "scaledToHeight", "scaledToWidth", "toImage", "transformed",
)  # fmt: skip
IMAGE_CALLS: dict[type, tuple[str, ...]] = {
    QImage: (*_PIXEL_CALLS, "convertTo", "convertToColorSpace", "mirrored", "rgbSwapped"),
    QPixmap: _PIXEL_CALLS,
    QImageReader: ("__init__", "read"),
    QImageWriter: ("__init__", "write"),
    QPainter: ("__init__", "begin"),
}
"""What reads, makes and changes pixels, so far as a class has it."""
CONTAINERS_AT_MOST = 200_000
"""Containers that a test may leave to the collection at the end of its file: some 20 MB."""
NAMES = ("__name__", "__qualname__")
"""What a recording call takes from the original: to read the documentation of all classes takes 2 s."""
QUIET_TURNS = 3
"""Turns of the event loop in which nothing arrives: a row is shown, its pane grows, the scroll area grows."""
# The offscreen platform says so of every window with a smallest size; a real one can do it.
NOT_OURS = "This plugin does not support propagateSizeHints()"


class UnexpectedDialogError(AssertionError):
    """A test ran into a dialog that waits for a person."""


class PatientBot(QtBot):
    """Waits as long as all tests do: pytest-qt's own five seconds are too few on a busy machine."""

    def addWidget(
        self, widget: QWidget, *, before_close_func: Callable[[QWidget], None] | None = None
    ) -> None:
        """Close a widget after the test; give it the style that it would get from its window."""
        if isinstance(widget, MainWindow) and before_close_func is None:
            # A window with a task under way asks before it closes, and would be deleted with its threads.
            before_close_func = MainWindow.close_now
        super().addWidget(widget, before_close_func=before_close_func)
        if widget.parentWidget() is None and not widget.styleSheet():
            theme.style_window(widget)

    waitActive = partialmethod(QtBot.waitActive, timeout=PATIENCE_MS)
    waitExposed = partialmethod(QtBot.waitExposed, timeout=PATIENCE_MS)
    waitSignal = partialmethod(QtBot.waitSignal, timeout=PATIENCE_MS)
    waitSignals = partialmethod(QtBot.waitSignals, timeout=PATIENCE_MS)
    waitUntil = partialmethod(QtBot.waitUntil, timeout=PATIENCE_MS)
    waitCallback = partialmethod(QtBot.waitCallback, timeout=PATIENCE_MS)

    def settle(self, is_settled: Callable[[], bool]) -> None:
        """Wait until nothing is under way, also after all that is queued has arrived.

        Qt shows a widget that was added to a layout only when its event loop runs, and each widget around it
        learns in a turn of its own that it needs more room: what arrives last in a turn is laid out in the
        next ones.
        """
        quiet_turns = 0
        while quiet_turns < QUIET_TURNS:
            self.waitUntil(is_settled)
            QApplication.processEvents()
            quiet_turns = quiet_turns + 1 if is_settled() else 0


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> PatientBot:
    """Give pytest-qt's tool with our patience."""
    return PatientBot(request)


@pytest.fixture(autouse=True)
def private_settings(private_home: Path) -> None:
    """Send QSettings into the test's own home: Qt looks for the folder once only, at first use."""
    for scope in (QSettings.Scope.UserScope, QSettings.Scope.SystemScope):
        for form in (QSettings.Format.NativeFormat, QSettings.Format.IniFormat):
            QSettings.setPath(form, scope, str(private_home / "settings"))


@pytest.fixture(autouse=True)
def quiet_qt(guard_messages: Messages, quiet_log: None) -> Iterator[None]:
    """Collect what Qt says at WARNING or above; quiet_log fails the test if it was not allowed."""

    def collect(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
        if kind in WARNING_TYPES and text != NOT_OURS:
            guard_messages.add(f"{kind.name} {context.category}: {text}")

    previous = qInstallMessageHandler(collect)
    yield
    qInstallMessageHandler(previous)


@pytest.fixture(autouse=True)
def spoken_english(qapp: QApplication) -> Iterator[None]:
    """Have the window and Qt speak English, whatever the test before spoke.

    Qt names keys by translators of the application, which outlive the window that installed them.
    """
    set_language("en")
    if QKeySequence("Space, Return").toString(QKeySequence.SequenceFormat.NativeText) != "Space, Enter":
        install_qt_translations()
    yield
    set_language("en")


@pytest.fixture(autouse=True)
def no_pressed_buttons(qapp: QApplication) -> None:
    """Release the mouse buttons that the test before left pressed: Qt keeps them for the whole process."""
    release_buttons()


def release_buttons() -> None:
    """Release all mouse buttons that are pressed, over no widget."""
    pressed = [button for button in BUTTONS if button & QGuiApplication.mouseButtons()]
    if not pressed:
        return
    window = QWindow()
    window.create()
    for button in pressed:
        QTest.mouseRelease(window, button)
    window.destroy()


@pytest.fixture
def exempt_again() -> Iterator[None]:
    """Have a window exempt and readmit objects of the collection of garbage.

    Afterwards what is left is exempt, as it was when the tests were collected.
    """
    gc.unfreeze()
    yield
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module", autouse=True)
def no_titles_of_other_files() -> None:
    """Forget the titles of task sets that another file of tests has loaded: they belong to the process."""
    for titles in (display_text._TASKS, display_text._VALUES, display_text._SETS, display_text._OWN_CHECKS):
        titles.clear()


def live_objects(*kinds: type[QObject]) -> list[QObject]:
    """List the living Qt objects of some kinds that Python knows."""
    return [wrapper for wrapper in getAllValidWrappers() if isinstance(wrapper, kinds)]


def _describe(thing: QObject) -> str:
    return f"{type(thing).__name__} {thing.objectName()!r}"


def _is_at_work(thing: QObject) -> bool:
    if isinstance(thing, QTimer):
        return thing.isActive()
    return isinstance(thing, QThread) and thing.isRunning() and thing is not QThread.currentThread()


def open_objects() -> list[QObject]:
    """List the active timers, the running threads and the top-level widgets."""
    windows = [widget for widget in QApplication.topLevelWidgets() if widget.parent() is None]
    return [*filter(_is_at_work, live_objects(QTimer, QThread)), *windows]


def _leaks(before: set[int]) -> list[str]:
    return [f"left over: {_describe(thing)}" for thing in open_objects() if id(thing) not in before]


@pytest.fixture(autouse=True)
def no_leaked_objects(qapp: QApplication) -> Iterator[None]:
    """Fail a test that leaves a running timer, thread, pool task or top-level widget behind."""
    before = {id(thing) for thing in open_objects()}
    yield
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    leaks = _leaks(before)
    if leaks:
        # Perhaps only a reference cycle: collect it, and look again.
        gc.collect()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        leaks = _leaks(before)
    if not QThreadPool.globalInstance().waitForDone(PATIENCE_MS):
        leaks.append("tasks of the global thread pool left running")
    if leaks:
        pytest.fail("\n".join(leaks), pytrace=False)


@pytest.fixture(autouse=True)
def no_blocking_dialogs(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail at once where a dialog would wait for a person; a test that expects one stubs it itself."""
    shown: list[str] = []

    def refusal(name: str) -> Callable[..., object]:
        def refuse(*_args: object, **_kwargs: object) -> object:
            shown.append(name)
            message = f"{name} would wait for a person; stub it in the test"
            raise UnexpectedDialogError(message)

        return refuse

    for owner, names in BLOCKING_CALLS.items():
        for name in names:
            monkeypatch.setattr(owner, name, refusal(f"{owner.__name__}.{name}"))
    yield
    if shown:
        pytest.fail(f"dialogs that wait for a person: {', '.join(shown)}", pytrace=False)


@pytest.fixture(scope="module", autouse=True)
def cycles_freed_here() -> Iterator[None]:
    """Free reference cycles on this thread only, as the window does (widgets/cycle_collector.py)."""
    gc.disable()
    yield
    gc.collect()
    gc.enable()


@cache
def _freed_elsewhere() -> list[str]:
    """Record from now on which Qt objects other threads than the GUI thread free."""
    recorded: list[str] = []
    watched: set[weakref.ref[QObject]] = set()

    def watch(thing: QObject) -> None:
        name = type(thing).__name__

        def note(reference: weakref.ref[QObject]) -> None:
            watched.discard(reference)
            if threading.current_thread() is not threading.main_thread():
                recorded.append(f"{name} on {threading.current_thread().name}")

        watched.add(weakref.ref(thing, note))

    def watching(original: Callable[..., None]) -> Callable[..., None]:
        @wraps(original, assigned=NAMES)
        def create(self: QObject, *args: object, **kwargs: object) -> None:
            original(self, *args, **kwargs)
            watch(self)

        return create

    for module in (QtCore, QtGui, QtWidgets):
        for owner in list(vars(module).values()):
            if isinstance(owner, type) and issubclass(owner, QObject):
                owner.__init__ = watching(owner.__init__)  # type: ignore[misc]
    return recorded


@pytest.fixture(autouse=True)
def no_objects_freed_elsewhere(qapp: QApplication) -> Iterator[None]:
    """Fail a test in which another thread than the GUI thread frees a Qt object: the process may crash."""
    recorded = _freed_elsewhere()
    recorded.clear()
    yield
    if gc.get_count()[0] > CONTAINERS_AT_MOST:
        gc.collect()
    if recorded:
        pytest.fail(f"Qt objects freed off the GUI thread: {', '.join(sorted(set(recorded)))}", pytrace=False)


@cache
def _image_calls_elsewhere() -> list[str]:
    """Record the image calls that other threads than the GUI thread make from now on."""
    recorded: list[str] = []

    def recording(owner: type, name: str) -> object:
        original = getattr(owner, name)

        @wraps(original, assigned=NAMES)
        def call(*args: object, **kwargs: object) -> object:
            if threading.current_thread() is not threading.main_thread():
                recorded.append(f"{owner.__name__}.{name} on {threading.current_thread().name}")
            return original(*args, **kwargs)

        return staticmethod(call) if isinstance(vars(owner).get(name), staticmethod) else call

    for owner, names in IMAGE_CALLS.items():
        for name in names:
            if hasattr(owner, name):
                setattr(owner, name, recording(owner, name))
    return recorded


@pytest.fixture(autouse=True)
def no_images_elsewhere(qapp: QApplication) -> Iterator[None]:
    """Fail a test in which another thread than the GUI thread calls Qt's image classes.

    They hold the interpreter lock while they decode, scale and copy, so that the window stands still.
    """
    recorded = _image_calls_elsewhere()
    recorded.clear()
    yield
    if recorded:
        pytest.fail(f"Qt image calls off the GUI thread: {', '.join(sorted(set(recorded)))}", pytrace=False)
