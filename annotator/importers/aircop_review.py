"""Reads AirCopBench's review sheet: questions with two columns for the reviewer's judgement.

Source: export_to_excel.py, which writes the columns and leaves the last two empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import msgspec

from annotator.domain import task_set_files
from annotator.domain.flag import Severity
from annotator.domain.item import Item, Option, Provenance
from annotator.domain.task_set import Task
from annotator.errors import UserError
from annotator.importers.aircop_images import AircopImages
from annotator.importers.aircop_questions import TASK_SET, gaps_of, view_in_type
from annotator.importers.answer_keys import parse_key
from annotator.importers.imported_record import ImportedFlag, ImportedRecord, ImportIssue, ImportKeys
from annotator.importers.importer import FileImporter, ImportContext
from annotator.importers.input_file import InputFile
from annotator.importers.item_parts import ItemNames, task_flags
from annotator.importers.record_fields import RecordError, RecordFields
from annotator.importers.table_roles import LONGEST_NAME
from annotator.importers.table_rows import Table, TableRow
from annotator.importers.tables import first_columns, open_tables

ID = "题目ID"
TYPE = "题目类型"
QUESTION = "题目信息"
PICTURES = "图片信息（UAV1/UAV2）"
OPTIONS = "题目选项（A/B/C/D）"
KEY = "正确答案"
IS_WRONG = "答案是否错误"
ERROR_TYPE = "错误类型"
FIELDS = (ID, TYPE, QUESTION, PICTURES, OPTIONS, KEY, IS_WRONG, ERROR_TYPE)

_NEEDED = (ID, QUESTION, OPTIONS, KEY)
_BRACKETS = re.compile(r"\s*[(（].*", re.DOTALL)
_PICTURE = re.compile(r"\s*(UAV[ _-]?[0-9]+)\s*[:：][ \t]*(.*)", re.IGNORECASE)
_OPTION = re.compile(r"\s*([A-I])\s*[:：.．、][ \t]*(.*)")
# What people write below "is the answer wrong?". A tick or a bare "对" can mean either, so neither is here.
_WRONG = frozenset({"是", "是的", "错", "错误", "答案错误", "有误", "有错", "yes", "y", "true", "1", "wrong"})
_RIGHT = frozenset(
    {
        "否",
        "不是",
        "正确",
        "答案正确",
        "无误",
        "没错",
        "没有错误",
        "no",
        "n",
        "false",
        "0",
        "right",
        "correct",
    }
)


class AircopReview(FileImporter):
    """Takes the questions of a review sheet in as items, and what the reviewer found wrong as flags."""

    id = "aircop-review"
    title = "AirCopBench review sheet (Excel, CSV)"
    files = "AirCopBench's Chinese review sheet, Excel or CSV"
    gives = "items, or flags on existing items"
    fields = FIELDS

    def recognizes(self, file: InputFile) -> bool:
        """Look for the columns of the sheet."""
        return any(not _missing(_columns_of(columns)) for columns in first_columns(file))

    def read(self, file: InputFile, *, context: ImportContext) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield the items in the order of the rows."""
        tables = open_tables(file)
        columns = [_columns_of(table.columns, context.mapping) for table in tables]
        sheets = [(table, names) for table, names in zip(tables, columns, strict=True) if not _missing(names)]
        if not sheets:
            hint = (
                f"A review sheet requires the columns {', '.join(_NEEDED)}. Map them to the file's columns."
            )
            raise UserError(f"{file.name} is not a review sheet.", hint=hint)
        context.progress.begin(f"Importing {file.name}")
        rows = _Rows(dataset=context.dataset)
        for table, names in sheets:
            yield from rows.read(table, columns=names, context=context)


