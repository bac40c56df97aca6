"""Reads AirCopBench's question files: results of its generation scripts, and test files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import msgspec

from annotator.domain import task_set_files
from annotator.domain.item import LETTERS, Item, Option, Provenance
from annotator.domain.task_set import Task
from annotator.importers.aircop_groups import GroupedQuestion, QuestionGroup, iterate_questions
from annotator.importers.aircop_images import AircopImages, QuestionImages
from annotator.importers.aircop_names import view_name
from annotator.importers.answer_keys import options_missing, parse_key
from annotator.importers.imported_record import (
    ImportedFlag,
    ImportedMedium,
    ImportedRecord,
    ImportIssue,
    ImportKeys,
)
from annotator.importers.importer import FileImporter, ImportContext
from annotator.importers.input_file import InputFile
from annotator.importers.item_parts import ItemNames, task_flags
from annotator.importers.json_text import JsonText
from annotator.importers.option_parts import lettered_options
from annotator.importers.record_fields import RecordError, RecordFields, wrong_type
from annotator.importers.shown_media import missing_media

TASK_SET = "aircop"

_MARKS = re.compile(r'"(?:question_type|correct_answer|questions_per_uav)"\s*:')
# What a model answered stands in files of its own, without the options.
_ANSWERS = re.compile(r'"predicted_answer"\s*:')
_COUNTED = ('"question_id"', '"error"')
_VIEW_IN_TYPE = re.compile(r"[(（]\s*UAV\s*([0-9]+)\s*[)）]", re.IGNORECASE)
_PATH_KEY = re.compile(r"(uav[0-9]+)_(?:path|filename)")


class AircopQuestions(FileImporter):
    """Takes AirCopBench's questions in as items."""

    id = "aircop-questions"
    title = "AirCopBench questions (JSON)"
    files = (
        "AirCopBench questions: results of its scripts (grouped, grouped per UAV) and test files (plain "
        "list, `results`)"
    )
    gives = "items"
    fields = ("question_id", "question_type", "question", "options", "correct_answer", "uav_paths")

    def recognizes(self, file: InputFile) -> bool:
        """Look for a field that only these questions have."""
        return bool(_MARKS.search(file.head)) and not _ANSWERS.search(file.head)

    def read(self, file: InputFile, *, context: ImportContext) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield the items in the file's order."""
        json, questions = JsonText(file.text), _Questions(file, context=context)
        # Each question has an id or is a failure: a count for the progress, not more.
        context.progress.begin(f"Importing {file.name}", total=sum(map(json.text.count, _COUNTED)))
        for asked in iterate_questions(json):
            context.progress.step()
            try:
                yield questions.found(asked, line=json.line_of(asked.element.start))
            except RecordError as fault:
                element = asked.element
                at = element.fault.at if element.fault else json.offset_of(fault.field, element)
                yield fault.issue(line=json.line_of(at), locator=asked.locator)


class _Questions:
    """The questions of one file."""

    def __init__(self, file: InputFile, *, context: ImportContext) -> None:
        self._stem = file.stem
        self._dataset = context.dataset
        self._mapping = context.mapping
        self._task_set = task_set_files.builtin(TASK_SET)
        self._names = ItemNames()
        self._keys = ImportKeys(format_id=AircopQuestions.id, dataset=context.dataset)
        self._pictures = AircopImages(field="uav_paths")
        self._tasks: dict[str, Task | None] = {}

    def found(self, asked: GroupedQuestion, *, line: int) -> ImportedRecord:
        """Return one question as an item.

        Raises:
            RecordError: It is none.
        """
        element, group, locator = asked.element, asked.group, asked.locator
        if element.fault is not None:
            raise element.fault.error()
        fields = RecordFields(element.value, mapping=self._mapping)
        _refuse_failure(fields)
        kind = fields.text("question_type") or ""
        made_up = f"{self._stem} {locator}"
        name, flags = self._names.name_of(
            fields.text_or_number("question_id"), made_up=made_up, locator=locator, fields=fields
        )
        task = self._task(kind, name=name, fields=fields)
        flags += task_flags(task, text=kind, task_set=self._task_set)
        shown = self._shown(fields, group)
        media = shown.media
        options = _options(fields)
        key = parse_key(_key_text(fields), answer_format="option_letter", options=options, fields=fields)
        view = group.view or view_in_type(kind)
        dataset = self._dataset or group.dataset or shown.dataset
        item = Item(
            name=name,
            task_set=TASK_SET,
            task=task.id if task else "",
            question=fields.required_text("question"),
            options=options,
            answer_format="option_letter",
            answer_key=key.text,
            view=view,
            provenance=Provenance(made_by="import", maker=AircopQuestions.id, locator=locator),
            original=msgspec.Raw(element.original),
            corrections=tuple(fields.corrections),
            extras=_extras(fields, group, kind="" if task else kind),
            # The same words about other pictures are another question.
            import_key=self._keys.key_of(
                element.original, context="\n".join([dataset, view, *[medium.name for medium in media]])
            ),
        )
        return ImportedRecord(
            record=item,
            line=line,
            dataset=dataset,
            media=media,
            scene=shown.scene,
            flags=(*flags, *gaps_of(options, media), *key.flags),
        )

    def _shown(self, fields: RecordFields, group: QuestionGroup) -> QuestionImages:
        stated = group.members.get("sequence_frame")
        return self._pictures.shown(_paths_of(fields, group), stated=stated, fields=fields)

    def _task(self, kind: str, *, name: str, fields: RecordFields) -> Task | None:
        """Return the task that the type names, or else the public id."""
        if kind not in self._tasks:
            self._tasks[kind] = self._task_set.find(kind)
        task = self._tasks[kind] or self._task_set.find_by_item_name(name)
        if task is not None and task.title.en not in kind:
            fields.note("task", original=kind, value=task.id, reason="another name of the task")
        return task


