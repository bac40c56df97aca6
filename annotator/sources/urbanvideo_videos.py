"""Reads UrbanVideo-Bench's lists of videos: what the agent was given in each clip."""

from __future__ import annotations

import re
from collections.abc import Iterator

from annotator.domain.scene import Scene
from annotator.sources.fields import Fields, RecordFault
from annotator.sources.found import Found, FoundScene, Rejected
from annotator.sources.importer import FileImporter, ReadContext
from annotator.sources.input_file import InputFile
from annotator.sources.item_parts import medium_of
from annotator.sources.json_records import read_records
from annotator.sources.json_text import Element, JsonText
from annotator.sources.urbanvideo import DATASET, VIEW

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

    def recognises(self, file: InputFile) -> bool:
        """Look for videos with a destination or instructions, and for no question."""
        head = file.head
        return bool(_VIDEO.search(head) and _FACT.search(head)) and not _QUESTION.search(head)

    def read(self, file: InputFile, *, context: ReadContext) -> Iterator[Found | Rejected]:
        """Yield the facts of each video's scene, in the file's order."""
        json = JsonText(file.text)
        name = context.mapping.get("video_name", "video_name")
        context.progress.begin(f"Importing {file.name}", total=json.text.count(f'"{name}"'))

        def take(element: Element, line: int, _locator: str) -> Found:
            return _found(Fields(element.value, mapping=context.mapping), line=line, context=context)

        yield from read_records(json, elements=json.top_elements(), take=take, context=context)


def _found(fields: Fields, *, line: int, context: ReadContext) -> Found:
    video = fields.required_text("video_name").strip()
    medium = medium_of(video, field="video_name", view=VIEW, kind="video", fields=fields)
    facts = {name: text for name in FACTS if (text := fields.text(name)) is not None and text.strip()}
    facts |= {name: value for name, value in fields.rest().items() if value is not None}
    if not facts:
        raise RecordFault(FACTS[0], "It says nothing about the video.")
    scene = FoundScene(name=medium.name.rpartition(".")[0] or medium.name, views=(medium,))
    record = Scene(name=scene.name, facts=facts)
    return Found(record=record, line=line, dataset=context.dataset or DATASET, media=(medium,), scene=scene)
