"""Reads the tables in which releases hold event labels, one value a row."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import msgspec

from annotator.domain.event_label import EventLabel, PercentBox
from annotator.domain.label_values import FIELDS, GEOMETRY, LabelValue, add_value, finite
from annotator.errors import UserError
from annotator.importers.box_geometry import LARGEST_PX
from annotator.importers.csv_rows import CsvTable
from annotator.importers.imported_record import ImportedRecord, ImportedScene, ImportIssue, ImportKeys
from annotator.importers.importer import FileImporter, ImportContext
from annotator.importers.input_file import InputFile
from annotator.importers.item_parts import medium_of
from annotator.importers.record_fields import RecordError, RecordFields
from annotator.importers.table_rows import TableRow
from annotator.importers.tables import first_columns, is_delimited

_NEEDED = ("label", "image", "field", "value")


class LabelValues(FileImporter):
    """Takes the rows of each label in as one event label."""

    id = "label-values"
    title = "Event labels, one value a row (CSV)"
    files = "the table of event labels in releases, CSV"
    gives = "event labels"
    fields = (*_NEEDED, "dataset", "scene", "view")

    def recognizes(self, file: InputFile) -> bool:
        """Look for the columns of a value, and those of a box."""
        columns = {name for names in first_columns(file)[:1] for name in names}
        return columns.issuperset({*_NEEDED, *GEOMETRY}) and is_delimited(file)

    def read(self, file: InputFile, *, context: ImportContext) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield a label for each run of rows with its number, and an issue for each invalid row."""
        context.progress.begin(f"Importing {file.name}")
        table, keys = CsvTable(file.text), ImportKeys(format_id=self.id, dataset=context.dataset)
        table.needed = list(_NEEDED)
        for _, rows in groupby(table.rows(), key=lambda row: row.cells.get("label")):
            context.progress.step()
            yield from _label(list(rows), keys=keys, dataset=context.dataset)


def _label(rows: list[TableRow], *, keys: ImportKeys, dataset: str) -> Iterator[ImportedRecord | ImportIssue]:
    answers: dict[str, Any] = {}
    for row in rows:
        try:
            add_value(answers, _value(row))
        except RecordError as fault:
            yield fault.issue(line=row.line, locator=row.locator)
        except UserError as fault:
            yield ImportIssue(line=row.line, locator=row.locator, field="value", message=fault.message)
    if answers:
        first = next(row for row in rows if not row.fault)
        try:
            yield _record(first, rows, answers=answers, keys=keys, dataset=dataset)
        except RecordError as fault:
            yield fault.issue(line=first.line, locator=first.locator)


def _record(
    first: TableRow, rows: list[TableRow], *, answers: dict[str, Any], keys: ImportKeys, dataset: str
) -> ImportedRecord:
    fields = RecordFields(first.cells)
    view, scene = fields.text("view") or "", fields.text("scene") or ""
    medium = medium_of(fields.required_text("image"), field="image", view=view, fields=fields)
    original = b"[" + b",".join(row.original for row in rows) + b"]"
    try:
        label = msgspec.convert({**answers, "view": view, "locator": first.locator}, EventLabel)
    except msgspec.ValidationError as error:
        raise RecordError("value", f"It is not a value of an event label: {error}.") from error
    label = msgspec.structs.replace(
        label,
        original=msgspec.Raw(original),
        corrections=(*fields.corrections, *(note for row in rows for note in row.notes)),
        import_key=keys.key_of(original),
    )
    return ImportedRecord(
        record=label,
        line=first.line,
        dataset=dataset or fields.text("dataset") or "",
        media=(medium,),
        scene=ImportedScene(name=scene, views=(medium,)) if scene else None,
    )


def _value(row: TableRow) -> LabelValue:
    """Return the value of a row.

    Raises:
        RecordError: It has none.
    """
    if row.fault:
        raise row.error()
    fields = RecordFields(row.cells)
    field = fields.required_text("field")
    if field not in FIELDS:
        raise RecordError("field", f"An event label has no field {field[:80]!r}.")
    return LabelValue(field=field, value=fields.text("value") or "", box=_box(fields))


def _box(fields: RecordFields) -> PercentBox | None:
    cells = {name: fields.text(name) or "" for name in GEOMETRY}
    if not any(cells.values()):
        return None
    try:
        numbers = {name: finite(text) for name, text in cells.items()}
    except UserError as error:
        raise RecordError("x", "The geometry of the box is not seven numbers.") from error
    sizes = {name: int(numbers.pop(name)) for name in GEOMETRY[5:]}
    if not all(0 <= size <= LARGEST_PX for size in sizes.values()):
        raise RecordError("image_width_px", "The size of the image is not a number of pixels.")
    return PercentBox(**numbers, **sizes)  # type: ignore[arg-type]  # by name: floats and whole numbers
