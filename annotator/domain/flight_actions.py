"""The actions of a flight: what it does between its poses, in the kinds and steps of IndoorUAV.

Source: IndoorUAV (arXiv 2512.19024): kinds of action as in ``test_vla.json``; steps of 0.15 m or 0.9 m, and
of 3 or 15 degrees.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from annotator.domain.trajectory import Pose, Trajectory

ActionKind = Literal["forward", "right_left", "up_down", "turn"]
KINDS: tuple[ActionKind, ...] = ("forward", "right_left", "up_down", "turn")
KIND_PHRASES: dict[ActionKind, str] = {
    "forward": "fly ahead or back",
    "right_left": "move sideways",
    "up_down": "climb or descend",
    "turn": "turn",
}
"""What a drone does, where only the kind of action is known."""
STEP_M = {"small": 0.15, "large": 0.9}
STEP_DEG = {"small": 3.0, "large": 15.0}
SIDE_SHARE = 0.2
"""A motion of less than this share of the largest of a pose, both counted in small steps, is no action of its
own: a drone that turns drifts a little, and one that flies ahead does not keep its heading exactly."""
STILL_SHARE = 0.02
"""A pose that moves less than this share of a small step does nothing."""

Amounts = tuple[float, float, float, float]
"""Metres ahead, to the right and up, and degrees turned to the right; negative for the opposite."""
_WORDS: dict[tuple[ActionKind, bool], tuple[str, str]] = {
    ("forward", True): ("fly forward", "flying forward"),
    ("forward", False): ("fly backward", "flying backward"),
    ("right_left", True): ("move sideways to the right", "moving sideways to the right"),
    ("right_left", False): ("move sideways to the left", "moving sideways to the left"),
    ("up_down", True): ("climb", "climbing"),
    ("up_down", False): ("descend", "descending"),
    ("turn", True): ("turn right", "turning right"),
    ("turn", False): ("turn left", "turning left"),
}
_STEP_VERBS: dict[tuple[ActionKind, bool], str] = {
    ("forward", True): "forward",
    ("forward", False): "backward",
    ("right_left", True): "right",
    ("right_left", False): "left",
    ("up_down", True): "up",
    ("up_down", False): "down",
    ("turn", True): "turn right",
    ("turn", False): "turn left",
}
# In this order: "turn_right" names a turn, and no move to the right.
_NAMED: tuple[tuple[ActionKind, re.Pattern[str], re.Pattern[str]], ...] = (
    (
        "turn",
        re.compile(r"turn|rotat|yaw", re.IGNORECASE),
        re.compile(r"right|(?<!anti)(?<!anti.)(?<!counter)(?<!counter.)clockwise", re.IGNORECASE),
    ),
    (
        "up_down",
        re.compile(r"up|down|ascend|descend|climb|rise", re.IGNORECASE),
        re.compile(r"up|ascend|climb|rise", re.IGNORECASE),
    ),
    ("right_left", re.compile(r"right|left", re.IGNORECASE), re.compile(r"right", re.IGNORECASE)),
    (
        "forward",
        re.compile(r"forward|backward|straight|ahead", re.IGNORECASE),
        re.compile(r"forward|straight|ahead", re.IGNORECASE),
    ),
)
"""How names of the source's actions tell the kind, and the direction that counts as positive."""


@dataclass(frozen=True, kw_only=True)
class Action:
    """What a drone does over several poses.

    Attributes:
        kind: Its kind.
        is_positive: Whether ahead, to the right, up, or turning to the right.
        amount: Metres, or degrees of a turn; 0 or more.
    """

    kind: ActionKind
    is_positive: bool
    amount: float

    @property
    def least(self) -> float:
        """The small step of its kind."""
        return STEP_DEG["small"] if self.kind == "turn" else STEP_M["small"]

    def name(self, *, is_aside: bool = False) -> str:
        """Return it without its amount: ``turn left``; aside, or as what goes on, ``turning left``."""
        return _WORDS[self.kind, self.is_positive][is_aside]

    def text(self, *, is_aside: bool = False) -> str:
        """Return it as an instruction with its amount.

        Args:
            is_aside: Whether it goes on while another action is done.

        Returns:
            For instance ``turn left by 60 degrees``; aside ``turning left by 60 degrees``.
        """
        text = self.name(is_aside=is_aside)
        if self.kind == "turn":
            return f"{text} by {self.amount:.0f} degrees"
        return f"{text} {self.amount:.1f} metres"


ALL_ACTIONS = tuple(Action(kind=kind, is_positive=is_positive, amount=0.0) for kind, is_positive in _WORDS)
"""Every action once, without amount."""


