"""Commands on flights: key frames, and the flight from the goal back to the start."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.event import CREATED, Edit
from annotator.domain.flight_actions import reversed_poses
from annotator.domain.flight_labels import label_at, labels_after, labels_moved, labels_reversed
from annotator.domain.record import new_id
from annotator.domain.trajectory import KeyFrameLabel, Trajectory
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.reader import Reader

REVERSED_FROM = "reversed_from"
"""Field of the metadata of a reversed flight: id of the flight that it was made from."""
KEY_FRAMES_ONLY = "Choose one of its key frames, or make the pose a key frame first."
_NUMBERED = re.compile(r"(.*/traj_)(-?)([0-9]+)", re.DOTALL)
_OPPOSITES = {
    "left": "right",
    "right": "left",
    "up": "down",
    "down": "up",
    "ascend": "descend",
    "descend": "ascend",
}
_SIDE = re.compile("|".join(_OPPOSITES))


@dataclass(frozen=True, kw_only=True)
class SetKeyFrames(Command):
    """Set the key frames of flights.

    Attributes:
        frames: Numbers of poses, from 0 and rising, by the id of the trajectory.
    """

    frames: Mapping[str, tuple[int, ...]]

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("set_key_frames", count=len(self.frames))

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the key frames of each flight whose own differ.

        Raises:
            UserError: There is no such flight, or its poses have no such numbers.
        """
        progress.begin(self.summary, total=len(self.frames))
        for flight_id, frames in self.frames.items():
            progress.step()
            flight = reader.require(Trajectory, flight_id)
            is_rising = list(frames) == sorted(set(frames))
            if not is_rising or (frames and not 0 <= frames[0] <= frames[-1] < len(flight.poses)):
                raise UserError(
                    f"The key frames of {flight.name} must rise and be below {len(flight.poses):,}.",
                    hint="Poses are counted from 0.",
                )
            if flight.key_frames != frames:
                yield from _key_frame_edits(flight, frames, labels=labels_after(flight, frames))


@dataclass(frozen=True, kw_only=True)
class MoveKeyFrame(Command):
    """Move a key frame of a flight to another pose; its caption and the actions before it move along.

    Attributes:
        flight: Id of the trajectory.
        frame: Number of its pose, from 0.
        to: Number of the new pose, between the key frames before and after it.
    """

    flight: str
    frame: int
    to: int

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("move_key_frame")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:  # noqa: ARG002 - the signature of commands
        """Yield the key frames and their labels.

        Raises:
            UserError: There is no such flight or key frame, the pose is not between its neighbours, or both
                have captions.
        """
        flight = reader.require(Trajectory, self.flight)
        if self.frame not in flight.key_frames:
            raise UserError(f"Pose {self.frame} of {flight.name} is not a key frame.", hint=KEY_FRAMES_ONLY)
        least, most = key_frame_range(flight, self.frame)
        if not least <= self.to <= most:
            raise UserError(
                f"The key frame must stay between its neighbours, poses {least} to {most}.",
                hint="Poses are counted from 0.",
            )
        if self.to != self.frame:
            _require_one_caption(flight, self.frame, self.to)
            frames = tuple(sorted({*flight.key_frames} - {self.frame} | {self.to}))
            yield from _key_frame_edits(flight, frames, labels=labels_moved(flight, self.frame, to=self.to))


@dataclass(frozen=True, kw_only=True)
class AddReversedFlights(Command):
    """Add the flight from the goal back to the start of flights that have none yet.

    Attributes:
        flights: Ids of the trajectories.
    """

    flights: tuple[str, ...]

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("reverse_flights", count=len(self.flights))

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the new trajectories.

        Raises:
            UserError: There is no such flight.
        """
        progress.begin(self.summary, total=len(self.flights))
        for flight_id in self.flights:
            progress.step()
            flight = reader.require(Trajectory, flight_id)
            siblings = reader.find(Trajectory, scene=flight.scene)
            if not any(flight_id == sibling.metadata.get(REVERSED_FROM) for sibling in siblings):
                back = reverse_flight(flight)
                yield Edit(entity="trajectory", entity_id=back.id, field=CREATED, value=back)


def key_frame_range(flight: Trajectory, frame: int) -> tuple[int, int]:
    """Return the first and the last pose to which a key frame can be moved."""
    before = [one for one in flight.key_frames if one < frame]
    after = [one for one in flight.key_frames if one > frame]
    return (before[-1] + 1 if before else 0), (after[0] - 1 if after else len(flight.poses) - 1)


def _require_one_caption(flight: Trajectory, frame: int, to: int) -> None:
    if label_at(flight, frame).caption and label_at(flight, to).caption:
        raise UserError(
            f"Pose {to} of {flight.name} has a caption of its own.",
            hint="Delete one of the two captions first, or choose another pose.",
        )


def _key_frame_edits(
    flight: Trajectory, frames: tuple[int, ...], *, labels: tuple[KeyFrameLabel, ...]
) -> Iterator[Edit]:
    yield Edit(entity="trajectory", entity_id=flight.id, field="key_frames", value=frames)
    if labels != flight.key_frame_labels:
        yield Edit(entity="trajectory", entity_id=flight.id, field="key_frame_labels", value=labels)


def reverse_flight(flight: Trajectory) -> Trajectory:
    """Return the flight from the goal back to the start, with turned headings.

    It has no view: no camera looked that way, so that it has no captions and no instructions either. Source:
    IndoorUAV, reversal; numbers of reversed flights are negative there.
    """
    last = len(flight.poses) - 1
    end_s = flight.times_s[-1] if flight.times_s else 0.0
    return msgspec.structs.replace(
        flight,
        id=new_id(),
        name=_reversed_name(flight.name),
        poses=reversed_poses(flight.poses),
        key_frames=tuple(last - frame for frame in reversed(flight.key_frames)),
        key_frame_labels=labels_reversed(flight),
        instruction_goal="",
        instruction_detailed="",
        view="",
        orientations=(),
        times_s=tuple(end_s - time_s for time_s in reversed(flight.times_s)),
        actions=tuple(_reversed_action(names) for names in reversed(flight.actions)),
        metadata={REVERSED_FROM: flight.id},
        source="",
        locator="",
        original=msgspec.Raw(b"null"),
        corrections=(),
        import_key="",
    )


def _reversed_name(name: str) -> str:
    found = _NUMBERED.fullmatch(name)
    if found is None:
        return f"{name} reversed".strip()
    return f"{found[1]}{'' if found[2] else '-'}{found[3]}"


def _reversed_action(names: str) -> str:
    """Return what is done on the way back: turns and climbs are the opposite, all else is the same."""
    return "+".join(
        _SIDE.sub(lambda side: _OPPOSITES[side[0]], name) if _turns_round(name) else name
        for name in names.split("+")
    )


def _turns_round(name: str) -> bool:
    # The headings are turned as well, so that a move to the left, flown back, is one to the left again.
    return any(word in name for word in ("turn", "rotate", "yaw", "up", "down", "ascend", "descend"))
