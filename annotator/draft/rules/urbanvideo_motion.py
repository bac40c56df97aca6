"""UrbanVideo-Bench, Sequence Recall and Duration: the movements of a flight, from its poses and times."""

from __future__ import annotations

import itertools
import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from annotator.domain.flight_actions import ALL_ACTIONS, ActionRun, action_runs, knows_sides
from annotator.domain.item import LETTERS, Item, Option, Provenance
from annotator.domain.medium import Medium
from annotator.domain.task_set import TaskSet
from annotator.domain.trajectory import Quaternion, Trajectory
from annotator.draft.item_names import item_name
from annotator.draft.map_rule import LetterDeck
from annotator.draft.rule import DraftRule, RuleDocs
from annotator.draft.rule_result import DraftedItem, RuleResult, SkippedItem
from annotator.draft.rule_settings import RuleSettings
from annotator.draft.rules.indooruav_flights import video_of
from annotator.draft.scene_facts import SceneFacts
from annotator.draft.seeded_random import SeededRandom

STEADY_DEG = 3.0
"""A camera that tilts by more moves in a way that the poses do not tell."""
LONGER, SAME = 1.25, 1.05
"""Ratios of two durations: from the first on one is longer, up to the second both are the same."""
# UrbanVideo-Bench's items of this task have five options.
WRONG_STEPS = 4
DURATIONS = "duration_comparison"
"""The value list with the answers."""


@dataclass(frozen=True, kw_only=True)
class MotionQuestion:
    """A question about movements, before its options have letters.

    Attributes:
        subject: What it asks about, unique in the flight.
        right: The right answer.
        wrong: The wrong answers.
        slots: Values of the template's slots.
    """

    subject: str
    right: str
    wrong: tuple[str, ...]
    slots: dict[str, str]


class MotionRule(DraftRule):
    """A rule that asks about the movements of each flight with a video and a camera that does not tilt."""

    loads = frozenset({"media", "trajectories"})

    @abstractmethod
    def questions(
        self, flight: Trajectory, *, task_set: TaskSet, draw: SeededRandom
    ) -> Iterator[MotionQuestion | SkippedItem]:
        """Yield the questions about the movements of a flight, and why there is none of some."""

    def draft(self, facts: SceneFacts, *, order: RuleSettings) -> Iterator[RuleResult]:
        """Yield a result for each movement, or pair of movements, of the flights of a scene."""
        letters = LetterDeck(facts, order=order)
        for flight in facts.trajectories:
            # A model's flight is an answer, not the truth; a camera that stands still is none.
            if len(flight.poses) < 2 or flight.metadata.get("made_by") == "model":
                continue
            medium = video_of(flight, facts)
            if reason := _reason_against(flight, medium):
                yield SkippedItem(reason)
            elif medium is not None:
                yield from self._of_flight(flight, medium, facts=facts, order=order, letters=letters)

    def _of_flight(
        self,
        flight: Trajectory,
        medium: Medium,
        *,
        facts: SceneFacts,
        order: RuleSettings,
        letters: LetterDeck,
    ) -> Iterator[RuleResult]:
        scene = facts.scene
        draw = SeededRandom(
            order.draw_seed, order.task_set.id, order.task.id, scene.dataset, scene.name, flight.name
        )
        for asked in self.questions(flight, task_set=order.task_set, draw=draw):
            if isinstance(asked, SkippedItem):
                yield asked
                continue
            texts = draw.shuffled(asked.wrong)
            texts.insert(letters.next_index(len(texts) + 1), asked.right)
            item = Item(
                name=item_name(scene, task=order.task, view=f"{flight.view}_{asked.subject}"),
                task_set=order.task_set.id,
                task=order.task.id,
                question=order.task.templates[0].fill(asked.slots),
                options=tuple(Option(letter=LETTERS[n], text=text) for n, text in enumerate(texts)),
                answer_format="option_letter",
                answer_key=LETTERS[texts.index(asked.right)],
                scene=scene.id,
                view=flight.view,
                media=(medium.id,),
                provenance=Provenance(
                    made_by="rule",
                    maker=f"{self.id}@{self.version}",
                    labels=(flight.id,),
                    seed=order.seed,
                    is_keyed=True,
                ),
            )
            yield DraftedItem(item=item, answer=asked.right)


