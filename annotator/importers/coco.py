"""Reads COCO instances: boxes, polygons and masks of images and video frames.

The tables ``images``, ``videos`` and ``categories`` may follow ``annotations``, so a file is read twice in a
stream: first for these tables, of which names and sizes are kept in memory, then for the annotations.

Source: cocodataset.org, "Data format"; the tables ``videos`` with ``video_id`` and ``track_id`` or
``instance_id`` as YouTube-VIS, TAO and BDD100K have them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import msgspec

from annotator.domain.medium import VIDEO_TYPES
from annotator.domain.record import FieldCorrection
from annotator.domain.region import Box
from annotator.domain.region_attributes import MEMBER, RegionAttributes
from annotator.importers.box_geometry import (
    Corners,
    ImportedShape,
    Size,
    box_from_corner,
    clip_shape,
    corners_of,
    enclosing_box,
    pixels,
)
from annotator.importers.coco_ids import MADE_BY, Id
from annotator.importers.coco_tables import CocoImage, CocoTables
from annotator.importers.imported_record import ImportedFlag, ImportedRecord, ImportIssue, ImportKeys
from annotator.importers.importer import FileImporter, ImportContext
from annotator.importers.input_file import InputFile
from annotator.importers.json_tables import JsonRow, JsonTables, decoded
from annotator.importers.json_text import JsonElement
from annotator.importers.record_fields import RecordError, RecordFields
from annotator.importers.region_parts import (
    id_of,
    own_attributes,
    region_of,
    share,
    unknown_category,
    with_attributes,
)

ANNOTATIONS = "annotations"
_OBJECT = re.compile(r"\s*\{")
_MARKS = (
    re.compile(r'"annotations"\s*:\s*\[\s*\{[^{}]*"(?:image_id|video_id)"\s*:'),
    re.compile(r'"(?:images|videos)"\s*:\s*\[\s*\{[^{}]*"(?:file_names?|height|width)"\s*:'),
    re.compile(r'"categories"\s*:\s*\[\s*\{[^{}]*"name"\s*:'),
)
_CROWD = ImportedFlag(
    kind="crowd_box", field="box", message="The box is marked as a crowd of objects.", severity="note"
)


class Coco(FileImporter):
    """Takes annotations in as regions."""

    id = MADE_BY
    title = "COCO boxes and polygons (JSON)"
    files = "COCO instances, also of videos (YouTube-VIS, TAO, BDD100K)"
    gives = "regions"
    marks = ("images", "annotations", "categories", "videos", "file_name", "supercategory", "iscrowd")
    fields = ("id", "image_id", "category_id", "bbox", "segmentation", "score", "track_id")

    def recognizes(self, file: InputFile) -> bool:
        """Look for one of its tables with a column of its own."""
        return bool(_OBJECT.match(file.head)) and any(mark.search(file.head) for mark in _MARKS)

    def read(self, file: InputFile, *, context: ImportContext) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield the annotations in the file's order, after what is wrong with the other tables."""
        tables, total = CocoTables(), 0
        context.progress.begin(f"Looking through {file.name}")
        for row in JsonTables(file).rows(lambda _: True):
            context.progress.step()
            total += row.table == ANNOTATIONS
            if row.table in CocoTables.NAMES:
                try:
                    tables.add(row)
                except RecordError as fault:
                    yield rejected(row, fault)
        tables.close()
        context.coco_ids.add(images=tables.image_names, categories=tables.categories)
        context.progress.begin(f"Importing {file.name}", total=total)
        annotations = AnnotationReader(tables, context)
        for row in JsonTables(file).rows(ANNOTATIONS.__eq__):
            context.progress.step()
            if row.table not in CocoTables.NAMES:
                yield from annotations.found(row)


@dataclass(frozen=True, slots=True)
class _AnnotatedBox:
    """One box of an annotation; tracks of videos have several.

    Attributes:
        box: Its value of ``bbox``, None where there is none.
        segmentation: Its value of ``segmentation``.
        frame: Frame number, None for a still.
    """

    box: object
    segmentation: object
    frame: int | None


class ReferredTables(Protocol):
    """What annotations refer to by ids."""

    def image(self, key: Id) -> CocoImage | None:
        """Return an image, None where there is none."""

    def video(self, key: Id) -> CocoImage:
        """Return a video; raises RecordError where there is none."""

    def category(self, key: Id) -> str | None:
        """Return a category, None where there is none."""