@dataclass(frozen=True, kw_only=True)
class ActionRun:
    """Poses over which a drone does one thing, or several at once.

    Attributes:
        first: Number of the pose where it begins, from 0.
        last: Number of the pose where it ends, which is the first of the next run.
        actions: What it does, the main action first; empty while it hovers.
    """

    first: int
    last: int
    actions: tuple[Action, ...]

    @property
    def kinds(self) -> frozenset[ActionKind]:
        """The kinds of its actions."""
        return frozenset(action.kind for action in self.actions)

    def only(self, kinds: Collection[ActionKind]) -> ActionRun:
        """Return the run with only the actions of some kinds."""
        return replace(self, actions=tuple(action for action in self.actions if action.kind in kinds))

    @property
    def text(self) -> str:
        """What it does as an instruction, "" while it hovers."""
        if not self.actions:
            return ""
        main, *others = self.actions
        return " while ".join((main.text(), *(other.text(is_aside=True) for other in others)))


def knows_sides(flight: Trajectory) -> bool:
    """Return whether forward and sideways, left and right, up and down of a flight are known.

    They follow from poses whose axes are known, or from the names of the source's actions.
    """
    return flight.axes in _CHANGES or 0 < len(flight.poses) - 1 <= len(flight.actions)


def action_runs(flight: Trajectory) -> list[ActionRun]:
    """Return what a flight does, one run after the other, without motions below a small step.

    Raises:
        ValueError: Its sides are not known; see ``knows_sides``.
    """
    if not knows_sides(flight):
        raise ValueError("The axes of the flight are unknown.")
    # Poses are exact; names, as those of a gimbal, may say what a pose does not have.
    steps = list(_measured_steps(flight) if flight.axes in _CHANGES else _named_steps(flight))
    # What a pose does: its kinds and directions; a run lasts while they stay the same.
    labels = [_label(amounts) for amounts in steps]
    runs = []
    first = 0
    for label, group in itertools.groupby(labels):
        last = first + len(list(group))
        runs.append(ActionRun(first=first, last=last, actions=_actions(label, steps[first:last])))
        first = last
    return _without_small_ones(runs, steps)


def unit_steps(poses: Sequence[Pose], *, axes: str = "east-north-up") -> list[str]:
    """Return the poses' actions as steps of IndoorUAV: ``forward 0.9``, ``turn right 15``, large steps first.

    Args:
        poses: Poses in order of time.
        axes: Meaning of their axes, ``east-north-up`` or ``north-east-down``.
    """
    found = []
    # A change of direction ends a group: there and back is two actions, not none.
    for key, group in itertools.groupby(
        small_steps(poses, axes=axes), key=lambda step: (step[0], step[1] > 0)
    ):
        total = abs(sum(amount for _, amount in group))
        steps = STEP_DEG if key[0] == "turn" else STEP_M
        # What floating point took from a whole number of steps.
        large = int(total / steps["large"] + 1e-6)
        small = round((total - large * steps["large"]) / steps["small"])
        name = _STEP_VERBS[key]
        found += [f"{name} {steps['large']:g}"] * large + [f"{name} {steps['small']:g}"] * small
    return found


def count_steps(flight: Trajectory) -> int:
    """Return the number of a flight's actions: those that the source names, else its unit steps."""
    if flight.axes in _CHANGES:
        return len(unit_steps(flight.poses, axes=flight.axes))
    return sum(bool(names) and names != "stop" for names in flight.actions)


def small_steps(poses: Sequence[Pose], *, axes: str = "east-north-up") -> Iterator[tuple[ActionKind, float]]:
    """Yield the actions that lead from pose to pose, with signed amounts in metres and degrees.

    Forward, to the right, up and to the right round are positive. What is smaller than half of a small
    step is left for the next pose, so that nothing is lost by rounding.

    Args:
        poses: Poses in order of time.
        axes: Meaning of their axes, ``east-north-up`` or ``north-east-down``.
    """
    # What one pose leaves over goes on to the next, or a slow flight would be no action at all.
    rest = [0.0] * len(KINDS)
    for one, two in itertools.pairwise(poses):
        for index, (kind, amount) in enumerate(zip(KINDS, _CHANGES[axes](one, two), strict=True)):
            rest[index] += amount
            least = STEP_DEG["small"] if kind == "turn" else STEP_M["small"]
            count = round(rest[index] / least)
            if count:
                rest[index] -= count * least
                yield kind, round(count * least, 4)


def turn_deg(before: Pose, now: Pose) -> float:
    """Return the shorter turn between two headings, degrees, -180 to 180, positive as yaw grows."""
    return (now.yaw_deg - before.yaw_deg + 180.0) % 360.0 - 180.0


def reversed_poses(poses: Sequence[Pose]) -> tuple[Pose, ...]:
    """Return the poses of the flight from the goal to the start, with turned headings.

    Source: IndoorUAV, reversal. What was flown ahead is flown ahead again, and a turn to the left becomes
    one to the right.
    """
    return tuple(
        Pose(x_m=pose.x_m, y_m=pose.y_m, z_m=pose.z_m, yaw_deg=pose.yaw_deg % 360.0 - 180.0)
        for pose in reversed(poses)
    )


