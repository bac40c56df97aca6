"""Reads UrbanVideo-Bench's tables: MCQ files, result files and the drafts of its scripts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import msgspec

from annotator.domain import task_set_files
from annotator.domain.item import Item, Provenance
from annotator.domain.task_set import Task
from annotator.errors import UserError
from annotator.importers.imported_record import ImportedRecord, ImportedScene, ImportIssue, ImportKeys
from annotator.importers.importer import FileImporter, ImportContext
from annotator.importers.input_file import InputFile
from annotator.importers.item_parts import ItemNames, medium_of, task_flags
from annotator.importers.option_parts import read_letter
from annotator.importers.record_fields import RecordError, RecordFields
from annotator.importers.table_rows import Cells, Table, TableRow
from annotator.importers.tables import first_columns, open_tables
from annotator.importers.urbanvideo_questions import SplitQuestion, split_question

TASK_SET = "urbanvideo"
DATASET = "UrbanVideo-Bench"
VIEW = "UAV1"
FIELDS = ("Question_id", "video_id", "question_category", "question", "answer")

# Published column, and its name in the drafts of the Basic and the Goal and Route scripts.
_COLUMNS = {
    "question_id": "Question_id",
    "video_id": "video_id",
    "video_name": "video_id",
    "question_category": "question_category",
    "question": "question",
    "answer": "answer",
    "extracted_answer": "answer",
}
_NEEDED = FIELDS[1:]
_NOT_FOUND = "not found"


class UrbanVideo(FileImporter):
    """Takes UrbanVideo-Bench's questions in as items, one scene per video."""

    id = "urbanvideo"
    title = "UrbanVideo-Bench questions (CSV, Parquet, Excel)"
    files = "UrbanVideo-Bench: MCQ tables, result tables, the scripts' drafts; CSV, Parquet, Excel, JSON"
    gives = "items"
    fields = FIELDS

    def recognizes(self, file: InputFile) -> bool:
        """Look for the columns of a question."""
        return any(not _missing(_columns_of(columns)) for columns in first_columns(file))

    def read(self, file: InputFile, *, context: ImportContext) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield the items in the file's order."""
        tables = open_tables(file)
        roles = [_columns_of(table.columns, context.mapping) for table in tables]
        if all(_missing(columns) for columns in roles):
            names = _missing(min(roles, key=lambda columns: len(_missing(columns)), default={}))
            raise UserError(
                f"{file.name} has no column {', '.join(names)}.", hint="Map it to a column of the file."
            )
        total = sum(table.total or 0 for table in tables)
        context.progress.begin(f"Importing {file.name}", total=total or None)
        rows = _Rows(dataset=context.dataset or DATASET)
        for table, columns in zip(tables, roles, strict=True):
            if names := _missing(columns):
                message = f"The sheet is skipped: it has no column {', '.join(names)}."
                yield ImportIssue(line=1, locator=f"sheet {table.name}", field=names[0], message=message)
            else:
                yield from rows.read(table, columns=columns, context=context)


