"""Reads VLMEvalKit's tables: one question a row, options in columns, pictures in cells or by path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

import msgspec

from annotator.domain.item import LETTERS, Item, Option, Provenance
from annotator.domain.medium import MediaType
from annotator.domain.record import FieldCorrection
from annotator.domain.task_set import TaskSet
from annotator.errors import UserError
from annotator.importers.answer_keys import options_missing
from annotator.importers.csv_rows import CsvTable
from annotator.importers.embedded_images import SHORTEST_CHARACTERS, EmbeddedImage, TextWithoutImages
from annotator.importers.imported_record import (
    ImportedFlag,
    ImportedMedium,
    ImportedRecord,
    ImportIssue,
    ImportKeys,
)
from annotator.importers.importer import FileImporter, ImportContext
from annotator.importers.input_file import InputFile
from annotator.importers.item_parts import ItemNames, medium_of, task_flags
from annotator.importers.listed_texts import strings_in
from annotator.importers.option_parts import empty_options, read_letter, without_unused
from annotator.importers.record_fields import RecordError, RecordFields
from annotator.importers.shown_media import missing_media, scene_of_first
from annotator.importers.table_rows import Cells, TableRow
from annotator.importers.tables import first_columns, is_delimited
from annotator.importers.task_detection import TaskNames, guess_task_set
from annotator.importers.urbanvideo import TASK_SET as USUAL_TASK_SET

FIELDS = ("index", "category", "image", "image_path", "question", "answer")
ID_COLUMN, TASK_SET_COLUMN = "item_id", "task_set"
"""Columns of releases: the public id and the task set of an item."""
LOOKED_AT = 200
"""Rows whose categories tell the task set."""
VIEW = "UAV1"
_NEEDED = {"index", "question", "answer"}
_SHOWN = {"image", "image_path", "video", "video_path"}


class VlmEvalKit(FileImporter):
    """Takes the questions of an evaluation table in as items."""

    id = "vlmevalkit"
    title = "VLMEvalKit table (TSV)"
    files = "VLMEvalKit tables, TSV, with embedded images"
    gives = "items, images"
    fields = FIELDS

    def recognizes(self, file: InputFile) -> bool:
        """Look for the columns of a question, two options and a picture."""
        columns = {name.casefold() for names in first_columns(file)[:1] for name in names}
        has_question = columns >= _NEEDED | {"a", "b"} and not columns.isdisjoint(_SHOWN)
        return has_question and is_delimited(file)

    def read(self, file: InputFile, *, context: ImportContext) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield the items in the file's order."""
        context.progress.begin(f"Importing {file.name}")
        lean = TextWithoutImages(file)
        table = CsvTable(lean.text)
        called = _field_names(table.columns, context.mapping)
        if missing := sorted(_NEEDED - called.keys()):
            raise UserError(
                f"{file.name} has no column {', '.join(missing)}.", hint="Map it to a column of the file."
            )
        table.needed = [called["question"]]
        # An index is a number: lines of a broken cell hardly ever begin with one.
        table.begins_row = lambda cells: cells.get(called["index"], "").isdecimal()
        rows = table.rows()
        first = list(islice(rows, LOOKED_AT))
        tasks = TaskNames(_task_set_of(first, called=called, context=context))
        questions = _Questions(file, lean=lean, called=called, tasks=tasks, context=context)
        for row in chain(first, rows):
            context.progress.step()
            try:
                yield questions.found(row)
            except RecordError as fault:
                yield fault.issue(line=row.line, locator=row.locator)

    def pictures(self, file: InputFile, *, context: ImportContext) -> Iterator[EmbeddedImage]:
        """Yield the images in a table's cells, each once, to be written as files.

        Invalid Base64 and images that are too large are skipped: ``read`` rejects their rows.

        Raises:
            UserError: The file is too large.
            EnvironmentFailure: The file cannot be read.
            Cancelled: The user cancelled.
        """
        lean = TextWithoutImages(file)
        table = CsvTable(lean.text)
        column = _field_names(table.columns, context.mapping).get("image", "")
        given: set[str] = set()
        for row in table.rows():
            context.progress.step()
            try:
                found = lean.pictures(row.cells.get(column) or "")
            except RecordError:
                continue
            fresh = [picture for picture in found if picture.sha256 not in given]
            given |= {picture.sha256 for picture in fresh}
            yield from fresh


