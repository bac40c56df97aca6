"""Base classes of drafting rules, including the rule that asks one question per labelled view."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from annotator.domain.event_label import EventLabel
from annotator.domain.flag import Flag
from annotator.domain.item import LETTERS, Item, Option, Provenance
from annotator.domain.scene import Scene
from annotator.domain.task_set import QuestionTemplate, Task, TaskSet
from annotator.draft.item_names import item_name, view_text
from annotator.draft.rule_result import ChoiceQuestion, DraftedItem, RuleResult, SkippedItem
from annotator.draft.rule_settings import RuleSettings
from annotator.draft.scene_facts import FactKind, SceneFacts
from annotator.draft.seeded_random import SeededRandom, dealt_position

T = TypeVar("T", bound=Hashable)
_NO_DIGIT = re.compile(r"[^0-9]")


@dataclass(frozen=True, kw_only=True)
class RuleDocs:
    """The row of a rule in the table of docs/drafting.md.

    Attributes:
        task: The task that it makes items of.
        right: The right answer.
        wrong: The wrong answers.
        no_item: When it makes no item.
    """

    task: str
    right: str
    wrong: str
    no_item: str


class DraftRule(ABC):
    """A rule that creates items; a task set's ``drafted_by`` names it.

    Attributes:
        id: ``<task set>.<what>``.
        version: Increased when the same facts would give another item; part of the items' provenance.
        docs: The row in the documents.
        loads: What it reads of a scene; nothing else is loaded.
    """

    id: ClassVar[str]
    version: ClassVar[int]
    docs: ClassVar[RuleDocs]
    loads: ClassVar[frozenset[FactKind]]

    @abstractmethod
    def draft(self, facts: SceneFacts, *, order: RuleSettings) -> Iterator[RuleResult]:
        """Yield a result for each possible subject of the task in a scene."""


@dataclass(frozen=True, kw_only=True)
class LabelledView:
    """The input of a rule for one view.

    Attributes:
        scene: The scene.
        label: The event label of the view.
        task_set: The task set, with its value lists.
        draw: Random numbers of this item.
        wording: Random numbers for wordings; a further wording changes no option or answer key.
        counts: How often the facts that the rule counts occur in the labels of the scene's dataset.
    """

    scene: Scene
    label: EventLabel
    task_set: TaskSet
    draw: SeededRandom
    wording: SeededRandom
    counts: Counter[Hashable]

    @property
    def name(self) -> str:
        """The view as questions call it."""
        return view_text(self.label.view)

    def sample_occurring(
        self, values: Iterable[T], k: int, *, key: Callable[[T], Hashable] | None = None
    ) -> list[T]:
        """Return k of the values, those first that are right answers somewhere in the dataset.

        A wrong option that is never right can be excluded without an image.

        Args:
            values: The values.
            k: How many.
            key: Returns what the rule counts for a value, None if it counts the values themselves.
        """
        # A stable sort: within both kinds, the random order is kept.
        drawn = self.draw.shuffled(values)
        return sorted(drawn, key=lambda value: not self.counts[key(value) if key else value])[:k]


class LabelRule(DraftRule):
    """A rule that asks one question with options about each labelled view.

    Attributes:
        reads: Fields of the label that the key depends on; an open flag on one of them prevents the item.
        kept_back_by: Kinds of open flags that prevent it on any field.
    """

    loads = frozenset({"labels"})
    reads: ClassVar[frozenset[str]]
    kept_back_by: ClassVar[frozenset[str]]

    def counted(self, _label: EventLabel, _task_set: TaskSet, /) -> Iterator[Hashable]:
        """Yield the facts of a label that the rule counts over a dataset, before it drafts items."""
        yield from ()

    @abstractmethod
    def choose(self, view: LabelledView, /) -> ChoiceQuestion | SkippedItem:
        """Return the question's options, or why there is no question."""

    def draft(self, facts: SceneFacts, *, order: RuleSettings) -> Iterator[RuleResult]:
        """Yield one result per event label of the scene."""
        # Two labels of one view contradict each other or are duplicates; a user must decide which one is
        # valid.
        copies = Counter(label.view for label in facts.labels)
        for label in facts.labels:
            if copies[label.view] > 1:
                yield SkippedItem("the view has several event labels; keep one")
            elif label.state == "open":
                yield SkippedItem("the label is not finished")
            else:
                yield self._outcome(label, facts=facts, order=order)

    def _outcome(self, label: EventLabel, *, facts: SceneFacts, order: RuleSettings) -> RuleResult:
        parts = (facts.scene.dataset, facts.scene.name, label.view)
        view = LabelledView(
            scene=facts.scene,
            label=label,
            task_set=order.task_set,
            draw=SeededRandom(order.draw_seed, order.task_set.id, order.task.id, *parts),
            wording=SeededRandom(order.draw_seed, order.task_set.id, order.task.id, "wording", *parts),
            counts=order.counts.get(facts.scene.dataset, Counter()),
        )
        choice = self.choose(view)
        if isinstance(choice, SkippedItem):
            return choice
        # Checked last: a view that gives no item anyway needs no review first.
        if flag := next(filter(self._keeps_back, facts.flags_on(label)), None):
            return SkippedItem(f"open flag {flag.kind}")
        return self._made(choice, view=view, order=order)

    def _keeps_back(self, flag: Flag) -> bool:
        # The flag's field ``issue_boxes[2]`` concerns ``issue_boxes``.
        field = flag.field.partition("[")[0]
        return flag.kind in self.kept_back_by or (flag.severity != "note" and field in self.reads)

    def _made(self, choice: ChoiceQuestion, *, view: LabelledView, order: RuleSettings) -> DraftedItem:
        # The right option is inserted afterwards: if it were shuffled too, its letter would be balanced only
        # on average.
        texts = view.draw.shuffled(choice.wrong)
        texts.insert(_right_position(view, order=order, count=len(texts) + 1), choice.right)
        options = tuple(Option(letter=LETTERS[n], text=text) for n, text in enumerate(texts))
        template = view.wording.choose(_templates(order.task, choice))
        item = Item(
            name=item_name(view.scene, task=order.task, view=view.label.view),
            task_set=order.task_set.id,
            task=order.task.id,
            question=template.fill(choice.slots),
            options=options,
            answer_format="option_letter",
            answer_key=LETTERS[texts.index(choice.right)],
            scene=view.scene.id,
            view=view.label.view,
            media=shown_media(view),
            provenance=Provenance(
                made_by="rule",
                maker=f"{self.id}@{self.version}",
                labels=(view.label.id,),
                seed=order.seed,
                is_keyed=True,
                wording=f"{template.id}/{choice.wording}" if choice.wording else template.id,
            ),
        )
        return DraftedItem(item=item, answer=choice.answer or choice.right)


def _templates(task: Task, choice: ChoiceQuestion) -> list[QuestionTemplate]:
    """Return the templates whose slots a rule fills, the first one in any case."""
    filled = [template for template in task.templates if set(template.slots) <= set(choice.slots)]
    return filled or [task.templates[0]]


def _right_position(view: LabelledView, *, order: RuleSettings, count: int) -> int:
    """Return the position of the right answer, different for each of a scene's first views."""
    parts = (order.draw_seed, order.task_set.id, order.task.id, view.scene.dataset, view.scene.name)
    # Two digits at most: names come from untrusted files, and UAV99999999999 must not loop for hours.
    turn = max(0, int(_NO_DIGIT.sub("", view.label.view)[-2:] or 1) - 1)
    return dealt_position(*parts, turn=turn, count=count)


def shown_media(view: LabelledView) -> tuple[str, ...]:
    """Return the media of all views of the scene in order, with the labelled image for its own view.

    Source: AirCopBench gives every question all pictures of the moment and names the one it is about.
    """
    # The labelled image may be a copy of the scene's image.
    own = view.label.medium
    media = [own if own and v.name == view.label.view else v.medium for v in view.scene.views]
    return tuple(dict.fromkeys(media)) or ((own,) if own else ())
