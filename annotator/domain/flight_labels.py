"""Segments between the key frames of a flight, with the labels that people gave them.

Source: IndoorUAV (arXiv 2512.19024): each key frame is labelled with the action of the segment before it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast

import msgspec

from annotator.domain.flight_actions import KINDS, ActionKind, action_runs, count_steps, knows_sides
from annotator.domain.flight_segments import (
    MOST_KINDS,
    VLN_DIFFICULTY,
    FlightSegment,
    KeyFrameLimits,
    difficulty,
    split_flight,
)
from annotator.domain.task_set import TaskSet
from annotator.domain.trajectory import KeyFrameLabel, Trajectory

_NO_LIMITS = KeyFrameLimits(turn_deg=math.inf, climb_m=math.inf, straight_m=math.inf)
"""Only the fourth kind of action ends a segment."""


@dataclass(frozen=True, kw_only=True)
class LabelledSegment:
    """The part of a flight between two key frames.

    Attributes:
        first: Number of its first pose, from 0.
        last: Number of its last pose, the key frame that has its label.
        kinds: Its kinds of action; empty if nobody has given them and the poses do not show them.
        is_by_hand: Whether a person gave the kinds.
    """

    first: int
    last: int
    kinds: tuple[ActionKind, ...]
    is_by_hand: bool

    @property
    def is_too_varied(self) -> bool:
        """Whether it has more kinds of action than IndoorUAV's segments have."""
        return len(self.kinds) > MOST_KINDS


def segment_bounds(flight: Trajectory, frames: Iterable[int] | None = None) -> tuple[int, ...]:
    """Return the ends of the segments: first pose, key frames, last pose; () without key frames or poses.

    Args:
        flight: A flight.
        frames: Other key frames than its own.
    """
    last = len(flight.poses) - 1
    within = {frame for frame in (flight.key_frames if frames is None else frames) if 0 <= frame <= last}
    return tuple(sorted({0, last, *within})) if within else ()


def labelled_segments(flight: Trajectory) -> list[LabelledSegment]:
    """Return the segments between the key frames of a flight, in order."""
    return [_segment(flight, first, last) for first, last in itertools.pairwise(segment_bounds(flight))]


def flight_parts(flight: Trajectory, *, limits: KeyFrameLimits) -> list[FlightSegment]:
    """Return the segments of a flight between its own key frames, or those of the rule where it has none.

    A segment with more than three kinds of action, which no person has labelled, is divided by the rule. What
    does nothing belongs to the segment before it.

    Args:
        flight: A flight whose sides are known, or whose segments people have labelled.
        limits: The motions that end in a key frame, for a flight without key frames.
    """
    if not segment_bounds(flight):
        return split_flight(flight, limits=limits)
    found = [part for segment in labelled_segments(flight) for part in _parts(flight, segment)]
    if not found:
        return []
    # Hovers are left out above, so that the parts may have gaps.
    ends = [*(part.first for part in found[1:]), len(flight.poses) - 1]
    begins = [0, *ends[:-1]]
    return [
        replace(part, first=first, last=last) for part, first, last in zip(found, begins, ends, strict=True)
    ]


def is_labelled(flight: Trajectory) -> bool:
    """Return whether people have given the actions of all segments of a flight."""
    segments = labelled_segments(flight)
    return bool(segments) and all(segment.is_by_hand for segment in segments)


def _parts(flight: Trajectory, segment: LabelledSegment) -> Iterator[FlightSegment]:
    part = flight_part(flight, segment.first, segment.last)
    found = split_flight(part, limits=_NO_LIMITS) if knows_sides(flight) else []
    if segment.is_by_hand:
        runs = tuple(run for one in found for run in one.runs)
        yield FlightSegment(first=segment.first, last=segment.last, runs=runs, given=segment.kinds)
        return
    for one in found:
        yield replace(one, first=segment.first + one.first, last=segment.first + one.last)


def label_at(flight: Trajectory, frame: int) -> KeyFrameLabel:
    """Return the label of a key frame, an empty one if nobody has given it."""
    found = (label for label in flight.key_frame_labels if label.frame == frame)
    return next(found, KeyFrameLabel(frame=frame))


