"""The command that drafts items by rule from the labels of a project's scenes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.event import CREATED, Edit
from annotator.domain.event_label import EventLabel
from annotator.domain.flag import Flag
from annotator.domain.item import Item
from annotator.domain.record import new_id
from annotator.domain.scene import Scene
from annotator.domain.task_set import Task, TaskSet
from annotator.domain.task_set_catalogue import TaskSetCatalogue
from annotator.draft.report import DraftReport
from annotator.draft.rule import DraftRule
from annotator.draft.rule_input import RuleSettings, SceneLabels
from annotator.draft.rule_result import DraftedItem, RuleResult
from annotator.draft.rules import RULES
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.store.reader import Reader

BY_RULE = "rule"


@dataclass(kw_only=True)
class DraftItems(Command):
    """Draft items from the labels of a project. Items drafted earlier stay unchanged.

    Items are identified by their public id: repeating the command adds nothing, also with another seed.

    Attributes:
        task_set: Id of a task set.
        by: The method; only ``rule`` needs no model.
        tasks: Ids of its tasks, None for all tasks with a rule.
        seed: Seed of all draws; the same seed and labels give the same items.
        report: Set by ``plan``.
    """

    task_set: str
    by: str = BY_RULE
    tasks: tuple[str, ...] | None = None
    seed: int = 0
    report: DraftReport = field(default_factory=DraftReport)

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("draft_items", name=self.task_set)

    @property
    def details(self) -> dict[str, Any]:
        """The values with which the draft can be reproduced."""
        return {"task_set": self.task_set, "by": self.by, "tasks": self.tasks, "seed": self.seed}

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the new items, scene after scene.

        Raises:
            UserError: The task set or a task is unknown, or has no rule; choose another one.
            Cancelled: The user cancelled the operation.
        """
        self.report = DraftReport()
        orders = self._rule_inputs(reader)
        names = _TakenNames(reader)
        progress.begin(self.summary, total=reader.counts()["event_label"])
        for facts in _scenes(reader):
            for rule, order in orders:
                for outcome in rule.draft(facts, order=order):
                    yield from self._existing_drafts(outcome, order=order, names=names)
            self.report.labels += len(facts.labels)
            progress.step(len(facts.labels))
        self._count_without_scene(reader, orders=orders, progress=progress)
        progress.end()

    def _rule_inputs(self, reader: Reader) -> list[tuple[DraftRule, RuleSettings]]:
        if self.by != BY_RULE:
            raise UserError(f"Drafting by {self.by!r} is not supported here.", hint=f"Use {BY_RULE!r}.")
        task_set = TaskSetCatalogue.of(reader.path).get(self.task_set)
        tasks = _tasks_with_rule(task_set)
        if self.tasks is not None:
            tasks = [
                _require_rule(task_set.task(name), task_set=task_set, ruled=tasks) for name in self.tasks
            ]
        return [(RULES[t.drafted_by], RuleSettings(task_set=task_set, task=t, seed=self.seed)) for t in tasks]

    def _existing_drafts(
        self, outcome: RuleResult, *, order: RuleSettings, names: _TakenNames
    ) -> Iterator[Edit]:
        """Yield the edit that creates an item, or nothing if it exists already or cannot be created."""
        task = order.task.id
        if not isinstance(outcome, DraftedItem):
            self.report.skip(task, outcome.reason)
            return
        holder = names.holder(outcome.item)
        if holder is None:
            item = names.keep(outcome.item)
            self.report.add(outcome)
            yield Edit(entity="item", entity_id=item.id, field=CREATED, value=item)
        elif _is_same(holder, outcome.item):
            self.report.unchanged += 1
        else:
            self.report.skip(task, "the public id is taken by another item")

    def _count_without_scene(
        self, reader: Reader, *, orders: list[tuple[DraftRule, RuleSettings]], progress: Progress
    ) -> None:
        # Reported, because otherwise it is not plain why many labels gave few items.
        for _ in reader.find(EventLabel, scene=""):
            progress.step()
            self.report.labels += 1
            for _rule, order in orders:
                self.report.skip(order.task.id, "the label belongs to no scene")


class _TakenNames:
    """The public ids in use, in the project and in this draft."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._made: dict[str, Item] = {}

    def holder(self, item: Item) -> Item | None:
        """Return the item that already has the new item's public id, None if the id is free."""
        if item.name in self._made:
            return self._made[item.name]
        # The reader shows the project before the command, without the items created so far.
        return next(self._reader.find(Item, name=item.name), None)

    def keep(self, item: Item) -> Item:
        """Return the new item with an id of its own, and reserve its public id."""
        kept = msgspec.structs.replace(item, id=new_id())
        self._made[item.name] = kept
        return kept


def _tasks_with_rule(task_set: TaskSet) -> list[Task]:
    tasks = [task for task in task_set.tasks if task.drafted_by in RULES]
    if not tasks:
        raise UserError(
            f"There is no drafting rule for {task_set.title.en}.", hint="Choose another task set."
        )
    return tasks


def _require_rule(task: Task, *, task_set: TaskSet, ruled: list[Task]) -> Task:
    if task not in ruled:
        raise UserError(
            f"There is no drafting rule for {task.title.en} of {task_set.title.en}.",
            hint=f"Tasks with a rule: {', '.join(t.id for t in ruled)}.",
        )
    return task


def _is_same(one: Item, two: Item) -> bool:
    return (one.task_set, one.task, one.scene, one.view) == (two.task_set, two.task, two.scene, two.view)


def _scenes(reader: Reader) -> Iterator[SceneLabels]:
    """Yield each scene that has labels, with the open flags on the targets of the labels."""
    for scene in reader.records(Scene):
        labels = tuple(reader.labels_of(scene.id))
        if labels:
            yield SceneLabels(scene=scene, labels=labels, open_flags=_open_flags(reader, scene, labels))


def _open_flags(
    reader: Reader, scene: Scene, labels: tuple[EventLabel, ...]
) -> Mapping[str, tuple[Flag, ...]]:
    targets = {scene.id, *(label.id for label in labels), *(label.medium for label in labels)} - {""}
    return {target: tuple(f for f in reader.flags_of(target) if f.state == "open") for target in targets}
