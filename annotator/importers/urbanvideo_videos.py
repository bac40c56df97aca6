"""Reads UrbanVideo-Bench's lists of videos: what the agent was given in each clip."""

from __future__ import annotations

import re
from collections.abc import Iterator

from annotator.domain.scene import Scene
from annotator.importers.imported_record import ImportedRecord, ImportedScene, ImportIssue
from annotator.importers.importer import FileImporter, ImportContext
from annotator.importers.input_file import InputFile
from annotator.importers.item_parts import medium_of
from annotator.importers.json_records import read_records
from annotator.importers.json_text import JsonElement, JsonText
from annotator.importers.record_fields import RecordError, RecordFields
from annotator.importers.urbanvideo import DATASET, VIEW

FACTS = ("destination", "movement_instructions")

_VIDEO = re.compile(r'"video_name"\s*:')
_FACT = re.compile(r'"(?:destination|movement_instructions)"\s*:')
_QUESTION = re.compile(r'"question(?:_category)?"\s*:')


class UrbanVideoVideos(FileImporter):
    """Takes destinations and movement instructions in as facts of the scenes of the videos."""

    id = "urbanvideo-videos"
    title = "UrbanVideo-Bench list of videos (JSON)"
    files = "UrbanVideo-Bench `video_list.json`"
    gives = "facts of scenes"
    fields = ("video_name", *FACTS)

    def recognizes(self, file: InputFile) -> bool:
        """Look for videos with a destination or instructions, and for no question."""
        head = file.head
        return bool(_VIDEO.search(head) and _FACT.search(head)) and not _QUESTION.search(head)

    def read(self, file: InputFile, *, context: ImportContext) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield the facts of each video's scene, in the file's order."""
        json = JsonText(file.text)
        name = context.mapping.get("video_name", "video_name")
        context.progress.begin(f"Importing {file.name}", total=json.text.count(f'"{name}"'))

        def take(element: JsonElement, line: int, _locator: str) -> ImportedRecord:
            return _found(RecordFields(element.value, mapping=context.mapping), line=line, context=context)

        yield from read_records(json, elements=json.top_elements(), take=take, context=context)


def _found(fields: RecordFields, *, line: int, context: ImportContext) -> ImportedRecord:
    video = fields.required_text("video_name").strip()
    medium = medium_of(video, field="video_name", view=VIEW, kind="video", fields=fields)
    facts = {name: text for name in FACTS if (text := fields.text(name)) is not None and text.strip()}
    facts |= {name: value for name, value in fields.rest().items() if value is not None}
    if not facts:
        raise RecordError(FACTS[0], "The record contains no information about the video.")
    scene = ImportedScene(name=medium.stem, views=(medium,))
    record = Scene(name=scene.name, metadata=facts)
    return ImportedRecord(
        record=record, line=line, dataset=context.dataset or DATASET, media=(medium,), scene=scene
    )
