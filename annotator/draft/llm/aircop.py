"""AirCopBench's model-drafted tasks: one prompt each, with the images of a moment and its labels.

Source: AirCopBench (arXiv 2511.11025), the tasks that its scripts leave to a model; the prompts, and their
examples, are our own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from annotator.domain.event_label import EventLabel, PercentBox
from annotator.domain.task_set import Task
from annotator.draft.llm.pipeline import (
    DraftSubject,
    Pipeline,
    PipelineStep,
    Values,
    read_question,
)
from annotator.draft.llm.prompts import PromptTemplate
from annotator.draft.llm.question_parser import RejectedReply
from annotator.draft.rule_result import SkippedItem
from annotator.draft.rules.aircop_when import wrong_reasons
from annotator.draft.scene_facts import SceneFacts
from annotator.draft.seeded_random import SeededRandom

# AirCopBench asks for causes where the quality is 3 of 5 or worse.
WORST_QUALITY_OF_GOOD = 4
FEWEST_VIEWS = 2
# Beside the right one, for the options A to D.
WRONG_REASONS = 3
SCENE_TASKS = ("scene_comparison", "observing_posture")
OTHER_VIEW_TASKS = frozenset({*SCENE_TASKS, "object_matching", "what_to_collaborate", "why_to_collaborate"})
READS: Mapping[str, frozenset[str]] = {
    "causal_assessment": frozenset({"quality", "degradations", "other_degradation"}),
    "what_to_collaborate": frozenset({"when", "what_boxes", "who"}),
    "why_to_collaborate": frozenset({"when", "why"}),
}
"""Tasks whose answer keys depend on a label, with the fields used; an open flag on such a field prevents the
item.
"""
UNKNOWN = "nothing is known"


class AirCop(Pipeline):
    """Drafts the nine tasks that no rule drafts."""

    task_set_id = "aircop"
    task_ids = (
        "scene_description", "scene_comparison", "observing_posture", "object_recognition",
        "object_grounding", "object_matching", "causal_assessment", "what_to_collaborate",
        "why_to_collaborate",
    )  # fmt: skip

    def subjects(self, facts: SceneFacts, *, seed: int | str) -> Iterator[DraftSubject | SkippedItem]:
        """Yield the scene as a whole where it has several views, then view after view."""
        views = [view for view in facts.scene.views if _is_image(facts, view.medium)]
        # What a person has not finished is not used yet.
        facts = replace(facts, labels=tuple(label for label in facts.labels if label.state != "open"))
        # All or none: questions name the views, and a model must not be asked about a view that it is not
        # shown.
        if not views or len(views) < len(facts.scene.views):
            yield SkippedItem("the scene has views that are not images")
            return
        slots = self._scene_slots(facts)
        if len(views) >= FEWEST_VIEWS:
            media = tuple(dict.fromkeys(view.medium for view in views))
            yield DraftSubject(
                target=facts.scene.id, facts=facts, media=media, slots=slots, tasks=SCENE_TASKS
            )
        for view in views:
            yield self._view_subject(view.name, facts, slots=slots, seed=seed)

    def _scene_slots(self, facts: SceneFacts) -> dict[str, str]:
        return {
            "views": _listed([view.name for view in facts.scene.views if view.name]) or "the pictures",
            "facts": "\n".join(self._label_text(label) for label in facts.labels) or UNKNOWN,
        }

    def _view_subject(
        self, view: str, facts: SceneFacts, *, slots: Mapping[str, str], seed: int | str
    ) -> DraftSubject:
        """Return the subject for one view; if a view has several labels, none is used."""
        labels = [label for label in facts.labels if label.view == view]
        known = labels[0] if len(labels) == 1 else None
        return DraftSubject(
            target=facts.scene.id,
            facts=facts,
            view=view,
            media=_media_of(known, view=view, facts=facts),
            labels=(known.id,) if known else (),
            slots={**slots, "reasons": self._reasons(known, facts=facts, seed=seed)},
            tasks=tuple(self._view_tasks(known, facts=facts, views=len(facts.scene.views))),
        )

    def steps(self, subject: DraftSubject, *, tasks: Sequence[str]) -> list[PipelineStep]:
        """Return one question per task; none depends on another."""
        asked = [task for task in subject.tasks if task in tasks]
        return [PipelineStep(id=task, prompt=f"{self.task_set_id}/{task}", task=task) for task in asked]

    def read(
        self,
        step: PipelineStep,
        text: str,
        *,
        prompt: PromptTemplate,
        values: Values,  # noqa: ARG002 - it needs no other step
    ) -> Any | RejectedReply:  # noqa: ANN401 - JSON
        """Return a question."""
        found = read_question(self, step, text, prompt=prompt)
        return found if isinstance(found, RejectedReply) else msgspec.to_builtins(found)

    def choices(self, task: Task) -> tuple[str, ...]:  # noqa: ARG002 - the same for all
        """Return none: the label's reasons decide the right option, and the model phrases them."""
        return ()

    def _view_tasks(self, label: EventLabel | None, *, facts: SceneFacts, views: int) -> Iterator[str]:
        for task in self.task_ids:
            if task in SCENE_TASKS or (task in OTHER_VIEW_TASKS and views < FEWEST_VIEWS):
                continue
            if task not in READS or (
                label and self._is_asked(task, label) and not _is_open(task, label, facts)
            ):
                yield task

    def _is_asked(self, task: str, label: EventLabel) -> bool:
        """Return whether the condition of a task holds. Source: the task set's ``condition``."""
        if task == "causal_assessment":
            return label.quality is not None and label.quality < WORST_QUALITY_OF_GOOD
        return bool(label.when) and (task != "why_to_collaborate" or self._has_reasons(label))

    def _has_reasons(self, label: EventLabel) -> bool:
        """Return whether a label contains a reason, and excludes enough others."""
        return bool(self._ticked(label)) and len(self._wrong(label)) >= WRONG_REASONS

    def _wrong(self, label: EventLabel) -> list[str]:
        # Without degradations, a label does not tell what else could be wrong with the image.
        if label.degradations is None:
            return []
        return wrong_reasons(label, reasons=self.task_set.value_lists["why"])

    def _ticked(self, label: EventLabel) -> list[str]:
        known = {value.id for value in self.task_set.value_lists["why"]}
        return [reason for reason in label.why or () if reason in known]

    def _reasons(self, label: EventLabel | None, *, facts: SceneFacts, seed: int | str) -> str:
        """Return one reason that the label contains and three that it excludes, for a model to phrase."""
        ticked = self._ticked(label) if label else []
        if not label or not self._has_reasons(label):
            return UNKNOWN
        # By names, not by ids: the same labels give the same prompt in every project, and so reuse the same
        # answers.
        draw = SeededRandom(
            seed, self.task_set_id, "why_to_collaborate", facts.scene.dataset, facts.scene.name, label.view
        )
        titles = {value.id: value.title.en for value in self.task_set.value_lists["why"]}
        right = draw.choose(ticked)
        wrong = draw.sample(self._wrong(label), WRONG_REASONS)
        lines = [f"right: {titles[right]}", *(f"wrong: {titles[reason]}" for reason in wrong)]
        return "\n".join(f"- {line}" for line in lines)

    def _label_text(self, label: EventLabel) -> str:
        """Return the label of one view as text lines for the prompt."""
        parts = {
            "quality": f"{label.quality} of 5" if label.quality else "",
            "kinds of objects": self._titles("object_type", label.object_types),
            "number of objects": _count_text(label),
            "hard to perceive because of": ", ".join(
                filter(None, (self._titles("degradation", label.degradations), label.other_degradation or ""))
            ),
            "where it is hard": _boxes_text(label.issue_boxes, titles=lambda ids: self._titles("issue", ids)),
            "needs another view": {True: "yes", False: "no", None: ""}[label.when],
            "what it should learn about": _boxes_text(label.what_boxes, titles=lambda _ids: ""),
            "views that could help": _listed(label.who or ()),
            "why": self._titles("why", label.why),
        }
        text = "; ".join(f"{name}: {text}" for name, text in parts.items() if text)
        return f"{label.view or 'one view'}: {text or UNKNOWN}"

    def _titles(self, value_list: str, ids: Sequence[str] | None) -> str:
        values = {value.id: value.title.en for value in self.task_set.value_lists[value_list]}
        return ", ".join(values.get(name, name) for name in ids or ())


