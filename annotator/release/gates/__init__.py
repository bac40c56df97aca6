"""Gates of a release: the registry, and their examination under the rules of a project."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from annotator.domain.project import Project
from annotator.domain.query import ItemQuery, MediumQuery
from annotator.domain.release_gate import GateResult, GateState, GateWaiver
from annotator.progress import Progress
from annotator.release.gates.blind_filter import BlindFilterGate
from annotator.release.gates.checks import ChecksGate
from annotator.release.gates.forks import ForksGate
from annotator.release.gates.gate import Gate, GateFinding, GateInput
from annotator.release.gates.human_reference import HumanReferenceGate
from annotator.release.gates.letter_balance import LetterBalanceGate
from annotator.release.gates.licences import LicencesGate
from annotator.release.gates.media_files import MediaFilesGate
from annotator.release.gates.open_flags import OpenFlagsGate
from annotator.release.gates.second_look import SecondLookGate

GATES: Mapping[str, Gate] = MappingProxyType(
    {
        gate.id: gate
        for gate in (
            OpenFlagsGate(),
            ForksGate(),
            ChecksGate(),
            BlindFilterGate(),
            SecondLookGate(),
            LetterBalanceGate(),
            MediaFilesGate(),
            LicencesGate(),
            HumanReferenceGate(),
        )
    }
)
"""The gates by their ids, in the order in which they are shown."""
REQUIRABLE = tuple(gate.id for gate in GATES.values() if not gate.is_informative)


@dataclass(frozen=True, kw_only=True)
class GateReport:
    """The result of a gate, with what a person needs to act on it.

    Attributes:
        gate: The gate.
        result: What the manifest of a release states.
        is_required: Whether the project refuses a release while it fails.
        query: What fails, as a selection of items or media; None where nothing fails.
        waiver: The waiver of the gate, None without one; it may cover less than what fails now.
        unwaivable: Number among those that fail that no waiver covers.
    """

    gate: Gate
    result: GateResult
    is_required: bool
    query: ItemQuery | MediumQuery | None
    waiver: GateWaiver | None
    unwaivable: int = 0

    @property
    def can_be_waived(self) -> bool:
        """Whether something fails that a person may allow."""
        fails = self.result.state == "fails" and not self.gate.is_informative
        return fails and self.result.failing > self.unwaivable

    @property
    def is_blocking(self) -> bool:
        """Whether it stops a release."""
        return self.is_required and self.result.state == "fails"


def required_gates(project: Project) -> tuple[str, ...]:
    """Return the gates that a project requires, in order; those of other versions are left out."""
    return tuple(gate for gate in REQUIRABLE if gate in project.required_gates)


def examine_gates(
    given: GateInput, *, gates: Collection[str] = tuple(GATES), progress: Progress | None = None
) -> list[GateReport]:
    """Examine gates, in their order.

    Args:
        given: The items of the release.
        gates: Ids of the gates.
        progress: Advanced once per gate.

    Raises:
        Cancelled: The user cancelled the operation.
    """
    project, watch = given.reader.project, progress or Progress()
    required = required_gates(project)
    waivers = {waiver.gate: waiver for waiver in project.gate_waivers}
    watch.begin("Examining gates", total=len(gates))
    reports = []
    for gate in GATES.values():
        if gate.id in gates:
            watch.step()
            found, waiver = gate.examine(given), waivers.get(gate.id)
            result = _result(gate, found, waiver)
            is_required = gate.id in required
            reports.append(
                GateReport(
                    gate=gate,
                    result=result,
                    is_required=is_required,
                    query=found.query,
                    waiver=waiver,
                    unwaivable=found.unwaivable,
                )
            )
    watch.end()
    return reports


def _result(gate: Gate, found: GateFinding, waiver: GateWaiver | None) -> GateResult:
    state: GateState = "fails" if found.failing else "holds" if found.is_applicable else "not_applicable"
    reason = ""
    # More failures than the person knew of are a new decision.
    if waiver is not None and 0 < found.failing <= waiver.failing and not found.unwaivable:
        state, reason = "waived", waiver.reason
    return GateResult(
        gate=gate.id, state=state, unit=gate.unit, failing=found.failing, total=found.total, reason=reason
    )


def gate_text(report: GateReport) -> str:
    """Return the number of a gate in English words, "" where it does not apply."""
    result = report.result
    if result.state == "not_applicable":
        return ""
    return report.gate.counted.format(n=f"{result.failing:,}", total=f"{result.total:,}")