class _Questions:
    """The questions of one file."""

    def __init__(
        self,
        file: InputFile,
        *,
        lean: TextWithoutImages,
        called: Mapping[str, str],
        tasks: TaskNames,
        context: ImportContext,
    ) -> None:
        self._stem = file.stem
        self._lean = lean
        self._called = called
        self._tasks = tasks
        self._dataset = context.dataset or file.stem
        self._names = ItemNames()
        self._keys = ImportKeys(format_id=VlmEvalKit.id, dataset=self._dataset)
        self._media_of: dict[str, tuple[ImportedMedium, ...]] = {}

    def found(self, row: TableRow) -> ImportedRecord:
        """Return one row as an item.

        Raises:
            RecordError: It is none.
        """
        if row.fault:
            raise row.error()
        pictures = self._lean.pictures(row.cells.get(self._column("image")) or "")
        cells, notes = self._without_pictures(row.cells, pictures)
        fields = RecordFields(cells)
        fields.corrections += [*row.notes, *notes]
        name, flags = self._name(fields, row)
        category = fields.text(self._column("category")) or ""
        task = self._tasks.find(category, fields=fields)
        if task is None and self._tasks.task_set is not None:
            flags += task_flags(task, text=category, task_set=self._tasks.task_set)
        options = self._options(fields)
        flags += empty_options(options) if options else [options_missing()]
        key = read_letter(fields.text(self._column("answer")), options=options, fields=fields)
        media = self._media(fields, pictures)
        original = msgspec.json.encode(cells) if pictures else row.original
        item = Item(
            name=name,
            task_set=self._tasks.task_set_id,
            task=task.id if task else "",
            question=fields.required_text(self._column("question")),
            options=options,
            answer_format="option_letter",
            answer_key=key.text,
            provenance=Provenance(made_by="import", maker=VlmEvalKit.id, locator=row.locator),
            original=msgspec.Raw(original),
            corrections=tuple(fields.corrections),
            extras=self._extras(fields, category if task is None else ""),
            import_key=self._keys.key_of(original),
        )
        return ImportedRecord(
            record=item,
            line=row.line,
            dataset=self._dataset,
            media=media,
            scene=scene_of_first(media, view=VIEW),
            flags=(*flags, *missing_media(media), *key.flags),
        )

    def _column(self, field: str) -> str:
        # A column that the file does not have is one that no row has.
        return self._called.get(field, field)

    def _cell(self, fields: RecordFields, field: str) -> str:
        return (fields.text(self._column(field)) or "").strip()

    def _name(self, fields: RecordFields, row: TableRow) -> tuple[str, list[ImportedFlag]]:
        """Return the public id: an index is unique only within its file."""
        index = self._cell(fields, "index")
        made_up = f"{self._stem} {row.locator}"
        # Releases have the public id beside the number.
        if own := (fields.text(ID_COLUMN) or "").strip():
            return self._names.name_of(own, made_up=made_up, locator=row.locator, fields=fields)
        text = f"{self._stem}_{index}" if index else None
        if text:
            fields.note("name", original=index, value=text, reason="an index is unique only within its file")
        return self._names.name_of(text, made_up=made_up, locator=row.locator, fields=fields)

    def _options(self, fields: RecordFields) -> tuple[Option, ...]:
        texts = [(letter, fields.text(letter) if fields.has(letter) else None) for letter in LETTERS]
        return without_unused(tuple(Option(letter=letter, text=text or "") for letter, text in texts))

    def _without_pictures(
        self, cells: Cells, pictures: list[EmbeddedImage]
    ) -> tuple[dict[str, Any], list[FieldCorrection]]:
        """Return the cells with each picture's digest and size in its place."""
        if not pictures:
            return dict(cells), []
        digests = [f"sha256:{picture.sha256} ({len(picture.data)} bytes)" for picture in pictures]
        text = "; ".join(digests)
        column = self._column("image")
        note = FieldCorrection(
            field=column, original="Base64", value=text, reason="an image is stored under its digest"
        )
        return {**cells, column: text}, [note]

    def _media(self, fields: RecordFields, pictures: list[EmbeddedImage]) -> tuple[ImportedMedium, ...]:
        """Return the images of a row: by path, otherwise embedded ones, otherwise those of another row."""
        column = self._path_column(fields)
        kind: MediaType = "video" if column.startswith("video") else "image"
        paths = strings_in(fields.text(self._column(column)) or "") if column else []
        names = paths or [picture.name for picture in pictures]
        media = tuple(medium_of(name, field=column or "image", kind=kind, fields=fields) for name in names)
        cell = self._cell(fields, "image")
        # A short text in the picture's cell is the index of the row whose picture is meant.
        if not media and 0 < len(cell) < SHORTEST_CHARACTERS:
            media = self._media_of.get(cell, ())
        self._media_of[self._cell(fields, "index")] = media
        return media

    def _path_column(self, fields: RecordFields) -> str:
        names = ("image_path", "video_path", "video")
        return next((name for name in names if self._column(name) in fields.members), "")

    def _extras(self, fields: RecordFields, category: str) -> dict[str, Any]:
        # Read, so that the rest lacks it: an item has a field for its task set.
        image, _ = fields.get(self._column("image")), fields.get(TASK_SET_COLUMN)
        more = {"image": image} if isinstance(image, str) and image else {}
        return {**fields.rest(), **more, **({"category": category} if category else {})}


def _task_set_of(
    rows: Sequence[TableRow], *, called: Mapping[str, str], context: ImportContext
) -> TaskSet | None:
    """Return the task set that the first row states, otherwise the one that contains most categories."""
    stated = str(rows[0].cells.get(TASK_SET_COLUMN) or "") if rows else ""
    if stated in context.task_sets.ids:
        return context.task_sets.get(stated)
    names = [str(row.cells.get(called.get("category", ""), "")) for row in rows]
    return guess_task_set(names, among=context.task_sets, usual=USUAL_TASK_SET)


def _field_names(columns: tuple[str, ...], mapping: Mapping[str, str]) -> dict[str, str]:
    """Return the column of each field: the user's assignment, otherwise the column with its name."""
    known = {*FIELDS, "video", "video_path"}
    called = {field: column for field, column in mapping.items() if column in columns}
    for column in columns:
        if (field := column.casefold()) in known:
            called.setdefault(field, column)
    return called
