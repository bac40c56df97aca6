"""The base class of pipelines: the sequence of prompts that drafts a benchmark's items."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from annotator.domain import task_set_files
from annotator.domain.item import LETTERS, Item, Option
from annotator.domain.task_set import Task, TaskSet
from annotator.draft.item_names import item_name
from annotator.draft.llm.drafted_question import question_of_values, question_problems, question_schema
from annotator.draft.llm.prompts import PromptTemplate
from annotator.draft.llm.question_parser import ParsedQuestion, RejectedReply, parse_question
from annotator.draft.rule_result import SkippedItem
from annotator.draft.scene_facts import SceneFacts
from annotator.draft.seeded_random import SeededRandom
from annotator.errors import UserError


@dataclass(frozen=True, kw_only=True)
class DraftSubject:
    """The subject of one or more drafted items.

    Attributes:
        target: Id of the scene or trajectory: the target of the predictions.
        facts: Its scene.
        view: Name of the view in question, "" for all views.
        media: Ids of the media that the model and the items show.
        labels: Ids of the labels that the answer keys depend on.
        slots: Values of the slots of prompts, the same for each step.
        frames: Numbers of key frames, if any.
        tasks: Ids of the tasks for which it can provide items.
    """

    target: str
    facts: SceneFacts
    view: str = ""
    media: tuple[str, ...]
    labels: tuple[str, ...] = ()
    slots: Mapping[str, str] = field(default_factory=dict)
    frames: tuple[int, ...] = ()
    tasks: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class PipelineStep:
    """One step of a pipeline.

    Attributes:
        id: Name of its result, unique in its sequence; later steps refer to it.
        prompt: Name of its prompt.
        task: Id of the task of its item, "" for a preparatory step.
        after: Index of the step that it depends on, None for the first.
        frame: Number of the frame that it shows, None without one.
    """

    id: str
    prompt: str
    task: str = ""
    after: int | None = None
    frame: int | None = None


_SLOT = re.compile(r"\{([a-z_]+)\}")
Values = Mapping[str, Any]
"""Results of earlier steps of the sequence, by their ids (JSON)."""


class Pipeline(ABC):
    """Drafts the items of one task set. Stateless and without side effects.

    Attributes:
        task_set_id: The task set.
        task_ids: The tasks that it drafts, in order.
    """

    task_set_id: ClassVar[str]
    task_ids: ClassVar[tuple[str, ...]]

    @property
    def task_set(self) -> TaskSet:
        """The task set."""
        return task_set_files.builtin(self.task_set_id)

    @abstractmethod
    def subjects(self, facts: SceneFacts, *, seed: int | str) -> Iterator[DraftSubject | SkippedItem]:
        """Yield the subjects of a scene for which items can be drafted, or the reason why there are none."""

    @abstractmethod
    def steps(self, subject: DraftSubject, *, tasks: Sequence[str]) -> list[PipelineStep]:
        """Return the steps of a sequence, each after the one that it depends on.

        Args:
            subject: The subject of the items.
            tasks: The requested tasks.
        """

    def slots(self, step: PipelineStep, subject: DraftSubject, values: Values) -> dict[str, str]:  # noqa: ARG002 - to be extended
        """Return the values of the slots of a step's prompt."""
        return {**subject.slots, **(self._task_slots(step, subject) if step.task else {})}

    def schema(self, step: PipelineStep, prompt: PromptTemplate) -> dict[str, Any] | None:
        """Return the JSON schema of a step's answer, None for free text."""
        if prompt.schema or not step.task:
            return prompt.schema
        task = self.task_set.task(step.task)
        return question_schema(task, values=self.choices(task))

    @abstractmethod
    def read(
        self, step: PipelineStep, text: str, *, prompt: PromptTemplate, values: Values
    ) -> Any | RejectedReply:  # noqa: ANN401 - JSON
        """Return the value in a reply, or the reason why it cannot be used."""

    def item(
        self,
        step: PipelineStep,
        value: Any,  # noqa: ANN401 - what a step made
        *,
        subject: DraftSubject,
        values: Values,  # noqa: ARG002 - for pipelines that use them
        seed: int | str,
    ) -> Item:
        """Return the item in a step's value, without id and provenance."""
        written, task = ParsedQuestion(**value), self.task_set.task(step.task)
        letters = shuffle_options(written, subject=subject, task_set=self.task_set, task=task, seed=seed)
        return self.bare_item(
            task,
            subject=subject,
            question=written.question,
            options=letters,
            answer_key=next((option.letter for option in letters if option.text == written.right), ""),
        )

    def bare_item(
        self,
        task: Task,
        *,
        subject: DraftSubject,
        question: str,
        answer_key: str,
        options: tuple[Option, ...] = (),
    ) -> Item:
        """Return an item of a subject from its fields."""
        return Item(
            name=item_name(subject.facts.scene, task=task, view=subject.view),
            task_set=self.task_set.id,
            task=task.id,
            question=question,
            options=options,
            answer_format=task.answer_format[0],
            answer_key=answer_key,
            scene=subject.facts.scene.id,
            view=subject.view,
            media=subject.media,
        )

    def wanted(self, tasks: Sequence[str]) -> tuple[str, ...]:
        """Return the tasks to draft, all if none is named.

        Raises:
            UserError: A task is unknown, or cannot be drafted by a model.
        """
        ids = tuple(self.task_set.task(name).id for name in tasks) or self.task_ids
        if others := [name for name in ids if name not in self.task_ids]:
            raise UserError(
                f"Drafting by model is not available for {others[0]} of {self.task_set.title.en}.",
                hint=f"Available tasks: {', '.join(self.task_ids)}.",
            )
        return tuple(name for name in self.task_ids if name in ids)

    def _task_slots(self, step: PipelineStep, subject: DraftSubject) -> dict[str, str]:
        task = self.task_set.task(step.task)
        count = task.option_count.max if task.option_count else 0
        values = self.choices(task)
        known = {**subject.slots, "view": subject.view or "this picture"}
        return {
            "task": task.title.en,
            "templates": "\n".join(
                f"- {_fill_known_slots(template.text, known)}" for template in task.templates
            ),
            "option_count": str(count),
            "wrong_count": str(count - 1),
            "choices": "\n".join(f"- {text}" for text in values),
            "view": known["view"],
        }

    def choices(self, task: Task) -> tuple[str, ...]:
        """Return the fixed texts from which a task's options are chosen, none if the model writes them."""
        if not task.choices or task.option_count is None:
            return ()
        return tuple(
            value.title.en for value in self.task_set.value_lists[task.choices][: task.option_count.max]
        )


