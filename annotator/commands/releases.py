"""The command that creates a release."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.command import PreparedCommand, StalePreparationError
from annotator.domain.event import CREATED, Edit
from annotator.domain.query import ItemQuery
from annotator.domain.record import new_id
from annotator.domain.release import Release, ReleasedFile
from annotator.progress import Progress
from annotator.quality.report import CheckReport
from annotator.quality.run import run_checks
from annotator.queries.ordered_reader import in_log_order
from annotator.queries.reader import Reader
from annotator.release.build import BuiltRelease, ReleaseSettings, build_release
from annotator.release.exporter import EVERYTHING
from annotator.release.exporters import exporter_of
from annotator.release.gates.checks import ChecksGate
from annotator.release.images import ImageSettings
from annotator.release.manifest import Manifest
from annotator.release.release_filter import Finding
from annotator.release.splits import SplitSettings, require_splits
from annotator.release.subset import SubsetSettings, require_subset
from annotator.release_examination.outlook import require_gates

DIGEST_SHOWN = 12
"""Digits of the digest in a release's default name; enough to distinguish releases."""


@dataclass(frozen=True, kw_only=True)
class ReleaseReport:
    """The result of a release.

    Attributes:
        export_format: Id of the export format.
        folder: Its path.
        manifest: Its contents and the withheld records.
        is_unchanged: Whether the folder contained exactly this release before.
        is_new: Whether an entry was added to the log; false for a release that is entered already.
        keys_folder: The folder of the hidden answer keys, None if there are none.
    """

    export_format: str
    folder: Path
    manifest: Manifest
    is_unchanged: bool
    is_new: bool
    keys_folder: Path | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the report as the object that ``release --json`` prints."""
        manifest = self.manifest
        parts = {"splits": manifest.splits, "subset": manifest.subset, "pictures": manifest.pictures}
        stated = {name: msgspec.to_builtins(one) for name, one in parts.items() if one is not msgspec.UNSET}
        return {
            "export_format": self.export_format,
            "items": self.manifest.records,
            "withheld": self.manifest.withheld.records,
            "reasons": self.manifest.withheld.reasons,
            "files": [_file_json(file) for file in self.manifest.files],
            "sha256": self.manifest.sha256,
            "folder": str(self.folder),
            "unchanged": self.is_unchanged,
            **({} if self.keys_folder is None else {"keys_folder": str(self.keys_folder)}),
            "gates": msgspec.to_builtins(self.manifest.gates or ()),
            **stated,
        }


@dataclass(kw_only=True)
class CreateRelease(PreparedCommand):
    """Write a release and enter it in the log.

    A release that is entered already, with the same export format, selection and bytes, adds no event. Undo
    reverts the entry and keeps the folder, which may have been copied or published.

    Attributes:
        out: The release folder; it must not exist, or be empty or contain exactly this release.
        export_format: Id of the export format.
        include_flagged: Whether records with open errors are included.
        selection: The filter that chooses the items.
        pictures: The images written beside the records, None for none.
        splits: How the items are divided, None for no division.
        subset: The share of each task that is listed as a subset, None for none.
        report: The result, set by ``plan``.
    """

    out: Path
    export_format: str
    include_flagged: bool = False
    selection: ItemQuery = EVERYTHING
    pictures: ImageSettings | None = None
    splits: SplitSettings | None = None
    subset: SubsetSettings | None = None
    report: ReleaseReport | None = field(default=None, init=False)
    _heads: dict[str, int] = field(default_factory=dict, init=False, repr=False, compare=False)
    _frozen: BuiltRelease | None = field(default=None, init=False, repr=False, compare=False)
    _written: ExitStack = field(default_factory=ExitStack, init=False, repr=False, compare=False)

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("release", name=self.export_format)

    @property
    def details(self) -> dict[str, Any]:
        """The path of the release."""
        # By this entry of the log the comparison of releases finds the folder on this computer.
        return {"folder": str(self.out.resolve()), "export_format": self.export_format}

    def prepare(self, reader: Reader, *, progress: Progress) -> None:
        """Write the release beside its final path, under a temporary name.

        Raises:
            UserError: The export format is unknown, the path is in use, a gate fails, or nothing can be
                released.
            EnvironmentFailure: The disk failed; nothing of the release is left.
            Cancelled: The user cancelled the operation; nothing of the release is left.
        """
        order = ReleaseSettings(
            exporter=exporter_of(self.export_format),
            selection=self.selection,
            include_flagged=self.include_flagged,
            pictures=self.pictures,
            splits=self.splits,
            subset=self.subset,
        )
        if self.splits is not None:
            require_splits(self.splits, order.exporter)
        if self.subset is not None:
            require_subset(self.subset, order.exporter)
        self.discard()
        # The same bytes on every workstation that has these events.
        with in_log_order(reader, progress=progress) as ordered:
            self._write(ordered, here=reader, order=order, progress=progress)
        self._heads = reader.log.heads()

    def _write(self, reader: Reader, *, here: Reader, order: ReleaseSettings, progress: Progress) -> None:
        holds_items = order.exporter.holds_items
        checked = CheckReport()
        findings: Iterable[Finding] = (
            run_checks(reader, progress=progress, report=checked) if holds_items else ()
        )
        if ChecksGate.id in reader.project.required_gates:
            # The filter and the gate read them; a single reader needs no list.
            findings = list(findings)
        examine = partial(
            require_gates, reader, self.selection, findings=findings, checked=checked, progress=progress
        )
        writing = build_release(
            reader,
            self.out,
            order=order,
            findings=findings,
            examine=examine if holds_items else None,
            here=here,
            progress=progress,
        )
        # The folder keeps its temporary name until it is entered or discarded.
        self._frozen = self._written.enter_context(writing)

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the log entry, and finally move the release to its final path.

        Raises:
            StalePreparationError: Records of the release were changed while it was written.
            EnvironmentFailure: The disk failed; nothing of the release is left.
            Cancelled: The user cancelled the operation; nothing of the release is left.
        """
        frozen = self._frozen
        if frozen is None:
            raise RuntimeError("a release is prepared before it is entered")
        progress.raise_if_cancelled()
        if frozen.basis.is_outdated(reader):
            raise StalePreparationError(
                "Records of the release were changed while it was written.",
                hint="Nothing was released. Repeat the release without edits to its items.",
            )
        known = self._known(reader, frozen.manifest)
        if not known:
            release = self._release(frozen.manifest)
            yield Edit(entity="release", entity_id=release.id, field=CREATED, value=release)
        # Last: a failure before this point leaves neither folder nor entry. If the COMMIT fails afterwards,
        # the folder is complete, and the next run finds it unchanged and adds the entry. In the other order
        # there could be an entry without a folder, and nothing would report it.
        frozen.publish()
        self.report = self._report(frozen, is_new=not known)

    def discard(self) -> None:
        """Delete what was written but not published."""
        self._frozen = None
        self._written.close()

    def _known(self, reader: Reader, manifest: Manifest) -> bool:
        return any(
            self._is_same(release, manifest) for release in reader.find(Release, sha256=manifest.sha256)
        )

    def _is_same(self, release: Release, manifest: Manifest) -> bool:
        ordered = (release.export_format, release.selection, release.include_flagged)
        taken = (release.rendering, release.most_frames)
        return (
            ordered == (self.export_format, self.selection, self.include_flagged)
            and taken == self._reserved_names
            and release.withheld == manifest.withheld.records
            # Gates are in the manifest alone. Releases of earlier versions do not have its digest.
            and release.manifest_sha256 in {"", _digest_of(manifest)}
        )

    @property
    def _reserved_names(self) -> tuple[str, int]:
        return (self.pictures.rendering, self.pictures.most_frames) if self.pictures else ("", 0)

    def _release(self, manifest: Manifest) -> Release:
        return Release(
            id=new_id(),
            name=f"{self.export_format} {manifest.sha256[:DIGEST_SHOWN]}",
            export_format=self.export_format,
            selection=self.selection,
            include_flagged=self.include_flagged,
            members_sha256=manifest.members_sha256,
            items=manifest.records,
            withheld=manifest.withheld.records,
            heads=self._heads,
            files=manifest.files,
            sha256=manifest.sha256,
            rendering=self._reserved_names[0],
            most_frames=self._reserved_names[1],
            manifest_sha256=_digest_of(manifest),
        )

    def _report(self, frozen: BuiltRelease, *, is_new: bool) -> ReleaseReport:
        return ReleaseReport(
            export_format=self.export_format,
            folder=self.out,
            manifest=frozen.manifest,
            is_unchanged=frozen.is_unchanged,
            is_new=is_new,
            keys_folder=frozen.keys_folder,
        )


def _file_json(file: ReleasedFile) -> dict[str, Any]:
    return {"name": file.name, "sha256": file.sha256, "bytes": file.bytes, "records": file.records}


def _digest_of(manifest: Manifest) -> str:
    return hashlib.sha256(manifest.to_bytes()).hexdigest()
