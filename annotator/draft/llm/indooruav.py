"""IndoorUAV's chain: a caption per key frame, then instructions at two lengths, and the long one in parts.

Source: IndoorUAV (arXiv 2512.19024), captions (place, objects near, mid and far, left, centre and right),
instructions at two levels, sub-instructions of one to three actions; the prompts are our own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from annotator.domain.flight_labels import label_at
from annotator.domain.item import Item
from annotator.domain.medium import VIDEO_TYPES, Medium
from annotator.domain.trajectory import Trajectory
from annotator.draft.llm.flight_motion import evenly_chosen, key_frames_of, moves_up_to
from annotator.draft.llm.flight_replies import caption_text, read_caption, read_parts
from annotator.draft.llm.pipeline import DraftSubject, Pipeline, PipelineStep, Values
from annotator.draft.llm.prompts import PromptTemplate
from annotator.draft.llm.question_parser import RejectedReply
from annotator.draft.llm.text_parser import parse_text, text_of
from annotator.draft.rule_result import SkippedItem
from annotator.draft.scene_facts import SceneFacts

DETAILED, GOAL = "instruction_detailed", "instruction_goal"
LONG, CAPTION, WRITTEN = "long", "caption_", "written"
FEWEST_WORDS, MOST_LETTERS = 12, 6_000
FEWEST_GOAL_WORDS, MOST_GOAL_LETTERS = 4, 400
MOST_FRAMES = 24
"""Most key frames of a flight that are described; the motions between all of them are told."""


class IndoorUav(Pipeline):
    """Drafts both tasks of instruction writing, one flight after the other.

    An instruction that people wrote is not asked for: rules make its item (``indooruav.instruction_goal``).
    """

    task_set_id = "indooruav"
    task_ids = (DETAILED, GOAL)

    def subjects(
        self,
        facts: SceneFacts,
        *,
        seed: int | str,  # noqa: ARG002 - nothing is drawn
    ) -> Iterator[DraftSubject | SkippedItem]:
        """Yield one subject per flight with images."""
        if not facts.trajectories:
            yield SkippedItem("the scene has no flight")
        for flight in facts.trajectories:
            yield self._subject(flight, facts)

    def _subject(self, flight: Trajectory, facts: SceneFacts) -> DraftSubject | SkippedItem:
        medium = _video_of(flight, facts)
        every = key_frames_of(flight)
        frames = evenly_chosen(every, most=MOST_FRAMES)
        if medium is None:
            return SkippedItem("the flight has no video")
        if not frames:
            return SkippedItem("the flight has no poses")
        tasks = tuple(task for task in self.task_ids if not getattr(flight, task).strip())
        if not tasks:
            return SkippedItem("people have already written the instructions of the flight")
        return DraftSubject(
            target=flight.id,
            facts=facts,
            view=flight.view,
            media=(medium.id,),
            slots={
                "moves": "\n".join(moves_up_to(flight, frames, among=every)),
                "actions": _kinds_text(flight),
                WRITTEN: flight.instruction_detailed.strip(),
                **_written_captions(flight, frames),
            },
            frames=tuple(video_frame(number, flight=flight, medium=medium) for number in frames),
            tasks=tasks,
        )

    def steps(self, subject: DraftSubject, *, tasks: Sequence[str]) -> list[PipelineStep]:
        """Return the captions in sequence, the long instruction, its parts, and the goal.

        Captions and instructions that people wrote are not asked for.
        """
        missing = [n for n in range(len(subject.frames)) if f"{CAPTION}{n}" not in subject.slots]
        captions = [
            PipelineStep(
                id=f"{CAPTION}{number}",
                prompt=f"{self.task_set_id}/caption",
                # One after the other: each caption is asked for with those before it.
                after=index - 1 if index else None,
                frame=subject.frames[number],
            )
            for index, number in enumerate(missing)
        ]
        long = (
            []
            if subject.slots.get(WRITTEN)
            else [PipelineStep(id=LONG, prompt=f"{self.task_set_id}/long", after=_last(captions))]
        )
        before = [*captions, *long]
        items = [
            PipelineStep(id=task, prompt=f"{self.task_set_id}/{name}", task=task, after=_last(before))
            for task, name in ((DETAILED, "split"), (GOAL, "goal"))
            if task in subject.tasks and task in tasks
        ]
        return [*before, *items] if items else []

    def slots(self, step: PipelineStep, subject: DraftSubject, values: Values) -> dict[str, str]:
        """Return the subject's slots with the captions so far, the move before a frame, and the text."""
        moves = subject.slots["moves"].split("\n")
        index = _step_index(step)
        names = [f"{CAPTION}{n}" for n in range(len(subject.frames))]
        captions = [subject.slots.get(name) or caption_text(values.get(name)) for name in names]
        return {
            **super().slots(step, subject, values),
            "move": moves[index] if index is not None and moves[index] else "the flight begins here",
            "number": str(1 + (index or 0)),
            "captions": _captions_text(moves, captions),
            "instruction": subject.slots.get(WRITTEN) or str(values.get(LONG, "")),
        }

    def read(
        self,
        step: PipelineStep,
        text: str,
        *,
        prompt: PromptTemplate,  # noqa: ARG002 - none has a question for an example
        values: Values,
    ) -> Any | RejectedReply:  # noqa: ANN401 - JSON
        """Return a caption, an instruction, or its parts."""
        if _step_index(step) is not None:
            return read_caption(text)
        if step.id == DETAILED:
            return read_parts(text, whole=str(values.get(LONG, "")))
        fewest, most = (
            (FEWEST_GOAL_WORDS, MOST_GOAL_LETTERS) if step.id == GOAL else (FEWEST_WORDS, MOST_LETTERS)
        )
        return parse_text(
            text, members=("instruction", "text", "goal"), fewest_words=fewest, most_letters=most
        )

    def item(
        self,
        step: PipelineStep,
        value: Any,  # noqa: ANN401 - JSON
        *,
        subject: DraftSubject,
        values: Values,
        seed: int | str,  # noqa: ARG002 - JSON, no draw
    ) -> Item:
        """Return the item that asks for an instruction; its answer key is the model's text."""
        task = self.task_set.task(step.task)
        slots = self.slots(step, subject, values)
        told = {"actions": slots["actions"], "captions": slots["captions"].replace("\n", "; ")}
        key = "\n".join(part["text"] for part in value) if step.id == DETAILED else text_of(value)
        return self.bare_item(task, subject=subject, question=task.templates[0].fill(told), answer_key=key)