class _Rows:
    """The rows of one file."""

    def __init__(self, *, dataset: str) -> None:
        self._dataset = dataset
        self._columns: dict[str, str] = {}
        self._task_set = task_set_files.builtin(TASK_SET)
        self._names = ItemNames()
        self._keys = ImportKeys(format_id=UrbanVideo.id, dataset=dataset)
        self._scenes: dict[str, ImportedScene] = {}
        self._tasks: dict[str, Task | None] = {}

    def read(
        self, table: Table, *, columns: dict[str, str], context: ImportContext
    ) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield the items of a table."""
        self._columns = columns
        table.needed = [columns[name] for name in _NEEDED]
        table.begins_row = partial(_begins_row, columns=columns)
        for row in table.rows():
            context.progress.step()
            try:
                yield self._found(row)
            except RecordError as fault:
                yield fault.issue(line=row.line, locator=row.locator)

    def _found(self, row: TableRow) -> ImportedRecord:
        if row.fault:
            raise row.error()
        fields = RecordFields(row.cells)
        fields.corrections += row.notes
        columns = self._columns
        scene = self._scene(fields)
        name, flags = self._names.name_of(
            self._id(fields), made_up=f"{scene.name} {row.locator}", locator=row.locator, fields=fields
        )
        category = fields.text(columns["question_category"]) or ""
        task = self._task(category, fields=fields)
        if task is None:
            flags += task_flags(task, text=category, task_set=self._task_set)
        asked = _question(fields.required_text(columns["question"]), fields=fields)
        answer = _answer(fields.text(columns["answer"]))
        key = read_letter(answer, options=asked.options, fields=fields)
        extras = fields.rest()
        item = Item(
            name=name,
            task_set=TASK_SET,
            task=task.id if task else "",
            question=asked.stem,
            options=asked.options,
            answer_format="option_letter",
            answer_key=key.text,
            provenance=Provenance(made_by="import", maker=UrbanVideo.id, locator=row.locator),
            original=msgspec.Raw(row.original),
            corrections=tuple(fields.corrections),
            extras=extras if task else {**extras, "question_category": category},
            import_key=self._keys.key_of(row.original),
        )
        return ImportedRecord(
            record=item,
            line=row.line,
            dataset=self._dataset,
            media=scene.views,
            scene=scene,
            flags=(*flags, *asked.flags, *key.flags),
        )

    def _id(self, fields: RecordFields) -> str | None:
        # The scripts' drafts have no column of ids.
        if "Question_id" not in self._columns:
            return None
        name = self._columns["Question_id"]
        value = fields.get(name)
        # Typed tables hold them as numbers, as published.
        return str(value) if type(value) is int else fields.text(name)

    def _task(self, category: str, *, fields: RecordFields) -> Task | None:
        if category not in self._tasks:
            self._tasks[category] = self._task_set.find(category)
        task = self._tasks[category]
        if task is not None and category != task.title.en:
            fields.note("task", original=category, value=task.id, reason="another name of the task")
        return task

    def _scene(self, fields: RecordFields) -> ImportedScene:
        """Return the scene of a row's video, the same object for all rows of it."""
        column = self._columns["video_id"]
        video = fields.required_text(column).strip()
        scene = self._scenes.get(video)
        if scene is None:
            medium = medium_of(video, field=column, view=VIEW, kind="video", fields=fields)
            scene = ImportedScene(name=medium.stem, views=(medium,))
            # A refused path is noted on each record that has it.
            if medium.path:
                self._scenes[video] = scene
        return scene


def _question(text: str, *, fields: RecordFields) -> SplitQuestion:
    asked = split_question(text)
    if not asked.is_clean and asked.as_published().rstrip("\n") != text.rstrip("\n"):
        reason = "separator word, spaces and line ends normalized"
        fields.note("question", original=text, value=asked.stem, reason=reason)
    return asked


def _answer(text: str | None) -> str | None:
    # The scripts write this where they found no letter in a draft.
    return None if text is None or text.strip().casefold() == _NOT_FOUND else text


def _columns_of(header: Sequence[str], mapping: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the column of each field; what a person said counts, else the first that is called so."""
    columns = {name: column for name, column in (mapping or {}).items() if column in header}
    for column in header:
        if field := _COLUMNS.get(column.casefold()):
            columns.setdefault(field, column)
    return columns


def _missing(columns: Mapping[str, str]) -> list[str]:
    return [name for name in _NEEDED if name not in columns]


def _begins_row(cells: Cells, *, columns: Mapping[str, str]) -> bool:
    """Tell whether a line can begin a row: it reaches the question and has an id or a known task."""
    # A question's cell goes on below, so that its line ends before the answer.
    if columns["question"] not in cells or not cells.get(columns["video_id"], "").strip():
        return False
    if cells.get(columns.get("Question_id", ""), "").strip().isdecimal():
        return True
    return task_set_files.builtin(TASK_SET).find(cells.get(columns["question_category"], "")) is not None
