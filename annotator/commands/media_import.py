"""The import of media: files become media, scenes and views of a project."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.commands.media import changed_fields, damage_flag
from annotator.domain.event import CREATED, Edit
from annotator.domain.medium import MediaType, Medium
from annotator.domain.record import Record, new_id
from annotator.domain.scene import Scene, SceneView
from annotator.domain.source import Source
from annotator.importers.media_resolver import view_conflict
from annotator.media.file_import import FileImport, ImportedFile
from annotator.media.file_locator import names_of
from annotator.media.scene_grouping import GroupedScene, SceneMember
from annotator.progress import Progress
from annotator.queries.reader import Reader

FORMAT = "media-folder"
_GUESSED: frozenset[MediaType] = frozenset({"image", "video"})


@dataclass(kw_only=True)
class MediaImportReport:
    """The result of an import of media.

    Attributes:
        scenes_added: New scenes.
        scenes_extended: Existing scenes that got further views.
        media_added: New media.
        media_filled: Media that labels had named before their files were added.
        media_known: Files whose content, or name and size, the project contains already.
        damaged: Files that cannot be decoded; they are added with a flag.
        rejected: Files that could not be read at all, with the reason.
        left_out: Files that belong to no scene, or conflict with another file.
        flags: Flags raised.
    """

    scenes_added: int = 0
    scenes_extended: int = 0
    media_added: int = 0
    media_filled: int = 0
    media_known: int = 0
    damaged: int = 0
    rejected: tuple[tuple[str, str], ...] = ()
    left_out: int = 0
    flags: int = 0

    @classmethod
    def merge(cls, reports: Sequence[MediaImportReport]) -> MediaImportReport:
        """Return the sum of several reports."""
        counts = {
            name: sum(getattr(report, name) for report in reports)
            for name in cls.__dataclass_fields__
            if name != "rejected"
        }
        return cls(**counts, rejected=tuple(bad for report in reports for bad in report.rejected))

    def to_json(self) -> dict[str, Any]:
        """Return the report as the object that ``media add --json`` prints."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {**values, "rejected": [{"file": name, "why": why} for name, why in self.rejected]}


