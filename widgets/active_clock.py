"""Counts the active time of the displayed record from input in the window, without idle time."""

from __future__ import annotations

import time

from PySide6.QtCore import QEvent, QObject, Signal
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
    """Lets the clock of a record run while the window is active and a screen is visible.

    Attributes:
        active_time: The clocks of the records.

    Signals:
        resumed: The clocks run again: the screen is visible in the active window.
    """

    resumed = Signal()

    def __init__(self, screen: QWidget, *, settings: Settings, parent: QObject | None = None) -> None:
        """Set up, without a record.

        Args:
            screen: The workspace; while it is hidden, no time counts.
            settings: Stores the idle limit.
            parent: Owner, by default the screen.
        """
        super().__init__(parent or screen)
        self._settings, self._screen = settings, screen
        self.active_time = ActiveTime(time.monotonic)
        self._window: QWindow | None = None
        screen.installEventFilter(self)
        application = QGuiApplication.instance()
        assert isinstance(application, QGuiApplication)  # noqa: S101 - there are widgets
        application.focusWindowChanged.connect(self._on_focus_window_changed)

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
            self.resumed.emit()
        else:
            self.active_time.pause()