class UrbanVideoSequence(MotionRule):
    """Drafts the question what comes after each movement but the last."""

    id = "urbanvideo.sequence"
    version = 2
    docs: ClassVar[RuleDocs] = RuleDocs(
        task="Sequence Recall",
        right="the movement that follows one that the flight makes once",
        wrong="four movements that are neither the one asked about nor a part of the right one",
        no_item="no video; unknown axes; the camera tilts; the movement is made several times",
    )

    def questions(
        self,
        flight: Trajectory,
        *,
        task_set: TaskSet,  # noqa: ARG002 - only durations have listed answers
        draw: SeededRandom,
    ) -> Iterator[MotionQuestion | SkippedItem]:
        """Yield a result for each movement that another one follows."""
        runs = action_runs(flight)
        counts = Counter(_doing(run) for run in runs)
        for number, (run, following) in enumerate(itertools.pairwise(runs), start=1):
            if counts[_doing(run)] > 1:
                yield SkippedItem("the flight makes the movement several times")
                continue
            taken = {action.name() for one in (run, following) for action in one.actions}
            others = [action.name() for action in ALL_ACTIONS if action.name() not in taken]
            yield MotionQuestion(
                subject=f"after_{number}",
                right=f"I {_do(following)}.",
                wrong=tuple(f"I {name}." for name in draw.sample(others, WRONG_STEPS)),
                slots={"movement": _doing(run)},
            )


class UrbanVideoDuration(MotionRule):
    """Drafts the question which of two movements takes longer, for each pair."""

    id = "urbanvideo.duration"
    version = 2
    docs: ClassVar[RuleDocs] = RuleDocs(
        task="Duration",
        right="the first takes longer, or less time (by a quarter), or both take the same time (5 %)",
        wrong="the two other answers of the value list",
        no_item="as for Sequence Recall; the times of the poses are unknown; the durations are neither "
        "alike nor clearly different",
    )

    def questions(
        self, flight: Trajectory, *, task_set: TaskSet, draw: SeededRandom
    ) -> Iterator[MotionQuestion | SkippedItem]:
        """Yield a result for each pair of movements."""
        if len(flight.times_s) != len(flight.poses):
            yield SkippedItem("the times of the poses are unknown")
            return
        runs = action_runs(flight)
        counts = Counter(_doing(run) for run in runs)
        # A movement that the flight makes twice cannot be called by its name.
        once = [run for run in runs if counts[_doing(run)] == 1]
        titles = {value.id: value.title.en for value in task_set.value_lists[DURATIONS]}
        for pair in itertools.combinations(once, 2):
            # Not always in their order of time: the first one is not the longer one more often.
            one, two = draw.shuffled(pair)
            kind = _comparison(_seconds(one, flight), _seconds(two, flight))
            if not kind:
                yield SkippedItem("the durations are neither alike nor clearly different")
                continue
            yield MotionQuestion(
                subject=f"poses_{pair[0].first}_{pair[1].first}",
                right=titles[kind],
                wrong=tuple(title for name, title in titles.items() if name != kind),
                slots={"movement": _doing(one), "other_movement": _doing(two)},
            )


def _comparison(one_s: float, two_s: float) -> str:
    """Return how the first of two durations compares, as an id of the value list, "" where in doubt."""
    ratio = one_s / two_s if two_s else math.inf
    if 1 / SAME <= ratio <= SAME:
        return "same"
    return "longer" if ratio >= LONGER else "shorter" if ratio <= 1 / LONGER else ""


def _seconds(run: ActionRun, flight: Trajectory) -> float:
    """Return how long a movement lasts, without hovering before and after it."""
    times, poses = flight.times_s, flight.poses
    moving = [n for n in range(run.first, run.last) if poses[n] != poses[n + 1]]
    return times[moving[-1] + 1] - times[moving[0]] if moving else 0.0


def _reason_against(flight: Trajectory, medium: Medium | None) -> str:
    if not knows_sides(flight):
        return "neither the axes nor the actions of the flight are known"
    if medium is None:
        return "the flight has no video"
    if len(flight.orientations) != len(flight.poses):
        return "whether the camera tilts is unknown"
    tilts = [_tilt_deg(orientation) for orientation in flight.orientations]
    return "the camera tilts during the flight" if max(tilts) - min(tilts) > STEADY_DEG else ""


def _tilt_deg(turn: Quaternion) -> float:
    """Return the angle between the optical axis of a camera and the vertical axis of the world."""
    # The third column of the rotation matrix is where the camera's z, its optical axis, points.
    vertical = turn.w**2 - turn.x**2 - turn.y**2 + turn.z**2
    # Rounding can leave the range of acos.
    return math.degrees(math.acos(min(1.0, max(-1.0, vertical))))


def _do(run: ActionRun) -> str:
    return " while ".join(action.name(is_aside=n > 0) for n, action in enumerate(run.actions))


def _doing(run: ActionRun) -> str:
    return " while ".join(action.name(is_aside=True) for action in run.actions)