def _change_enu(one: Pose, two: Pose) -> Amounts:
    """Return the motion between poses whose yaw counts anticlockwise from east."""
    # Halfway through the turn: over one step a drone flies an arc, whose chord points so.
    turn = turn_deg(one, two)
    yaw = math.radians(one.yaw_deg + turn / 2)
    east, north = two.x_m - one.x_m, two.y_m - one.y_m
    ahead = east * math.cos(yaw) + north * math.sin(yaw)
    return ahead, east * math.sin(yaw) - north * math.cos(yaw), two.z_m - one.z_m, -turn


def _change_ned(one: Pose, two: Pose) -> Amounts:
    """Return the motion between poses whose yaw counts clockwise from north, and whose z points down."""
    turn = turn_deg(one, two)
    yaw = math.radians(one.yaw_deg + turn / 2)
    north, east = two.x_m - one.x_m, two.y_m - one.y_m
    ahead = north * math.cos(yaw) + east * math.sin(yaw)
    return ahead, east * math.cos(yaw) - north * math.sin(yaw), one.z_m - two.z_m, turn


_CHANGES = {"east-north-up": _change_enu, "north-east-down": _change_ned}


def _measured_steps(flight: Trajectory) -> Iterator[Amounts]:
    change = _CHANGES[flight.axes]
    yield from (change(one, two) for one, two in itertools.pairwise(flight.poses))


def _named_steps(flight: Trajectory) -> Iterator[Amounts]:
    """Yield the motions that the source names, with amounts from the poses, whatever their axes."""
    for (one, two), names in zip(itertools.pairwise(flight.poses), flight.actions, strict=False):
        along = math.hypot(two.x_m - one.x_m, two.y_m - one.y_m)
        sizes = {
            "forward": along,
            "right_left": along,
            "up_down": abs(two.z_m - one.z_m),
            "turn": abs(turn_deg(one, two)),
        }
        named = dict(filter(None, map(_named_kind, names.split("+"))))
        yield tuple(sizes[kind] * named[kind] if kind in named else 0.0 for kind in KINDS)  # type: ignore[misc]


def _named_kind(name: str) -> tuple[ActionKind, float] | None:
    """Return the kind of an action that the source names, and 1 or -1 for its direction."""
    for kind, pattern, positive in _NAMED:
        if pattern.search(name):
            return kind, 1.0 if positive.search(name) else -1.0
    return None


def _label(amounts: Amounts) -> frozenset[tuple[ActionKind, bool]]:
    sizes = [
        abs(amount) / (STEP_DEG if kind == "turn" else STEP_M)["small"]
        for kind, amount in zip(KINDS, amounts, strict=True)
    ]
    least = max(STILL_SHARE, SIDE_SHARE * max(sizes))
    return frozenset(
        (kind, amount > 0) for kind, amount, size in zip(KINDS, amounts, sizes, strict=True) if size >= least
    )


def _actions(label: frozenset[tuple[ActionKind, bool]], steps: Sequence[Amounts]) -> tuple[Action, ...]:
    """Return the actions of a run, the largest first: its label, and what adds up to a large step."""
    found = []
    for index, kind in enumerate(KINDS):
        total = sum(step[index] for step in steps)
        large = (STEP_DEG if kind == "turn" else STEP_M)["large"]
        if any(kind == own for own, _ in label) or abs(total) >= large:
            found.append(Action(kind=kind, is_positive=total > 0, amount=abs(total)))
    return tuple(sorted(found, key=lambda action: -action.amount / action.least))


def _without_small_ones(runs: Sequence[ActionRun], steps: Sequence[Amounts]) -> list[ActionRun]:
    """Return runs of which each moves by a small step or more; the others become a part of the one before."""
    kept: list[ActionRun] = []
    for run in runs:
        actions = _above_small(run.actions)
        if kept and (not actions or _directions(actions) == _directions(kept[-1].actions)):
            kept[-1] = _extended(kept[-1], steps, last=run.last)
        elif actions or not kept:
            kept.append(ActionRun(first=run.first, last=run.last, actions=actions))
    # A hover at the beginning belongs to what follows it.
    moving = [run for run in kept if run.actions]
    return [replace(moving[0], first=kept[0].first), *moving[1:]] if moving else []


def _above_small(actions: Iterable[Action]) -> tuple[Action, ...]:
    # Sums of floating-point steps may miss a whole step by their last digits.
    return tuple(action for action in actions if action.amount >= action.least - 1e-9)


def _directions(actions: Sequence[Action]) -> frozenset[tuple[ActionKind, bool]]:
    return frozenset((action.kind, action.is_positive) for action in actions)


def _extended(run: ActionRun, steps: Sequence[Amounts], *, last: int) -> ActionRun:
    """Return a run with further poses, and what it does over all of them."""
    actions = _actions(_directions(run.actions), steps[run.first : last])
    return ActionRun(first=run.first, last=last, actions=actions)
