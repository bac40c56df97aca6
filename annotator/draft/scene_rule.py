"""The base class of rules that ask about a scene as a whole or about its views."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from annotator.domain.item import LETTERS, Item, Option, Provenance
from annotator.domain.task_set import QuestionTemplate, Task
from annotator.draft.rule import DraftRule
from annotator.draft.rule_result import DraftedItem, RuleResult, SkippedItem
from annotator.draft.rule_settings import RuleSettings
from annotator.draft.scene_facts import SceneFacts
from annotator.errors import UserError


@dataclass(frozen=True, kw_only=True)
class SceneQuestion:
    """A question about a scene with its answer, before it becomes an item.

    Attributes:
        subject: What it asks about; within scene, view and task it identifies the item.
        view: Name of the view in question, "" for none or several.
        template: Id of the task's template, "" for the first.
        slots: Values of the template's slots.
        answer_key: The right answer as canonical text.
        media: Ids of the media shown, in order.
        options: Texts of the options, in order; empty for other formats.
        evidence: Ids of the records that the answer key follows from.
    """

    subject: str
    view: str = ""
    template: str = ""
    slots: Mapping[str, str] = field(default_factory=dict)
    answer_key: str
    media: tuple[str, ...]
    options: tuple[str, ...] = ()
    evidence: tuple[str, ...]


class SceneRule(DraftRule):
    """A rule that yields questions about a scene; its items get numbered public ids."""

    @abstractmethod
    def questions(
        self, facts: SceneFacts, settings: RuleSettings, /
    ) -> Iterator[SceneQuestion | SkippedItem]:
        """Yield the questions about a scene, and a reason for each subject without one."""

    def draft(self, facts: SceneFacts, *, order: RuleSettings) -> Iterator[RuleResult]:
        """Yield one result for each question or reason."""
        for found in self.questions(facts, order):
            yield found if isinstance(found, SkippedItem) else self._item(found, facts=facts, order=order)

    def _item(self, question: SceneQuestion, *, facts: SceneFacts, order: RuleSettings) -> DraftedItem:
        task = order.task
        template = template_of(task, question.template)
        item = Item(
            name="",
            task_set=order.task_set.id,
            task=task.id,
            question=template.fill(question.slots),
            options=tuple(
                Option(letter=letter, text=text)
                for letter, text in zip(LETTERS, question.options, strict=False)
            ),
            answer_format=template.answer_format or task.answer_format[0],
            answer_key=question.answer_key,
            scene=facts.scene.id,
            view=question.view,
            media=question.media,
            provenance=Provenance(
                made_by="rule",
                maker=f"{self.id}@{self.version}",
                labels=question.evidence,
                wording=template.id,
                subject=question.subject,
                seed=order.seed,
                is_keyed=True,
            ),
        )
        return DraftedItem(item=item, answer=_answer_text(item))


def template_of(task: Task, name: str) -> QuestionTemplate:
    """Return a template of a task by its id, the first one for "".

    Raises:
        UserError: The task has no such template; add it to the task set.
    """
    found = next((template for template in task.templates if name in ("", template.id)), None)
    if found is None:
        raise UserError(
            f"The task {task.id} has no template {name or '(any)'}.", hint="Add it to the task set."
        )
    return found


def _answer_text(item: Item) -> str:
    right = (option.text for option in item.options if option.letter == item.answer_key)
    return next(right, item.answer_key)
