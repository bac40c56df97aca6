"""Reads single JSON files of nuScenes-like boxes: 2D ones as regions, 3D ones as facts of their samples.

Without the tables of cameras and poses a 3D box cannot be projected into an image. The boxes of one sample
are stored as metadata ``boxes_3d`` of a scene with the sample's name.

Source: nuScenes' schema of ``sample_annotation``, its ``export_2d_annotations_as_json.py``, and the fields of
the files that AirCopBench ships as ``original_json``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from annotator.domain.region import Box
from annotator.domain.scene import Scene
from annotator.errors import UserError
from annotator.importers.box_geometry import clip_shape, pixels
from annotator.importers.imported_record import ImportedRecord, ImportedScene, ImportIssue, ImportKeys
from annotator.importers.importer import FileImporter, ImportContext
from annotator.importers.input_file import InputFile
from annotator.importers.item_parts import medium_of
from annotator.importers.json_tables import JsonRow, JsonTables, decoded
from annotator.importers.record_fields import RecordError, RecordFields
from annotator.importers.region_parts import region_of
from annotator.importers.rigid_transform import numbers_of, transform_of

MOST_BOXES = 1_000_000
"""3D boxes that are kept until the end of a file; nuScenes itself has 1.4 million in its largest table."""
_MARKS = tuple(re.compile(rf'"{name}"\s*:') for name in ("translation", "size", "rotation"))
_SAMPLE = re.compile(r'"(?:sample_token|instance_token)"\s*:')
_FLAT = re.compile(r'"bbox_corners"\s*:\s*\[')


class NuScenesBoxes(FileImporter):
    """Takes boxes in as regions, or as facts of scenes."""

    id = "nuscenes-boxes"
    title = "nuScenes-like boxes (JSON)"
    files = "nuScenes-like boxes in one file"
    gives = "regions (2D), attributes of scenes (3D)"
    fields = ("sample_token", "instance_token", "translation", "size", "rotation", "bbox_corners", "filename")

    def recognizes(self, file: InputFile) -> bool:
        """Look for a sample or instance beside a 3D box, or the corners of a 2D one."""
        head = file.head
        is_3d = all(mark.search(head) for mark in _MARKS)
        return bool(_SAMPLE.search(head) and (is_3d or _FLAT.search(head)))

    def read(self, file: InputFile, *, context: ImportContext) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield the 2D boxes in the file's order, then the samples with their 3D boxes."""
        context.progress.begin(f"Importing {file.name}")
        boxes = _Boxes(context)
        for row in JsonTables(file).rows(lambda _: True):
            context.progress.step()
            try:
                found = boxes.take(row)
            except RecordError as fault:
                line = row.line_of(fault.field)
                yield fault.issue(line=line, locator=row.locator)
                continue
            if found is not None:
                yield found
        yield from boxes.samples()


class _Boxes:
    """The boxes of one file."""

    def __init__(self, context: ImportContext) -> None:
        self._context = context
        self._keys = ImportKeys(format_id=NuScenesBoxes.id, dataset=context.dataset)
        self._samples: dict[str, tuple[int, list[object]]] = {}
        self._count = 0

    def take(self, row: JsonRow) -> ImportedRecord | None:
        """Return the region of a row; a 3D box is kept and None returned.

        Raises:
            RecordError: It cannot be taken.
            UserError: There are too many.
        """
        element = decoded(row)
        fields = RecordFields(element.value, mapping=self._context.mapping)
        if fields.get("bbox_corners") is not None:
            return self._region(row, fields, element.original)
        # Only checked: the value is kept as it came.
        transform_of(fields)
        numbers_of(fields, "size", count=3)
        sample = fields.required_text("sample_token")
        self._count += 1
        if self._count > MOST_BOXES:
            raise UserError(f"It has more than {MOST_BOXES:,} 3D boxes.", hint="Split it into several files.")
        self._samples.setdefault(sample, (row.line, []))[1].append(element.value)
        return None

    def samples(self) -> Iterator[ImportedRecord]:
        """Yield the samples with their 3D boxes."""
        for sample, (line, boxes) in self._samples.items():
            yield ImportedRecord(
                record=Scene(name=sample, metadata={"boxes_3d": boxes}),
                line=line,
                dataset=self._context.dataset,
                scene=ImportedScene(name=sample),
            )

    def _region(self, row: JsonRow, fields: RecordFields, original: bytes) -> ImportedRecord:
        x1, y1, x2, y2 = pixels(fields.get("bbox_corners"), count=4, field="bbox_corners")
        medium = medium_of(fields.required_text("filename"), field="filename", fields=fields)
        if x2 < x1 or y2 < y1:
            raise RecordError(
                "bbox_corners", "The second corner should be to the right of the first, and below."
            )
        instance, sample = fields.text("instance_token") or "", fields.text("sample_token")
        size = self._context.size_of(self._context.dataset, medium.name)
        shape = clip_shape(Box(x1=x1, y1=y1, x2=x2, y2=y2), size=size)
        record = region_of(
            shape,
            notes=tuple(fields.corrections),
            category=fields.text("category_name") or "",
            made_by=NuScenesBoxes.id,
            track=instance,
            locator=row.locator,
            original=msgspec.Raw(original),
            import_key=self._keys.key_of(original),
        )
        scene = ImportedScene(name=sample) if sample else None
        return ImportedRecord(
            record=record, line=row.line, dataset=self._context.dataset, media=(medium,), scene=scene,
            identity=instance if sample else "", flags=shape.flags,
        )  # fmt: skip
