"""Reads a team's own table of questions: its columns play roles, guessed or said by a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, islice
from typing import Any

import msgspec

from annotator.domain import answers
from annotator.domain.item import LETTERS, Item, Option, Provenance
from annotator.domain.medium import MediaType
from annotator.domain.task_set import Task
from annotator.errors import UserError
from annotator.importers.answer_keys import parse_key
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
from annotator.importers.item_parts import ItemNames, medium_of, task_flags
from annotator.importers.listed_texts import ViewPath, paths_in
from annotator.importers.option_parts import (
    empty_options,
    options_in,
    read_letter,
    split_options,
    without_unused,
)
from annotator.importers.record_fields import RecordError, RecordFields, wrong_type
from annotator.importers.shown_media import missing_media, scene_of_first
from annotator.importers.table_roles import OPTION_ROLES, QUESTION_ROLES, ROLES, guess_roles
from annotator.importers.table_rows import Cells, Table, TableRow
from annotator.importers.tables import first_columns, open_tables
from annotator.importers.task_detection import TaskNames, guess_task_set
from annotator.importers.urbanvideo_questions import split_question

LOOKED_AT = 200
"""Rows whose tasks tell the task set."""
VIEW = "UAV1"
_VIDEOS = (".mp4", ".avi", ".mov", ".mkv", ".webm", ".m4v", ".ts")


class TableImporter(FileImporter):
    """Takes the rows of any table in as items; what plays no role stays beside the item.

    It is found for a file by itself only where no other importer takes it and its columns are a question,
    options and an answer: every table could be one.
    """

    id = "table"
    title = "Own table of questions (CSV, Excel, Parquet, JSON)"
    files = (
        "a team's own table of questions: CSV, TSV, Excel, Parquet, JSON; requires `--format`, unless it has "
        "columns for question, options A, B … and answer"
    )
    gives = "items"
    fields = ROLES
    is_chosen_by_user = True

    def recognizes(self, _file: InputFile) -> bool:
        """Return False: files of all other formats are tables, too."""
        return False

    def holds_questions(self, file: InputFile) -> bool:
        """Return whether a table has columns for a question, its options and its answer; never raises."""
        return self.roles(file, mapping={}).keys() >= QUESTION_ROLES

    def roles(self, file: InputFile, *, mapping: Mapping[str, str]) -> dict[str, str]:
        """Return the column that plays each role, of the first table that has a question; never raises."""
        found = [guess_roles(columns, mapping=mapping) for columns in first_columns(file)]
        return next((roles for roles in found if "question" in roles), {})

    def read(self, file: InputFile, *, context: ImportContext) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield the items in the file's order."""
        tables = open_tables(file)
        roles = [guess_roles(table.columns, mapping=context.mapping) for table in tables]
        if not any("question" in each for each in roles):
            columns = ", ".join(dict.fromkeys(name for table in tables for name in table.columns)) or "none"
            raise UserError(
                f"{file.name} has no recognized question column.",
                hint=f"Specify it as question=COLUMN. Columns: {columns[:500]}.",
            )
        total = sum(table.total or 0 for table in tables)
        context.progress.begin(f"Importing {file.name}", total=total or None)
        rows = _Rows(file, dataset=context.dataset or file.stem)
        for table, each in zip(tables, roles, strict=True):
            if "question" in each:
                yield from rows.read(table, roles=each, context=context)
            else:
                message = "The sheet is skipped: it has no recognized question column."
                yield ImportIssue(line=1, locator=f"sheet {table.name}", field="question", message=message)


