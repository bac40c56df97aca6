"""The flights of the scene beside its videos, or why there are none."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from widgets.action_registry import ActionRegistry
from widgets.annotate.flight_plots import FlightPlots
from widgets.annotate.trajectory_model import TrajectoryModel
from widgets.box_layout import column_layout
from widgets.labels import label
from widgets.settings import Settings
from widgets.translation import tr

SHOWN_SETTING = "annotate/trajectory"
LEAST_PX, MOST_PX = 200, 380
"""Limits of its width."""


class TrajectoryPanel(QWidget):
    """Shows the flights; a click seeks the video, a double click sets a key frame, a drag moves one.

    Attributes:
        flights: The plots, from the first scene with a flight on: few scenes have one, and creating the plots
            takes a third of the time of the whole workspace.

    Signals:
        pose_toggled: A pose is to become a key frame, or no longer one; carries its number.
        key_frame_moved: A key frame was dragged; carries its pose and the new one.
    """

    pose_toggled = Signal(int)
    key_frame_moved = Signal(int, int)

    def __init__(self, model: TrajectoryModel, *, registry: ActionRegistry, settings: Settings) -> None:
        super().__init__()
        self._model, self._registry, self._settings = model, registry, settings
        self._asked_scene = ""
        self.setObjectName("pane")
        self.setMinimumWidth(LEAST_PX)
        self.setMaximumWidth(MOST_PX)
        self.setAccessibleName(tr("Trajectory plot"))
        self.flights: FlightPlots | None = None
        self.empty = label(role="dim", wrap=True)
        self._lay_out()
        model.changed.connect(self._on_model_changed)
        registry.keys_changed.connect(self._show_empty_text)
        self.refresh()

    def toggle(self) -> None:
        """Show or hide the plot; without a flight, what it would show, until the next scene."""
        is_shown = self.isVisible()
        if self._model.has_flights:
            self._settings.keep(SHOWN_SETTING, not is_shown)
        self._asked_scene = "" if is_shown else self._model.stage.scene
        self.refresh()

    def refresh(self) -> None:
        """Show the flights of the scene, or why there are none."""
        is_wanted = self._model.has_flights and self._settings.switch(SHOWN_SETTING, True)
        if self._asked_scene != self._model.stage.scene:
            self._asked_scene = ""
        self.setVisible(is_wanted or bool(self._asked_scene))
        current = self._model.current
        if current is None:
            self._pages.setCurrentWidget(self._bare)
            self._show_empty_text()
        elif self.isVisible():
            plots = self.flights or self._make_plots()
            # Before the page is shown, which moves the markers of the flight that the plots have.
            plots.show_flight(current)
            self._pages.setCurrentWidget(plots)

    def showEvent(self, event: QShowEvent) -> None:
        """Show the flights of the scene, which are not followed while the panel is hidden."""
        super().showEvent(event)
        self.refresh()

    def _lay_out(self) -> None:
        self._bare = QWidget()
        text_layout = column_layout(self._bare, margins_px=16)
        text_layout.addWidget(label(tr("No trajectory"), role="strong"))
        text_layout.addWidget(self.empty)
        text_layout.addStretch(1)
        self._pages = QStackedWidget()
        self._pages.addWidget(self._bare)
        whole = column_layout(self, margins_px=0)
        whole.addWidget(self._pages)

    def _make_plots(self) -> FlightPlots:
        self.flights = made = FlightPlots(self._model)
        self._pages.addWidget(made)
        made.pose_toggled.connect(self.pose_toggled)
        made.key_frame_moved.connect(self.key_frame_moved)
        return made

    def _show_empty_text(self) -> None:
        key = self._registry.key("stage.trajectory")
        text = tr(
            "This scene has no poses of a moving camera. Import them from a pose file, such as AirSim's "
            "recordings or IndoorUAV's posture files."
        )
        hide = tr("{key} hides this panel.", key=key) if key else ""
        self.empty.setText("\n\n".join(filter(None, (text, hide))))

    def _on_model_changed(self) -> None:
        self.refresh()