def _fill_known_slots(template: str, known: Mapping[str, str]) -> str:
    """Return a template with the known slots filled; the model fills the others."""
    # In one pass: braces in the material are text, not slots.
    return _SLOT.sub(lambda found: known.get(found[1], found[0]), template)


def read_question(
    recipe: Pipeline, step: PipelineStep, text: str, *, prompt: PromptTemplate
) -> ParsedQuestion | RejectedReply:
    """Return the question of a reply with as many options as its task has.

    If the options come from a list of values, the model only names the right one.
    """
    task = recipe.task_set.task(step.task)
    not_this = str((prompt.example or {}).get("question", ""))
    written = parse_question(text, not_this=not_this)
    if isinstance(written, RejectedReply):
        return written
    # The wrong options are the list's others, whatever the model wrote for them.
    if values := recipe.choices(task):
        return question_of_values(written, values=values, task=task, task_set=recipe.task_set)
    problems = question_problems(written, options=task.option_count.max if task.option_count else 0)
    return RejectedReply(problems=problems) if problems else written


def shuffle_options(
    written: ParsedQuestion, *, subject: DraftSubject, task_set: TaskSet, task: Task, seed: int | str
) -> tuple[Option, ...]:
    """Return the options in a random order: models put the right option first far too often."""
    scene = subject.facts.scene
    draw = SeededRandom(seed, task_set.id, task.id, scene.dataset, scene.name, subject.view)
    texts = draw.shuffled((written.right, *written.wrong))
    return tuple(Option(letter=letter, text=text) for letter, text in zip(LETTERS, texts, strict=False))
