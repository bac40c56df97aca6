"""Base classes of checks: the declaration of a check, for single items or for whole sets."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from annotator.domain.flag import Severity
from annotator.domain.item import Item
from annotator.quality.context import CheckContext
from annotator.quality.finding import Finding


@dataclass(frozen=True, kw_only=True)
class CheckHit:
    """The problem that a check found in one target.

    Attributes:
        message: Description of the problem, with the values concerned.
        field: The field concerned, "" for the whole record.
        option_index: Index of the option concerned, None if it is not an option.
        evidence: Further values for the decision, such as the id of another item.
    """

    message: str
    field: str = ""
    option_index: int | None = None
    evidence: Mapping[str, str] = dataclasses.field(default_factory=dict)


class Check(ABC):
    """A check; derive from ``ItemCheck`` or ``DatasetCheck`` and name the class in the registry.

    Attributes:
        id: Name in task sets and on the command line; the kind of the flags that it raises.
        severity: ``error`` (requires a decision) or ``warning`` (should be reviewed).
        title: Displayed name, also of its flags.
        finds: Description of what it finds.
        advice: What to do about a finding.
        threshold: Its thresholds with their source; "" if there are none.
        tasks: Tasks, as ``<task set>/<task>``, that it applies to although their own list does not name it.
        task_sets: Sets that it applies to if the task of an item is unknown; empty for all. If the task is
            known, its own list of checks and ``tasks`` decide.
        settings: Names of the thresholds that a task set can define under ``check_settings``.
    """

    scope: ClassVar[str]

    id: ClassVar[str]
    severity: ClassVar[Severity]
    title: ClassVar[str]
    finds: ClassVar[str]
    advice: ClassVar[str]
    threshold: ClassVar[str] = ""
    tasks: ClassVar[tuple[str, ...]] = ()
    task_sets: ClassVar[tuple[str, ...]] = ()
    settings: ClassVar[tuple[str, ...]] = ()

    def applies_to(self, item: Item, *, context: CheckContext) -> bool:
        """Return whether this check applies to items of a task."""
        if f"{item.task_set}/{item.task}" in self.tasks:
            return True
        # A task can exclude checks of its set, for instance because its options are images.
        task = context.task(item)
        if task is not None:
            return self.id in task.checks
        return not self.task_sets or item.task_set in self.task_sets

    def finding(self, hit: CheckHit, *, entity: str, target: str) -> Finding:
        """Return a problem as a finding about a target."""
        return Finding(
            check=self.id,
            severity=self.severity,
            entity=entity,
            target=target,
            field=hit.field,
            option_index=hit.option_index,
            evidence=hit.evidence,
            message=hit.message,
            advice=self.advice,
        )


class ItemCheck(Check):
    """A check of one item with its context: fast enough to run on each keystroke."""

    scope = "item"

    @abstractmethod
    def check_item(self, item: Item, context: CheckContext, /) -> CheckHit | None:
        """Return the problem of an item, None if there is none."""


class DatasetCollector(ABC):
    """The state of a check over a set while items are added; its memory does not grow with the items."""

    @abstractmethod
    def add(self, item: Item) -> None:
        """Add an item."""

    @property
    def wants_second_pass(self) -> bool:
        """Whether a second pass over all items is required."""
        return False

    def add_again(self, item: Item) -> None:  # noqa: B027 - most collectors need one pass
        """Add an item in the second pass."""

    @abstractmethod
    def findings(self) -> Iterator[tuple[str, str, CheckHit]]:
        """Yield entity, target and problem of each finding."""


class DatasetCheck(Check):
    """A check that needs all items of a task or task set."""

    scope = "set"

    @abstractmethod
    def start(self, context: CheckContext, /) -> DatasetCollector:
        """Return an empty collector."""