def video_frame(number: int, *, flight: Trajectory, medium: Medium) -> int:
    """Return the number of the video frame of a pose; poses and frames are evenly spaced in time."""
    if medium.frames in (0, len(flight.poses)) or len(flight.poses) < 2:
        return number
    return round(number * (medium.frames - 1) / (len(flight.poses) - 1))


def _video_of(flight: Trajectory, facts: SceneFacts) -> Medium | None:
    """Return the video of a flight: that of its view, or else of the first one."""
    views = facts.scene.views
    view = next((view for view in views if view.name == flight.view), views[0] if views else None)
    medium = facts.media.get(view.medium) if view is not None else None
    return medium if medium is not None and medium.media_type in VIDEO_TYPES else None


def _captions_text(moves: Sequence[str], captions: Sequence[str]) -> str:
    """Return the captions that are there as numbered lines, each with the move before it."""
    return "\n".join(
        f"{n}. {f'({move}) ' if move else ''}{text}"
        for n, (move, text) in enumerate(zip(moves, captions, strict=False), start=1)
        if text
    )


def _written_captions(flight: Trajectory, frames: Sequence[int]) -> dict[str, str]:
    """Return the captions that people wrote, each on one line, by the names of the steps in their place."""
    captions = (" ".join(label_at(flight, frame).caption.split()) for frame in frames)
    return {f"{CAPTION}{n}": caption for n, caption in enumerate(captions) if caption}


def _step_index(step: PipelineStep) -> int | None:
    return int(step.id.removeprefix(CAPTION)) if step.id.startswith(CAPTION) else None


def _last(steps: Sequence[PipelineStep]) -> int | None:
    return len(steps) - 1 if steps else None


def _kinds_text(flight: Trajectory) -> str:
    kinds = flight.metadata.get("action_type")
    named = [text_of(kind) for kind in kinds] if isinstance(kinds, list) else []
    return ", ".join(filter(None, named)) or "not named"


RECIPE = IndoorUav()