@dataclass(kw_only=True)
class ImportMedia(Command):
    """Add files as media, and their groups as scenes. What the project contains already is not added again.

    A file with the content of a stored medium is that medium. A medium that labels named before its file was
    added gets the properties of the file. A scene of the same name, or with the same media, gets the views
    that it lacks.

    Attributes:
        file_import: The files, read and at their final location.
        dataset: Name of the collection, "" for those of the grouping.
        licence: Licence text of all files without their own.
        source: Origin of the files, "" for the name of their folder.
        report: The result, set by ``plan``.
    """

    file_import: FileImport
    dataset: str = ""
    licence: str = ""
    source: str = ""
    report: MediaImportReport = field(default_factory=MediaImportReport, init=False, compare=False)

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("add_media", count=len(self.file_import.files), name=self.file_import.name)

    @property
    def details(self) -> dict[str, Any]:
        """The origin of the files, and the settings of the import."""
        return {"folder": self.file_import.name, "dataset": self.dataset, "licence": self.licence}

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield what the files add.

        Raises:
            Cancelled: The user cancelled the operation.
        """
        report = MediaImportReport(rejected=self.file_import.rejected, left_out=self.file_import.left_out)
        media = _MediaIndex(reader, self, report=report)
        scenes = _SceneIndex(reader, report=report)
        progress.begin(self.summary, total=len(self.file_import.files))
        for grouped in self.file_import.scenes:
            dataset = self.dataset or grouped.dataset
            members = [member for member in grouped.members if member.name in self.file_import.files]
            views = []
            for member in members:
                medium, edits = media.add(member, self.file_import.files[member.name], dataset=dataset)
                yield from edits
                views.append(SceneView(name=member.view, medium=medium))
                progress.step()
            if views:
                yield from scenes.add(grouped, tuple(views), dataset=dataset)
        yield from media.sources()
        progress.end()
        self.report = report


class _MediaIndex:
    """The media of a project, with those that an import has added so far."""

    def __init__(self, reader: Reader, command: ImportMedia, *, report: MediaImportReport) -> None:
        self._command, self._report = command, report
        self._by_name: dict[tuple[str, str], Medium] = {}
        self._by_content: dict[str, Medium] = {}
        self._by_size: dict[tuple[str, int], Medium] = {}
        self._unseen: dict[str, list[Medium]] = {}
        self._sources: dict[str, _SourceBuilder] = {}
        for record in reader.records(Medium):
            self._remember(record)

    def add(self, member: SceneMember, file: ImportedFile, *, dataset: str) -> tuple[str, list[Edit]]:
        """Return the id of a file's medium, and the edits that create or complete it."""
        named = self._named(member, file, dataset=dataset)
        if named is not None:
            self._report.media_filled += 1
            self._unseen[named.name.rpartition("/")[2]].remove(named)
            return named.id, self._filled(named, member, file, dataset=dataset)
        known = self._known(file)
        if known is not None:
            self._report.media_known += 1
            # A file that was added without reading it (``--no-hash``) and is read now provides its
            # properties.
            is_news = bool(file.facts.sha256) and not known.sha256
            return known.id, self._filled(known, member, file, dataset=dataset) if is_news else []
        self._report.media_added += 1
        medium = self._new(member, file, dataset=dataset)
        self._remember(medium)
        return medium.id, [_created("medium", medium), *self._damage(medium, file)]

    def sources(self) -> Iterator[Edit]:
        """Yield the records of the origin of the new media."""
        for source in self._sources.values():
            yield _created("source", source.record(licence=self._command.licence))

    def _remember(self, medium: Medium) -> None:
        self._by_name[medium.dataset, medium.name] = medium
        if medium.sha256:
            self._by_content[medium.sha256] = medium
        if medium.size_bytes:
            self._by_size[medium.path, medium.size_bytes] = medium
        else:
            self._unseen.setdefault(medium.name.rpartition("/")[2], []).append(medium)

    def _known(self, file: ImportedFile) -> Medium | None:
        """Return the medium with the same content or, if that was not hashed, with the same path and size."""
        sha256 = file.facts.sha256
        if sha256 and sha256 in self._by_content:
            return self._by_content[sha256]
        # Not if both digests are known: they differ then, so a different file replaced the old one.
        medium = self._by_size.get((file.path, file.facts.size_bytes))
        return None if medium is None or (sha256 and medium.sha256) else medium

    def _named(self, member: SceneMember, file: ImportedFile, *, dataset: str) -> Medium | None:
        """Return the medium that labels named before its file was added, if exactly one matches."""
        candidates = {medium.id: medium for medium in self._unseen_named(member, dataset=dataset)}
        ranks = {medium: _match_rank(one, member, file) for medium, one in candidates.items()}
        best = min(filter(None, ranks.values()), default=None)
        meant = [candidates[medium] for medium, rank in ranks.items() if rank == best]
        return meant[0] if len(meant) == 1 else None

    def _unseen_named(self, member: SceneMember, *, dataset: str) -> Iterator[Medium]:
        # Only media without a file so far: a medium with content of its own never gets another file.
        for name in dict.fromkeys([member.medium.rpartition("/")[2], *names_of(member.name)]):
            for medium in self._unseen.get(name, ()):
                if not dataset or medium.dataset in ("", dataset):
                    yield medium

    def _filled(self, medium: Medium, member: SceneMember, file: ImportedFile, *, dataset: str) -> list[Edit]:
        values = self._values(member, file)
        # The known origin of the medium is kept.
        if medium.licence:
            del values["licence"]
        if not medium.source:
            values["source"] = self._source(member, file, dataset=dataset)
        edits = list(changed_fields(medium, values))
        filled = msgspec.structs.replace(medium, **{edit.field: edit.value for edit in edits})
        self._remember(filled)
        return [*edits, *self._damage(filled, file)]

    def _new(self, member: SceneMember, file: ImportedFile, *, dataset: str) -> Medium:
        name, number = member.medium, 1
        while (dataset, name) in self._by_name:
            number += 1
            name = f"{member.medium} ({number})"
        source = self._source(member, file, dataset=dataset)
        return Medium(id=new_id(), name=name, dataset=dataset, source=source, **self._values(member, file))

    def _values(self, member: SceneMember, file: ImportedFile) -> dict[str, Any]:
        kind = file.facts.media_type if member.kind in _GUESSED and file.facts.media_type else member.kind
        return {
            "path": file.path,
            "media_type": kind,
            **file.facts.medium_values(),
            "licence": member.licence or self._command.licence,
        }

    def _source(self, member: SceneMember, file: ImportedFile, *, dataset: str) -> str:
        text = member.source or self._command.source or self._command.file_import.name
        source = self._sources.setdefault(text, _SourceBuilder(text, dataset=dataset))
        source.add(member, file)
        return source.id

    def _damage(self, medium: Medium, file: ImportedFile) -> Iterator[Edit]:
        if file.facts.damage:
            self._report.damaged += 1
            self._report.flags += 1
            yield damage_flag(medium, file.facts.damage)


