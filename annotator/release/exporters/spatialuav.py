"""The form of SpatialUAV: one JSON object a line, the question as a conversation of one turn.

Source: SpatialUAV, ``annotations.jsonl`` of the published data set.
"""

from __future__ import annotations

import json
from typing import Any

from annotator.domain import answers, task_set_files
from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.release.answer_keys import canonical_key
from annotator.release.exporter import ItemExporter, refusal_of
from annotator.release.item_refusals import media_refusal
from annotator.release.media_names import release_paths
from annotator.release.release_filter import WithholdReason
from annotator.release.release_folder import ReleaseFolder
from annotator.release.release_items import RecordLookup, ReleaseItems

FILE = "annotations.jsonl"
TASK_SET = "spatialuav"
SOURCE = "SpatialUAV"


class SpatialUavExporter(ItemExporter):
    """Questions in the shape of SpatialUAV's ``annotations.jsonl``."""

    id = "spatialuav"
    title = "SpatialUAV items (JSON lines)"
    files = "annotations.jsonl: one object per line with id, image, conversations, source, GT"
    limits = (
        "Contains items of the task set spatialuav with images, whose id and answer key determine task "
        "and answer format. Options are the images after the first, one letter each."
    )
    can_hide_keys = True

    def write_members(self, members: ReleaseItems[Item], *, folder: ReleaseFolder) -> None:
        """Write one line per item."""
        file = folder.file(FILE)
        for item in members:
            file.write(line_of(item, paths=release_paths(item, lookup=members.lookup) or ()), records=1)

    def refusal(self, record: Item, *, lookup: RecordLookup) -> WithholdReason | None:
        """Return why the form cannot represent an item, None if it can."""
        if record.task_set != TASK_SET:
            return refusal_of("task_set", f"The item belongs to the task set {record.task_set}.")
        if reason := media_refusal(record, lookup=lookup):
            return reason
        if not record.question.strip() or record.name != record.name.strip():
            return refusal_of("text", "The question is empty, or the id has leading or trailing spaces.")
        return _task_refusal(record) or _option_refusal(record, lookup=lookup)


def line_of(item: Item, *, paths: tuple[str, ...]) -> bytes:
    """Return the line of an item, with the separators and the order of keys of the published file."""
    fields: dict[str, Any] = {
        "id": item.name,
        "image": [f"./{location}" for location in paths],
        "conversations": _turns(item),
        "source": item.extras.get("source", SOURCE),
        "GT": canonical_key(item),
    }
    # Imported values without a field of their own are written back to their original position.
    fields |= {name: value for name, value in item.extras.items() if name not in fields}
    return f"{json.dumps(fields, ensure_ascii=False)}\n".encode()


def _turns(item: Item) -> list[dict[str, Any]]:
    """Return the conversation: the question alone, or at its position among the imported turns."""
    turns = [dict(turn) for turn in item.extras.get("conversations", [{"from": "human"}])]
    asked = next(turn for turn in turns if turn.get("from") == "human")
    asked["value"] = item.question
    return turns


def _task_refusal(item: Item) -> WithholdReason | None:
    """Return a refusal if a reader would misread the item's task or answer format."""
    task = task_set_files.builtin(TASK_SET).find_by_item_name(item.name)
    if (task.id if task else "") != item.task:
        return refusal_of("task", f"The id {item.name} does not match the task ({item.task or 'none'}).")
    if not item.answer_key.strip():
        return refusal_of("answer_key", "The item has no answer key.")
    # A reader infers the format from the answer key and task; an answer key that it would misread is refused.
    answer_format = (
        answers.format_of_key(task.answer_format, key=canonical_key(item)) if task else "free_text"
    )
    if answer_format != item.answer_format:
        return refusal_of(
            "answer_format",
            f"The answer key {item.answer_key} would be read as {answer_format}, not {item.answer_format}.",
        )
    return None


def _option_refusal(item: Item, *, lookup: RecordLookup) -> WithholdReason | None:
    media = lookup.media_of(item) or ()
    # The file contains no options: its reader derives them from the images in the same way.
    candidates = dict(zip("ABCDEFGHI", media[1:], strict=False))
    shown = [(option.letter, option.text) for option in item.options]
    is_same = [letter for letter, _ in shown] == [*candidates] and all(
        _is_called(candidates[letter], text) for letter, text in shown
    )
    if item.answer_format == "option_letter" and not is_same:
        return refusal_of("options", "The options are not the images after the first, in the same order.")
    if item.answer_format != "option_letter" and shown:
        return refusal_of("options", "The item has options; the format has no field for them.")
    return None


def _is_called(medium: Medium, text: str) -> bool:
    """Return whether an option's text is an image's name; older files omit the file extension."""
    where = f"/{medium.path or medium.name}"
    stem = where.rpartition(".")[0] if "." in where.rpartition("/")[2] else where
    return bool(text) and (text == medium.name or where.endswith(f"/{text}") or stem.endswith(f"/{text}"))
