"""The command that freezes a release."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
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
from annotator.quality.run import run_checks
from annotator.release.build import BuiltRelease, ReleaseSettings, build_release
from annotator.release.exporter import EVERYTHING
from annotator.release.exporters import exporter_of
from annotator.release.images import ImageSettings
from annotator.release.manifest import Manifest
from annotator.store.reader import Reader

DIGEST_SHOWN = 12
"""Characters of the digest in a release's default name: enough for people to tell releases apart."""


@dataclass(frozen=True, kw_only=True)
class ReleaseReport:
    """What a release came to.

    Attributes:
        form: Id of the form.
        folder: Where it lies.
        manifest: What it holds and what was withheld.
        is_unchanged: Whether the folder held exactly this release before.
        is_new: Whether the project's log got an entry: not for a release that it knows already.
    """

    form: str
    folder: Path
    manifest: Manifest
    is_unchanged: bool
    is_new: bool

    def to_json(self) -> dict[str, Any]:
        """Return the report as the object that ``release --json`` prints."""
        pictures = self.manifest.pictures
        taken = {} if pictures is msgspec.UNSET else {"pictures": msgspec.to_builtins(pictures)}
        return {
            "form": self.form,
            "items": self.manifest.records,
            "withheld": self.manifest.withheld.records,
            "reasons": self.manifest.withheld.reasons,
            "files": [_file_json(file) for file in self.manifest.files],
            "sha256": self.manifest.sha256,
            "folder": str(self.folder),
            "unchanged": self.is_unchanged,
            **taken,
        }


@dataclass(kw_only=True)
class CreateRelease(PreparedCommand):
    """Write a release and enter it in the log as a point to come back to.

    A release that the log knows already, with the same form, selection and bytes, adds no event.
    Undo takes the entry out of the log; the folder stays, since others may have it by then.

    Attributes:
        out: The folder to be; it must not exist, be empty, or hold this very release.
        form: Id of the form.
        include_flagged: Whether records with open errors are let through.
        selection: The filter that chooses the items.
        pictures: The pictures that lie beside the records, None for none.
        report: What it came to, once it is done.
    """

    out: Path
    form: str
    include_flagged: bool = False
    selection: ItemQuery = EVERYTHING
    pictures: ImageSettings | None = None
    report: ReleaseReport | None = field(default=None, init=False)
    _heads: dict[str, int] = field(default_factory=dict, init=False, repr=False, compare=False)
    _frozen: BuiltRelease | None = field(default=None, init=False, repr=False, compare=False)
    _written: ExitStack = field(default_factory=ExitStack, init=False, repr=False, compare=False)

    @property
    def summary(self) -> CommandSummary:
        """What it does, for the undo menu."""
        return CommandSummary.of("release", name=self.form)

    @property
    def details(self) -> dict[str, Any]:
        """Where it was written."""
        return {"folder": str(self.out), "form": self.form}

    def prepare(self, reader: Reader, *, progress: Progress) -> None:
        """Write the release beside its place.

        Raises:
            UserError: The form is unknown, the place is taken, or nothing can be released.
            EnvironmentFailure: The disk failed; nothing of the release is left.
            Cancelled: The user stopped it; nothing of the release is left.
        """
        order = ReleaseSettings(
            form=exporter_of(self.form),
            selection=self.selection,
            include_flagged=self.include_flagged,
            pictures=self.pictures,
        )
        self.discard()
        findings = run_checks(reader, progress=progress) if order.form.holds_items else ()
        writing = build_release(reader, self.out, order=order, findings=findings, progress=progress)
        # The folder lives on, under its passing name, until it is entered or dropped.
        self._frozen = self._written.enter_context(writing)
        self._heads = reader.heads()

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the entry of what was prepared, and put the release in its place last.

        Raises:
            StalePreparationError: Something that the release holds was changed while it was written.
            EnvironmentFailure: The disk failed; nothing of the release is left.
            Cancelled: The user stopped it; nothing of the release is left.
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
        # Last: a failure up to here leaves neither folder nor entry. Should the COMMIT fail after it, the
        # folder is whole, and the next run finds it unchanged and makes the entry. The other way round there
        # could be an entry without a folder, which nobody would notice.
        frozen.publish()
        self.report = self._report(frozen, is_new=not known)

    def discard(self) -> None:
        """Take away what was written and not put in its place."""
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
            ordered == (self.form, self.selection, self.include_flagged)
            and taken == self._reserved_names
            and release.withheld == manifest.withheld.records
        )

    @property
    def _reserved_names(self) -> tuple[str, int]:
        return (self.pictures.rendering, self.pictures.most_frames) if self.pictures else ("", 0)

    def _release(self, manifest: Manifest) -> Release:
        return Release(
            id=new_id(),
            name=f"{self.form} {manifest.sha256[:DIGEST_SHOWN]}",
            export_format=self.form,
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
        )

    def _report(self, frozen: BuiltRelease, *, is_new: bool) -> ReleaseReport:
        return ReleaseReport(
            form=self.form,
            folder=self.out,
            manifest=frozen.manifest,
            is_unchanged=frozen.is_unchanged,
            is_new=is_new,
        )


def _file_json(file: ReleasedFile) -> dict[str, Any]:
    return {"name": file.name, "sha256": file.sha256, "bytes": file.bytes, "records": file.records}
