"""Reads the flat records in which releases hold items for training and evaluation, as JSON or JSON lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, get_args

import msgspec

from annotator.domain import answers
from annotator.domain.item import Item, Provenance
from annotator.domain.medium import MediaType
from annotator.importers.answer_keys import parse_key
from annotator.importers.imported_record import (
    ImportedMedium,
    ImportedRecord,
    ImportedScene,
    ImportIssue,
    ImportKeys,
)
from annotator.importers.importer import FileImporter, ImportContext
from annotator.importers.input_file import InputFile
from annotator.importers.item_parts import ItemNames, medium_of, task_flags
from annotator.importers.json_records import read_records
from annotator.importers.json_text import JsonElement, JsonText
from annotator.importers.option_parts import empty_options, options_in
from annotator.importers.record_fields import RecordError, RecordFields, wrong_type
from annotator.importers.shown_media import missing_media
from annotator.importers.task_detection import OWN

_MARKS = tuple(re.compile(rf'"{name}"\s*:') for name in ("task_set", "answer_format", "media_type"))
_MEDIA_TYPES = frozenset(get_args(MediaType))


class QuestionRecords(FileImporter):
    """Takes the records of ShareGPT and Hugging Face releases in as items."""

    id = "question-records"
    title = "Vantage questions (JSON, JSON lines)"
    files = "the records in releases for LLaMA-Factory (`sft.json`) and Hugging Face (`data/*.jsonl`)"
    gives = "items"
    fields = ("id", "task_set", "task", "question", "options", "answer_format", "answer", "images", "videos")

    def recognizes(self, file: InputFile) -> bool:
        """Look for what only these records have."""
        return all(mark.search(file.head) for mark in _MARKS)

    def read(self, file: InputFile, *, context: ImportContext) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield the items in the file's order."""
        json, questions = JsonText(file.text), _Questions(file, context=context)
        context.progress.begin(f"Importing {file.name}", total=len(_MARKS[0].findall(json.text)))
        yield from read_records(json, elements=json.top_elements(), take=questions.found, context=context)


class _Questions:
    """The records of one file."""

    def __init__(self, file: InputFile, *, context: ImportContext) -> None:
        self._stem, self._context = file.stem, context
        self._names = ItemNames()
        self._keys = ImportKeys(format_id=QuestionRecords.id, dataset=context.dataset)

    def found(self, element: JsonElement, line: int, locator: str) -> ImportedRecord:
        """Return one record as an item.

        Raises:
            RecordError: It is none.
        """
        fields = RecordFields(element.value, mapping=self._context.mapping)
        made_up = f"{self._stem} {locator}"
        name, flags = self._names.name_of(fields.text("id"), made_up=made_up, locator=locator, fields=fields)
        set_id, task_id = fields.text("task_set") or OWN, fields.text("task") or ""
        task_set = self._context.task_sets.find(set_id)
        if task_set is not None and task_id:
            flags += task_flags(task_set.find(task_id), text=task_id, task_set=task_set)
        answer_format = _answer_format(fields)
        options = options_in(fields.get("options"), field="options", fields=fields)
        flags += empty_options(options)
        key = parse_key(fields.text("answer"), answer_format=answer_format, options=options, fields=fields)
        media = _media(fields)
        # Before the extras, which are what nobody has read.
        scene = _scene(fields, media)
        item = Item(
            name=name,
            task_set=set_id,
            task=task_id,
            question=fields.required_text("question"),
            options=options,
            answer_format=answer_format,
            answer_key=key.text,
            view=fields.text("view") or "",
            provenance=Provenance(made_by="import", maker=QuestionRecords.id, locator=locator),
            original=msgspec.Raw(element.original),
            corrections=tuple(fields.corrections),
            extras=_extras(fields),
            import_key=self._keys.key_of(element.original),
        )
        return ImportedRecord(
            record=item,
            line=line,
            dataset=self._context.dataset or fields.text("dataset") or "",
            media=media,
            scene=scene,
            flags=(*flags, *missing_media(media), *key.flags),
        )


def _answer_format(fields: RecordFields) -> str:
    answer_format = fields.text("answer_format") or "option_letter"
    if not answers.is_known(answer_format):
        raise RecordError("answer_format", f"The answer format {answer_format} is unknown.")
    return answer_format


def _scene(fields: RecordFields, media: tuple[ImportedMedium, ...]) -> ImportedScene | None:
    name = fields.text("scene")
    return ImportedScene(name=name, views=tuple(one for one in media if one.view)) if name else None


def _media(fields: RecordFields) -> tuple[ImportedMedium, ...]:
    images, videos, views = (_texts(fields, name) for name in ("images", "videos", "views"))
    kind = fields.text("media_type") or ("video" if videos else "image")
    if kind not in _MEDIA_TYPES:
        raise RecordError("media_type", f"The media type {kind[:40]} is unknown.")
    column, paths = ("videos", videos) if videos else ("images", images)
    views += [""] * (len(paths) - len(views))
    return tuple(
        medium_of(path, field=column, view=view, kind=kind, fields=fields)  # type: ignore[arg-type]  # one of them
        for path, view in zip(paths, views, strict=False)
    )


def _texts(fields: RecordFields, name: str) -> list[str]:
    texts = list(fields.listing(name) or [])
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise wrong_type(f"{name}[{number}]", text, expected="text")
    return texts


def _extras(fields: RecordFields) -> dict[str, Any]:
    """Return the fields of the source; conversation and prompt repeat what the record says itself."""
    text = fields.text("extras")
    for name in ("messages", "prompt", "dataset"):
        fields.get(name)
    try:
        extras = msgspec.json.decode(text, type=dict[str, Any]) if text else {}
    except (msgspec.DecodeError, RecursionError) as error:
        raise RecordError("extras", "It is not an object in JSON.") from error
    return {**fields.rest(), **extras}
