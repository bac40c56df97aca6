"""The command that imports files of other programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.command import StagedCommand, StalePreparationError
from annotator.domain.event import CREATED, REMOVED, Edit
from annotator.domain.event_label import EventLabel
from annotator.domain.flag import Flag
from annotator.domain.item import Item
from annotator.domain.polyline import Polyline
from annotator.domain.record import Record, new_id
from annotator.domain.region import Region
from annotator.domain.scene import Scene
from annotator.domain.source import Source
from annotator.domain.task_set_catalogue import TaskSetCatalogue
from annotator.domain.trajectory import Trajectory
from annotator.importers.coco_ids import CocoIds
from annotator.importers.import_target import ENTITY_OF, KEYED, ImportTarget, Keyed
from annotator.importers.imported_record import ImportedFlag, ImportedRecord, ImportedScene, ImportIssue
from annotator.importers.importer import ImportContext
from annotator.importers.input_detection import detect_inputs
from annotator.importers.input_file import InputFile
from annotator.importers.input_folder import InputFolder
from annotator.importers.report import FileReport, ImportReport
from annotator.progress import Progress
from annotator.queries.reader import Reader


@dataclass(kw_only=True)
class ImportFiles(StagedCommand):
    """Import files into the project: records with their media, scenes and flags.

    The same record is never imported twice, so a file that has grown adds only its new records.

    Attributes:
        paths: The files; a folder or .zip archive stands for all readable files in it.
        format: Id of the reader, "" to find it from each file's content.
        dataset: Name of the collection, "" to take it from the files.
        licence: Licence text of the files, "" if unknown.
        mapping: Name of a field in the files for the name that the reader expects, where they differ.
        report: The result, set by ``plan``.
    """

    paths: tuple[FilePath, ...]
    format: str = ""
    dataset: str = ""
    licence: str = ""
    mapping: Mapping[str, str] = field(default_factory=dict)
    report: ImportReport = field(default_factory=lambda: ImportReport(()), init=False, compare=False)
    _project: ImportTarget | None = field(default=None, init=False, compare=False, repr=False)

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        if len(self.paths) == 1:
            return CommandSummary.of("import_file", name=self.paths[0].name)
        return CommandSummary.of("import_files", count=len(self.paths))

    @property
    def details(self) -> dict[str, Any]:
        """Names of the files, and the settings that the user entered."""
        parameters = {
            "files": [path.name for path in self.paths],
            "format": self.format,
            "dataset": self.dataset,
        }
        more = {"licence": self.licence, "mapping": dict(self.mapping)}
        return {**parameters, **{name: value for name, value in more.items() if value}}

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield what the files add.

        Raises:
            UserError: A file does not exist, or its format is unknown or not the given one; choose the
                format.
            EnvironmentFailure: The disk refused.
            Cancelled: The user cancelled the operation.
        """
        # Open all files before importing the first: an error in the last name is reported without delay.
        detected = [
            detect_inputs(path, format_id=self.format, is_mapped=bool(self.mapping), progress=progress)
            for path in self.paths
        ]
        self._project = project = ImportTarget(reader)
        task_sets, coco_ids = TaskSetCatalogue.of(reader.path), CocoIds(project.media_resolver.regions)
        reports = []
        for detected_input in (
            detected_input for detection in detected for detected_input in detection.found
        ):
            report = FileReport(file=detected_input.source.name, format=detected_input.reader.id)
            reports.append(report)
            context = ImportContext(
                dataset=self.dataset,
                views_of=project.media_resolver.views_of,
                size_of=project.media_resolver.size_of,
                coco_ids=coco_ids,
                task_sets=task_sets,
                mapping=self.mapping,
                progress=progress,
            )
            taken = _FileImport(detected_input.source, project=project, report=report, licence=self.licence)
            for edit in taken.edits(detected_input.read(context=context)):
                report.scenes += edit.entity == "scene" and edit.field == CREATED
                yield edit
        progress.end()
        self.report = ImportReport(
            tuple(reports), skipped=tuple(over for detection in detected for over in detection.skipped)
        )

    def require_current(self, reader: Reader, *, since: int) -> None:
        """Check that the records that the import read, or found missing, have not changed.

        Raises:
            StalePreparationError: They have changed; nothing is written.
        """
        for changed in reader.log.fields_changed_since(since):
            if self._project is not None and self._project.rests_on(changed, reader):
                raise StalePreparationError(
                    f"A {changed.entity} was changed during the import.",
                    hint="Import the files again.",
                )


