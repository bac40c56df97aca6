"""Reads Label Studio's exports of regions: JSON with tasks and results, and JSON-MIN.

AirCopBench's annotations are a JSON-MIN variant that ``aircop-labels`` reads.

Source: Label Studio's documentation, "Export annotations" and "Tags": coordinates in percent of the image,
rotation clockwise about the top left corner; frames of videos counted from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from annotator.domain.scene import Scene
from annotator.importers.aircop_names import AircopImageName, read_image_name
from annotator.importers.imported_record import (
    ImportedFlag,
    ImportedMedium,
    ImportedRecord,
    ImportedScene,
    ImportIssue,
    ImportKeys,
)
from annotator.importers.importer import FileImporter, ImportContext
from annotator.importers.input_file import InputFile
from annotator.importers.json_tables import JsonRow, JsonTables, decoded, values_of
from annotator.importers.label_studio_tasks import LabelStudioResult, LabelStudioTask, results_of
from annotator.importers.label_studio_values import LabelStudioMark, facts_of, marks_of
from annotator.importers.media_paths import LONGEST_PATH
from annotator.importers.record_fields import RecordError
from annotator.importers.region_parts import region_of, share

_LIST = re.compile(r"\s*\[\s*\{")
# One task, as the tool's API gives it; COCO has "annotations" as well, and no data.
_TASK = re.compile(r"\s*\{")
_DATA = re.compile(r'"data"\s*:\s*\{')
_RESULTS = re.compile(r'"result"\s*:\s*\[')
_TASKS = re.compile(r'"(?:annotations|completions|predictions)"\s*:\s*\[')
_PLACES = re.compile(r'"(?:rectangle|polygon|brush|ellipse|keypoint|video)?labels"\s*:\s*\[')
_SMALL_FORM = re.compile(r'"(?:annotation_id|annotator)"\s*:')
_AIRCOP = re.compile(r'"img1"\s*:')
_VIDEOS = frozenset({"mp4", "avi", "mov", "mkv", "webm", "m4v", "ts"})


class LabelStudio(FileImporter):
    """Takes boxes, polygons and tracks in as regions, choices and texts as facts of the scene."""

    id = "label-studio"
    title = "Label Studio regions (JSON)"
    files = "Label Studio exports with regions, JSON and JSON-MIN; also a single task"
    gives = "regions, attributes of scenes"
    marks = (
        "data",
        "annotations",
        "predictions",
        "result",
        "from_name",
        "to_name",
        "value",
        "rectanglelabels",
    )

    def recognizes(self, file: InputFile) -> bool:
        """Search for tasks with results, or for labelled regions with the fields of JSON-MIN."""
        head = file.head
        if _TASK.match(head):
            return all(mark.search(head) for mark in (_DATA, _RESULTS, _TASKS))
        if not _LIST.match(head):
            return False
        if _RESULTS.search(head) and _TASKS.search(head):
            return True
        return bool(_PLACES.search(head) and _SMALL_FORM.search(head)) and not _AIRCOP.search(head)

    def read(self, file: InputFile, *, context: ImportContext) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield what the tasks hold, in the file's order."""
        context.progress.begin(f"Importing {file.name}")
        tasks = _Tasks(context)
        is_task = _TASK.match(file.head)
        for row in values_of(file) if is_task else JsonTables(file).rows(lambda _: True):
            context.progress.step()
            yield from tasks.found(row)


class _Tasks:
    """The tasks of one file."""

    def __init__(self, context: ImportContext) -> None:
        self._context = context
        self._keys = ImportKeys(format_id=LabelStudio.id, dataset=context.dataset)

    def found(self, row: JsonRow) -> Iterator[ImportedRecord | ImportIssue]:
        try:
            task = LabelStudioTask.of(decoded(row), line=row.line, number=row.number)
            results = results_of(task)
        except RecordError as fault:
            yield fault.issue(line=row.line, locator=row.locator)
            return
        for result in results:
            try:
                yield from self._found(task, result)
            except RecordError as fault:
                yield fault.issue(line=row.line, locator=result.locator)

    def _found(self, task: LabelStudioTask, result: LabelStudioResult) -> Iterator[ImportedRecord]:
        name = task.media_name(result)
        if len(name) > LONGEST_PATH:
            raise RecordError("data", f"A name has more than {LONGEST_PATH} characters.")
        image = read_image_name(name)
        dataset = self._context.dataset or image.dataset
        size = result.size or self._context.size_of(dataset, image.name)
        key = self._keys.key_of(result.original, context=image.name)
        for number, mark in enumerate(marks_of(result, size=size)):
            # Keys of later frames hang on the first, so that a track that grows keeps those that it had.
            import_key = key if number == 0 else f"{key}-frame-{mark.frame}"
            yield self._region(task, result, mark, image, import_key=import_key)
        if facts := facts_of(result):
            medium = _medium(image, is_video=_is_video(image, result))
            scene = ImportedScene(name=image.scene, views=(medium,))
            yield ImportedRecord(
                record=Scene(name=image.scene, metadata=facts), line=task.line, dataset=dataset, scene=scene
            )

    def _region(
        self,
        task: LabelStudioTask,
        result: LabelStudioResult,
        mark: LabelStudioMark,
        image: AircopImageName,
        *,
        import_key: str,
    ) -> ImportedRecord:
        medium = _medium(image, is_video=mark.frame is not None)
        record = region_of(
            mark.shape,
            notes=mark.notes,
            frame=mark.frame,
            category=mark.category,
            score=share(result.score, field="score") or 0.0,
            made_by=result.made_by or LabelStudio.id,
            track=mark.track,
            locator=result.locator,
            original=msgspec.Raw(result.original),
            import_key=import_key,
        )
        return ImportedRecord(
            record=record,
            line=task.line,
            dataset=self._context.dataset or image.dataset,
            media=(medium,),
            flags=(*mark.shape.flags, *mark.flags, *_again(result)),
        )


def _again(result: LabelStudioResult) -> tuple[ImportedFlag, ...]:
    if result.is_first:
        return ()
    message = "Another annotation of the same task has regions of its own."
    return (ImportedFlag(kind="annotations_several", message=message, severity="note"),)


def _is_video(image: AircopImageName, result: LabelStudioResult) -> bool:
    return result.is_track or image.name.rpartition(".")[2].lower() in _VIDEOS


def _medium(image: AircopImageName, *, is_video: bool) -> ImportedMedium:
    return ImportedMedium(
        name=image.name, path=image.path, view=image.view, kind="video" if is_video else "image"
    )
