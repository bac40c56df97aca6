"""The filter that withholds records from a release, with the reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, KeysView, Mapping
from typing import Literal, Protocol

from annotator.domain.flag import Flag
from annotator.domain.record import Record, ValueObject
from annotator.domain.review import ForkedField

NEVER_RELEASED = ("rejected", "filtered")
"""States that no parameter includes: users, or the blind filter, excluded these items."""


class Finding(Protocol):
    """The attributes of a check's finding that the filter reads."""

    @property
    def check(self) -> str:
        """Id of the check."""

    @property
    def entity(self) -> str:
        """Kind of the record, or ``task`` for a finding about all items of a task."""

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
    """The attributes of an item that the filter reads; a row of a list has them."""

    @property
    def id(self) -> str:
        """Id of the item."""

    @property
    def state(self) -> str:
        """State of the item."""


class WithholdReason(ValueObject, frozen=True, kw_only=True):
    """One reason why a record is withheld.

    Attributes:
        kind: ``state:rejected``, ``flag:KIND``, ``fork:FIELD``, ``check:ID`` or ``format:ID``; the manifest
            counts by it.
        message: The reason in words.
    """

    kind: str
    message: str


class WithheldRecord(ValueObject, frozen=True, kw_only=True):
    """One line of ``withheld.jsonl``.

    Attributes:
        entity: ``item``, ``event_label`` or ``region``.
        name: Public id of an item, or the position of an event label or region in its source.
        task: ``set/task`` of an item, "" for the others.
        reasons: The reasons why it is withheld.
    """

    entity: Literal["item", "event_label", "region"]
    name: str
    task: str = ""
    reasons: tuple[WithholdReason, ...]


class ReleaseFilter:
    """Collects the reasons to withhold records, and decides for each record.

    Memory grows with the records that have a reason, not with the project: about 130 bytes for each record
    withheld by its state.
    """

    def __init__(self, *, include_flagged: bool = False) -> None:
        self.include_flagged = include_flagged
        self._reasons: dict[str, tuple[WithholdReason, ...]] = {}
        self._decided: set[tuple[str, str]] = set()

    def add_flags(self, flags: Iterable[Flag]) -> None:
        """Add flags on items: open errors withhold them, dismissed ones overrule the check of their kind.

        Event labels are the source of items and are released with their open questions: withholding some
        would leave scenes with missing views.
        """
        for flag in flags:
            if flag.entity != "item":
                continue
            if flag.state == "dismissed":
                self._decided.add((flag.target, flag.kind))
            elif flag.state == "open" and flag.severity == "error" and not self.include_flagged:
                self._add(flag.target, WithholdReason(kind=f"flag:{flag.kind}", message=flag.message))

    def add_forks(self, forks: Iterable[ForkedField], *, items: Mapping[str, str]) -> None:
        """Add fields that workstations changed independently: they withhold items, since none is decided on.

        Args:
            forks: The fields; those of a flag count for its item.
            items: Ids of items by those of the items themselves and of the flags on them.
        """
        for fork in forks:
            if fork.entity_id in items and not self.include_flagged:
                name = fork.field if fork.entity == "item" else fork.entity
                self._add(
                    items[fork.entity_id],
                    WithholdReason(
                        kind=f"fork:{name}",
                        message=f"Workstations have changed the {fork.entity} independently: {fork.field}.",
                    ),
                )

    def add_findings(self, findings: Iterable[Finding]) -> None:
        """Add findings of checks, after the flags: errors that are not dismissed withhold their record."""
        if self.include_flagged:
            return
        for finding in findings:
            if finding.entity == "item" and finding.severity == "error" and not self._is_settled(finding):
                self._add(
                    finding.target, WithholdReason(kind=f"check:{finding.check}", message=finding.message)
                )

    def add_states(self, items: Iterable[HasState]) -> None:
        """Withhold items whose state is never released."""
        # One shared reason for all items of a state: there may be as many as the project has items.
        reasons = {
            state: (WithholdReason(kind=f"state:{state}", message=f"The item is {state}."),)
            for state in NEVER_RELEASED
        }
        for item in items:
            # States first: a user's decision is listed before a check's finding.
            self._reasons[item.id] = reasons[item.state] + self._reasons.get(item.id, ())

    def reasons(self, record: Record) -> tuple[WithholdReason, ...]:
        """Return why a record is withheld, nothing if it is permitted."""
        return self.reasons_of(record.id)

    def reasons_of(self, record_id: str) -> tuple[WithholdReason, ...]:
        """Return why the record with an id is withheld, nothing if it is permitted."""
        return self._reasons.get(record_id, ())

    @property
    def withheld_ids(self) -> KeysView[str]:
        """Ids of the withheld records."""
        return self._reasons.keys()

    def _is_settled(self, finding: Finding) -> bool:
        """Return whether a finding was dismissed, or its flag withholds the record already."""
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