def with_label(flight: Trajectory, label: KeyFrameLabel) -> tuple[KeyFrameLabel, ...]:
    """Return the labels of a flight with one of them set; an empty label is left out."""
    others = (one for one in flight.key_frame_labels if one.frame != label.frame)
    return _in_order((*others, label))


def labels_after(flight: Trajectory, frames: Sequence[int]) -> tuple[KeyFrameLabel, ...]:
    """Return the labels that still hold with other key frames.

    A caption belongs to its frame. Actions belong to a segment: they are dropped if it begins elsewhere now.
    """
    bounds = segment_bounds(flight, frames)
    before, after = _beginnings(segment_bounds(flight)), _beginnings(bounds)
    return _in_order(
        label
        if before.get(label.frame) == after.get(label.frame)
        else msgspec.structs.replace(label, actions=())
        for label in flight.key_frame_labels
        if label.frame in bounds
    )


def labels_moved(flight: Trajectory, frame: int, *, to: int) -> tuple[KeyFrameLabel, ...]:
    """Return the labels of a flight after a key frame has moved to another pose.

    The first and the last pose have captions without being key frames: such a caption stays where the key
    frame has none.
    """
    moved = label_at(flight, frame)
    label = msgspec.structs.replace(moved, frame=to, caption=moved.caption or label_at(flight, to).caption)
    return _in_order((*(one for one in flight.key_frame_labels if one.frame not in {frame, to}), label))


def labels_within(flight: Trajectory, first: int, last: int) -> tuple[KeyFrameLabel, ...]:
    """Return the labels of the part of a flight from one pose to another, counted from its first pose.

    Actions belong to a segment: those of a segment that begins before the part are left out.
    """
    beginnings = _beginnings(segment_bounds(flight))
    return _in_order(
        msgspec.structs.replace(
            label,
            frame=label.frame - first,
            actions=label.actions if beginnings.get(label.frame, first) >= first else (),
        )
        for label in flight.key_frame_labels
        if first <= label.frame <= last
    )


def labels_reversed(flight: Trajectory) -> tuple[KeyFrameLabel, ...]:
    """Return the actions that people gave, for the flight from the goal back to the start.

    The kinds of a segment are in the order flown, which is the other way round. Captions are left out: they
    say what a camera saw that looked the other way.
    """
    last = len(flight.poses) - 1
    segments = labelled_segments(flight)
    return _in_order(
        KeyFrameLabel(frame=last - segment.first, actions=segment.kinds[::-1])
        for segment in segments
        if segment.is_by_hand
    )


def flight_part(flight: Trajectory, first: int, last: int) -> Trajectory:
    """Return the poses and actions of a flight from one pose to another, both included."""
    return msgspec.structs.replace(
        flight,
        poses=flight.poses[first : last + 1],
        actions=flight.actions[first:last],
        times_s=flight.times_s[first : last + 1],
        orientations=flight.orientations[first : last + 1],
        key_frames=(),
        key_frame_labels=(),
    )


def proposed_difficulty(flight: Trajectory, task_set: TaskSet) -> str:
    """Return the difficulty that the number of actions comes to, "" if the actions are unknown."""
    return difficulty(task_set, VLN_DIFFICULTY, count_steps(flight)) if knows_sides(flight) else ""


def _segment(flight: Trajectory, first: int, last: int) -> LabelledSegment:
    given = cast(
        "tuple[ActionKind, ...]", tuple(kind for kind in label_at(flight, last).actions if kind in KINDS)
    )
    kinds = given or tuple(_shown_kinds(flight, first, last))
    return LabelledSegment(first=first, last=last, kinds=kinds, is_by_hand=bool(given))


def _shown_kinds(flight: Trajectory, first: int, last: int) -> Iterator[ActionKind]:
    """Yield the kinds of action that the poses show, in order of their first appearance."""
    if knows_sides(flight):
        runs = tuple(action_runs(flight_part(flight, first, last)))
        yield from FlightSegment(first=first, last=last, runs=runs).kinds


def _beginnings(bounds: Sequence[int]) -> dict[int, int]:
    """Return the first pose of each segment by its last one."""
    return {last: first for first, last in itertools.pairwise(bounds)}


def _in_order(labels: Iterable[KeyFrameLabel]) -> tuple[KeyFrameLabel, ...]:
    told = (label for label in labels if label.actions or label.caption)
    return tuple(sorted(told, key=lambda label: label.frame))
