"""Edits the key frames of the flight that is shown."""

from __future__ import annotations

from PySide6.QtCore import QObject

from annotator.commands.flights import AddReversedFlights, MoveKeyFrame, SetKeyFrames, key_frame_range
from annotator.domain.flight_segments import KeyFrameLimits, key_frames
from widgets.annotate.trajectory_model import TrajectoryModel


class KeyFrameActions(QObject):
    """Sets, clears and moves key frames, proposes them from the motion, and reverses the flight."""

    def __init__(self, model: TrajectoryModel) -> None:
        super().__init__(model)
        self._model = model
        self.limits: KeyFrameLimits | None = None

    def toggle_key_frame(self) -> None:
        """Make the pose of the displayed frame a key frame of the flight, or no longer one."""
        pose = self._model.pose()
        if pose is not None:
            self.toggle_pose(pose)

    def toggle_pose(self, pose: int) -> None:
        """Make a pose of the flight a key frame, or no longer one."""
        current = self._model.current
        if current is not None:
            frames = tuple(sorted({*current.key_frames} ^ {pose}))
            self._model.stage.send(SetKeyFrames(frames={current.flight.id: frames}))

    def move_key_frame(self, frame: int, to: int) -> None:
        """Move a key frame of the flight to another pose, at most up to its neighbours."""
        current = self._model.current
        if current is None or frame not in current.key_frames:
            return
        least, most = key_frame_range(current.flight, frame)
        to = min(max(to, least), most)
        if to != frame:
            self._model.stage.send(MoveKeyFrame(flight=current.flight.id, frame=frame, to=to))

    def propose_key_frames(self) -> None:
        """Set the key frames of the flight where large motions end."""
        current = self._model.current
        if current is not None:
            frames = key_frames(current.flight, limits=self.limits or self._model.found.limits)
            self._model.stage.send(SetKeyFrames(frames={current.flight.id: frames}))

    def reverse_flight(self) -> None:
        """Add the flight from the goal back to the start, unless there is one."""
        current = self._model.current
        if current is not None:
            source = current.source or current.flight
            self._model.stage.send(AddReversedFlights(flights=(source.id,)))
