"""Compares a release with its project at that point of the log, as far as that can be read again."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from annotator.domain.release import Release
from annotator.domain.release_gate import GateResult
from annotator.progress import Progress
from annotator.quality.checks.balance import is_uneven
from annotator.quality.report import CheckReport
from annotator.quality.run import run_checks
from annotator.release.build import ReleaseSettings, create_filter
from annotator.release.exporter import Exporter, ExportInput, ExportResult
from annotator.release.exporters import EXPORTERS
from annotator.release.gates import examine_gates
from annotator.release.gates.gate import GateInput
from annotator.release.manifest import Manifest
from annotator.release.release_filter import ReleaseFilter, count_reasons
from annotator.release.release_folder import ReleaseFolder
from annotator.store.ordered_reader import state_at
from annotator.store.reader import Reader

RECOMPUTED = frozenset({"flags", "forks", "second-look", "letters", "licences"})
"""Gates that the log alone decides; the others need files, model work of that time, or its checks."""
KEYS_HIDDEN = (
    "Not verified: the counts of a release with hidden answer keys were not counted again from the log."
)
"""Note about a release whose hidden items are counted in the folder of the answer keys."""
IS_OTHER = (
    "Not verified: counts and gates of the release. This version of Vantage withholds other records from it "
    "than the manifest says, because its checks or its formats differ."
)


def compare_with_log(
    reader: Reader, release: Release, manifest: Manifest, *, progress: Progress
) -> list[str] | None:
    """Return what the manifest counts otherwise than the log at the point of the release, in sentences.

    Args:
        reader: The project; it must show one state throughout.
        release: Its entry of the release.
        manifest: The manifest of the release.
        progress: One step per event, then per item.

    Returns:
        None if nothing can be compared, because this version would release other records.

    Raises:
        EnvironmentFailure: A temporary file cannot be written.
        Cancelled: The user cancelled the operation.
    """
    exporter = EXPORTERS.get(manifest.export_format)
    if exporter is None or hides_keys(manifest):
        return None
    with state_at(reader, heads=release.heads, progress=progress) as then:
        checked = CheckReport()
        findings = list(run_checks(then, progress=progress, report=checked)) if exporter.holds_items else []
        order = ReleaseSettings(
            exporter=exporter, selection=manifest.selection, include_flagged=manifest.include_flagged
        )
        release_filter = create_filter(then, order=order, findings=findings)
        outcome = _written_again(then, exporter, order, release_filter=release_filter, progress=progress)
        if count_reasons(outcome.withheld) != manifest.withheld.reasons:
            return None
        given = GateInput(
            reader=then,
            selection=manifest.selection,
            release_filter=release_filter,
            findings=findings,
            is_uneven=is_uneven,
        )
        gates = _gate_differences(given, manifest.gates or (), progress=progress)
        return [*_count_differences(outcome, manifest), *gates]


def hides_keys(manifest: Manifest) -> bool:
    """Return whether the answer keys of some items are not in a release."""
    # The answer keys that are hidden lie in another folder, and their items are counted there.
    return manifest.splits is not msgspec.UNSET and manifest.splits.hidden is not msgspec.UNSET


def _written_again(
    reader: Reader,
    exporter: Exporter,
    order: ReleaseSettings,
    *,
    release_filter: ReleaseFilter,
    progress: Progress,
) -> ExportResult:
    with tempfile.TemporaryDirectory(prefix="vantage-verify-") as place:
        progress.begin("Counting the release again", total=None)
        material = ExportInput(
            reader=reader, release_filter=release_filter, selection=order.selection, progress=progress
        )
        with ReleaseFolder(Path(place) / "again") as folder:
            return exporter.write(material, folder=folder)


def _count_differences(outcome: ExportResult, manifest: Manifest) -> Iterator[str]:
    tally = outcome.tally
    pairs: Mapping[str, tuple[object, object]] = {
        "records": (tally.records, manifest.records),
        "members_sha256": (tally.members_sha256, manifest.members_sha256),
        **{
            f"counts.{name}": (found, manifest.counts.get(name))
            for name, found in tally.sorted_counts().items()
        },
    }
    for name, (found, stated) in pairs.items():
        if found != stated:
            yield f"The manifest states another value of {name} than the log at the point of the release."


def _gate_differences(
    given: GateInput, stated: tuple[GateResult, ...], *, progress: Progress
) -> Iterator[str]:
    ids = {gate.gate for gate in stated} & RECOMPUTED
    found = {one.gate.id: one.result for one in examine_gates(given, gates=ids, progress=progress)}
    for gate in stated:
        again = found.get(gate.gate)
        if again is not None and (again.failing, again.total) != (gate.failing, gate.total):
            yield (
                f"The manifest states {gate.failing:,} failing in the gate {gate.gate}; "
                f"the log at the point of the release has {again.failing:,}."
            )
