"""Computes the figures of a report."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import msgspec

from annotator.domain.release import Release
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.ordered_reader import state_at
from annotator.queries.reader import Reader
from annotator.release.card import CardFigures, card_figures, folder_figures
from annotator.release.exporters import exporter_of
from annotator.release.manifest import SIGNATURE, WITHHELD, Manifest, read_manifest, verify_release
from annotator.release.release_filter import WithheldRecord
from annotator.release.splits import SplitEntry
from annotator.report.figures import ReportFigures
from annotator.report.project_figures import ReleaseMembers, measure_members


def measure_report(folder: Path, *, project: Path | None, progress: Progress) -> ReportFigures:
    """Return the figures of a report.

    Args:
        folder: The release.
        project: The project that it was made from; None for what the folder alone knows.
        progress: Advanced in each phase; may cancel.

    Raises:
        UserError: The folder is no release or was changed, or the project does not contain it.
        EnvironmentFailure: The project cannot be read.
        Cancelled: The user cancelled the operation.
    """
    manifest = _sound_manifest(folder, progress=progress)
    figures = ReportFigures(
        name=folder.resolve().name,
        card=folder_figures(manifest, exporter=exporter_of(manifest.export_format)),
        files=len(manifest.all_files) + 1,
        bytes=sum(file.bytes for file in manifest.all_files),
        is_signed=(folder / SIGNATURE).is_file(),
    )
    if project is None:
        return figures
    with closing(Reader.open(project)) as present, present.snapshot():
        release, until = _recorded(present, manifest)
        with state_at(present, heads=release.heads, until=until, progress=progress) as reader:
            members = ReleaseMembers.of(
                reader,
                manifest,
                withheld=_withheld_names(folder, manifest),
                hidden=_hidden_names(folder, manifest),
            )
            card = _card(reader, manifest, members=members)
            measured = measure_members(reader, members, progress=progress)
    return msgspec.structs.replace(figures, card=card, project=measured)


def _sound_manifest(folder: Path, *, progress: Progress) -> Manifest:
    problems = verify_release(folder, progress=progress, with_pictures=False)
    if problems:
        raise UserError(
            f"{folder} is not a sound release: {problems[0].message}",
            hint="A report is made of a release as it was written. List all differences with: verify FOLDER.",
        )
    return read_manifest(folder)


def _recorded(reader: Reader, manifest: Manifest) -> tuple[Release, str]:
    """Return the record of a release and the time when it was entered in the log."""
    digest = hashlib.sha256(manifest.to_bytes()).hexdigest()
    found = [
        release
        for release in reader.find(Release, sha256=manifest.sha256)
        if release.manifest_sha256 in {digest, ""} and release.export_format == manifest.export_format
    ]
    if not found:
        raise UserError(
            f"The project {reader.path} does not contain this release.",
            hint="Give the project that the release was made from, or make the report without it.",
        )
    # The first one, on whichever workstation: the same on all that have merged each other's events.
    first = min(found, key=lambda release: release.id)
    return first, reader.history.of(first.id)[-1].wall_time


def _withheld_names(folder: Path, manifest: Manifest) -> frozenset[tuple[str, str]]:
    if manifest.withheld.file is None:
        return frozenset()
    lines = msgspec.json.Decoder(WithheldRecord).decode_lines((folder / WITHHELD).read_bytes())
    return frozenset((line.task, line.name) for line in lines if line.entity == "item")


def _hidden_names(folder: Path, manifest: Manifest) -> frozenset[tuple[str, str]]:
    """Return tasks and public ids of the items whose answer keys are not in the release."""
    splits = manifest.splits or None
    if splits is None or not splits.hidden:
        return frozenset()
    lines = msgspec.json.Decoder(SplitEntry).decode_lines((folder / splits.file).read_bytes())
    return frozenset((line.task, line.name) for line in lines if line.split in splits.hidden.splits)


def _card(reader: Reader, manifest: Manifest, *, members: ReleaseMembers) -> CardFigures:
    exporter = exporter_of(manifest.export_format)
    media: Iterable[str] | None = None if exporter.carries_all else members.media(reader)
    sources = None if exporter.carries_all else reader.gates.sources_of_items(members.numbers)
    return card_figures(reader, manifest, exporter=exporter, media=media, sources=sources)
