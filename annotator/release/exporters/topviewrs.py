"""The form of TopViewRS: per kind of map a JSON list of questions, whose right answers are texts of options.

Source: TopViewRS, ``released_realistic_datasets.json`` and ``released_semantic_datasets.json``.
"""

from __future__ import annotations

import re
from typing import Any

from annotator.domain import answers, task_set_files
from annotator.domain.item import Item
from annotator.release.answer_keys import canonical_key
from annotator.release.exporter import ItemExporter, refusal_of
from annotator.release.item_refusals import letters_refusal, text_refusal
from annotator.release.json_sheet import JsonSheet
from annotator.release.media_names import release_paths
from annotator.release.release_filter import WithholdReason
from annotator.release.release_folder import ReleaseFolder
from annotator.release.release_items import RecordLookup, ReleaseItems
from annotator.release.variant_fields import extras_of

TASK_SET = "topviewrs"
KINDS = re.compile(r"realistic|semantic", re.IGNORECASE)
"""Kinds of maps, which are parts of the names of the published files."""
RESERVED = frozenset(
    {"index", "id", "question_id", "idx", "scene_id", "scene", "scan_id", "question", "choices", "options",
     "labels", "label", "answers", "answer", "map_path", "image_path", "image", "map",
     "question_ability", "ability", "sub_task", "subtask", "task"}
)  # fmt: skip
"""Names of fields that readers take for one of the published fields."""


class TopViewRsExporter(ItemExporter):
    """Questions in the shape of TopViewRS's released files."""

    id = "topviewrs"
    title = "TopViewRS questions (JSON)"
    files = "per kind of map released_KIND_datasets.json: a list of questions, with right answers as texts"
    limits = (
        "Contains items of the task set topviewrs with a known task, exactly one map, options from A on, and "
        "an answer key that names texts which occur once among the options."
    )
    can_hide_keys = True

    def write_members(self, members: ReleaseItems[Item], *, folder: ReleaseFolder) -> None:
        """Write each item into the file of its kind of map."""
        sheets: dict[str, JsonSheet] = {}
        for item in members:
            kind = map_kind(item, lookup=members.lookup)
            if kind not in sheets:
                sheets[kind] = JsonSheet(folder.file(file_name(kind)))
            sheets[kind].add(question_of(item, lookup=members.lookup))
        for sheet in sheets.values():
            sheet.close()

    def refusal(self, record: Item, *, lookup: RecordLookup) -> WithholdReason | None:
        """Return why the form cannot represent an item, None if it can."""
        if record.task_set != TASK_SET:
            return refusal_of("task_set", f"The item belongs to the task set {record.task_set}.")
        if task_set_files.builtin(TASK_SET).find(record.task) is None:
            return refusal_of("task", "The task is unknown, so the question ability cannot be written.")
        if len(release_paths(record, lookup=lookup) or ()) != 1:
            return refusal_of("media", "The item does not have exactly one map with a plain path.")
        if reason := text_refusal(record, ids=[record.name]):
            return reason
        if taken := sorted(RESERVED & record.extras.keys()):
            names = ", ".join(taken)
            return refusal_of("extras", f"The item has extra fields with names of the format: {names}.")
        return letters_refusal(record) or _answer_refusal(record)


def file_name(kind: str) -> str:
    """Return the name of the file of a kind of map, as the published files are called."""
    return f"released_{kind}_datasets.json" if kind else "released_datasets.json"


def map_kind(item: Item, *, lookup: RecordLookup) -> str:
    """Return ``realistic`` or ``semantic``, "" if neither the public id, the view nor the path says which."""
    (location,) = release_paths(item, lookup=lookup) or ("",)
    texts = (item.name.partition("_")[0], item.view, location)
    return next((found[0].lower() for text in texts if (found := KINDS.search(text))), "")


def question_of(item: Item, *, lookup: RecordLookup) -> dict[str, Any]:
    """Return an item as a question, keys in the order of the published files."""
    (location,) = release_paths(item, lookup=lookup) or ("",)
    scene = lookup.scene(item.scene)
    fields: dict[str, Any] = {
        "index": _index(item.name, kind=map_kind(item, lookup=lookup)),
        "scene_id": scene.name if scene else None,
        "question": item.question,
        "choices": [option.text for option in item.options],
        "labels": list(right_texts(item)),
        "choice_type": item.extras.get("choice_type"),
        "map_path": location,
        "question_ability": task_set_files.builtin(TASK_SET).task(item.task).title.en,
    }
    known = {name: value for name, value in fields.items() if value is not None}
    extras = extras_of(item, lookup=lookup)
    return known | {name: value for name, value in extras.items() if name not in known}


def right_texts(item: Item) -> tuple[str, ...]:
    """Return the texts of the right options in their order, empty if the answer key does not tell them."""
    if item.answer_format == "option_letter":
        return tuple(option.text for option in item.options if option.letter == canonical_key(item))
    if item.answer_format != "span_set":
        return ()
    context = answers.AnswerContext(options=item.options)
    texts = answers.get("span_set").parse(item.answer_key, context=context).value or frozenset()
    return tuple(option.text for option in item.options if option.text in texts)


def _index(name: str, *, kind: str) -> int | str:
    """Return the number in a file, from which readers make the same public id, or the public id itself."""
    found = re.fullmatch(rf"{kind}_(0|[1-9][0-9]{{0,15}})", name) if kind else None
    return int(found[1]) if found else name


def _answer_refusal(item: Item) -> WithholdReason | None:
    right, texts = right_texts(item), [option.text for option in item.options]
    if not right or any(texts.count(text) > 1 or not text.strip() for text in right):
        return refusal_of(
            "answer_key", f"The answer key {item.answer_key!r} does not name texts that occur once."
        )
    # Readers take one text for a letter and several for a set.
    if (len(right) == 1) != (item.answer_format == "option_letter"):
        return refusal_of("answer_format", "The answer key is a set of one text, which is read as a letter.")
    return None