class _Rows:
    """The rows of one file."""

    def __init__(self, file: InputFile, *, dataset: str) -> None:
        self._stem = file.stem
        self._dataset = dataset
        self._roles: dict[str, str] = {}
        self._tasks = TaskNames(None)
        self._names = ItemNames()
        self._keys = ImportKeys(format_id=TableImporter.id, dataset=dataset)

    def read(
        self, table: Table, *, roles: dict[str, str], context: ImportContext
    ) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield the items of a table."""
        self._roles = roles
        table.needed = [roles["question"]]
        table.begins_row = self._begins_row
        rows = table.rows()
        # Looked at beforehand: which benchmark the tasks are of decides how each row is read.
        first = list(islice(rows, LOOKED_AT))
        column = roles.get("task", "")
        names = (str(row.cells.get(column) or "") for row in first)
        self._tasks = TaskNames(guess_task_set(names, among=context.task_sets))
        for row in chain(first, rows):
            context.progress.step()
            try:
                yield self._found(row)
            except RecordError as fault:
                yield fault.issue(line=row.line, locator=row.locator)

    def _begins_row(self, cells: Cells) -> bool:
        """Tell whether a line can begin a row: it reaches the question, and its id is one word."""
        # Without a column of ids every line that reaches the question may begin a row.
        name = str(cells.get(self._roles.get("name", ""), "0"))
        return bool(cells.get(self._roles["question"])) and name.strip() != "" and " " not in name.strip()

    def _found(self, row: TableRow) -> ImportedRecord:
        if row.fault:
            raise row.error()
        fields = RecordFields(row.cells, mapping=self._roles)
        fields.corrections += row.notes
        made_up = f"{self._stem} {row.locator}"
        name, flags = self._names.name_of(
            _text(fields, "name"), made_up=made_up, locator=row.locator, fields=fields
        )
        label = _text(fields, "task") or ""
        task = self._tasks.find(label, fields=fields)
        if task is None and label and self._tasks.task_set is not None:
            flags += task_flags(task, text=label, task_set=self._tasks.task_set)
        question, options = self._question(fields)
        flags += empty_options(options)
        answer = _answer(fields)
        answer_format = _answer_format(task, options, answer)
        if answer_format == "option_letter":
            key = read_letter(answer, options=options, fields=fields)
        else:
            key = parse_key(answer, answer_format=answer_format, options=options, fields=fields)
        view = (_text(fields, "view") or "").strip()
        media = self._media(fields, view=view)
        scene = self._scene(fields, media)
        item = Item(
            name=name,
            task_set=_text(fields, "task_set") or self._tasks.task_set_id,
            task=task.id if task else "",
            question=question,
            options=options,
            answer_format=answer_format,
            answer_key=key.text,
            view=view,
            provenance=Provenance(made_by="import", maker=TableImporter.id, locator=row.locator),
            original=msgspec.Raw(row.original),
            corrections=tuple(fields.corrections),
            extras=self._extras(fields, label="" if task else label),
            import_key=self._keys.key_of(row.original),
        )
        return ImportedRecord(
            record=item,
            line=row.line,
            dataset=self._dataset,
            media=media,
            scene=scene,
            flags=(*flags, *self._missing_media(media), *key.flags),
        )

    def _question(self, fields: RecordFields) -> tuple[str, tuple[Option, ...]]:
        """Return stem and options, which may stand in columns of their own, in one, or behind the stem."""
        text = fields.required_text("question")
        options = _lettered_columns(fields, self._roles) or _listed(fields)
        if options:
            return text.strip(), options
        asked = split_question(text)
        if not asked.options:
            return text.strip(), ()
        fields.note(
            "question", original=text, value=asked.stem, reason="the options followed the question text"
        )
        return asked.stem, asked.options

    def _media(self, fields: RecordFields, *, view: str) -> tuple[ImportedMedium, ...]:
        return tuple(
            medium_of(
                named.path,
                field=self._roles.get("media", "media"),
                view=named.view or view,
                kind=_kind(named.path),
                fields=fields,
            )
            for named in _paths(fields)
        )

    def _missing_media(self, media: tuple[ImportedMedium, ...]) -> list[ImportedFlag]:
        # Without such a column the questions are about text.
        return missing_media(media) if "media" in self._roles else []

    def _scene(self, fields: RecordFields, media: tuple[ImportedMedium, ...]) -> ImportedScene | None:
        """Return the scene: all media where each shows a view of its own, else the first."""
        name = (_text(fields, "scene") or "").strip()
        views = [medium.view for medium in media]
        # All views apart: then the row itself says that they are one moment.
        if len(media) > 1 and all(views) and len(set(views)) == len(views):
            shown = tuple(sorted(media, key=lambda medium: medium.view))
            return ImportedScene(name=name or media[0].stem, views=shown)
        return scene_of_first(media, view=views[0] if views and views[0] else VIEW, name=name)

    def _extras(self, fields: RecordFields, *, label: str) -> dict[str, Any]:
        explanation = fields.get("explanation")
        extras = {name: value for name, value in fields.rest().items() if value not in (None, "")}
        more = {"explanation": explanation} if explanation not in (None, "") else {}
        return {**extras, **more, **({self._roles["task"]: label} if label else {})}


def _text(fields: RecordFields, role: str) -> str | None:
    """Return a cell as text; typed tables hold whole numbers where others have digits."""
    value = fields.get(role)
    if value is None or type(value) is str:
        return value
    return str(value) if type(value) is int else fields.text_or_number(role)


def _lettered_columns(fields: RecordFields, roles: Mapping[str, str]) -> tuple[Option, ...]:
    pairs = zip(LETTERS, OPTION_ROLES, strict=True)
    return without_unused(
        tuple([Option(letter=one, text=_text(fields, role) or "") for one, role in pairs if role in roles])
    )


def _listed(fields: RecordFields) -> tuple[Option, ...]:
    value = fields.get("options")
    if isinstance(value, str):
        return split_options(value, fields=fields)
    return options_in(value, field="options", fields=fields)


def _answer(fields: RecordFields) -> str | None:
    value = fields.get("answer")
    if not isinstance(value, list):
        return _text(fields, "answer")
    if not all(isinstance(part, str) for part in value):
        raise wrong_type("answer", value, expected="text or a list of texts")
    fields.note("answer_key", original=value, value=", ".join(value), reason="a list of texts")
    return ", ".join(value)


def _answer_format(task: Task | None, options: tuple[Option, ...], key: str | None) -> str:
    """Return the format that an answer is written in, of those of its task; without one, by the options."""
    if task is not None and (not options or "option_letter" not in task.answer_format):
        return answers.format_of_key(task.answer_format, key=key or "")
    return "option_letter" if options else "free_text"


def _paths(fields: RecordFields) -> list[ViewPath]:
    value = fields.get("media")
    if isinstance(value, dict):
        return [ViewPath(str(path), view) for view, path in value.items() if isinstance(path, str)]
    if not isinstance(value, list):
        return paths_in(_text(fields, "media") or "")
    for number, path in enumerate(value):
        if not isinstance(path, str):
            raise wrong_type(f"media[{number}]", path, expected="a path")
    return [named for path in value for named in paths_in(path)]


def _kind(path: str) -> MediaType:
    return "video" if path.lower().endswith(_VIDEOS) else "image"
