"""The gate: which records are kept out of a release, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, KeysView
from typing import Literal, Protocol

from annotator.domain.flag import Flag
from annotator.domain.record import Record, ValueObject

NEVER_RELEASED = ("rejected", "filtered")
"""States that no parameter lets through: people, or the blind filter, took these items out."""


class Finding(Protocol):
    """What the gate needs to know of a check's finding."""

    @property
    def check(self) -> str:
        """Id of the check."""

    @property
    def entity(self) -> str:
        """Kind of the record, or ``task`` for what is said about all items of a task."""

    @property
    def severity(self) -> str:
        """``error``, ``warning`` or ``note``."""

    @property
    def target(self) -> str:
        """Id of the record."""

    @property
    def message(self) -> str:
        """What is wrong, in words."""


class HasState(Protocol):
    """What the gate needs to know of an item: a row of a list will do."""

    @property
    def id(self) -> str:
        """Id of the item."""

    @property
    def state(self) -> str:
        """State of the item."""


class WithholdReason(ValueObject, frozen=True, kw_only=True):
    """One reason why a record is kept out.

    Attributes:
        kind: ``state:rejected``, ``flag:KIND``, ``check:ID`` or ``form:ID``; the manifest counts by it.
        message: The reason in words.
    """

    kind: str
    message: str


class WithheldRecord(ValueObject, frozen=True, kw_only=True):
    """One line of ``withheld.jsonl``.

    Attributes:
        entity: ``item`` or ``event_label``.
        name: Public id of an item, or where an event label stands in its source.
        task: ``set/task`` of an item, "" for an event label.
        reasons: Why it is kept out.
    """

    entity: Literal["item", "event_label"]
    name: str
    task: str = ""
    reasons: tuple[WithholdReason, ...]


class ReleaseFilter:
    """Collects reasons before a release and answers for each record.

    Memory grows with the records that have a reason, not with the project: about 130 bytes for each
    that its state keeps out.
    """

    def __init__(self, *, include_flagged: bool = False) -> None:
        self.include_flagged = include_flagged
        self._reasons: dict[str, tuple[WithholdReason, ...]] = {}
        self._decided: set[tuple[str, str]] = set()

    def add_flags(self, flags: Iterable[Flag]) -> None:
        """Take in flags on items: open errors keep them out, dismissed ones overrule the check of their kind.

        Event labels are what items are made from, and go out with their open questions: a gate for
        them would leave scenes with missing views.
        """
        for flag in flags:
            if flag.entity != "item":
                continue
            if flag.state == "dismissed":
                self._decided.add((flag.target, flag.kind))
            elif flag.state == "open" and flag.severity == "error" and not self.include_flagged:
                self._add(flag.target, WithholdReason(kind=f"flag:{flag.kind}", message=flag.message))

    def add_findings(self, findings: Iterable[Finding]) -> None:
        """Take in findings of checks, after the flags: errors that nobody dismissed keep their record out."""
        if self.include_flagged:
            return
        for finding in findings:
            if finding.entity == "item" and finding.severity == "error" and not self._is_settled(finding):
                self._add(
                    finding.target, WithholdReason(kind=f"check:{finding.check}", message=finding.message)
                )

    def add_states(self, items: Iterable[HasState]) -> None:
        """Keep out items whose state is never released."""
        # One reason for all items of a state: there may be as many of them as the project has items.
        reasons = {
            state: (WithholdReason(kind=f"state:{state}", message=f"The item is {state}."),)
            for state in NEVER_RELEASED
        }
        for item in items:
            # States first: what people decided is told before what a check found.
            self._reasons[item.id] = reasons[item.state] + self._reasons.get(item.id, ())

    def reasons(self, record: Record) -> tuple[WithholdReason, ...]:
        """Return why a record is kept out, nothing where it may pass."""
        return self._reasons.get(record.id, ())

    @property
    def withheld_ids(self) -> KeysView[str]:
        """Ids of the records that are kept out."""
        return self._reasons.keys()

    def _is_settled(self, finding: Finding) -> bool:
        """Tell whether somebody dismissed what a check found, or its flag keeps the record out already."""
        if (finding.target, finding.check) in self._decided:
            return True
        return any(reason.kind == f"flag:{finding.check}" for reason in self._reasons.get(finding.target, ()))

    def _add(self, target: str, reason: WithholdReason) -> None:
        # Two flags of one kind, on two fields, are one reason.
        before = self._reasons.get(target, ())
        if reason not in before:
            self._reasons[target] = (*before, reason)


def count_reasons(withheld: Iterable[WithheldRecord]) -> dict[str, int]:
    """Return the number of records per reason; a record with a reason twice counts once."""
    kinds = (kind for record in withheld for kind in {reason.kind for reason in record.reasons})
    return dict(sorted(Counter(kinds).items()))
