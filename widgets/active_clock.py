"""Active time on the record of a screen: counted from input in its window, without idle time."""

from __future__ import annotations

import time
from abc import abstractmethod

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QGuiApplication, QWindow
from PySide6.QtWidgets import QWidget

from annotator.domain.active_time import IDLE_LIMIT_S, ActiveTime
from widgets.settings import Settings

IDLE_SETTING = "annotate/idle_limit_s"
INPUTS = frozenset(
    {
        QEvent.Type.KeyPress,
        QEvent.Type.MouseButtonPress,
        QEvent.Type.MouseMove,
        QEvent.Type.Wheel,
        QEvent.Type.TouchBegin,
        QEvent.Type.TabletMove,
    }
)


class ActiveClock(QObject):
    """Lets the clock of the displayed record run while its window is active and its screen is visible.

    Attributes:
        active_time: The clocks of the records.
    """

    def __init__(self, *, settings: Settings, screen: QWidget, parent: QObject) -> None:
        """Set up.

        Args:
            settings: Stores the idle limit.
            screen: The workspace; while it is hidden, no time counts.
            parent: Owner.
        """
        super().__init__(parent)
        self._settings, self._screen = settings, screen
        self.active_time = ActiveTime(time.monotonic)
        self._window: QWindow | None = None
        screen.installEventFilter(self)
        application = QGuiApplication.instance()
        assert isinstance(application, QGuiApplication)  # noqa: S101 - there are widgets
        application.focusWindowChanged.connect(self._on_focus_window_changed)

    @abstractmethod
    def record_in_front(self) -> str:
        """Return the record whose time counts, "" for none."""

    def follow(self) -> None:
        """Let the clock of the displayed record run."""
        self.active_time.show(self.record_in_front())

    def keep_idle_limit(self, seconds: int) -> None:
        """Store the idle limit of this computer."""
        self._settings.keep(IDLE_SETTING, seconds)
        self.active_time.idle_limit_s = seconds

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Note input in the window, and when the screen is shown and hidden."""
        if watched is self._window and event.type() in INPUTS:
            self.active_time.note_input()
        elif watched is self._screen and event.type() == QEvent.Type.Show:
            self._watch_window()
        elif watched is self._screen and event.type() == QEvent.Type.Hide:
            self.active_time.pause()
        return False

    def _watch_window(self) -> None:
        # Events of the native window: a filter on the application would be called for every event of it.
        window = self._screen.window().windowHandle()
        if window is not self._window and window is not None:
            window.installEventFilter(self)
            self._window = window
        self.active_time.idle_limit_s = self._settings.number(IDLE_SETTING, int(IDLE_LIMIT_S))
        self._on_focus_window_changed(QGuiApplication.focusWindow())

    def _on_focus_window_changed(self, window: QWindow | None) -> None:
        # Dialogs of the program belong to the work; None: another program has the keyboard.
        if window is not None and self._screen.isVisible():
            self.active_time.resume()
            self.follow()
        else:
            self.active_time.pause()
