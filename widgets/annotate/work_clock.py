"""Active time on the view in front: counted from input, shown in the form, saved with its answers."""

from __future__ import annotations

import dataclasses
from typing import TypeVar

from PySide6.QtCore import QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from annotator.commands.event_labels import LabelEdit
from annotator.commands.scene_states import FinishScene
from annotator.domain.event_label import EventLabel
from widgets.active_clock import ActiveClock
from widgets.labels import ElidedLabel
from widgets.settings import Settings
from widgets.stage.stage import Stage
from widgets.translation import tr

E = TypeVar("E", bound=LabelEdit)
TICK_MS, WIDTH_PX = 1000, 36


class WorkClock(ActiveClock):
    """Lets the clock of the view in front run."""

    def __init__(self, stage: Stage, *, settings: Settings, screen: QWidget) -> None:
        """Set up.

        Args:
            stage: Shows the views.
            settings: Stores the idle limit.
            screen: The workspace; while it is hidden, no time counts.
        """
        super().__init__(screen, settings=settings, parent=stage)
        self._stage = stage
        stage.view_state_changed.connect(self.follow)
        self.resumed.connect(self.follow)

    def follow(self) -> None:
        """Let the clock of the view in front run."""
        self.active_time.show(self._record_in_front())

    def timed(self, edit: E) -> E:
        """Return an edit with the time since the last one of its view."""
        return dataclasses.replace(edit, active_s=self.active_time.take(_record(edit.scene, edit.view)))

    def give_back(self, edit: LabelEdit, _error: BaseException) -> None:
        """Count the time of an edit that failed again."""
        self.active_time.give_back(_record(edit.scene, edit.view), edit.active_s)

    def take_views(self) -> tuple[tuple[str, float], ...]:
        """Return name and time of each view of the scene since its last edit."""
        shown = self._stage.shown
        views = [view.name for view in shown.scene.views] if shown is not None else []
        return tuple((view, self.active_time.take(_record(self._stage.scene, view))) for view in views)

    def give_back_views(self, command: FinishScene, _error: BaseException) -> None:
        """Count the time of the views of a scene whose finish failed again."""
        for view, seconds in command.active_s:
            self.active_time.give_back(_record(command.scene, view), seconds)

    def pending_s(self, label: EventLabel) -> float:
        """Return the time of a view since its last edit."""
        return self.active_time.pending_s(_record(self._stage.scene, label.view))

    def _record_in_front(self) -> str:
        shown, front = self._stage.shown, self._stage.front
        return _record(shown.scene.id, shown.view_of(front.medium)) if shown and front else ""


class WorkTimeLabel(ElidedLabel):
    """Shows the active time of an event label; it is updated every second while it is visible."""

    def __init__(self, clock: WorkClock) -> None:
        super().__init__(role="dim")
        self._clock, self._label = clock, EventLabel()
        self.setMinimumWidth(WIDTH_PX)
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._show_time)

    def show_label(self, label: EventLabel) -> None:
        """Show the time of a label."""
        self._label = label
        self._show_time()

    def showEvent(self, event: QShowEvent) -> None:
        """Show the time from now on."""
        super().showEvent(event)
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop showing the time."""
        super().hideEvent(event)
        self._timer.stop()

    def _show_time(self) -> None:
        seconds = int(self._label.active_time_s + self._clock.pending_s(self._label))
        self.setText(f"{seconds // 60}:{seconds % 60:02}")
        limit = self._clock.active_time.idle_limit_s
        self.setToolTip(tr("Active time of this view; it stops {n} s after the last input", n=int(limit)))


def _record(scene: str, view: str) -> str:
    return f"{scene} {view}"