def _refuse_failure(fields: RecordFields) -> None:
    """Refuse what a script wrote where it failed to make a question."""
    # An error beside a whole question is a field like any other.
    # Scripts write their errors into the same list as the questions.
    if "error" in fields.members and "question" not in fields.members:
        reply = fields.members.get("raw_content") or fields.members.get("content") or ""
        more = f" The model's reply: {str(reply)[:200]}" if reply else ""
        raise RecordError(
            "error",
            f"The record is not a question; its script failed: {fields.members['error']!s:.200}.{more}",
        )


# A file has some dozens of types.
@lru_cache(maxsize=1024)
def view_in_type(kind: str) -> str:
    """Return the view that a type of question names in brackets, "" where it names none."""
    found = _VIEW_IN_TYPE.search(kind)
    return view_name(found[1]) if found else ""


def _key_text(fields: RecordFields) -> str | None:
    value = fields.get("correct_answer")
    if type(value) is str:
        return value
    if isinstance(value, list) and value and all(isinstance(letter, str) for letter in value):
        fields.note("answer_key", original=value, value=", ".join(value), reason="a list of letters")
        return ", ".join(value)
    return fields.text_or_number("correct_answer")


def _options(fields: RecordFields) -> tuple[Option, ...]:
    """Return the options with their letters as they came; those of a plain list get letters."""
    value = fields.get("options")
    if value is None:
        return ()
    if isinstance(value, list) and len(value) <= len(LETTERS):
        pairs = dict(zip(LETTERS, value, strict=False))
        fields.note("options", original=value, value=list(pairs), reason="a list without letters")
    elif isinstance(value, dict):
        pairs = value
    else:
        raise wrong_type("options", value, expected=f"an object, or a list of up to {len(LETTERS)} texts")
    return lettered_options(pairs, field="options", fields=fields)


def _paths_of(fields: RecordFields, group: QuestionGroup) -> dict[str, str]:
    """Return the paths by view, from the question itself or its group."""
    return _paths(fields.get("uav_paths"), "uav_paths") or _own_paths(fields) or _group_paths(group)


def _own_paths(fields: RecordFields) -> dict[str, str]:
    """Return the paths that a question of a test file of pairs states as a group does: ``uav1_path``."""
    # Sorted, uav1_path comes after uav1_filename, and so it counts where both are there.
    names = sorted(name for name in fields.members if _PATH_KEY.fullmatch(name))
    paths = {name.partition("_")[0]: fields.get(name) for name in names}
    return _paths({view: path for view, path in paths.items() if path is not None}, "uav_path")


def _paths(value: object, where: str) -> dict[str, str]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise wrong_type(where, value, expected="an object of paths by view")
    for key, path in value.items():
        if not isinstance(path, str):
            raise wrong_type(f"{where}.{key}", path, expected="a path")
    return {key: path for key, path in value.items() if path.strip()}


def _group_paths(group: QuestionGroup) -> dict[str, str]:
    """Return the paths that a group states for all its questions, else the names of its files."""
    members = group.members
    single = {key[1]: members[name] for name in sorted(members) if (key := _PATH_KEY.fullmatch(name))}
    listed = members.get("uav_paths") or members.get("uav_filenames")
    return _paths(listed, "uav_paths") or _paths(single, "uav_path")


def gaps_of(options: tuple[Option, ...], media: tuple[ImportedMedium, ...]) -> Iterator[ImportedFlag]:
    """Yield the flags of a question without options or pictures."""
    if not options:
        yield options_missing()
    yield from missing_media(media)


def _extras(fields: RecordFields, group: QuestionGroup, *, kind: str) -> dict[str, Any]:
    """Return what an item has no place for: of the question, and under ``group`` of its group."""
    shared = {
        name: value
        for name, value in group.members.items()
        if name not in {"uav_paths", "uav_filenames"} and not _PATH_KEY.fullmatch(name)
    }
    more = {"question_type": kind} if kind else {}
    return {**fields.rest(), **more, **({"group": shared} if shared else {})}
