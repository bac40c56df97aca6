"""Creation of a release: filter, files, manifest, and publication of the folder in one step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import msgspec
import numpy as np

from annotator.domain.flag import Flag
from annotator.domain.query import ItemQuery
from annotator.domain.release import ReleasedFile
from annotator.domain.release_gate import GateResult
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.gate_queries import SplitItem
from annotator.queries.reader import Reader
from annotator.release.card import CardFigures, card_figures, card_file
from annotator.release.exporter import (
    EVERYTHING,
    CardPart,
    Exporter,
    ExportInput,
    ExportResult,
    selected_rows,
)
from annotator.release.gates import GATES
from annotator.release.hidden_keys import HiddenItems, require_neutral_images
from annotator.release.images import ImageSettings, write_images
from annotator.release.keys_folder import keys_folder_of
from annotator.release.keys_writer import KeysWriter
from annotator.release.manifest import (
    CARD,
    MANIFEST,
    WITHHELD,
    Manifest,
    ReleasedImages,
    Withheld,
    release_digest,
    verify_release,
)
from annotator.release.predictable_items import count_predictable
from annotator.release.release_filter import (
    NEVER_RELEASED,
    Finding,
    ReleaseFilter,
    WithheldRecord,
    count_reasons,
)
from annotator.release.release_folder import ReleaseFolder, disk_errors, require_free_folder
from annotator.release.release_items import BATCH
from annotator.release.release_snapshot import ReleaseSnapshot
from annotator.release.released_splits import ReleasedSplits, ReleasedSubset
from annotator.release.splits import Division, SplitSettings, divide_items, write_splits
from annotator.release.subset import SubsetSettings, write_subset


class Examine(Protocol):
    """Examines the gates of a release."""

    def __call__(self, *, release_filter: ReleaseFilter) -> tuple[GateResult, ...]:
        """Return their results for the items that a filter leaves.

        Raises:
            UserError: A gate fails.
        """


@dataclass(frozen=True, kw_only=True)
class ReleaseSettings:
    """The settings of a release.

    Attributes:
        exporter: The exporter of the format to write.
        selection: The filter that chooses the items.
        include_flagged: Whether records with open errors are included.
        pictures: The images written beside the records, None for none.
        splits: How the items are divided, None for no division.
        subset: The share of each task that is listed as a subset, None for none.
    """

    exporter: Exporter
    selection: ItemQuery = EVERYTHING
    include_flagged: bool = False
    pictures: ImageSettings | None = None
    splits: SplitSettings | None = None
    subset: SubsetSettings | None = None


@dataclass(frozen=True, kw_only=True)
class BuiltRelease:
    """A release that is written but not yet published.

    Attributes:
        manifest: Its contents.
        is_unchanged: Whether the final path already contains exactly this release.
        basis: The records it was made from, to detect later changes.
    """

    manifest: Manifest
    is_unchanged: bool
    basis: ReleaseSnapshot
    _folder: ReleaseFolder
    _keys: KeysWriter | None = None

    @property
    def keys_folder(self) -> Path | None:
        """The folder of the hidden answer keys, None if there are none."""
        return self._keys.out if self._keys is not None else None

    def publish(self) -> None:
        """Move the folders to their final paths; do nothing with one that is there already.

        Raises:
            EnvironmentFailure: The disk failed, or the path came into use meanwhile; nothing of the release
                is left.
        """
        # The answer keys first: they cannot be made again from a release that is published.
        if self._keys is not None:
            self._keys.publish()
        if self.is_unchanged:
            return
        with disk_errors(self._folder.out):
            self._folder.publish()


@contextmanager
def build_release(
    reader: Reader,
    out: Path,
    *,
    order: ReleaseSettings,
    findings: Iterable[Finding] = (),
    examine: Examine | None = None,
    here: Reader | None = None,
    progress: Progress,
) -> Iterator[BuiltRelease]:
    """Write a release beside its final path; the ``with`` block decides whether to publish it.

    Writing may take minutes, so no transaction should wait for it: the block checks with
    ``BuiltRelease.basis`` that the project still matches the files, and publishes in the transaction that
    enters the release.

    The bytes depend only on the records and the settings, not on time, locale, time zone or hash seed. Images
    depend on the media files too; missing ones are listed.

    Args:
        reader: The project; it must show one state throughout (``Reader.snapshot``).
        out: The release folder; it must not exist, or be empty or contain exactly this release.
        order: The settings of a release.
        findings: Findings of checks, in any order; read only if flagged records are withheld.
        examine: Examines the gates of the release before anything is written, None for no gates.
        here: The project itself, if ``reader`` shows a copy of it in another order.
        progress: Advanced once per record.

    Raises:
        UserError: The path is in use, a gate fails, or there is nothing to release.
        EnvironmentFailure: The disk failed; nothing of the release is left.
        Cancelled: The user cancelled the operation; nothing of the release is left.
    """
    with disk_errors(out):
        require_free_folder(out, marker=MANIFEST)
    contents = _decide_contents(reader, order=order, findings=findings, examine=examine, progress=progress)
    with disk_errors(out), ReleaseFolder(out) as folder, _keys_writer(reader, out, contents) as keys:
        hidden = _hidden_items(reader, contents.division) if keys is not None else None
        material = replace(contents.draft, hidden=hidden)
        outcome = _write_records(material, order=order, folder=folder)
        parts = _write_parts(
            contents, material=material, outcome=outcome, order=order, folder=folder, keys=keys
        )
        manifest = _make_manifest(folder, order=order, outcome=outcome, parts=parts)
        figures = _figures(manifest, material=material, order=order, outcome=outcome)
        manifest = _write_manifest(folder, manifest, figures=figures, part=outcome.card)
        # From the same snapshot, and only now: the media of the records are known once they are written.
        basis = _basis(here or reader, order=order, outcome=outcome, gates=contents.gates)
        is_there = _is_there(out, manifest, progress=progress)
        yield BuiltRelease(manifest=manifest, is_unchanged=is_there, basis=basis, _folder=folder, _keys=keys)


@dataclass(frozen=True, kw_only=True)
class _Contents:
    """What goes into a release, decided before anything is written.

    Attributes:
        draft: The input of the exporter, before answer keys are hidden.
        gates: Results of the gates.
        items: The items to divide, in order of arrival; empty without splits and subset.
        division: The splits of the items, None for no division.
    """

    draft: ExportInput
    gates: tuple[GateResult, ...]
    items: list[SplitItem]
    division: Division | None


def _decide_contents(
    reader: Reader,
    *,
    order: ReleaseSettings,
    findings: Iterable[Finding],
    examine: Examine | None,
    progress: Progress,
) -> _Contents:
    release_filter = create_filter(reader, order=order, findings=findings)
    gates = examine(release_filter=release_filter) if examine is not None else ()
    draft = ExportInput(
        reader=reader,
        release_filter=release_filter,
        selection=order.selection,
        progress=progress,
        is_shown=order.pictures is not None,
    )
    progress.begin(f"Writing {order.exporter.title}", total=_total(reader, order))
    is_listed = order.splits is not None or order.subset is not None
    items = items_of_release(draft, refused=order.exporter.refused(draft)) if is_listed else []
    division = divide_items(reader, items, settings=order.splits) if order.splits is not None else None
    return _Contents(draft=draft, gates=gates, items=items, division=division)


def _write_records(material: ExportInput, *, order: ReleaseSettings, folder: ReleaseFolder) -> ExportResult:
    outcome = order.exporter.write(material, folder=folder)
    if outcome.totals.is_empty:
        raise UserError(_empty_release_error(order, outcome), hint=order.exporter.limits)
    material.progress.end()
    return outcome


@dataclass(frozen=True, kw_only=True)
class _Parts:
    """What a manifest states beside the records."""

    pictures: ReleasedImages | msgspec.UnsetType
    gates: tuple[GateResult, ...]
    splits: ReleasedSplits | msgspec.UnsetType
    subset: ReleasedSubset | msgspec.UnsetType
    keys: KeysWriter | None
    predictable: int
    hidden_lines: Iterable[bytes]


def _write_parts(
    contents: _Contents,
    *,
    material: ExportInput,
    outcome: ExportResult,
    order: ReleaseSettings,
    folder: ReleaseFolder,
    keys: KeysWriter | None,
) -> _Parts:
    """Write images, splits and subset beside the records."""
    division, subset = contents.division, order.subset
    return _Parts(
        pictures=_images(material, outcome, order=order.pictures, folder=folder),
        gates=contents.gates,
        splits=write_splits(division, folder) if division is not None else msgspec.UNSET,
        subset=write_subset(contents.items, settings=subset, folder=folder)
        if subset is not None
        else msgspec.UNSET,
        keys=keys,
        predictable=count_predictable(material.reader, division) if division is not None and keys else 0,
        hidden_lines=order.exporter.hidden_lines(material),
    )


@contextmanager
def _keys_writer(reader: Reader, out: Path, contents: _Contents) -> Iterator[KeysWriter | None]:
    """Yield the writer of the hidden answer keys, None if none are hidden."""
    division = contents.division
    if division is None or not division.settings.hidden:
        yield None
        return
    require_free_folder(keys_folder_of(out), marker=MANIFEST)
    with ReleaseFolder(keys_folder_of(out)) as folder:
        yield KeysWriter(reader, out=out, division=division, folder=folder)


def _hidden_items(reader: Reader, division: Division | None) -> HiddenItems | None:
    """Return the items whose answer keys are hidden; refuse those whose images tell them."""
    if division is None:
        return None
    require_neutral_images(reader, division.hidden)
    return HiddenItems.of(reader, division.hidden)


def _images(
    material: ExportInput, outcome: ExportResult, *, order: ImageSettings | None, folder: ReleaseFolder
) -> ReleasedImages | msgspec.UnsetType:
    if order is None:
        return msgspec.UNSET
    return write_images(
        material.reader,
        outcome.totals.media,
        order=order,
        concealed=material.hidden.media if material.hidden is not None else (),
        folder=folder,
        progress=material.progress,
    )


def create_filter(reader: Reader, *, order: ReleaseSettings, findings: Iterable[Finding]) -> ReleaseFilter:
    """Return the filter with all reasons to withhold records of a project."""
    release_filter = ReleaseFilter(include_flagged=order.include_flagged)
    if not order.include_flagged:
        # Dismissals first: they overrule the findings of checks.
        for state in ("dismissed", "open"):
            release_filter.add_flags(flag for flag in reader.find(Flag, state=state))
        forks = [*reader.reviews.forked_fields()]
        release_filter.add_forks(forks, items=reader.gates.item_ids_of(fork.entity_id for fork in forks))
        release_filter.add_findings(findings)
    # By the list's index: decoding the rejected items of a project of a million items would be slow.
    for rows in selected_rows(reader, ItemQuery(states=NEVER_RELEASED)):
        release_filter.add_states(rows)
    return release_filter


def items_of_release(draft: ExportInput, *, refused: Iterable[WithheldRecord]) -> list[SplitItem]:
    """Return the items that a release contains, in order of arrival.

    Args:
        draft: The input of the exporter.
        refused: The records that the form cannot represent; those that the filter withholds may be there.
    """
    reader = draft.reader
    kept = reader.gates.numbers_of_items(draft.release_filter.withheld_ids)
    others = {(record.task, record.name) for record in refused}
    numbers = np.setdiff1d(reader.items.numbers(draft.selection), kept)
    return [item for item in reader.gates.items_to_split(numbers) if (item.task, item.name) not in others]


def _figures(
    manifest: Manifest, *, material: ExportInput, order: ReleaseSettings, outcome: ExportResult
) -> CardFigures:
    return card_figures(
        material.reader,
        manifest,
        exporter=order.exporter,
        media=None if order.exporter.carries_all else outcome.totals.media,
        sources=_sources(material, order=order, outcome=outcome),
    )


def _basis(
    reader: Reader, *, order: ReleaseSettings, outcome: ExportResult, gates: Iterable[GateResult]
) -> ReleaseSnapshot:
    return ReleaseSnapshot.of(
        reader,
        exporter=order.exporter,
        selection=order.selection,
        media=outcome.totals.media.keys(),
        evidence={kind for stated in gates for kind in GATES[stated.gate].evidence},
    )


def _sources(material: ExportInput, *, order: ReleaseSettings, outcome: ExportResult) -> list[str] | None:
    """Return the ids of the sources of the items that a release contains, None for all sources."""
    if order.exporter.carries_all:
        return None
    if not order.exporter.holds_items:
        return []
    members = items_of_release(material, refused=outcome.withheld)
    return material.reader.gates.sources_of_items(np.fromiter((item.n for item in members), dtype=np.int64))


def _total(reader: Reader, order: ReleaseSettings) -> int:
    return order.exporter.size(reader.counts(), items=reader.items.count(order.selection))


def _make_manifest(
    folder: ReleaseFolder, *, order: ReleaseSettings, outcome: ExportResult, parts: _Parts
) -> Manifest:
    """Flush the files to disk, then write the list of withheld records; return a manifest without card."""
    # The quoted digest covers the data alone: the list of withheld records must not change it.
    files, withheld = folder.finish(), outcome.withheld
    digest, splits = release_digest(files), parts.splits
    if parts.keys is not None and splits is not msgspec.UNSET:
        stated = parts.keys.write(files=files, lines=parts.hidden_lines, withheld=withheld)
        stated = msgspec.structs.replace(stated, predictable=parts.predictable or msgspec.UNSET)
        splits = msgspec.structs.replace(splits, hidden=stated)
        digest = release_digest(files, keys_hmac=stated.keys_hmac)
    listed = _list_withheld(folder, _without_messages(withheld) if parts.keys is not None else withheld)
    return Manifest(
        export_format=order.exporter.id,
        sha256=digest,
        records=outcome.totals.records,
        members_sha256=outcome.totals.members_sha256,
        counts=outcome.totals.sorted_counts(),
        files=files,
        selection=order.selection,
        include_flagged=order.include_flagged,
        withheld=Withheld(records=len(withheld), reasons=count_reasons(withheld), file=listed),
        pictures=parts.pictures,
        gates=parts.gates or msgspec.UNSET,
        splits=splits,
        subset=parts.subset,
    )


def _write_manifest(
    folder: ReleaseFolder, manifest: Manifest, *, figures: CardFigures, part: CardPart
) -> Manifest:
    """Write the card, then the manifest."""
    # Not one of the files of the quoted digest either: it tells where records come from, and equal records
    # can come from elsewhere.
    folder.add(CARD, card_file(figures, part=part))
    (card,) = folder.finish()
    manifest = msgspec.structs.replace(manifest, card=card, canary=figures.canary)
    # Last: a folder with a manifest is complete.
    folder.file(MANIFEST).write(manifest.to_bytes())
    folder.finish()
    return manifest


def _without_messages(withheld: list[WithheldRecord]) -> list[WithheldRecord]:
    """Return withheld records without their reasons in words, which can quote answer keys of other items."""
    return [
        msgspec.structs.replace(
            record,
            reasons=tuple(msgspec.structs.replace(reason, message="") for reason in record.reasons),
        )
        for record in withheld
    ]


def _list_withheld(folder: ReleaseFolder, withheld: list[WithheldRecord]) -> ReleasedFile | None:
    if not withheld:
        return None
    file = folder.file(WITHHELD)
    encoder = msgspec.json.Encoder()
    for start in range(0, len(withheld), BATCH):
        batch = withheld[start : start + BATCH]
        file.write(encoder.encode_lines(batch), records=len(batch))
    return folder.finish()[0]


def _is_there(out: Path, manifest: Manifest, *, progress: Progress) -> bool:
    """Return whether a folder contains exactly this release.

    Raises:
        UserError: It contains something else; choose another folder.
    """
    if not out.exists() or not any(out.iterdir()):
        # An empty folder may have been created in the dialog in which the path was chosen.
        return False
    if (out / MANIFEST).read_bytes() == manifest.to_bytes() and not verify_release(out, progress=progress):
        return True
    raise UserError(
        f"The folder {out} contains another release, or a changed one.",
        hint="Choose a new folder. The records of this release differ from the files in the folder.",
    )


def _empty_release_error(order: ReleaseSettings, outcome: ExportResult) -> str:
    if not outcome.withheld:
        return f"No records to release in the format {order.exporter.id}."
    reasons = ", ".join(f"{kind} {n}" for kind, n in count_reasons(outcome.withheld).items())
    count = len(outcome.withheld)
    name = order.exporter.id
    return f"No records can be released in the format {name}: {count} records are withheld ({reasons})."
