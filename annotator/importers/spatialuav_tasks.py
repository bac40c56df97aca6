"""Reads SpatialUAV's older files, one per task: a query picture and lettered candidates, all named by stem.

Source: gen_coor_rec_data.py, which writes annotations_A2G_Collaboration_Recognition.json.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from annotator.domain import task_set_files
from annotator.domain.item import LETTERS, Item, Option, Provenance
from annotator.domain.task_set import Task
from annotator.importers.answer_keys import options_missing, parse_key
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
from annotator.importers.item_parts import medium_of, task_flags
from annotator.importers.json_records import read_records
from annotator.importers.json_text import JsonElement, JsonText
from annotator.importers.record_fields import RecordFields
from annotator.importers.spatialuav import DATASET, TASK_SET, view_in_name

_OPTIONS = tuple((letter, f"Option {letter}") for letter in LETTERS)
_MARKS = (re.compile(r'"Image"\s*:'), re.compile(r'"Option A"\s*:'), re.compile(r'"User"\s*:'))
# The prompts say which side the query picture is from: "The given image is a ground-view image."
_GROUND_QUERY = re.compile(r"given image is an? ground", re.IGNORECASE)
_AERIAL_QUERY = re.compile(r"given image is an? aerial", re.IGNORECASE)


class SpatialUavTasks(FileImporter):
    """Takes the questions of one task in as items whose options are pictures."""

    id = "spatialuav-tasks"
    title = "SpatialUAV's older files per task (JSON)"
    files = "SpatialUAV's older files, one per task, JSON"
    gives = "items"
    fields = ("Image", "Option A", "Option B", "Option C", "Option D", "Task", "User", "Answer")

    def recognizes(self, file: InputFile) -> bool:
        """Search for a record with an image, options and a prompt."""
        return all(mark.search(file.head) for mark in _MARKS)

    def read(self, file: InputFile, *, context: ImportContext) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield the items in the file's order."""
        json, rows = JsonText(file.text), _Rows(file, context=context)
        context.progress.begin(f"Importing {file.name}", total=json.text.count('"Image"'))
        yield from read_records(json, elements=json.top_elements(), take=rows.found, context=context)


class _Rows:
    """The records of one file."""

    def __init__(self, file: InputFile, *, context: ImportContext) -> None:
        self._stem = file.stem
        self._dataset = context.dataset or DATASET
        self._mapping = context.mapping
        self._task_set = task_set_files.builtin(TASK_SET)
        self._media: dict[str, ImportedMedium] = {}
        self._tasks: dict[str, Task | None] = {}
        self._keys = ImportKeys(format_id=SpatialUavTasks.id, dataset=self._dataset)

    def found(self, element: JsonElement, line: int, locator: str) -> ImportedRecord:
        """Return one record as an item.

        Raises:
            RecordError: It is none.
        """
        fields = RecordFields(element.value, mapping=self._mapping)
        kind = (fields.text("Task") or "").strip()
        if kind not in self._tasks:
            self._tasks[kind] = self._task_set.find(kind) or self._task_set.find_by_item_name(kind)
        task = self._tasks[kind]
        question = fields.required_text("User")
        query = self._picture(fields.required_text("Image"), field="Image", fields=fields)
        candidates = self._candidates(fields)
        options = tuple([Option(letter=letter, text=medium.name) for letter, medium in candidates.items()])
        key = parse_key(
            fields.text_or_number("Answer"), answer_format="option_letter", options=options, fields=fields
        )
        name = self._name_of(task, locator=locator)
        fields.note("name", original=None, value=name, reason="files of this format have no ids")
        item = Item(
            name=name,
            task_set=TASK_SET,
            task=task.id if task else "",
            question=question,
            options=options,
            answer_key=key.text,
            provenance=Provenance(made_by="import", maker=SpatialUavTasks.id, locator=locator),
            original=msgspec.Raw(element.original),
            corrections=tuple(fields.corrections),
            extras={**fields.rest(), **({} if task or not kind else {"Task": kind})},
            import_key=self._keys.key_of(element.original),
        )
        view = msgspec.structs.replace(query, view=_view_of(query, question, task=task))
        flags = task_flags(task, text=kind, task_set=self._task_set)
        return ImportedRecord(
            record=item,
            line=line,
            dataset=self._dataset,
            media=(query, *candidates.values()),
            scene=ImportedScene(name=query.name, views=(view,)),
            flags=(*flags, *_option_flags(options), *key.flags),
        )

    def _name_of(self, task: Task | None, *, locator: str) -> str:
        """Return the id that the newer file would have: the task and five digits.

        A file that is not named after its task alone keeps its name before them, since a team has several of
        them for one task.
        """
        if task is None:
            return f"{self._stem} {locator}"
        part, number = task.id_parts[0], int(locator.rpartition(" ")[2])
        stem = self._stem.removeprefix("annotations_").strip()
        name = f"{part}_{number:05}" if stem in part else f"{stem}_{part}_{number:05}"
        # The stem may contain the name of another task.
        is_matching = self._task_set.find_by_item_name(name) is task
        return name if is_matching else f"{part}_{number:05}"

    def _candidates(self, fields: RecordFields) -> dict[str, ImportedMedium]:
        """Return the pictures that are options, by letter; empty ones are none."""
        candidates = {}
        for letter, name in _OPTIONS:
            if fields.has(name):
                text = fields.text(name)
                if text and text.strip():
                    candidates[letter] = self._picture(text, field=name, fields=fields)
        return candidates

    def _picture(self, text: str, *, field: str, fields: RecordFields) -> ImportedMedium:
        """Return a picture as the file names it: without its ending."""
        known = self._media.get(text)
        if known is None:
            known = medium_of(text.strip(), field=field, fields=fields)
            # Each picture is a candidate several times over; a refused path needs its note every time.
            if known.path:
                self._media[text] = known
        return known


def _option_flags(options: tuple[Option, ...]) -> list[ImportedFlag]:
    letters = "".join(option.letter for option in options)
    if not options:
        return [options_missing()]
    if letters == LETTERS[: len(letters)]:
        return []
    message = f"The options have the letters {', '.join(letters)}."
    return [ImportedFlag(kind="option_letters_odd", field="options", message=message)]


def _view_of(query: ImportedMedium, question: str, *, task: Task | None) -> str:
    """Return the side that the query picture is from, by its name, else by the prompt."""
    if named := view_in_name(query.name):
        return named
    if _GROUND_QUERY.search(question):
        return "ground"
    is_pair = task is not None and task.group == "aerial_ground"
    return "aerial" if is_pair or _AERIAL_QUERY.search(question) else "UAV1"