class _Rows:
    """The rows of one file."""

    def __init__(self, *, dataset: str) -> None:
        self._dataset = dataset
        self._task_set = task_set_files.builtin(TASK_SET)
        self._names = ItemNames()
        self._keys = ImportKeys(format_id=AircopReview.id, dataset=dataset)
        self._pictures = AircopImages(field=PICTURES)
        self._tasks: dict[str, Task | None] = {}

    def read(
        self, table: Table, *, columns: Mapping[str, str], context: ImportContext
    ) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield the items of one sheet."""
        table.needed = [columns[QUESTION]]
        for row in table.rows():
            context.progress.step()
            try:
                yield self._found(row, columns=columns)
            except RecordError as fault:
                yield fault.issue(line=row.line, locator=row.locator)

    def _found(self, row: TableRow, *, columns: Mapping[str, str]) -> ImportedRecord:
        if row.fault:
            raise row.error()
        fields = RecordFields(row.cells, mapping=columns)
        fields.corrections += row.notes
        kind = fields.text_or_number(TYPE) or ""
        name, flags = self._names.name_of(
            fields.text_or_number(ID), made_up=row.locator, locator=row.locator, fields=fields
        )
        if kind not in self._tasks:
            self._tasks[kind] = self._task_set.find(kind)
        task = self._tasks[kind] or self._task_set.find_by_item_name(name)
        flags += task_flags(task, text=kind, task_set=self._task_set)
        shown = self._pictures.shown(_pictures(fields), fields=fields)
        options = _options(fields)
        key = parse_key(
            fields.text_or_number(KEY), answer_format="option_letter", options=options, fields=fields
        )
        question, review = fields.required_text(QUESTION), _review_result(fields)
        item = Item(
            name=name,
            task_set=TASK_SET,
            task=task.id if task else "",
            question=question,
            options=options,
            answer_key=key.text,
            view=view_in_type(kind),
            provenance=Provenance(made_by="import", maker=AircopReview.id, locator=row.locator),
            original=msgspec.Raw(row.original),
            corrections=tuple(fields.corrections),
            extras={**fields.rest(), **review.extras, **({} if task else {"question_type": kind})},
            import_key=self._keys.key_of(row.original),
        )
        return ImportedRecord(
            record=item,
            line=row.line,
            dataset=self._dataset or shown.dataset,
            media=shown.media,
            scene=shown.scene,
            flags=(*flags, *gaps_of(options, shown.media), *key.flags, *review.flags),
            is_remark=True,
        )


def _columns_of(names: tuple[str, ...], mapping: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return how a sheet calls each column; brackets behind a name, and their width, do not matter."""
    # The header was translated and re-typed: brackets differ in width from sheet to sheet.
    plain: dict[str, str] = {}
    for name in names:
        if len(name) <= LONGEST_NAME:
            plain.setdefault(_BRACKETS.sub("", name).strip().casefold(), name)
    found = {field: plain.get(_BRACKETS.sub("", field).casefold(), field) for field in FIELDS}
    return {**{field: name for field, name in found.items() if name in names}, **(mapping or {})}


def _missing(columns: Mapping[str, str]) -> list[str]:
    return [name for name in _NEEDED if name not in columns]


def _pictures(fields: RecordFields) -> dict[str, str]:
    """Return the paths of a cell of lines ``UAV1: path``; views without a path are left out."""
    lines = (fields.text(PICTURES) or "").splitlines()
    found = (match for line in lines if (match := _PICTURE.fullmatch(line)))
    return {match[1]: path for match in found if (path := match[2].rstrip())}


def _options(fields: RecordFields) -> tuple[Option, ...]:
    """Return the options of a cell of lines ``A: text``; a line without a letter goes on with the last."""
    options: list[Option] = []
    for line in (fields.text_or_number(OPTIONS) or "").split("\n"):
        if found := _OPTION.fullmatch(line):
            options.append(Option(letter=found[1], text=found[2].rstrip()))
        elif options and line.strip():
            last = options.pop()
            options.append(Option(letter=last.letter, text=f"{last.text}\n{line.strip()}"))
    return tuple(options)


@dataclass(frozen=True, slots=True)
class _ReviewResult:
    """What the reviewer wrote.

    Attributes:
        is_wrong: The answer to "is the answer wrong?", as it came.
        error_type: The kind of error, as it came.
    """

    is_wrong: str
    error_type: str

    @property
    def extras(self) -> dict[str, dict[str, str]]:
        """The judgement as an item keeps it, nothing where the columns are empty."""
        values = {"is_wrong": self.is_wrong, "error_type": self.error_type}
        filled = {name: text for name, text in values.items() if text}
        return {"review": filled} if filled else {}

    @property
    def flags(self) -> tuple[ImportedFlag, ...]:
        """The flag of a wrong answer, or of words that leave open what was meant."""
        # People add a full stop or an exclamation mark.
        plain = self.is_wrong.casefold().strip(" .。!！")
        if plain in _WRONG:
            message = f"A reviewer marked the answer as wrong: {self.error_type or 'no error type is given'}."
            return (self._flag("answer_found_wrong", message, severity="error"),)
        if self.is_wrong and plain not in _RIGHT:
            message = f"The reviewer's value '{self.is_wrong}' does not state whether the answer is wrong."
            return (self._flag("review_unclear", message),)
        if self.error_type:
            message = f"The error type is '{self.error_type}', but the answer is not marked as wrong."
            return (self._flag("review_unclear", message),)
        return ()

    def _flag(self, kind: str, message: str, *, severity: Severity = "warning") -> ImportedFlag:
        return ImportedFlag(
            kind=kind, message=message, field="answer_key", severity=severity, evidence=self.extras["review"]
        )


def _review_result(fields: RecordFields) -> _ReviewResult:
    return _ReviewResult(is_wrong=_review_text(fields, IS_WRONG), error_type=_review_text(fields, ERROR_TYPE))


def _review_text(fields: RecordFields, name: str) -> str:
    value = fields.get(name)
    # A spreadsheet program may offer a box to tick.
    text = str(value) if isinstance(value, bool) else fields.text_or_number(name)
    return (text or "").strip()
