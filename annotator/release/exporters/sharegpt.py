"""The form of LLaMA-Factory for supervised fine-tuning: conversations in the ShareGPT layout.

Source: LLaMA-Factory, ``data/README.md``: messages with roles, one ``<image>`` or ``<video>`` in the text for
each path in ``images`` or ``videos``, and ``dataset_info.json`` that names files and columns.
"""

from __future__ import annotations

from typing import Any

import msgspec

from annotator.domain.item import Item
from annotator.release.exporter import ItemExporter, refusal_of
from annotator.release.json_sheet import JsonSheet
from annotator.release.question_records import prompt_of, record_of, record_refusal, shows_video
from annotator.release.release_filter import WithholdReason
from annotator.release.release_folder import ReleaseFolder
from annotator.release.release_items import RecordLookup, ReleaseItems

INFO = "dataset_info.json"
FILES = {"images": "sft.json", "videos": "sft_video.json"}
"""Name of the file by the column of its media."""
PLACEHOLDERS = {"images": "<image>", "videos": "<video>"}
"""What stands in a text for each path of a column."""
# LLaMA-Factory puts a file of the record in the place of each, wherever it stands.
RESERVED_TEXTS = ("<image>", "<video>", "<audio>")
TAGS = {"role_tag": "role", "content_tag": "content", "user_tag": "user", "assistant_tag": "assistant"}


class ShareGptExporter(ItemExporter):
    """Questions with their answers as conversations for training."""

    id = "sharegpt"
    title = "LLaMA-Factory training set (ShareGPT)"
    files = (
        "sft.json, and sft_video.json for videos: messages, images or videos, and the fields of the item; "
        "dataset_info.json"
    )
    limits = (
        "Contains items with an answer key in a known format, media of one kind, options from A on, and no "
        "placeholder such as <image> in a text."
    )

    def write_members(self, members: ReleaseItems[Item], *, folder: ReleaseFolder) -> None:
        """Write each item into the file of its kind of media, and last the description of the files."""
        sheets: dict[str, JsonSheet] = {}
        for item in members:
            column = "videos" if shows_video(item, lookup=members.lookup) else "images"
            if column not in sheets:
                sheets[column] = JsonSheet(folder.file(FILES[column]))
            sheets[column].add(conversation_of(item, lookup=members.lookup))
        for sheet in sheets.values():
            sheet.close()
        info = {FILES[column].partition(".")[0]: _description(column) for column in sorted(sheets)}
        folder.file(INFO).write(msgspec.json.format(msgspec.json.encode(info), indent=2) + b"\n")

    def refusal(self, record: Item, *, lookup: RecordLookup) -> WithholdReason | None:
        """Return why the form cannot represent an item, None if it can."""
        texts = (record.question, record.answer_key, *(option.text for option in record.options))
        if found := [mark for mark in RESERVED_TEXTS if any(mark in text for text in texts)]:
            return refusal_of("text", f"A text contains {found[0]}, which stands for a file in the format.")
        return record_refusal(record, lookup=lookup)


def conversation_of(item: Item, *, lookup: RecordLookup) -> dict[str, Any]:
    """Return an item as a conversation of two messages, followed by its own fields."""
    record = record_of(item, lookup=lookup)
    column = "videos" if record["videos"] else "images"
    marks = PLACEHOLDERS[column] * len(record[column])
    asked = {"role": "user", "content": f"{marks}{prompt_of(item)}"}
    return {"messages": [asked, {"role": "assistant", "content": record["answer"]}], **record}


def _description(column: str) -> dict[str, Any]:
    columns = {"messages": "messages", column: column}
    return {"file_name": FILES[column], "formatting": "sharegpt", "columns": columns, "tags": TAGS}
