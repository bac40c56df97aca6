"""Key frames and segments of a flight, and how difficult they are, after IndoorUAV.

Source: IndoorUAV (arXiv 2512.19024): key frames at turns over 45 degrees, climbs over 1 m and long straight
flight, each labelled with the action of the segment before it; segments of one to three kinds of action.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotator.domain.flight_actions import (
    KIND_PHRASES,
    KINDS,
    ActionKind,
    ActionRun,
    action_runs,
    knows_sides,
    turn_deg,
)
from annotator.domain.task_set import TaskSet
from annotator.domain.trajectory import Trajectory

# Source: IndoorUAV, where the number of kinds, 1 to 3, is the difficulty of a segment.
MOST_KINDS = 3
VLA_DIFFICULTY, VLN_DIFFICULTY = "vla_difficulty", "vln_difficulty"


@dataclass(frozen=True, kw_only=True)
class KeyFrameLimits:
    """Motions that end in a key frame.

    Attributes:
        turn_deg: A turn over this, degrees.
        climb_m: A climb or descent over this, metres.
        straight_m: A straight flight over this, metres. The paper says 'a long straight flight' without a
            number; this is about the length of a room.
    """

    turn_deg: float = 45.0
    climb_m: float = 1.0
    straight_m: float = 5.0

    def ends_in_key_frame(self, run: ActionRun) -> bool:
        """Return whether a run of actions is large enough."""
        limits: Mapping[ActionKind, float] = {
            "turn": self.turn_deg,
            "up_down": self.climb_m,
            "forward": self.straight_m,
            "right_left": self.straight_m,
        }
        return any(action.amount > limits[action.kind] for action in run.actions)


@dataclass(frozen=True, kw_only=True)
class FlightSegment:
    """A part of a flight.

    Attributes:
        first: Number of its first pose, from 0.
        last: Number of its last pose, the first one of the next segment.
        runs: What the drone does in it, one or more; none where only people have said it.
        given: The kinds of action that people gave it, () for those of its runs.
    """

    first: int
    last: int
    runs: tuple[ActionRun, ...]
    given: tuple[ActionKind, ...] = ()

    @property
    def kinds(self) -> tuple[ActionKind, ...]:
        """The kinds of its actions, as people gave them or in order of their first appearance."""
        if self.given:
            return self.given
        found = (kind for run in self.runs for kind in KINDS if kind in run.kinds)
        return tuple(dict.fromkeys(found))

    @property
    def frames(self) -> tuple[int, int]:
        """First and last frame as IndoorUAV's files count them: from 1, both included."""
        return self.first + 1, self.last + 1

    @property
    def instruction(self) -> str:
        """What the drone does, in one sentence with amounts."""
        runs = [run.only(self.kinds) for run in self.runs]
        shown = {kind for run in runs for kind in run.kinds}
        # What people saw and the poses do not have is told without an amount.
        unshown = [KIND_PHRASES[kind] for kind in self.given if kind not in shown]
        text = ", then ".join([*filter(None, (run.text for run in runs)), *unshown])
        return f"{text[0].upper()}{text[1:]}."


def key_frames(flight: Trajectory, *, limits: KeyFrameLimits | None = None) -> tuple[int, ...]:
    """Return the first pose, those where a large motion ends, and the last one.

    Where forward and sideways are unknown, turns, climbs and distances are added up instead of actions, and a
    key frame comes as soon as a sum is over its limit.

    Args:
        flight: A flight.
        limits: The large motions; None for those of the paper.
    """
    if not flight.poses:
        return ()
    known = limits or KeyFrameLimits()
    if knows_sides(flight):
        found = [segment.last for segment in split_flight(flight, limits=known)]
    else:
        found = _by_sums(flight, limits=known)
    return tuple(dict.fromkeys((0, *found, len(flight.poses) - 1)))


def _by_sums(flight: Trajectory, *, limits: KeyFrameLimits) -> list[int]:
    found, turned, climbed, flown = [], 0.0, 0.0, 0.0
    for number, (before, now) in enumerate(itertools.pairwise(flight.poses), start=1):
        turned += turn_deg(before, now)
        climbed += now.z_m - before.z_m
        flown += math.hypot(now.x_m - before.x_m, now.y_m - before.y_m)
        # All three sums restart, whichever is over its limit: a key frame ends the whole segment.
        if abs(turned) > limits.turn_deg or abs(climbed) > limits.climb_m or flown > limits.straight_m:
            found.append(number)
            turned = climbed = flown = 0.0
    return found


def split_flight(flight: Trajectory, *, limits: KeyFrameLimits | None = None) -> list[FlightSegment]:
    """Return the segments between the key frames of a flight: each has one to three kinds of action.

    A segment ends after a large motion, or before the run that would be its fourth kind of action; what a
    flight does after its last large motion is a segment of its own.

    Args:
        flight: A flight whose sides are known.
        limits: The large motions; None for those of the paper.
    """
    known = limits or KeyFrameLimits()
    groups: list[list[ActionRun]] = [[]]
    for run in action_runs(flight):
        if len(run.kinds.union(*(before.kinds for before in groups[-1]))) > MOST_KINDS:
            groups.append([])
        groups[-1].append(run)
        if known.ends_in_key_frame(run):
            groups.append([])
    return [_segment(group) for group in groups if group]


def join_segments(segments: Sequence[FlightSegment]) -> FlightSegment | None:
    """Return consecutive segments as one, None if it would have more than three kinds of action."""
    runs = tuple(run for segment in segments for run in segment.runs)
    given: tuple[ActionKind, ...] = ()
    if any(segment.given for segment in segments):
        given = tuple(dict.fromkeys(kind for segment in segments for kind in segment.kinds))
    joined = FlightSegment(first=segments[0].first, last=segments[-1].last, runs=runs, given=given)
    return joined if len(joined.kinds) <= MOST_KINDS else None


def difficulty(task_set: TaskSet, value_list: str, count: int) -> str:
    """Return the difficulty that a count of kinds of action, or of actions, comes to.

    Args:
        task_set: IndoorUAV's, or one with its value lists.
        value_list: ``VLA_DIFFICULTY`` for kinds of action, ``VLN_DIFFICULTY`` for steps.
        count: The count.
    """
    values = task_set.value_lists[value_list]
    fitting = [v.id for v in values if (v.lowest or 0) <= count and (v.highest is None or count <= v.highest)]
    return fitting[0] if fitting else values[-1].id


def _segment(runs: Sequence[ActionRun]) -> FlightSegment:
    return FlightSegment(first=runs[0].first, last=runs[-1].last, runs=tuple(runs))