class AnnotationReader:
    """Makes regions of the annotations, or results, of one file."""

    def __init__(self, tables: ReferredTables, context: ImportContext, *, format_id: str = MADE_BY) -> None:
        self._tables = tables
        self._context = context
        self._format = format_id
        self._keys = ImportKeys(format_id=format_id, dataset=context.dataset)

    def found(self, row: JsonRow) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield the regions of a row: one, or for a track of a video one per frame."""
        try:
            element = decoded(row)
            fields = RecordFields(element.value, mapping=self._context.mapping)
            picture = self._picture(fields)
            marks = _marks(fields, picture)
            category, flags = self._category(fields)
        except RecordError as fault:
            yield rejected(row, fault)
            return
        flags += [_CROWD] if fields.get("iscrowd") == 1 else []
        for mark in marks:
            try:
                found = self._region(row, element, fields, picture, mark, category=category, flags=flags)
                yield with_attributes(found, own_attributes(fields.get(MEMBER), RegionAttributes))
            except RecordError as fault:
                yield rejected(row, fault)

    def _region(
        self, row: JsonRow, element: JsonElement, fields: RecordFields, picture: CocoImage,
        mark: _AnnotatedBox, *, category: str, flags: list[ImportedFlag],
    ) -> ImportedRecord:  # fmt: skip
        shape, notes = _shape(mark, picture.size)
        track, score = _track(fields), share(fields.get("score"), field="score")
        context = f"{picture.medium.name}\0{mark.frame}\0{category}"
        record = region_of(
            shape,
            notes=(*picture.notes, *notes),
            frame=mark.frame,
            category=category,
            score=1.0 if score is None else score,
            made_by=self._format,
            track=track,
            locator=row.locator,
            original=msgspec.Raw(element.original),
            import_key=self._keys.key_of(element.original, context=context),
        )
        return ImportedRecord(
            record=record,
            line=row.line,
            dataset=self._context.dataset,
            media=(picture.medium,),
            scene=picture.scene,
            flags=(*shape.flags, *flags) if flags else shape.flags,
        )

    def _picture(self, fields: RecordFields) -> CocoImage:
        key = id_of(fields, "image_id")
        if key is None:
            video = id_of(fields, "video_id")
            if video is None:
                raise RecordError("image_id", "It is missing.")
            return self._tables.video(video)
        picture = self._tables.image(key)
        if picture is None:
            raise RecordError("image_id", f"No image has the id {key}.")
        return picture

    def _category(self, fields: RecordFields) -> tuple[str, list[ImportedFlag]]:
        key = id_of(fields, "category_id")
        if key is None:
            return "", []
        category = self._tables.category(key)
        return (category, []) if category is not None else (str(key), [unknown_category(str(key))])


def rejected(row: JsonRow, fault: RecordError) -> ImportIssue:
    """Return what is said of a row that cannot be taken."""
    return fault.issue(line=row.line_of(fault.field), locator=row.locator)


def _marks(fields: RecordFields, picture: CocoImage) -> list[_AnnotatedBox]:
    boxes = fields.listing("bboxes")
    if boxes is None and picture.medium.kind in VIDEO_TYPES and picture.frame is None:
        raise RecordError("bboxes", "An annotation of a whole video has a list of boxes, one per frame.")
    if boxes is None:
        return [_AnnotatedBox(fields.get("bbox"), fields.get("segmentation"), picture.frame)]
    masks = fields.listing("segmentations") or []
    # Fewer masks than boxes are usual where only some frames were outlined.
    masks += [None] * (len(boxes) - len(masks))
    # Frames in which the thing is not to be seen have null.
    return [
        _AnnotatedBox(box, mask, n)
        for n, (box, mask) in enumerate(zip(boxes, masks, strict=False))
        if box or mask
    ]


def _shape(mark: _AnnotatedBox, size: Size | None) -> tuple[ImportedShape, list[FieldCorrection]]:
    notes: list[FieldCorrection] = []
    polygon = _polygon(mark.segmentation, notes=notes)
    if mark.box is None or mark.box == []:
        if not polygon:
            raise RecordError("bbox", "It is missing, and there is no polygon to compute it from.")
        box = enclosing_box(polygon, field="segmentation")
        notes.append(
            FieldCorrection(
                field="box", original=mark.box, value=_list(box), reason="computed from the polygon"
            )
        )
    else:
        box = box_from_corner(*pixels(mark.box, count=4, field="bbox"), field="bbox")
    return clip_shape(box, polygon=polygon, size=size), notes


def _polygon(segmentation: object, *, notes: list[FieldCorrection]) -> Corners:
    """Return the corners of a segmentation of one part; masks and several parts are left to the original."""
    if not isinstance(segmentation, list) or not segmentation:
        return ()
    # Older tools write the one polygon without the list around it.
    if len(segmentation) > 1 and not isinstance(segmentation[0], list):
        return corners_of(segmentation, field="segmentation")
    if not all(isinstance(part, list) for part in segmentation):
        raise RecordError("segmentation", "It should be a list of polygons, or a mask.")
    if len(segmentation) > 1:
        reason = "several parts: the box is kept, the parts remain in the original"
        notes.append(FieldCorrection(field="polygon", original=len(segmentation), value=0, reason=reason))
        return ()
    return corners_of(segmentation[0], field="segmentation")


def _track(fields: RecordFields) -> str:
    found = (id_of(fields, name) for name in ("track_id", "instance_id"))
    return next((str(track) for track in found if track is not None), "")


def _list(box: Box) -> list[float]:
    return [box.x1, box.y1, box.x2, box.y2]
