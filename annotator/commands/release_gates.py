"""The commands that set the rules of releases: required gates and waivers."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.event import Edit
from annotator.domain.release_gate import GateWaiver
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.release.gates import GATES, REQUIRABLE

LONGEST_REASON = 500
"""Characters of a reason at most; it is part of every manifest."""


@dataclass(frozen=True, kw_only=True)
class RequireGates(Command):
    """Set the gates that must hold, or be waived, before a release.

    Attributes:
        gates: Ids of the gates, () for none.
    """

    gates: Collection[str]

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("require_gates")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the setting, or nothing if it is unchanged.

        Raises:
            UserError: A gate is unknown, or is informational.
        """
        progress.begin(self.summary, total=1)
        for gate in self.gates:
            _require_known(gate)
        project = reader.project
        wanted = tuple(gate for gate in REQUIRABLE if gate in self.gates)
        if wanted != project.required_gates:
            yield Edit(entity="project", entity_id=project.id, field="required_gates", value=wanted)


@dataclass(frozen=True, kw_only=True)
class WaiveGate(Command):
    """Allow releases although a gate fails, with a reason that their manifests state.

    Attributes:
        gate: Id of the gate.
        reason: Why.
        failing: Number that fails now; the gate fails again once there are more.
        person: Id of the person who decides.
    """

    gate: str
    reason: str
    failing: int
    person: str = ""

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("waive_gate", name=self.gate)

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the waivers with this one, which replaces an earlier one of the gate.

        Raises:
            UserError: The gate is unknown or holds, or the reason is empty or too long.
        """
        progress.begin(self.summary, total=1)
        _require_known(self.gate)
        reason = " ".join(self.reason.split())
        if not reason:
            raise UserError("The reason is empty.", hint="Enter why the release is right without this gate.")
        if len(reason) > LONGEST_REASON:
            raise UserError(
                f"The reason is longer than {LONGEST_REASON} characters.", hint="Enter a shorter reason."
            )
        if self.failing < 1:
            raise UserError(
                f"The gate {self.gate} does not fail.", hint="Only a gate that fails can be waived."
            )
        waiver = GateWaiver(
            gate=self.gate,
            reason=reason,
            failing=self.failing,
            person=self.person,
            waived_at=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        project = reader.project
        value = (*_others(project.gate_waivers, self.gate), waiver)
        yield Edit(entity="project", entity_id=project.id, field="gate_waivers", value=value)


@dataclass(frozen=True, kw_only=True)
class WithdrawWaiver(Command):
    """Withdraw the waiver of a gate.

    Attributes:
        gate: Id of the gate.
    """

    gate: str

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("withdraw_waiver", name=self.gate)

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the waivers that are left.

        Raises:
            UserError: The gate is not waived.
        """
        progress.begin(self.summary, total=1)
        project = reader.project
        left = _others(project.gate_waivers, self.gate)
        if left == project.gate_waivers:
            raise UserError(
                f"The gate {self.gate} is not waived.", hint="List the gates with: vantage gates PROJECT."
            )
        yield Edit(entity="project", entity_id=project.id, field="gate_waivers", value=left)


def _others(waivers: tuple[GateWaiver, ...], gate: str) -> tuple[GateWaiver, ...]:
    return tuple(waiver for waiver in waivers if waiver.gate != gate)


def _require_known(gate: str) -> None:
    if gate not in GATES:
        raise UserError(f"There is no gate '{gate}'.", hint=f"The gates: {', '.join(REQUIRABLE)}.")
    if gate not in REQUIRABLE:
        raise UserError(
            f"The gate {gate} is informational: no release depends on it.",
            hint=f"The gates that can be required: {', '.join(REQUIRABLE)}.",
        )
