"""The command that drafts items by rule from a project's scenes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from annotator.command_summary import CommandSummary
from annotator.commands.command import StagedCommand, StalePreparationError
from annotator.domain.event import CREATED, REMOVED, Edit
from annotator.domain.event_label import EventLabel
from annotator.domain.scene import Scene
from annotator.domain.task_set import Task, TaskSet
from annotator.domain.task_set_catalogue import TaskSetCatalogue
from annotator.draft.draft_names import DraftNames
from annotator.draft.label_counts import Order, with_counts
from annotator.draft.report import DraftReport
from annotator.draft.rule_result import DraftedItem, RuleResult
from annotator.draft.rule_settings import RuleSettings
from annotator.draft.rules import RULES
from annotator.draft.scene_facts import FactKind
from annotator.draft.scene_reader import ENTITIES, read_scenes
from annotator.draft.seeded_random import keyed_seed
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.reader import Reader

BY_RULE = "rule"
_LIFE_OF_ITEM = frozenset({CREATED, REMOVED, "name"})
"""Changes of an item that make its public id taken or free."""


@dataclass(kw_only=True)
class DraftItems(StagedCommand):
    """Draft items from the scenes of a project. Items drafted earlier stay unchanged.

    Items are identified by their public id, those with numbered ids by what they ask about: repeating the
    command adds nothing, also with another seed.

    Attributes:
        task_set: Id of a task set.
        by: The method; only ``rule`` needs no model.
        tasks: Ids of its tasks, None for all tasks with a rule.
        seed: Seed of all draws; in a project, the same seed and facts give the same items.
        report: Set by ``plan``.
    """

    task_set: str
    by: str = BY_RULE
    tasks: tuple[str, ...] | None = None
    seed: int = 0
    report: DraftReport = field(default_factory=DraftReport)
    _kinds: frozenset[FactKind] = field(default=frozenset(), init=False, compare=False, repr=False)

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
        orders = with_counts(self._rule_inputs(reader), _labels(reader))
        self._kinds = frozenset().union(*(rule.loads for rule, _ in orders))
        names = DraftNames(reader, task_set=self.task_set)
        progress.begin(self.summary, total=reader.counts()["scene"])
        # The names of records are published: with the seed alone, anybody could draw the letters again.
        seed = keyed_seed(self.seed, project=reader.project.id)
        for facts in read_scenes(reader, kinds=self._kinds, seed=seed):
            progress.step()
            for rule, order in orders:
                for outcome in rule.draft(facts, order=order):
                    yield from self._existing_drafts(outcome, order=order, names=names)
            self.report.scenes += 1
            self.report.labels += len(facts.labels)
        self._count_without_scene(reader, orders=orders)
        progress.end()

    def require_current(self, reader: Reader, *, since: int) -> None:
        """Check that the records that rules read, and the public ids of items, have not changed.

        Raises:
            StalePreparationError: They have changed; nothing is written.
        """
        read = {"scene", *(entity for kind in self._kinds for entity in ENTITIES[kind])}
        for changed in reader.log.fields_changed_since(since):
            is_item = changed.entity == "item" and changed.field in _LIFE_OF_ITEM
            if is_item or changed.entity in read:
                raise StalePreparationError(
                    f"A {changed.entity} was changed during the drafting.", hint="Draft the items again."
                )

    def _rule_inputs(self, reader: Reader) -> list[Order]:
        if self.by != BY_RULE:
            raise UserError(f"Drafting by {self.by!r} is not supported here.", hint=f"Use {BY_RULE!r}.")
        task_set = TaskSetCatalogue.of(reader.path).get(self.task_set)
        tasks = _tasks_with_rule(task_set)
        if self.tasks is not None:
            tasks = [
                _require_rule(task_set.task(name), task_set=task_set, ruled=tasks) for name in self.tasks
            ]
        project = reader.project.id
        return [
            (
                RULES[task.drafted_by],
                RuleSettings(task_set=task_set, task=task, project=project, seed=self.seed),
            )
            for task in tasks
        ]

    def _existing_drafts(
        self, outcome: RuleResult, *, order: RuleSettings, names: DraftNames
    ) -> Iterator[Edit]:
        """Yield the edit that creates an item, or nothing if it exists already or cannot be created."""
        task = order.task.id
        if not isinstance(outcome, DraftedItem):
            self.report.skip(task, outcome.reason)
            return
        holder = names.holder(outcome.item)
        if holder is None:
            item = names.keep(outcome.item, task=order.task, task_set=order.task_set)
            self.report.add(outcome)
            yield Edit(entity="item", entity_id=item.id, field=CREATED, value=item)
        elif holder == "same":
            self.report.existing[task] += 1
        else:
            self.report.skip(task, "the public id is taken by another item")

    def _count_without_scene(self, reader: Reader, *, orders: list[Order]) -> None:
        # Reported, because otherwise it is not plain why many labels gave few items.
        readers = [order for rule, order in orders if "labels" in rule.loads]
        for _ in reader.find(EventLabel, scene="") if readers else ():
            self.report.labels += 1
            for order in readers:
                self.report.skip(order.task.id, "the label belongs to no scene")


def _labels(reader: Reader) -> Iterator[tuple[str, EventLabel]]:
    """Yield the labels that belong to a scene, each with the scene's dataset."""
    datasets = {scene.id: scene.dataset for scene in reader.records(Scene)}
    for label in reader.records(EventLabel):
        if label.scene in datasets:
            yield datasets[label.scene], label


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
