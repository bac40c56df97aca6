"""Delivers the changes of a project to a screen while it is visible."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QWidget

from annotator.domain.changes import Changes
from widgets.bridge import Bridge


class DeferredChanges(QObject):
    """Collects changes while a screen is hidden, and delivers them together when it is shown.

    Changes by the screen itself are left out: it already has their result. So are changes that do not
    concern it.

    Signals:
        arrived: Emitted when records were changed; carries the ``Changes``.
    """

    arrived = Signal(object)

    def __init__(
        self, screen: QWidget, *, bridge: Bridge, concerns: Callable[[Changes], bool] | None = None
    ) -> None:
        """Begin to listen.

        Args:
            screen: The screen; owns this.
            bridge: Reports the changes.
            concerns: Returns whether changes can affect what the screen shows; None for always.
        """
        super().__init__(screen)
        self._screen, self._concerns = screen, concerns
        self._held: Changes | None = None
        bridge.changed.connect(self._on_bridge_changed)
        screen.installEventFilter(self)

    @property
    def is_stale(self) -> bool:
        """Whether undelivered changes exist."""
        return self._held is not None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Deliver the collected changes when the screen is shown."""
        if event.type() == QEvent.Type.Show and self._held is not None:
            held, self._held = self._held, None
            self.arrived.emit(held)
        return super().eventFilter(watched, event)

    def _on_bridge_changed(self, changes: Changes) -> None:
        if changes.initiator is self._screen or (self._concerns is not None and not self._concerns(changes)):
            return
        if self._screen.isVisible():
            self.arrived.emit(changes)
        else:
            self._held = changes if self._held is None else self._held.merged(changes)
