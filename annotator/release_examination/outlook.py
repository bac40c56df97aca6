"""What a release of a selection would be: its gates, examined with the checks, and its items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotator.domain.actor import Actor
from annotator.domain.own_files import OwnFault
from annotator.domain.query import ItemQuery
from annotator.domain.release_gate import GateResult
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.quality.checks.balance import is_uneven
from annotator.quality.report import CheckReport
from annotator.quality.run import run_checks
from annotator.queries.ordered_reader import in_log_order
from annotator.queries.reader import Reader
from annotator.release.build import ReleaseSettings, create_filter
from annotator.release.exporters import EXPORTERS
from annotator.release.gates import GateReport, examine_gates, required_gates
from annotator.release.gates.checks import ChecksGate
from annotator.release.gates.gate import Gate, GateInput
from annotator.release.preview import ReleasePreview, preview_release
from annotator.release.release_filter import Finding, ReleaseFilter


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
