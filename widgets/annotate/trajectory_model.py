"""The flights of the scene on the stage: which one is edited, and its pose at the displayed time."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from annotator.domain.trajectory import Trajectory
from annotator.session import Session
from widgets.annotate.trajectory_flights import (
    PlottedFlight,
    SceneFlights,
    has_flights,
    read_flights,
)
from widgets.bridge import Bridge
from widgets.stage.stage import Stage
from widgets.translation import tr


class TrajectoryModel(QObject):
    """Follows the stage; reads the flights of its scene on the reading thread when they change.

    Signals:
        changed: The flights, or the one that is edited, have changed.
        moved: The displayed time has changed.
    """

    changed = Signal()
    moved = Signal()

    def __init__(self, stage: Stage, *, session: Session, bridge: Bridge) -> None:
        super().__init__(stage)
        self.stage, self._session, self._bridge = stage, session, bridge
        self.found = SceneFlights()
        self._read: tuple[Trajectory, ...] | None = None
        self._awaited: tuple[Trajectory, ...] | None = None
        self._scene = self._chosen = self._view = self._reversed_from = ""
        stage.marks_shown.connect(self._on_stage_marks_shown)
        stage.view_state_changed.connect(self._on_stage_view_state_changed)
        stage.player.changed.connect(self._on_stage_marks_shown)
        stage.player.moved.connect(self.moved)

    @property
    def current(self) -> PlottedFlight | None:
        """The flight that is edited: the chosen one, else that of the front view."""
        # Until the flights of another scene are read, those of the one before must not be edited.
        if self._scene != self.stage.scene:
            return None
        chosen = self.found.by_id(self._chosen)
        # A chosen flight of another view is left as soon as that view is no longer the front one.
        return chosen if chosen is not None and chosen.view == self._view else self.found.of_view(self._view)

    @property
    def has_flights(self) -> bool:
        """Whether the scene on the stage has a trajectory of several poses."""
        return self.stage.shown is not None and has_flights(self.stage.shown.trajectories)

    def is_settled(self) -> bool:
        """Return whether the flights of the scene are read."""
        return self._awaited is None

    def pose(self, flight: PlottedFlight | None = None) -> int | None:
        """Return the number of a flight's pose at the displayed time, by default of the edited one."""
        flight = flight or self.current
        if flight is None:
            return None
        return flight.pose_at(self.stage.player.time_s - self._offset_s(flight.view))

    def seek(self, pose: int) -> None:
        """Display the frame of a pose of the edited flight."""
        flight = self.current
        if flight is not None and len(flight.times_s):
            self.stage.player.pause()
            self.stage.player.seek(float(flight.times_s[pose]) + self._offset_s(flight.view))

    def choose(self, flight: str) -> None:
        """Edit another flight; that of another view brings its view to the front.

        Args:
            flight: Id of its record.
        """
        wanted = self.found.by_id(flight)
        if wanted is None:
            return
        self._chosen = flight
        canvas = next((one for one in self.stage.canvases if one.shown.view == wanted.view), None)
        if canvas is not None and wanted.view != self._view:
            self.stage.viewports.bring(canvas)
        self._view = wanted.view
        self.changed.emit()

    def choose_reversed(self, source: str) -> bool:
        """Edit the flight that is reversed from another one, now or as soon as it exists.

        Args:
            source: Id of the other flight.

        Returns:
            Whether it exists.
        """
        self._reversed_from = source
        self._take_reversed()
        return not self._reversed_from

    def _take_reversed(self) -> None:
        found = (one for one in self.found.flights if one.source and one.source.id == self._reversed_from)
        if (back := next(found, None)) is not None:
            self._reversed_from = ""
            self.choose(back.flight.id)

    def _on_stage_marks_shown(self) -> None:
        self._take_view()
        shown = self.stage.shown
        if shown is None or not self.has_flights:
            self._awaited = self._read = None
            self._show(SceneFlights())
            return
        # Compared by identity: the stage keeps the records that have not changed.
        wanted = shown.trajectories
        if wanted is self._awaited or (self._awaited is None and wanted is self._read):
            return
        self._awaited = wanted
        question = partial(read_flights, trajectories=wanted, media=shown.media, project=self._session.path)
        self._bridge.query(
            self._session, question, done=partial(self._on_read, wanted), channel=(id(self), "flights")
        )

    def _on_read(self, wanted: tuple[Trajectory, ...], found: SceneFlights) -> None:
        if wanted is self._awaited:
            self._awaited, self._read = None, wanted
            self._show(found)

    def _show(self, found: SceneFlights) -> None:
        self.found, self._scene = found, self.stage.scene
        self.changed.emit()
        self._take_reversed()

    def _on_stage_view_state_changed(self) -> None:
        # Called at each pointer move: only another view in front matters.
        if self._take_view():
            self.changed.emit()

    def _offset_s(self, view: str) -> float:
        """Return the clock time at which the video of a view begins, seconds."""
        return next((video.offset_s for video in self.stage.player.videos if video.view == view), 0.0)

    def _take_view(self) -> bool:
        """Follow the view in front; return whether it is another one."""
        front = self.stage.front
        view = front.shown.view if front is not None else ""
        is_other, self._view = view != self._view, view
        return is_other


def flight_name(plotted: PlottedFlight) -> str:
    """Return the name of a flight in lists: its view and the last part of its name."""
    name = plotted.flight.name.strip("/").rpartition("/")[2]
    return " · ".join(filter(None, (plotted.view, name))) or tr("Flight")
