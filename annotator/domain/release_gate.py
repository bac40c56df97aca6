"""Gates of a release: what must hold before it is written, and what was waived with a reason."""

from __future__ import annotations

from typing import Literal

from annotator.domain.record import ValueObject

GateState = Literal["holds", "fails", "waived", "not_applicable"]
GateUnit = Literal["items", "fields", "findings", "tasks", "media", "sources"]
"""What the numbers of a gate count; ``fields`` are forked fields."""
DEFAULT_REQUIRED = ("forks",)
"""Gates that a new project requires: they hold in every project of one workstation, so that small projects
can release at once."""


class GateWaiver(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """The decision to release although a gate fails.

    Attributes:
        gate: Id of the gate.
        reason: Why.
        failing: Number that failed then; the waiver does not cover more.
        person: Id of the person who decided.
        waived_at: ISO 8601 UTC.
    """

    gate: str
    reason: str
    failing: int
    person: str = ""
    waived_at: str = ""


class GateResult(ValueObject, frozen=True, kw_only=True, omit_defaults=False):
    """What a gate found about the items that a release takes.

    Attributes:
        gate: Id of the gate.
        state: Whether it holds.
        unit: What the numbers count.
        failing: Number that does not fulfil the gate.
        total: Number that it concerns; 0 where only what fails can be counted.
        reason: Why it is waived, "" if it is not.
    """

    gate: str
    state: GateState
    unit: GateUnit
    failing: int
    total: int
    reason: str = ""

    @property
    def is_passed(self) -> bool:
        """Whether a release may state it: nothing fails, or as much as there is, waived with a reason."""
        if self.state == "waived":
            return bool(self.reason) and self.failing > 0 and (not self.total or self.failing <= self.total)
        return self.state != "fails" and not self.failing and not self.reason
