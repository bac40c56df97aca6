"""Base classes of checks: what a check declares, and the two ways in which it looks at items."""

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
        message: What is wrong, with the values concerned.
        field: The field concerned, "" for the whole record.
        place: Place of the option concerned, from 0; None where it is not one option.
        evidence: Further values for the decision, such as the id of another item.
    """

    message: str
    field: str = ""
    place: int | None = None
    evidence: Mapping[str, str] = dataclasses.field(default_factory=dict)


class Check(ABC):
    """A check; derive from ``ItemCheck`` or ``DatasetCheck`` and name the class in the registry.

    Attributes:
        id: Name in task sets and on the command line; the kind of the flags that it raises.
        severity: ``error`` (must be decided) or ``warning`` (should be looked at).
        title: Name that people read, also on its flags.
        finds: What it finds, in words.
        advice: What to do about a finding.
        threshold: The numbers it decides by, with their source; "" where there are none.
        tasks: Tasks, as ``<task set>/<task>``, that it looks at although their own list does not name it.
        task_sets: Sets that it applies to where an item's task is not known; empty for all. Where the
            task is known, its own list of checks and ``tasks`` decide.
        settings: Names of the thresholds that a task set may give under ``check_settings``.
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
        """Return whether this check is meant for an item of that task."""
        if f"{item.task_set}/{item.task}" in self.tasks:
            return True
        # A task can exclude checks of its set, for instance because its options are images.
        task = context.task(item)
        if task is not None:
            return self.id in task.checks
        return not self.task_sets or item.task_set in self.task_sets

    def finding(self, hit: CheckHit, *, entity: str, target: str) -> Finding:
        """Return a hit as a finding about a target."""
        return Finding(
            check=self.id,
            severity=self.severity,
            entity=entity,
            target=target,
            field=hit.field,
            place=hit.place,
            evidence=hit.evidence,
            message=hit.message,
            advice=self.advice,
        )


class ItemCheck(Check):
    """A check that needs one item and its surroundings: fast enough to run while somebody types."""

    scope = "item"

    @abstractmethod
    def look(self, item: Item, context: CheckContext, /) -> CheckHit | None:
        """Return what is wrong with an item, None where nothing is."""


class DatasetTally(ABC):
    """What a check over a set keeps while the items pass by, in memory that does not grow with items."""

    @abstractmethod
    def add(self, item: Item) -> None:
        """Take one item in."""

    @property
    def wants_second_pass(self) -> bool:
        """Whether all items have to pass once more before there is a result."""
        return False

    def add_again(self, item: Item) -> None:  # noqa: B027 - most tallies need one pass
        """Take one item in on the second pass."""

    @abstractmethod
    def findings(self) -> Iterator[tuple[str, str, CheckHit]]:
        """Yield entity, target and hit of all that was found."""


class DatasetCheck(Check):
    """A check that needs all items of a task or task set."""

    scope = "set"

    @abstractmethod
    def start(self, context: CheckContext, /) -> DatasetTally:
        """Return an empty tally."""