def _is_open(task: str, label: EventLabel, facts: SceneFacts) -> bool:
    """Return whether an open contradiction concerns the fields of a task's answer key."""
    return any(
        flag.severity != "note" and flag.field.partition("[")[0] in READS[task]
        for flag in facts.flags_on(label)
    )


def _media_of(label: EventLabel | None, *, view: str, facts: SceneFacts) -> tuple[str, ...]:
    """Return the images of all views; for the labelled view the image of the label itself."""
    own = label.medium if label else ""
    return tuple(dict.fromkeys(own if own and v.name == view else v.medium for v in facts.scene.views))


def _is_image(facts: SceneFacts, medium: str) -> bool:
    known = facts.media.get(medium)
    return known is not None and known.media_type == "image"


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _count_text(label: EventLabel) -> str:
    if label.count is None or label.count.value is None:
        return ""
    return f"{'about ' if label.count.approximate else ''}{label.count.value}"


def _boxes_text(boxes: Sequence[PercentBox] | None, *, titles: Callable[[Sequence[str]], str]) -> str:
    """Return boxes by their centres, in percent of the image from its left and upper edge."""
    texts = []
    for box in boxes or ():
        name = titles(box.labels)
        location = f"{box.x + box.width / 2:.0f} % from the left, {box.y + box.height / 2:.0f} % from the top"
        texts.append(f"{name} at {location}" if name else location)
    return "; ".join(texts)


RECIPE = AirCop()
