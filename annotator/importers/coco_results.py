"""Reads COCO result lists: detections with the ids of their image and category, as detectors write them.

Source: cocodataset.org, "Results Format": a list of objects with image_id, category_id, bbox, score.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from annotator.importers.coco import AnnotationReader
from annotator.importers.coco_tables import CocoImage
from annotator.importers.imported_record import ImportedRecord, ImportIssue
from annotator.importers.importer import FileImporter, ImportContext
from annotator.importers.input_file import InputFile
from annotator.importers.item_parts import medium_of
from annotator.importers.json_tables import JsonTables
from annotator.importers.record_fields import RecordError, RecordFields

_LIST = re.compile(r"\s*\[\s*\{")
_MARKS = tuple(re.compile(rf'"{name}"\s*:') for name in ("image_id", "category_id", "score"))
_PLACES = re.compile(r'"(?:bbox|segmentation)"\s*:')


class CocoResults(FileImporter):
    """Takes detections in as regions; the images are those that COCO files have given the same ids."""

    id = "coco-results"
    title = "COCO result list (JSON)"
    files = "COCO results: a list of detections with `image_id`, `category_id`, `bbox`, `score`"
    gives = "regions"
    fields = ("image_id", "category_id", "bbox", "segmentation", "score")

    def recognizes(self, file: InputFile) -> bool:
        """Look for a list with ids, a place and a score."""
        head = file.head
        return bool(_LIST.match(head) and all(mark.search(head) for mark in _MARKS) and _PLACES.search(head))

    def read(self, file: InputFile, *, context: ImportContext) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield the detections in the file's order."""
        context.progress.begin(f"Importing {file.name}")
        annotations = AnnotationReader(_ResultTables(context), context, format_id=CocoResults.id)
        for row in JsonTables(file).rows("".__eq__):
            context.progress.step()
            yield from annotations.found(row)


class _ResultTables:
    """The images and categories that a list refers to, which stand in other files."""

    def __init__(self, context: ImportContext) -> None:
        self._context = context
        self._images: dict[int | str, CocoImage] = {}

    def category(self, key: int | str) -> str | None:
        return self._context.coco_ids.category(key)

    def image(self, key: int | str) -> CocoImage | None:
        if key not in self._images:
            fields = RecordFields({})
            medium = medium_of(self._name_of(key), field="image_id", fields=fields)
            size = self._context.size_of(self._context.dataset, medium.name)
            self._images[key] = CocoImage(medium, size=size, notes=tuple(fields.corrections))
        return self._images[key]

    def video(self, key: int | str) -> CocoImage:
        raise RecordError("video_id", f"A result list does not say which video has the id {key}.")

    def _name_of(self, key: int | str) -> str:
        """Return the name of an image: as a COCO file tells, else as files are named by their ids."""
        known = self._context.coco_ids.image(key)
        if known is not None:
            return known
        if isinstance(key, str):
            return key
        # COCO's own files are named with twelve digits.
        for name in (f"{key:012d}", str(key)):
            if self._context.size_of(self._context.dataset, name) is not None:
                return name
        raise RecordError(
            "image_id",
            f"No file says which image has the id {key}: import the COCO file with the images"
            " before this list, or together with it.",
        )
