"""Compares a release with its project at that point of the log, as far as that can be read again."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from annotator.domain.item import Item
from annotator.domain.release import Release
from annotator.domain.release_gate import GateResult
from annotator.progress import Progress
from annotator.quality.checks.balance import is_uneven
from annotator.quality.report import CheckReport
from annotator.quality.run import run_checks
from annotator.queries.gate_queries import SplitItem
from annotator.queries.ordered_reader import state_at
from annotator.queries.reader import Reader
from annotator.release.answer_keys import canonical_key
from annotator.release.build import ReleaseSettings, create_filter, items_of_release
from annotator.release.exporter import Exporter, ExportInput, ExportResult
from annotator.release.exporters import EXPORTERS
from annotator.release.gates import examine_gates
from annotator.release.gates.gate import GateInput
from annotator.release.hidden_keys import HiddenItems
from annotator.release.keys_folder import HiddenKey, read_keys
from annotator.release.manifest import Manifest
from annotator.release.release_filter import count_reasons
from annotator.release.release_folder import ReleaseFolder

RECOMPUTED = frozenset({"flags", "forks", "second-look", "letters", "licences"})
"""Gates that the log alone decides; the others need files, model work of that time, or its checks."""
KEYS_HIDDEN = (
    "Not verified: the counts of a release with hidden answer keys were not counted again from the log. "
    "That needs the folder of the answer keys."
)
"""Note about a release whose folder of answer keys is not here."""
IS_OTHER = (
    "Not verified: counts and gates of the release. This version of Vantage withholds other records from it "
    "than the manifest says, because its checks or its formats differ."
)


def compare_with_log(
    reader: Reader, release: Release, manifest: Manifest, *, keys: Path | None = None, progress: Progress
) -> list[str] | None:
    """Return what the manifest counts otherwise than the log at the point of the release, in sentences.

    Args:
        reader: The project; it must show one state throughout.
        release: Its entry of the release.
        manifest: The manifest of the release.
        keys: The folder of its hidden answer keys, which was verified; None for none.
        progress: One step per event, then per item.

    Returns:
        None if nothing can be compared, because this version would release other records, or the answer keys
        that the release hides are not here.

    Raises:
        EnvironmentFailure: A temporary file cannot be written.
        Cancelled: The user cancelled the operation.
    """
    exporter = EXPORTERS.get(manifest.export_format)
    if exporter is None or (hides_keys(manifest) and keys is None):
        return None
    hidden_keys = read_keys(keys) if keys is not None and hides_keys(manifest) else []
    with state_at(reader, heads=release.heads, progress=progress) as then:
        checked = CheckReport()
        findings = list(run_checks(then, progress=progress, report=checked)) if exporter.holds_items else []
        order = ReleaseSettings(
            exporter=exporter, selection=manifest.selection, include_flagged=manifest.include_flagged
        )
        release_filter = create_filter(then, order=order, findings=findings)
        material = ExportInput(
            reader=then, release_filter=release_filter, selection=order.selection, progress=progress
        )
        hidden = _find_hidden(material, exporter, hidden_keys) if hidden_keys else None
        outcome = _written_again(material, exporter, hidden=hidden)
        # Checks of this version withhold others: each count would differ for that alone, and prove nothing.
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
        of_keys = _key_differences(then, hidden, hidden_keys) if hidden else ()
        return [*_count_differences(outcome, manifest), *gates, *of_keys]


def hides_keys(manifest: Manifest) -> bool:
    """Return whether the answer keys of some items are not in a release."""
    return manifest.splits is not msgspec.UNSET and manifest.splits.hidden is not msgspec.UNSET


def _find_hidden(material: ExportInput, exporter: Exporter, keys: Sequence[HiddenKey]) -> list[SplitItem]:
    """Return the released items whose answer keys are hidden, as the log has them."""
    names = {(key.task, key.name) for key in keys}
    released = items_of_release(material, refused=exporter.refused(material))
    return [item for item in released if (item.task, item.name) in names]


def _key_differences(reader: Reader, hidden: Sequence[SplitItem], keys: Sequence[HiddenKey]) -> Iterator[str]:
    """Compare hidden answer keys with those of the log at the point of the release."""
    stated = {(key.task, key.name): key.answer_key for key in keys}
    records = reader.records(Item, ids=[row.id for row in reader.items.rows(item.n for item in hidden)])
    known = {
        (item.task, item.name): canonical_key(record) for item, record in zip(hidden, records, strict=True)
    }
    if count := sum(known.get(name) != answer_key for name, answer_key in stated.items()):
        yield f"{count:,} hidden answer keys differ from the log at the point of the release."


def _written_again(
    material: ExportInput, exporter: Exporter, *, hidden: Sequence[SplitItem] | None
) -> ExportResult:
    if hidden is not None:
        material = replace(material, hidden=HiddenItems.of(material.reader, hidden))
    # Written and deleted: the digests of members are known only to the exporter that has written them.
    with tempfile.TemporaryDirectory(prefix="vantage-verify-") as location:
        material.progress.begin("Counting the release again", total=None)
        with ReleaseFolder(Path(location) / "again") as folder:
            return exporter.write(material, folder=folder)


def _count_differences(outcome: ExportResult, manifest: Manifest) -> Iterator[str]:
    totals = outcome.totals
    pairs: Mapping[str, tuple[object, object]] = {
        "records": (totals.records, manifest.records),
        "members_sha256": (totals.members_sha256, manifest.members_sha256),
        **{
            f"counts.{name}": (found, manifest.counts.get(name))
            for name, found in totals.sorted_counts().items()
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