class _FileImport:
    """The import of one file or folder."""

    def __init__(
        self, file: InputFile | InputFolder, *, project: ImportTarget, report: FileReport, licence: str
    ) -> None:
        self._file = file
        self._project = project
        self._report = report
        self._licence = licence
        self._source = new_id()
        self._dataset = ""
        self._has_new = False

    def edits(self, entries: Iterator[ImportedRecord | ImportIssue]) -> Iterator[Edit]:
        """Yield the edits for the file's entries, and last the record of the file itself."""
        for entry in entries:
            if isinstance(entry, ImportIssue):
                self._report.reject(entry)
            # A record with an id comes from a Vantage project: it is that record, not a new one.
            elif entry.record.id:
                yield from self._existing_record(entry)
            elif isinstance(entry.record, Scene):
                yield from self._scene_facts(entry, entry.record)
            elif entry.is_remark and (item := self._project.item_meant(entry)) is not None:
                yield from self._remark(entry, item)
            else:
                yield from self._new_record(entry)
        yield from self._project.identities.edits(source=self._source)
        # Last, because its counts are known only now. A file without new records writes nothing.
        if self._has_new:
            yield _created("source", self._file_record())

    def _new_record(self, found: ImportedRecord) -> Iterator[Edit]:
        record = found.record
        if not isinstance(record, KEYED):
            raise TypeError(f"A {type(record).__name__} without an id cannot be imported.")
        entity = ENTITY_OF[type(record)]
        if self._project.has_key(entity, record.import_key):
            self._report.count(found, more=[], is_new=False)
            self._record_identity(found, self._project.stored(entity, record.import_key), is_new=False)
            return
        self._has_new = True
        self._dataset = self._dataset or found.dataset
        placed = self._with_media(record, found)
        # Before the record that refers to them: the log is replayed in the order of its events.
        yield from self._project.media_resolver.take_edits()
        # If the file contradicts itself, a second flag for contradicting the project is redundant.
        flag_kinds = {flag.kind for flag in found.flags}
        more = [flag for flag in self._project.collisions(placed) if flag.kind not in flag_kinds]
        self._report.count(found, more=more, is_new=True)
        yield _created(entity, placed)
        self._record_identity(found, placed, is_new=True)
        for flag in (*found.flags, *more):
            yield _created("flag", _flag(flag, placed, entity=entity))

    def _with_media(self, record: Keyed, found: ImportedRecord) -> Keyed:
        """Return a record with its ids."""
        resolver = self._project.media_resolver
        scene = resolver.scene(found.scene, dataset=found.dataset) if found.scene else ""
        media = tuple(resolver.medium(medium, dataset=found.dataset) for medium in found.media)
        if isinstance(record, Item):
            provenance = msgspec.structs.replace(record.provenance, source=self._source)
            return msgspec.structs.replace(
                record, id=new_id(), scene=scene, media=media, provenance=provenance
            )
        known: dict[str, Any] = {"id": new_id(), "source": self._source}
        if isinstance(record, Trajectory | EventLabel):
            known["scene"] = scene
        if isinstance(record, Region | Polyline | EventLabel):
            known["medium"] = media[0]
        if isinstance(record, Region):
            known["number"] = self._project.numbers.number_of(
                media[0], track=record.track, stated=found.number
            )
        return msgspec.structs.replace(record, **known)

    def _record_identity(self, found: ImportedRecord, region: Record | None, *, is_new: bool) -> None:
        """Remember which object a region shows, if the source states it and the scene is known."""
        if not (found.identity or found.links) or not isinstance(region, Region):
            return
        resolver = self._project.media_resolver
        scene = resolver.scene(found.scene, dataset=found.dataset) if found.scene else ""
        scene = scene or resolver.scene_showing(region.medium)
        if scene and found.identity:
            self._project.identities.note(region, scene=scene, identity=found.identity, is_new=is_new)
        for member in found.links if scene else ():
            self._project.identities.note_link(region, scene=scene, member=member)

    def _scene_facts(self, found: ImportedRecord, record: Scene) -> Iterator[Edit]:
        """Yield the edits that store facts from the source in their scene."""
        resolver = self._project.media_resolver
        scene = resolver.scene(
            found.scene or ImportedScene(name=record.name, views=()), dataset=found.dataset
        )
        added, differing = resolver.add_facts(scene, facts=record.metadata)
        yield from resolver.take_edits()
        self._report.count(found, more=differing, is_new=added)
        self._has_new |= added
        self._dataset = self._dataset or found.dataset
        for flag in (*found.flags, *differing) if added or differing else ():
            yield _created("flag", _flag(flag, msgspec.structs.replace(record, id=scene), entity="scene"))

    def _remark(self, found: ImportedRecord, item: Item) -> Iterator[Edit]:
        """Yield the flags that a remark raises on an item, without those the item already has."""
        known_flags = self._project.linked_identity(item)
        new = [flag for flag in found.flags if (flag.kind, flag.message) not in known_flags]
        self._report.count(found, more=[], is_new=bool(new))
        self._has_new |= bool(new)
        self._dataset = self._dataset or found.dataset
        for flag in new:
            yield _created("flag", _flag(flag, item, entity="item"))

    def _existing_record(self, found: ImportedRecord) -> Iterator[Edit]:
        """Yield the edits for a record that has an id of its own."""
        record, entity = found.record, ENTITY_OF[type(found.record)]
        known = self._project.same_id(entity, record)
        if known is not None and known != record:
            message = (
                f"The project has this {entity} with other values; an import does not overwrite records."
            )
            self._report.reject(ImportIssue(line=found.line, locator=record.id, field="id", message=message))
            return
        self._report.count(found, more=[], is_new=known is None)
        if known is not None:
            return
        self._project.remember(record)
        if self._project.existed_before(record):
            yield from _restored(entity, record)
        else:
            yield _created(entity, record)
        for flag in found.flags:
            yield _created("flag", _flag(flag, record, entity=entity))

    def _file_record(self) -> Source:
        return Source(
            id=self._source,
            name=self._file.name,
            format=self._report.format,
            sha256=self._file.sha256,
            size_bytes=self._file.size_bytes,
            dataset=self._dataset,
            records=self._report.records,
            rejected=self._report.rejected,
            licence=self._licence,
        )


def _created(entity: str, record: Record) -> Edit:
    return Edit(entity=entity, entity_id=record.id, field=CREATED, value=record)


def _restored(entity: str, record: Record) -> Iterator[Edit]:
    """Yield the edits that show a hidden record again, with the given values."""
    yield Edit(entity=entity, entity_id=record.id, field=REMOVED, value=False)
    for name in record.__struct_fields__:
        if name != "id":
            yield Edit(entity=entity, entity_id=record.id, field=name, value=getattr(record, name))


def _flag(found: ImportedFlag, record: Record, *, entity: str) -> Flag:
    target = record.id
    if found.on == "medium" and isinstance(record, EventLabel | Item):
        entity, target = "medium", record.medium if isinstance(record, EventLabel) else record.media[0]
    return Flag(
        id=new_id(),
        entity=entity,
        target=target,
        kind=found.kind,
        message=found.message,
        field=found.field,
        severity=found.severity,
        evidence=found.evidence,
    )
