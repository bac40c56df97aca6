"""SpatialUAV, Global Motion: how the drone moves from the first frame to the last."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from annotator.domain.medium import VIDEO_TYPES
from annotator.domain.scene import SceneView
from annotator.domain.trajectory import Pose, Trajectory
from annotator.draft.llm.flight_motion import LEAST_MOVE_M, LEAST_TURN_DEG, key_frames_of
from annotator.draft.rule import RuleDocs
from annotator.draft.rule_result import SkippedItem
from annotator.draft.rule_settings import RuleSettings
from annotator.draft.scene_facts import SceneFacts
from annotator.draft.scene_rule import SceneQuestion, SceneRule

SMALL_TURN_DEG = 10.0
_SIDES = ("forward", "forward to the left", "to the left", "backward to the left",
          "backward", "backward to the right", "to the right", "forward to the right")  # fmt: skip
"""Eighths of a circle, anticlockwise from the heading."""


class SpatialGlobalMotion(SceneRule):
    """Drafts one item for each video whose flight is known."""

    id = "spatialuav.global_motion"
    version = 1
    docs = RuleDocs(
        task="Global Motion",
        right="the turns, moves and climbs between the key frames of the trajectory, in order",
        wrong="none: the answer is a text",
        no_item="no trajectory or several, axes of unknown meaning, or no motion",
    )
    loads = frozenset({"media", "trajectories"})

    def questions(
        self, facts: SceneFacts, _settings: RuleSettings, /
    ) -> Iterator[SceneQuestion | SkippedItem]:
        """Yield the question of each video."""
        for view in facts.scene.views:
            medium = facts.media.get(view.medium)
            if medium is not None and medium.media_type in VIDEO_TYPES:
                yield _question(view, facts.trajectories_of(view))


def _question(view: SceneView, flights: tuple[Trajectory, ...]) -> SceneQuestion | SkippedItem:
    if len(flights) != 1 or len(flights[0].poses) < 2:
        return SkippedItem("the video has no trajectory, or several")
    if flights[0].axes not in ("east-north-up", "north-east-down"):
        return SkippedItem("the axes of the trajectory are unknown")
    text = motion_text(flights[0])
    if not text:
        return SkippedItem("the drone does not move")
    return SceneQuestion(
        subject="motion", view=view.name, answer_key=text, media=(view.medium,), evidence=(flights[0].id,)
    )


def motion_text(flight: Trajectory) -> str:
    """Return what a drone does between the key frames of its flight, in order; "" if it does not move.

    Args:
        flight: A trajectory with axes of known meaning.
    """
    # The first pose, with which the first motion begins, need not be a key frame.
    frames = sorted({0, *key_frames_of(flight)})
    is_up = flight.axes == "east-north-up"
    steps: list[_Step] = []
    for first, last in itertools.pairwise(frames):
        step = _step(flight.poses[first : last + 1], is_up=is_up)
        # A long straight flight has several key frames.
        if steps and steps[-1].is_straight and step.is_straight and steps[-1].side == step.side:
            steps[-1] = replace(step, moved_m=steps[-1].moved_m + step.moved_m)
        elif step.text:
            steps.append(step)
    return "The drone " + ", then ".join(step.text for step in steps) + "." if steps else ""


@dataclass(frozen=True, kw_only=True)
class _Step:
    """The motion between two key frames.

    Attributes:
        turn_deg: To the left; negative to the right.
        moved_m: Distance over ground.
        side: Index into ``_SIDES``.
        climb_m: Upwards; negative downwards.
    """

    turn_deg: float
    moved_m: float
    side: int
    climb_m: float

    @property
    def is_straight(self) -> bool:
        """Whether it is a move in one direction and nothing else."""
        is_move_alone = abs(self.turn_deg) < LEAST_TURN_DEG and abs(self.climb_m) < LEAST_MOVE_M
        return is_move_alone and self.moved_m >= LEAST_MOVE_M

    @property
    def text(self) -> str:
        """The motion in words, "" for none."""
        parts = []
        if abs(self.turn_deg) >= LEAST_TURN_DEG:
            parts.append(
                f"turns {'left' if self.turn_deg > 0 else 'right'} by {_degrees(abs(self.turn_deg))} degrees"
            )
        if self.moved_m >= LEAST_MOVE_M:
            parts.append(f"flies {_SIDES[self.side]} by {_metres(self.moved_m)}")
        if abs(self.climb_m) >= LEAST_MOVE_M:
            parts.append(f"{'rises' if self.climb_m > 0 else 'descends'} by {_metres(abs(self.climb_m))}")
        return " and ".join(parts)


def _step(poses: tuple[Pose, ...], *, is_up: bool) -> _Step:
    first, last = poses[0], poses[-1]
    # About the axis up a turn to the left is positive, about the axis down one to the right.
    sign = 1 if is_up else -1
    turn = sum(_turn_deg(a, b) for a, b in itertools.pairwise(poses)) * sign
    dx, dy = last.x_m - first.x_m, last.y_m - first.y_m
    # Half of the turn: a drone that flies an arc moves forward all the time.
    drift = (math.degrees(math.atan2(dy, dx)) - first.yaw_deg) * sign - turn / 2
    return _Step(
        turn_deg=turn,
        moved_m=math.hypot(dx, dy),
        side=round(drift / 45) % 8,
        climb_m=(last.z_m - first.z_m) * sign,
    )


def _degrees(turn: float) -> int:
    """Return a turn as people name it: small ones exactly, others in steps of 5 degrees."""
    return round(turn) if turn < SMALL_TURN_DEG else 5 * round(turn / 5)


def _metres(length: float) -> str:
    return f"{length:.0f} m" if length >= 3 else f"{length:.1f} m"


def _turn_deg(before: Pose, now: Pose) -> float:
    return (now.yaw_deg - before.yaw_deg + 180.0) % 360.0 - 180.0
