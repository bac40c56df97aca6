"""Edits the key frames of the flight that is shown."""

from __future__ import annotations

from PySide6.QtCore import QObject

from annotator.commands.flights import AddReversedFlights, MoveKeyFrame, SetKeyFrames, key_frame_range
from annotator.domain.flight_segments import KeyFrameLimits, key_frames
from widgets.annotate.key_frame_limits import KeyFrameLimitsDialog, keep_limits, stored_limits
from widgets.annotate.trajectory_flights import PlottedFlight
from widgets.annotate.trajectory_model import TrajectoryModel
from widgets.settings import Settings


class KeyFrameActions(QObject):
    """Sets, clears and moves key frames, proposes them from the motion, and reverses the flight."""

    def __init__(self, model: TrajectoryModel, *, settings: Settings) -> None:
        super().__init__(model)
        self._model, self._settings = model, settings

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

    def move_key_frame(self, frame: int, to: int, *, flight: PlottedFlight | None = None) -> int:
        """Move a key frame to another pose, at most up to its neighbours; return its pose.

        Args:
            frame: Pose of the key frame.
            to: The other pose.
            flight: The flight; None for the edited one.
        """
        current = flight or self._model.current
        if current is None or frame not in current.key_frames:
            return frame
        least, most = key_frame_range(current.flight, frame)
        to = min(max(to, least), most)
        if to != frame:
            self._model.stage.send(MoveKeyFrame(flight=current.flight.id, frame=frame, to=to))
        return to

    def propose_key_frames(self) -> None:
        """Set the key frames of the flight where large motions end."""
        current = self._model.current
        if current is not None:
            limits = stored_limits(self._settings, usual=self._model.found.limits)
            frames = key_frames(current.flight, limits=limits)
            self._model.stage.send(SetKeyFrames(frames={current.flight.id: frames}))

    def ask_limits(self) -> None:
        """Ask for the motions after which there is a key frame, and propose the key frames."""
        if self._model.current is None:
            return
        found = self._model.found
        dialog = KeyFrameLimitsDialog(
            self._model.stage,
            limits=stored_limits(self._settings, usual=found.limits),
            usual=found.limits,
            task_set=found.task_set,
        )
        dialog.accepted_limits.connect(self._on_dialog_accepted)
        dialog.open(dialog.fields["turn_deg"])

    def _on_dialog_accepted(self, limits: KeyFrameLimits) -> None:
        keep_limits(self._settings, limits, usual=self._model.found.limits)
        self.propose_key_frames()

    def reverse_flight(self) -> None:
        """Edit the flight from the goal back to the start, which is added if there is none; or its source."""
        current = self._model.current
        if current is None:
            return
        if current.source is not None:
            self._model.choose(current.source.id)
        elif not self._model.choose_reversed(current.flight.id):
            self._model.stage.send(AddReversedFlights(flights=(current.flight.id,)))
