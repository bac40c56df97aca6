"""Runs the checks: on one item while it is edited, or over a whole project."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Collection, Iterator

from annotator.domain.item import Item
from annotator.progress import Progress
from annotator.quality.check import Check, DatasetCheck, DatasetCollector, ItemCheck
from annotator.quality.context import CheckContext
from annotator.quality.finding import Finding
from annotator.quality.report import CheckReport
from annotator.quality.team_checks import ProjectChecks
from annotator.queries.reader import Reader


class Selection:
    """The checks that apply to each task, computed once per task."""

    def __init__(self, context: CheckContext, *, checks: Collection[str] | None = None) -> None:
        self.context = context
        self.known = ProjectChecks(context.project)
        self._wanted = [check for check in self.known.all.values() if checks is None or check.id in checks]
        self._by_task: dict[tuple[str, str], tuple[Check, ...]] = {}
        self._item_checks: dict[tuple[str, str], tuple[ItemCheck, ...]] = {}

    @property
    def wanted(self) -> list[Check]:
        """All checks that can apply."""
        return self._wanted

    def of(self, item: Item) -> tuple[Check, ...]:
        """Return the checks that apply to an item."""
        key = (item.task_set, item.task)
        if key not in self._by_task:
            applying = (check for check in self._wanted if check.applies_to(item, context=self.context))
            self._by_task[key] = tuple(applying)
        return self._by_task[key]

    def item_findings(self, item: Item) -> Iterator[Finding]:
        """Yield the findings of the checks on single items."""
        key = (item.task_set, item.task)
        if key not in self._item_checks:
            self._item_checks[key] = tuple(one for one in self.of(item) if isinstance(one, ItemCheck))
        for check in self._item_checks[key]:
            if hit := check.check_item(item, self.context):
                yield check.finding(hit, entity="item", target=item.id)


def run_item_checks(item: Item, context: CheckContext) -> list[Finding]:
    """Return the findings on one item; takes well under a millisecond, for use on each keystroke.

    Checks over a set (letter balance, longest option, duplicate ids) need all items: ``run_checks``.
    """
    return list(Selection(context).item_findings(item))


def run_checks(
    reader: Reader,
    *,
    task_sets: Collection[str] | None = None,
    checks: Collection[str] | None = None,
    progress: Progress | None = None,
    report: CheckReport | None = None,
) -> Iterator[Finding]:
    """Yield all findings of a project, those on items first; memory does not grow with its items.

    Rejected items are left out, because they need no correction.

    Args:
        reader: The project.
        task_sets: Ids of the task sets, None for all.
        checks: Ids of the checks to run, None for all.
        progress: Counts the items; a second pass follows if names have to be compared.
        report: Counts items and findings as they pass.

    Raises:
        Cancelled: The user cancelled the operation.
    """
    report = report or CheckReport()
    selection = Selection(CheckContext.of(reader), checks=checks)
    report.own_faults = selection.known.faults
    report.checks.update({check.id: 0 for check in selection.wanted})
    run = _SetRun(selection)
    items = functools.partial(_items, reader, task_sets=task_sets, progress=progress or Progress())
    for item in items(what="Checking items"):
        report.items += 1
        run.add(item)
        yield from _counted(selection.item_findings(item), report)
    for item in items(what="Comparing names") if run.wants_second_pass else ():
        run.add_again(item)
    yield from _counted(run.findings(), report)


class _SetRun:
    """The collectors of one run; each receives the items that its check applies to."""

    def __init__(self, selection: Selection) -> None:
        self._selection = selection
        context = selection.context
        sets = (check for check in selection.wanted if isinstance(check, DatasetCheck))
        self._collectors: dict[str, tuple[DatasetCheck, DatasetCollector]] = {
            c.id: (c, c.start(context)) for c in sets
        }
        self._by_task: dict[tuple[str, str], tuple[DatasetCollector, ...]] = {}

    def add(self, item: Item) -> None:
        for collector in self._collectors_of(item):
            collector.add(item)

    @property
    def wants_second_pass(self) -> bool:
        return any(collector.wants_second_pass for _, collector in self._collectors.values())

    def add_again(self, item: Item) -> None:
        # Only collectors that require the second pass receive the items again.
        for collector in self._collectors_of(item):
            if collector.wants_second_pass:
                collector.add_again(item)

    def findings(self) -> Iterator[Finding]:
        for check, collector in self._collectors.values():
            for entity, target, hit in collector.findings():
                yield check.finding(hit, entity=entity, target=target)

    def _collectors_of(self, item: Item) -> tuple[DatasetCollector, ...]:
        key = (item.task_set, item.task)
        if key not in self._by_task:
            applying = (check.id for check in self._selection.of(item))
            self._by_task[key] = tuple(
                self._collectors[one][1] for one in applying if one in self._collectors
            )
        return self._by_task[key]


def _items(
    reader: Reader, *, task_sets: Collection[str] | None, progress: Progress, what: str
) -> Iterator[Item]:
    queries = [{}] if task_sets is None else [{"task_set": task_set} for task_set in task_sets]
    # Counting the items of some sets would require a pass of its own.
    progress.begin(what, total=reader.counts()["item"] if task_sets is None else None)
    for record in itertools.chain.from_iterable(reader.find(Item, **query) for query in queries):
        progress.step()
        if record.state != "rejected":
            yield record
    progress.end()


def _counted(findings: Iterator[Finding], report: CheckReport) -> Iterator[Finding]:
    for finding in findings:
        report.add(finding)
        yield finding
