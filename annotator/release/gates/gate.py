"""The base class of gates, and what a gate reads."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from annotator.domain.eval_settings import prompt_digest
from annotator.domain.own_files import OwnFault
from annotator.domain.query import ItemQuery, MediumQuery
from annotator.domain.release_gate import GateUnit
from annotator.queries.reader import Reader
from annotator.release.release_filter import Finding, ReleaseFilter

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class GateInput:
    """The items that a release takes, and what is known about them.

    Attributes:
        reader: The project; it must show one state throughout.
        selection: The filter that chooses the items.
        release_filter: The filter that withholds some of them.
        findings: Findings of the checks.
        own_faults: Files of the project's own task sets and checks that the checks could not use.
        is_uneven: Whether letters of answer keys with these counts give the answer away.
    """

    reader: Reader
    selection: ItemQuery
    release_filter: ReleaseFilter
    findings: Iterable[Finding]
    is_uneven: Callable[[list[int]], bool]
    own_faults: Sequence[OwnFault] = ()

    @cached_property
    def withheld(self) -> Numbers:
        """Row numbers of the selected items that the release withholds, rising."""
        withheld = self.reader.gates.numbers_of_items(self.release_filter.withheld_ids)
        return np.intersect1d(self.reader.items.numbers(self.selection), withheld)

    @cached_property
    def members(self) -> Numbers:
        """Row numbers of the items that the release takes, rising; what a format cannot hold is included."""
        return np.setdiff1d(self.reader.items.numbers(self.selection), self.withheld)

    @cached_property
    def digests(self) -> dict[int, str]:
        """The digests of what the items ask now, by row number."""
        rows = self.reader.gates.numbered_items(self.members)
        return {number: prompt_digest(item) for number, item in rows}

    def among_members(self, numbers: Iterable[int]) -> Numbers:
        """Return those of some row numbers that the release takes, each once, rising."""
        return np.intersect1d(np.fromiter(numbers, dtype=np.int64), self.members)

    def members_without(self, numbers: Iterable[int]) -> Numbers:
        """Return the row numbers of the items that the release takes and that are not among these."""
        return np.setdiff1d(self.members, np.fromiter(numbers, dtype=np.int64))

    def ids_of(self, numbers: Numbers) -> ItemQuery:
        """Return the selection of exactly these items."""
        return ItemQuery(ids=self.reader.gates.ids_of_items(numbers))


@dataclass(frozen=True, kw_only=True)
class GateFinding:
    """What a gate found.

    Attributes:
        failing: Number that does not fulfil the gate.
        total: Number that it concerns; 0 where only what fails can be counted.
        is_applicable: False where the release has nothing that the gate is about.
        query: What fails, as a selection of items or media; None where nothing fails.
        unwaivable: Number among those that fail that no waiver covers.
    """

    failing: int
    unwaivable: int = 0
    total: int = 0
    is_applicable: bool = True
    query: ItemQuery | MediumQuery | None = None


class Gate(ABC):
    """Something that must hold before a release; derive a class and name it in the registry.

    Attributes:
        id: Name on the command line and in the manifest.
        title: Displayed name.
        unit: What its numbers count.
        counted: What fails, with the places ``{n}`` and, unless only what fails can be counted, ``{total}``.
        advice: What to do about it.
        is_informative: Whether it is informational and cannot be required.
        evidence: Kinds of records that it takes for done work, and whose removal may make it fail.
    """

    id: ClassVar[str]
    title: ClassVar[str]
    unit: ClassVar[GateUnit] = "items"
    counted: ClassVar[str]
    advice: ClassVar[str]
    is_informative: ClassVar[bool] = False
    evidence: ClassVar[frozenset[str]] = frozenset()

    @abstractmethod
    def examine(self, given: GateInput) -> GateFinding:
        """Return what fails among the items that a release takes."""


class ItemGate(Gate):
    """A gate that each item fulfils or not."""

    def examine(self, given: GateInput) -> GateFinding:
        """Return the items that fail."""
        total = len(given.members)
        if not total:
            return GateFinding(failing=0, is_applicable=False)
        failing = self.failing_items(given)
        query = given.ids_of(failing) if len(failing) else None
        return GateFinding(failing=len(failing), total=total, query=query)

    @abstractmethod
    def failing_items(self, given: GateInput) -> Numbers:
        """Return the row numbers of the items that fail, rising."""
