"""The form of AirCopBench's questions: per dataset a JSON file, and the same questions as JSON Lines.

Source: AirCopBench, the items that its ``evaluation.py`` reads: a list, or an object with a list ``results``.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from annotator.domain import task_set_files
from annotator.domain.item import Item
from annotator.release.answer_keys import canonical_key
from annotator.release.exporter import ItemExporter, refusal_of
from annotator.release.item_refusals import text_refusal
from annotator.release.json_sheet import JsonSheet, file_stem
from annotator.release.media_names import release_path
from annotator.release.release_filter import WithholdReason
from annotator.release.release_folder import ReleaseFolder
from annotator.release.release_items import RecordLookup, ReleaseItems

TASK_SET = "aircop"
LETTERS = "ABCD"

_VIEW_NAME = re.compile(r"UAV(?:0|[1-9][0-9]*)")


class AircopExporter(ItemExporter):
    """Questions in the shape that AirCopBench's evaluation reads."""

    id = "aircop"
    title = "AirCopBench questions (JSON)"
    files = "per dataset VQA_DATASET.json (dataset and results) and VQA_DATASET.jsonl (one per line)"
    limits = (
        "Contains items of the task set aircop with a known task, options A to D, a matching answer key, and "
        "images whose views are named UAV and a number."
    )
    can_hide_keys = True

    def write_members(self, members: ReleaseItems[Item], *, folder: ReleaseFolder) -> None:
        """Write each item into both files of its dataset."""
        sheets: dict[str, _DatasetFiles] = {}
        for item in members:
            dataset = members.lookup.dataset_of(item)
            if dataset not in sheets:
                sheets[dataset] = _DatasetFiles(folder, dataset=dataset)
            sheets[dataset].add(question_of(item, views=views_of(item, lookup=members.lookup)))
        for sheet in sheets.values():
            sheet.close()

    def refusal(self, record: Item, *, lookup: RecordLookup) -> WithholdReason | None:
        """Return why the form cannot represent an item, None if it can."""
        if record.task_set != TASK_SET:
            return refusal_of("task_set", f"The item belongs to the task set {record.task_set}.")
        if task_set_files.builtin(TASK_SET).find(record.task) is None:
            return refusal_of("task", "The task is unknown, so the question type cannot be written.")
        if reason := text_refusal(record, ids=[record.name]):
            return reason
        if not views_of(record, lookup=lookup):
            return refusal_of(
                "views", "An image of the item has no view named UAV and a number, or no plain path."
            )
        return _option_refusal(record)


class _DatasetFiles:
    """The two files of one dataset, which contain the same objects."""

    def __init__(self, folder: ReleaseFolder, *, dataset: str) -> None:
        stem = f"VQA_{file_stem(dataset)}" if dataset else "VQA"
        head = {"dataset": dataset} if dataset else {}
        self._list = JsonSheet(folder.file(f"{stem}.json"), head=head, field="results")
        self._lines = folder.file(f"{stem}.jsonl")

    def add(self, question: dict[str, Any]) -> None:
        self._list.add(question)
        self._lines.write(msgspec.json.encode(question) + b"\n", records=1)

    def close(self) -> None:
        self._list.close()


def question_of(item: Item, *, views: dict[str, str]) -> dict[str, Any]:
    """Return an item as a question, keys in the order of the published test files."""
    return {
        "question_id": item.name,
        "question_type": question_type(item),
        "question": item.question,
        "options": {option.letter: option.text for option in item.options},
        "correct_answer": canonical_key(item),
        "uav_paths": views,
    }


def question_type(item: Item) -> str:
    """Return the published name of an item's task: ``2.2 Object Counting (UAV1)``."""
    task = task_set_files.builtin(TASK_SET).task(item.task)
    return f"{task.number} {task.title.en}" + (f" ({item.view})" if item.view else "")


def views_of(item: Item, *, lookup: RecordLookup) -> dict[str, str]:
    """Return the paths of the item's media by view; empty if one has no view or path."""
    scene, media = lookup.scene(item.scene), lookup.media_of(item)
    if scene is None or not media:
        return {}
    # Other names would be read back as UAV1 (from "uav 1"), or not at all.
    names = {view.medium: view.name for view in scene.views if _VIEW_NAME.fullmatch(view.name)}
    views = {
        name: location
        for medium in media
        if (name := names.get(medium.id)) and (location := release_path(medium))
    }
    # All or none: a question that shows three images but names two views would be a different question.
    return views if len(views) == len(media) else {}


def _option_refusal(item: Item) -> WithholdReason | None:
    letters = "".join(option.letter for option in item.options)
    if letters != LETTERS:
        return refusal_of(
            "options", f"The options are {letters or 'none'}; the format requires exactly {LETTERS}."
        )
    # Several letters occur in the published files; importers flag them.
    if not item.answer_key or not set(canonical_key(item).split(", ")) <= set(LETTERS):
        return refusal_of("answer_key", f"The answer key {item.answer_key!r} is not among the options.")
    if item.view and not _VIEW_NAME.fullmatch(item.view):
        return refusal_of("views", f"The view of the question is named {item.view}, not UAV and a number.")
    return None
