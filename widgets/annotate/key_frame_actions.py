"""Edits the key frames of the flight that the front video shows."""

from __future__ import annotations

from PySide6.QtCore import QObject

from annotator.commands.flights import SetKeyFrames
from annotator.domain.flight_segments import key_frames
from annotator.domain.pose_times import pose_times, whole_flight
from annotator.domain.trajectory import Trajectory
from widgets.stage.stage import Stage


class KeyFrameActions(QObject):
    """Sets and clears key frames at the displayed frame, and proposes them from the motion."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self._stage = stage

    def toggle_key_frame(self) -> None:
        """Make the pose of the displayed frame a key frame of the flight, or no longer one."""
        flight, film = self._flight(), self._stage.player.leader()
        if flight is None or film is None:
            return
        times = pose_times(flight, medium=film.shown.medium)
        if not times:
            return
        now_s = self._stage.player.time_s - film.offset_s
        pose = min(range(len(times)), key=lambda number: abs(times[number] - now_s))
        frames = tuple(sorted({*flight.key_frames} ^ {pose}))
        self._stage.send(SetKeyFrames(frames={flight.id: frames}))

    def propose_key_frames(self) -> None:
        """Set the key frames of the flight where large motions end, by IndoorUAV's limits."""
        flight = self._flight()
        if flight is not None:
            self._stage.send(SetKeyFrames(frames={flight.id: key_frames(flight)}))

    def _flight(self) -> Trajectory | None:
        """Return the flight of the front video, None without a video or its poses."""
        shown, film = self._stage.shown, self._stage.player.leader()
        if shown is None or film is None:
            return None
        return whole_flight(shown.trajectories, view=film.shown.view, views=len(shown.media))
