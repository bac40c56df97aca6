"""IndoorUAV: navigation episodes from recorded flights, with what the drone does as instruction."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from annotator.domain.flight_actions import count_steps, knows_sides
from annotator.domain.flight_labels import flight_parts, is_labelled
from annotator.domain.flight_segments import (
    MOST_KINDS,
    VLA_DIFFICULTY,
    VLN_DIFFICULTY,
    FlightSegment,
    KeyFrameLimits,
    difficulty,
    join_segments,
)
from annotator.domain.item import Item, Provenance
from annotator.domain.medium import VIDEO_TYPES, Medium
from annotator.domain.scene import Scene
from annotator.domain.task_set import TaskSet
from annotator.domain.trajectory import Trajectory, trajectory_text
from annotator.draft.item_names import item_name
from annotator.draft.rule import DraftRule, RuleDocs
from annotator.draft.rule_result import DraftedItem, RuleResult, SkippedItem
from annotator.draft.rule_settings import RuleSettings, read_limits
from annotator.draft.scene_facts import SceneFacts
from annotator.draft.seeded_random import SeededRandom

MOST_JOINED = 3
"""Most parts between key frames that one VLA episode has."""
PARTS = {"instruction_detailed": "instruction_pro", "instruction_goal": "instruction"}
"""Name of the published file with the instructions of each level, by the field of a flight."""


@dataclass(frozen=True, kw_only=True)
class Episode:
    """A flight, or a part of it, that is to be flown after an instruction.

    Attributes:
        instruction: What to do.
        first: Number of its first pose, from 0.
        last: Number of its last pose.
        extras: What the published files have besides: ``difficulty``, ``action_type`` …
        part: Name of the part, "" for the whole flight.
    """

    instruction: str
    first: int
    last: int
    extras: dict[str, Any]
    part: str = ""


class FlightRule(DraftRule):
    """A rule that asks about each flight of a scene; a camera that stands still is none."""

    loads = frozenset({"media", "trajectories"})

    @abstractmethod
    def can_tell(self, flight: Trajectory) -> bool:
        """Return whether it is known what a flight does."""

    @abstractmethod
    def episodes(
        self, flight: Trajectory, *, scene: Scene, order: RuleSettings
    ) -> Iterator[Episode | SkippedItem]:
        """Yield the episodes of a flight for which ``can_tell`` is true, and why a part of it is none."""

    def draft(self, facts: SceneFacts, *, order: RuleSettings) -> Iterator[RuleResult]:
        """Yield a result for each flight of a scene."""
        for flight in facts.trajectories:
            # A model's flight is an answer, not the truth.
            if len(flight.poses) < 2 or flight.metadata.get("made_by") == "model":
                continue
            medium = video_of(flight, facts)
            if not self.can_tell(flight):
                yield SkippedItem("neither the axes nor the actions of the flight are known")
            elif medium is None:
                yield SkippedItem("the flight has no video")
            else:
                episodes = list(self.episodes(flight, scene=facts.scene, order=order))
                yield from (
                    episode
                    if isinstance(episode, SkippedItem)
                    else self._item(episode, flight, medium, facts=facts, order=order)
                    for episode in episodes
                )
                if not episodes:
                    yield SkippedItem("the flight contains no action")

    def _item(
        self, episode: Episode, flight: Trajectory, medium: Medium, *, facts: SceneFacts, order: RuleSettings
    ) -> DraftedItem:
        task, scene = order.task, facts.scene
        about = "_".join(filter(None, (flight.view, flight_ordinal(flight, facts), episode.part)))
        item = Item(
            name=item_name(scene, task=task, view=about),
            task_set=order.task_set.id,
            task=task.id,
            question=task.templates[0].fill({"instruction": episode.instruction}),
            answer_format=task.answer_format[0],
            answer_key=trajectory_text(flight.poses[episode.first : episode.last + 1]),
            scene=scene.id,
            view=flight.view,
            media=(medium.id,),
            extras={"trajectory": flight.name, **episode.extras},
            provenance=Provenance(
                made_by="rule",
                maker=f"{self.id}@{self.version}",
                labels=(flight.id,),
                seed=order.seed,
                is_keyed=True,
            ),
        )
        return DraftedItem(item=item, answer=f"{flight.name} {episode.first} {episode.last}")


class IndoorUavVla(FlightRule):
    """Drafts the episodes of a flight: segments of one to three kinds of action."""

    id = "indooruav.vla"
    version = 3
    docs = RuleDocs(
        task="vla",
        right="the recorded poses of a segment. Segments end at the key frames of the flight, or, without "
        "any, after a turn over 45°, a climb over 1 m, 5 m straight on; one to three of them are joined, by "
        "seed, to at most three kinds of action. Instruction: the actions with their amounts, those given by "
        "hand where there are some; difficulty: the number of kinds",
        wrong="none: a flight is scored along its way",
        no_item="the flight has no video or no action; its axes are unknown, the source names no actions and "
        "nobody has labelled all its segments; or a segment has more than three kinds of action",
    )

    def can_tell(self, flight: Trajectory) -> bool:
        """Return whether the actions follow from the poses or the source, or people gave them all."""
        return knows_sides(flight) or is_labelled(flight)

    def episodes(
        self, flight: Trajectory, *, scene: Scene, order: RuleSettings
    ) -> Iterator[Episode | SkippedItem]:
        """Yield one episode per segment, if it has three kinds of action at most."""
        draw = SeededRandom(
            order.draw_seed, order.task_set.id, order.task.id, scene.dataset, scene.name, flight.name
        )
        segments = vla_segments(flight, limits=read_limits(KeyFrameLimits, order.task_set), draw=draw)
        for number, segment in enumerate(segments, start=1):
            if len(segment.kinds) > MOST_KINDS:
                yield SkippedItem("a segment has more than three kinds of action")
                continue
            yield Episode(
                instruction=segment.instruction,
                first=segment.first,
                last=segment.last,
                part=f"vla_ins_{number}",
                extras={
                    "source": list(segment.frames),
                    "action_type": list(segment.kinds),
                    "difficulty": difficulty(order.task_set, VLA_DIFFICULTY, len(segment.kinds)),
                },
            )


class IndoorUavVln(FlightRule):
    """Drafts one episode of the whole flight."""

    id = "indooruav.vln"
    version = 3
    docs = RuleDocs(
        task="vln",
        right="the recorded poses of the flight. Instruction: those written for the flight, an item for "
        "each of the two lengths, else a line for each segment between key frames; difficulty: the given "
        "one, else the number of steps of 0.15 m or 0.9 m and of 3° or 15°",
        wrong="none: a flight is scored along its way",
        no_item="as for vla; a flight with a written instruction needs no known actions",
    )

    def can_tell(self, flight: Trajectory) -> bool:
        """Return whether an instruction is written, or the actions are known."""
        return bool(_written(flight)) or knows_sides(flight) or is_labelled(flight)

    def episodes(self, flight: Trajectory, *, scene: Scene, order: RuleSettings) -> Iterator[Episode]:  # noqa: ARG002 - nothing is drawn
        """Yield the flight as one episode for each written instruction, or with that of its segments."""
        last, extras = len(flight.poses) - 1, _flight_extras(flight, order.task_set)
        written = _written(flight)
        for level, text in written.items():
            known = {"level": level, **extras}
            yield Episode(instruction=text, first=0, last=last, extras=known, part=PARTS[level])
        if written:
            return
        if segments := flight_parts(flight, limits=read_limits(KeyFrameLimits, order.task_set)):
            text = "\n".join(segment.instruction for segment in segments)
            yield Episode(instruction=text, first=0, last=last, extras=extras)


def _written(flight: Trajectory) -> dict[str, str]:
    """Return the instructions that people wrote, by level."""
    return {level: text for level in PARTS if (text := getattr(flight, level))}


def _flight_extras(flight: Trajectory, task_set: TaskSet) -> dict[str, Any]:
    """Return the number of actions and the difficulty, as far as they are known."""
    steps = count_steps(flight) if knows_sides(flight) else None
    level = flight.difficulty or (difficulty(task_set, VLN_DIFFICULTY, steps) if steps is not None else "")
    known = {"actions": steps, "difficulty": level or None}
    return {name: value for name, value in known.items() if value is not None}


def vla_segments(flight: Trajectory, *, limits: KeyFrameLimits, draw: SeededRandom) -> list[FlightSegment]:
    """Return the segments of a flight: one to three parts between key frames each, never all of them.

    A segment that is the whole flight would be the same episode as that of ``vln``. A part that alone has
    more than three kinds of action is a segment of its own.

    Args:
        flight: A flight whose actions are known.
        limits: The motions that end in a key frame.
        draw: The random numbers.
    """
    parts = flight_parts(flight, limits=limits)
    most = max(1, min(MOST_JOINED, len(parts) - 1))
    found = []
    while parts:
        wanted = min(len(parts), draw.between(1, most))
        # The longest that has three kinds at most. A part alone has more where a drone does four things at
        # once, or a label of another program says so.
        fitting = filter(None, (join_segments(parts[:count]) for count in range(wanted, 0, -1)))
        joined = next(fitting, parts[0])
        count = next(n for n, part in enumerate(parts, start=1) if part.last == joined.last)
        found.append(joined)
        parts = parts[count:]
    return found


def video_of(flight: Trajectory, facts: SceneFacts) -> Medium | None:
    """Return the video of a flight's view; a flight of no view has that of the only view."""
    only = facts.scene.views if not flight.view and len(facts.scene.views) == 1 else ()
    views = [view for view in facts.scene.views if view.name == flight.view] or only
    medium = facts.media.get(views[0].medium) if views else None
    return medium if medium is not None and medium.media_type in VIDEO_TYPES else None


def flight_ordinal(flight: Trajectory, facts: SceneFacts) -> str:
    """Return the place of a flight among those of its view, "" for the only one: names need not be unique."""
    same = [
        trajectory.id
        for trajectory in facts.trajectories
        if trajectory.view == flight.view and len(trajectory.poses) > 1
    ]
    return f"flight-{same.index(flight.id) + 1}" if len(same) > 1 else ""