class _SourceBuilder:
    """Builds the record of the files' origin while they are counted."""

    def __init__(self, name: str, *, dataset: str) -> None:
        self.id = new_id()
        self._name, self._dataset = name, dataset
        self._digest = hashlib.sha256()
        self._size_bytes = self._files = 0

    def add(self, member: SceneMember, file: ImportedFile) -> None:
        """Count one file."""
        self._digest.update(f"{file.facts.sha256} {file.facts.size_bytes} {member.name}\n".encode())
        self._size_bytes += file.facts.size_bytes
        self._files += 1

    def record(self, *, licence: str) -> Source:
        """Return the record; its digest is over digests, sizes and names of the files."""
        return Source(
            id=self.id,
            name=self._name,
            format=FORMAT,
            sha256=self._digest.hexdigest(),
            size_bytes=self._size_bytes,
            dataset=self._dataset,
            records=self._files,
            licence=licence,
        )


class _SceneIndex:
    """The scenes of a project, with those that an import has added so far."""

    def __init__(self, reader: Reader, *, report: MediaImportReport) -> None:
        self._reader, self._report = reader, report
        self._scenes: dict[tuple[str, str], Scene] = {}
        self._by_medium: dict[str, list[tuple[str, str]]] = {}
        for record in reader.records(Scene):
            self._remember(record)

    def add(self, grouped: GroupedScene, views: tuple[SceneView, ...], *, dataset: str) -> Iterator[Edit]:
        """Yield the edits that create a scene from views, or add the views to an existing scene."""
        # By its name first: a second grouping of a folder can give the same media another scene name.
        scene = self._scenes.get((dataset, grouped.name)) or self._showing(views)
        if scene is None:
            self._report.scenes_added += 1
            scene = Scene(id=new_id(), name=grouped.name, dataset=dataset, views=views)
            self._remember(scene)
            yield _created("scene", scene)
            return
        known = {view.name: view for view in scene.views}
        shown = {view.medium for view in scene.views}
        for view in views:
            if view.medium in shown:
                continue
            # Users may have worked with the existing view, so it stays; the new one is flagged for review.
            if view.name in known:
                self._report.flags += 1
                yield _created("flag", view_conflict(scene, view))
            else:
                known[view.name] = view
        if len(known) > len(scene.views):
            self._report.scenes_extended += 1
            merged = tuple(known[name] for name in sorted(known))
            self._remember(msgspec.structs.replace(scene, views=merged))
            yield Edit(entity="scene", entity_id=scene.id, field="views", value=merged)

    def _showing(self, views: tuple[SceneView, ...]) -> Scene | None:
        """Return a scene that shows all of these media, or whose media are all among these."""
        wanted = {view.medium for view in views}
        for key in (key for view in views for key in self._by_medium.get(view.medium, ())):
            scene = self._scenes[key]
            shown = {view.medium for view in scene.views}
            if wanted <= shown or (shown <= wanted and len(wanted) > 1):
                return scene
        return None

    def _remember(self, scene: Scene) -> None:
        key = scene.dataset, scene.name
        self._scenes[key] = scene
        for view in scene.views:
            keys = self._by_medium.setdefault(view.medium, [])
            if key not in keys:
                keys.append(key)


def _is_tail(medium: Medium, member: SceneMember, file: ImportedFile) -> bool:
    """Return whether a file's path ends with a medium's path, or with its name if that is a path."""
    said = medium.path or medium.name
    if "/" not in said:
        return said in names_of(member.name) or said == member.medium
    return any(f"/{where}".endswith(f"/{said}") for where in (member.name, file.path, member.medium))


def _match_rank(medium: Medium, member: SceneMember, file: ImportedFile) -> int:
    """Return how well a file matches a medium named by labels: 1 is best, 0 means no match."""
    if medium.name == member.medium:
        return 1
    if _is_tail(medium, member, file):
        return 2
    return 3 if _is_whole_tail(medium, member) else 0


def _is_whole_tail(medium: Medium, member: SceneMember) -> bool:
    """Return whether labels name a file below a folder, and files of that very folder were added."""
    return f"/{medium.path or medium.name}".endswith(f"/{member.name}")


def _created(entity: str, record: Record) -> Edit:
    return Edit(entity=entity, entity_id=record.id, field=CREATED, value=record)
