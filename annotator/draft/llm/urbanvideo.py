"""UrbanVideo-Bench's chain: narration, then movements and objects, then a teacher who asks, task by task.

Source: UrbanVideo-Bench (arXiv 2503.06157) 3.2, the four steps and which data feed which task; the words of
the prompts are our own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence, Set
from typing import Any

import msgspec

from annotator.domain.medium import VIDEO_TYPES
from annotator.draft.llm.pipeline import (
    DraftSubject,
    Pipeline,
    PipelineStep,
    Values,
    read_question,
)
from annotator.draft.llm.prompts import PromptTemplate
from annotator.draft.llm.question_parser import RejectedReply
from annotator.draft.llm.text_parser import members_of, parse_text, text_of
from annotator.draft.rule_result import SkippedItem
from annotator.draft.scene_facts import SceneFacts

NARRATION, ELEMENTS = "narration", "elements"
FEWEST_WORDS, MOST_LETTERS = 30, 12_000
MOST_ELEMENTS, LONGEST_ELEMENT = 80, 400
UNKNOWN = "not given"
_DISTANT = "goal"
_WHERE = ("where", "position", "location")
_ROUTE_ENDS = " .;"


class UrbanVideo(Pipeline):
    """Drafts all sixteen tasks, each for videos with the required data: a goal, a route, or none."""

    task_set_id = "urbanvideo"
    task_ids = (
        "trajectory_captioning", "sequence_recall", "object_recall", "scene_recall", "start_end_position",
        "proximity", "duration", "landmark_position", "goal_detection", "cognitive_map", "causal",
        "counterfactual", "association", "progress_evaluation", "high_level_planning", "action_generation",
    )  # fmt: skip

    def subjects(
        self,
        facts: SceneFacts,
        *,
        seed: int | str,  # noqa: ARG002 - nothing is drawn
    ) -> Iterator[DraftSubject | SkippedItem]:
        """Yield one subject per video of the scene."""
        scene = facts.scene
        goal = text_of(scene.metadata.get("destination"))
        route = _route_text(scene.metadata.get("movement_instructions"))
        # Tasks about a goal require one from the source: the goal that a model sees in the video would be the
        # answer.
        given = {"video", *(("goal",) if goal else ()), *(("route",) if route else ())}
        videos = [view for view in scene.views if _is_video(facts, view.medium)]
        if not videos:
            yield SkippedItem("the scene has no video")
        for view in videos:
            yield DraftSubject(
                target=scene.id,
                facts=facts,
                view=view.name if len(scene.views) > 1 else "",
                media=(view.medium,),
                slots={"goal": goal or UNKNOWN, "route": route or UNKNOWN},
                tasks=self._tasks_from(given),
            )

    def _tasks_from(self, given: Set[str]) -> tuple[str, ...]:
        """Return the tasks that can be drafted from what a video has: itself, a goal, a route."""
        return tuple(task for task in self.task_ids if given & {*self.task_set.task(task).drafted_from})

    def steps(self, subject: DraftSubject, *, tasks: Sequence[str]) -> list[PipelineStep]:
        """Return narration, elements, and a question per task behind these."""
        asked = [task for task in subject.tasks if task in tasks]
        if not asked:
            return []
        return [
            PipelineStep(id=NARRATION, prompt=f"{self.task_set_id}/narration"),
            PipelineStep(id=ELEMENTS, prompt=f"{self.task_set_id}/elements", after=0),
            *(
                PipelineStep(id=task, prompt=f"{self.task_set_id}/{task}", task=task, after=1)
                for task in asked
            ),
        ]

    def slots(self, step: PipelineStep, subject: DraftSubject, values: Values) -> dict[str, str]:
        """Return the subject's slots with narration, elements, and the instruction at the start."""
        slots = super().slots(step, subject, values)
        elements = values.get(ELEMENTS) or {}
        movements = elements.get("movements", [])
        slots |= {
            "narration": str(values.get(NARRATION, "")),
            "movements": "\n".join(f"{index}. {told}" for index, told in enumerate(movements, start=1)),
            "objects": "\n".join(f"- {told}" for told in elements.get("objects", [])),
        }
        if step.task:
            slots["goal_or_route"] = self._told_at_start(step, slots)
        return slots

    def read(
        self,
        step: PipelineStep,
        text: str,
        *,
        prompt: PromptTemplate,
        values: Values,  # noqa: ARG002 - it is told before
    ) -> Any | RejectedReply:  # noqa: ANN401 - JSON
        """Return a narration, lists of movements and objects, or a question."""
        if step.id == NARRATION:
            return parse_text(
                text, members=(NARRATION,), fewest_words=FEWEST_WORDS, most_letters=MOST_LETTERS
            )
        if step.id == ELEMENTS:
            return read_elements(text)
        found = read_question(self, step, text, prompt=prompt)
        return found if isinstance(found, RejectedReply) else msgspec.to_builtins(found)

    def _told_at_start(self, step: PipelineStep, slots: dict[str, str]) -> str:
        """Return the destination if the task uses it and there is one, else the route.

        Source: goal data and route data feed Landmark Position and Action Generation alike.
        """
        sources = [
            name for name in self.task_set.task(step.task).drafted_from if slots.get(name, UNKNOWN) != UNKNOWN
        ]
        if not sources:
            return UNKNOWN
        return f"reach {slots[_DISTANT]}" if sources[0] == _DISTANT else slots[sources[0]]


def read_elements(text: str) -> dict[str, list[str]] | RejectedReply:
    """Return movements and objects of a reply, each as one line of words."""
    members = members_of(text, wanted="movements") or {}
    movements, objects = _lines_of(members.get("movements")), _lines_of(members.get("objects"))
    problems = []
    if not movements:
        problems.append('There is no list "movements" with at least one movement.')
    if not objects:
        problems.append('There is no list "objects" with at least one object.')
    if any(len(line) > LONGEST_ELEMENT for line in (*movements, *objects)):
        problems.append(f"A movement or object is longer than {LONGEST_ELEMENT} characters.")
    if problems:
        return RejectedReply(problems=tuple(problems))
    return {"movements": movements[:MOST_ELEMENTS], "objects": objects[:MOST_ELEMENTS]}


def _lines_of(value: object) -> list[str]:
    entries: list[object] = (
        value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else []
    )
    return [line for entry in entries if (line := _line_of(entry))]


def _line_of(entry: object) -> str:
    """Return an entry as a line; for an object its texts, with the place last."""
    if not isinstance(entry, dict):
        return text_of(entry)
    locations = [text_of(entry.get(name)) for name in _WHERE]
    texts = [text_of(value) for name, value in entry.items() if name not in _WHERE]
    return ", ".join(text for text in (*texts, *locations) if text)


def _route_text(value: object) -> str:
    """Return a route as one text; a list of instructions is numbered."""
    if isinstance(value, list):
        steps = [text.strip(_ROUTE_ENDS) for entry in value if (text := text_of(entry))]
        return "; ".join(f"{index}. {step}" for index, step in enumerate(steps, start=1))
    return text_of(value) or (
        json.dumps(value, ensure_ascii=False) if isinstance(value, dict) and value else ""
    )


def _is_video(facts: SceneFacts, medium: str) -> bool:
    known = facts.media.get(medium)
    return known is not None and known.media_type in VIDEO_TYPES


RECIPE = UrbanVideo()
