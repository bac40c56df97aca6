"""Reads MM-UAVBench's task files: one JSON list of questions a task."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from annotator.domain import task_set_files
from annotator.domain.item import Item, Provenance
from annotator.domain.medium import MediaType
from annotator.domain.task_set import Task
from annotator.importers.answer_keys import options_missing
from annotator.importers.imported_record import ImportedMedium, ImportedRecord, ImportIssue, ImportKeys
from annotator.importers.importer import FileImporter, ImportContext
from annotator.importers.input_file import InputFile
from annotator.importers.item_parts import ItemNames, medium_of, task_flags
from annotator.importers.json_records import read_records
from annotator.importers.json_text import JsonElement, JsonText
from annotator.importers.option_parts import empty_options, options_in, read_letter, without_unused
from annotator.importers.record_fields import RecordFields, wrong_type
from annotator.importers.shown_media import missing_media, scene_of_first

TASK_SET = "mm_uavbench"
DATASET = "MM-UAVBench"
VIEW = "UAV1"

_MARKS = (re.compile(r'"question_meta"\s*:'), re.compile(r'"data_resources"\s*:'))
_VIDEO = re.compile(r"\.(?:mp4|avi|mov|mkv|webm|m4v|ts)$", re.IGNORECASE)


class MmUavBench(FileImporter):
    """Takes MM-UAVBench's questions in as items."""

    id = "mm-uavbench"
    title = "MM-UAVBench questions (JSON)"
    files = "MM-UAVBench `tasks/<Task>.json`"
    gives = "items"
    fields = ("question_id", "question", "options", "answer", "question_meta", "metadata")

    def recognizes(self, file: InputFile) -> bool:
        """Look for what only these questions have."""
        return all(mark.search(file.head) for mark in _MARKS)

    def read(self, file: InputFile, *, context: ImportContext) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield the items in the file's order."""
        json, questions = JsonText(file.text), _Questions(file, context=context)
        context.progress.begin(f"Importing {file.name}", total=json.text.count('"question_meta"'))
        yield from read_records(json, elements=json.top_elements(), take=questions.found, context=context)


class _Questions:
    """The questions of one file."""

    def __init__(self, file: InputFile, *, context: ImportContext) -> None:
        self._stem = file.stem
        self._context = context
        self._dataset = context.dataset or DATASET
        self._task_set = task_set_files.builtin(TASK_SET)
        self._task_of_file = self._task_set.find(file.stem)
        self._names = ItemNames()
        self._keys = ImportKeys(format_id=MmUavBench.id, dataset=self._dataset)
        self._tasks: dict[tuple[str, ...], Task | None] = {}
        self._media: dict[str, ImportedMedium] = {}

    def found(self, element: JsonElement, line: int, locator: str) -> ImportedRecord:
        """Return one question as an item.

        Raises:
            RecordError: It is none.
        """
        fields = RecordFields(element.value, mapping=self._context.mapping)
        category, subcategory = _categories(fields)
        task = self._task(subcategory, category)
        number = fields.get("question_id")
        # Each task file counts anew.
        text = f"{self._stem}_{number}" if type(number) is int else fields.text_or_number("question_id")
        if type(number) is int:
            fields.note("name", original=number, value=text, reason="a number is unique only within its file")
        name, flags = self._names.name_of(
            text, made_up=f"{self._stem} {locator}", locator=locator, fields=fields
        )
        flags += task_flags(task, text=subcategory or category or self._stem, task_set=self._task_set)
        media = self._shown(fields)
        options = without_unused(options_in(fields.get("options"), field="options", fields=fields))
        flags += empty_options(options) if options else [options_missing()]
        key = read_letter(fields.text_or_number("answer"), options=options, fields=fields)
        item = Item(
            name=name,
            task_set=TASK_SET,
            task=task.id if task else "",
            question=fields.required_text("question"),
            options=options,
            answer_format="option_letter",
            answer_key=key.text,
            provenance=Provenance(made_by="import", maker=MmUavBench.id, locator=locator),
            original=msgspec.Raw(element.original),
            corrections=tuple(fields.corrections),
            extras=_extras(fields),
            import_key=self._keys.key_of(element.original, context=self._stem),
        )
        return ImportedRecord(
            record=item,
            line=line,
            dataset=self._dataset,
            media=media,
            scene=scene_of_first(media, view=VIEW),
            flags=(*flags, *missing_media(media), *key.flags),
        )

    def _task(self, *names: str) -> Task | None:
        """Return the task of a question: its file is called so, or its category."""
        if names not in self._tasks:
            named = (self._task_set.find(name) for name in names if name)
            self._tasks[names] = self._task_of_file or next((task for task in named if task), None)
        return self._tasks[names]

    def _shown(self, fields: RecordFields) -> tuple[ImportedMedium, ...]:
        value = fields.get("metadata")
        resources = (
            RecordFields(value, where="metadata").listing("data_resources") if value is not None else None
        )
        media = []
        for number, resource in enumerate(resources or []):
            where = f"metadata.data_resources[{number}]"
            path = resource if isinstance(resource, str) else RecordFields(resource, where=where).text("path")
            if path is None or not path.strip():
                raise wrong_type(f"{where}.path", path, expected="a path")
            media.append(self._medium(path, field=where, fields=fields))
        return tuple(media)

    def _medium(self, path: str, *, field: str, fields: RecordFields) -> ImportedMedium:
        medium = self._media.get(path)
        if medium is None:
            kind: MediaType = "video" if _VIDEO.search(path) else "image"
            medium = medium_of(path, field=field, kind=kind, fields=fields)
            # A refused path is noted on each record that has it.
            if medium.path:
                self._media[path] = medium
        return medium


def _categories(fields: RecordFields) -> tuple[str, str]:
    value = fields.get("question_meta")
    if value is None:
        return "", ""
    meta = RecordFields(value, where="question_meta")
    return meta.text("category") or "", meta.text("subcategory") or ""


def _extras(fields: RecordFields) -> dict[str, object]:
    """Return what an item has no place for; the resources where they say more than a path."""
    extras = fields.rest()
    meta, metadata = fields.get("question_meta"), fields.get("metadata")
    if isinstance(meta, dict):
        extras["question_meta"] = meta
    if isinstance(metadata, dict):
        resources = metadata.get("data_resources") or []
        has_more = any(isinstance(resource, dict) and resource.keys() != {"path"} for resource in resources)
        kept = metadata if has_more else {k: v for k, v in metadata.items() if k != "data_resources"}
        extras |= {"metadata": kept} if kept else {}
    return extras
