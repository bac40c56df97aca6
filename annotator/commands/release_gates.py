"""The gates of a release: their examination with the checks, and the commands that set their rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.actor import Actor
from annotator.domain.event import Edit
from annotator.domain.own_files import OwnFault
from annotator.domain.query import ItemQuery
from annotator.domain.release_gate import GateResult, GateWaiver
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.quality.checks.balance import is_uneven
from annotator.quality.report import CheckReport
from annotator.quality.run import run_checks
from annotator.queries.ordered_reader import in_log_order
from annotator.queries.reader import Reader
from annotator.release.build import ReleaseSettings, create_filter
from annotator.release.exporters import EXPORTERS
from annotator.release.gates import GATES, REQUIRABLE, GateReport, examine_gates, required_gates
from annotator.release.gates.checks import ChecksGate
from annotator.release.gates.gate import Gate, GateInput
from annotator.release.preview import ReleasePreview, preview_release
from annotator.release.release_filter import Finding, ReleaseFilter

LONGEST_REASON = 500
"""Characters of a reason at most; it is part of every manifest."""


@dataclass(frozen=True, kw_only=True)
class ReleaseOutlook:
    """What a release of a selection would be.

    Attributes:
        reports: The gates, in their order.
        preview: Items of the selection per state.
        tasks: Items that the release takes by task (``set/task``).
        withheld: Items of the selection that are withheld by reason; one may have several.
        people: Names of the persons who waived gates, by their ids.
    """

    reports: tuple[GateReport, ...]
    preview: ReleasePreview
    tasks: Mapping[str, int]
    withheld: Mapping[str, int]
    people: Mapping[str, str]

    @property
    def items(self) -> int:
        """Number of items that the release takes."""
        return sum(self.tasks.values())

    @property
    def blocking(self) -> tuple[GateReport, ...]:
        """The gates that stop the release."""
        return tuple(report for report in self.reports if report.is_blocking)


def look_ahead(
    reader: Reader, selection: ItemQuery, *, include_flagged: bool = False, progress: Progress
) -> ReleaseOutlook:
    """Examine all gates for the items that a release of a selection would take, and count these.

    The records are read in the order of the log, as ``CreateRelease`` reads them: a check that depends on
    the order finds the same here, in the release, and on every workstation.

    Args:
        reader: The project; it must show one state throughout.
        selection: The filter that chooses the items.
        include_flagged: Whether items with open errors are included.
        progress: Advanced by the checks.

    Raises:
        EnvironmentFailure: The copy of a project after a merge cannot be written.
        Cancelled: The user cancelled the operation.
    """
    with in_log_order(reader, progress=progress) as ordered:
        return _look_ahead(ordered, selection, include_flagged=include_flagged, progress=progress)


def _look_ahead(
    reader: Reader, selection: ItemQuery, *, include_flagged: bool, progress: Progress
) -> ReleaseOutlook:
    checked = CheckReport()
    findings = list(run_checks(reader, progress=progress, report=checked))
    # The native format holds every item, so that none is withheld for its format.
    order = ReleaseSettings(
        exporter=EXPORTERS["native"], selection=selection, include_flagged=include_flagged
    )
    release_filter = create_filter(reader, order=order, findings=findings)
    given = _input(
        reader, selection, release_filter=release_filter, findings=findings, own_faults=checked.own_faults
    )
    withheld: Counter[str] = Counter()
    for item in reader.gates.ids_of_items(given.withheld):
        withheld.update({reason.kind for reason in release_filter.reasons_of(item)})
    return ReleaseOutlook(
        reports=tuple(examine_gates(given, progress=progress)),
        preview=preview_release(reader, selection),
        tasks=reader.gates.tasks_of_items(given.members),
        withheld=dict(sorted(withheld.items())),
        people={actor.id: actor.name for actor in reader.records(Actor)},
    )


def require_gates(
    reader: Reader,
    selection: ItemQuery,
    *,
    release_filter: ReleaseFilter,
    findings: Iterable[Finding],
    checked: CheckReport,
    progress: Progress,
) -> tuple[GateResult, ...]:
    """Return the results of the gates that the project requires.

    Args:
        reader: The project; it must show one state throughout.
        selection: The filter that chooses the items.
        release_filter: The filter that withholds some of them.
        findings: Findings of the checks.
        checked: What the run of the checks says that gave the findings.
        progress: Advanced once per gate.

    Raises:
        UserError: One of them fails and is not waived.
        Cancelled: The user cancelled the operation.
    """
    given = _input(
        reader, selection, release_filter=release_filter, findings=findings, own_faults=checked.own_faults
    )
    reports = examine_gates(given, gates=required_gates(reader.project), progress=progress)
    failing = [report for report in reports if report.is_blocking]
    if failing:
        numbers = " ".join(_said(report, own_faults=checked.own_faults) for report in failing)
        raise UserError(
            f"The release is refused, because required gates fail. {numbers}",
            hint=_remedy(failing[0].gate, selection, include_flagged=release_filter.include_flagged),
        )
    return tuple(report.result for report in reports)


def _remedy(gate: Gate, selection: ItemQuery, *, include_flagged: bool) -> str:
    """Return what to do about a gate that fails for a selection of items."""
    if selection.states == ("accepted",) and not include_flagged:
        return (
            f"{gate.advice} Or waive the gate with a reason in Release, or with: "
            f"vantage gates PROJECT waive {gate.id} --reason TEXT."
        )
    # The workspace counts accepted items alone: a waiver given there covers too few.
    states = ",".join(selection.states) or "all"
    options = f"--states {states}{' --include-flagged' if include_flagged else ''}"
    return (
        f"{gate.advice} Or waive the gate for items of these states with: "
        f"vantage gates PROJECT waive {gate.id} {options} --reason TEXT."
    )


def _said(report: GateReport, *, own_faults: Iterable[OwnFault]) -> str:
    """Return a gate with its number, and with the files that the checks could not use."""
    title, result = report.gate.title, report.result
    said = (
        f"{title}: fails for {result.failing:,} of {result.total:,}."
        if result.total
        else f"{title}: fails for {result.failing:,}."
    )
    files = ", ".join(fault.where for fault in own_faults) if report.gate.id == ChecksGate.id else ""
    return " ".join([said, f"Files that cannot be used: {files}."]) if files else said


def _input(
    reader: Reader,
    selection: ItemQuery,
    *,
    release_filter: ReleaseFilter,
    findings: Iterable[Finding],
    own_faults: Sequence[OwnFault],
) -> GateInput:
    return GateInput(
        reader=reader,
        selection=selection,
        release_filter=release_filter,
        findings=findings,
        is_uneven=is_uneven,
        own_faults=own_faults,
    )


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
