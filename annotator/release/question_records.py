"""Items as flat records of one shape, whatever their task: what data sets for training and evaluation hold.

Every record has every field with values of one type, since libraries for data sets infer one schema.
"""

from __future__ import annotations

import json
from typing import Any

from annotator.domain import answers
from annotator.domain.item import LETTERS, Item
from annotator.domain.medium import VIDEO_TYPES
from annotator.release.answer_keys import canonical_key
from annotator.release.exporter import refusal_of
from annotator.release.item_refusals import media_refusal, text_refusal
from annotator.release.media_names import release_paths
from annotator.release.release_filter import WithholdReason
from annotator.release.release_items import RecordLookup
from annotator.release.variant_fields import KIND, SOURCE, extras_of

FIELDS = {
    "id": "Public id of the item",
    "dataset": "Name of the collection of its media",
    "task_set": "Id of the task set",
    "task": "Id of the task in the set",
    "scene": "Name of the scene",
    "view": "Name of the view that the question is about, empty for none or all",
    "question": "The question, without the options",
    "options": "The options in their order, the first is A; empty for other answer formats",
    "answer_format": "Id of the answer format",
    "answer": "The answer key in the canonical text of its format",
    "media_type": "Kind of the media",
    "images": "Paths of the images, in their order",
    "videos": "Paths of the videos, in their order",
    "views": "Name of the view of each of them, empty for one outside the scene",
    "variant": "How the item differs from the one that it is a version of, empty for an item of its own",
    "variant_of": "Public id of that item",
    "extras": "Further fields of the source, as JSON",
}
"""Every field with its meaning."""


def record_of(item: Item, *, lookup: RecordLookup) -> dict[str, Any]:
    """Return an item as a record."""
    media, paths = lookup.media_of(item) or (), list(release_paths(item, lookup=lookup) or ())
    scene = lookup.scene(item.scene)
    views = {view.medium: view.name for view in scene.views} if scene else {}
    images, videos = ([], paths) if shows_video(item, lookup=lookup) else (paths, [])
    extras = dict(extras_of(item, lookup=lookup))
    return {
        "id": item.name,
        "dataset": lookup.dataset_of(item),
        "task_set": item.task_set,
        "task": item.task,
        "scene": scene.name if scene else "",
        "view": item.view,
        "question": item.question,
        "options": [option.text for option in item.options],
        "answer_format": item.answer_format,
        "answer": canonical_key(item),
        "media_type": next((medium.media_type for medium in media), ""),
        "images": images,
        "videos": videos,
        "views": [views.get(medium.id, "") for medium in media],
        # Of an item that was read from such a record, the link is in its extras.
        KIND: str(extras.pop(KIND, "")),
        SOURCE: str(extras.pop(SOURCE, "")),
        "extras": json.dumps(extras, ensure_ascii=False),
    }


def shows_video(item: Item, *, lookup: RecordLookup) -> bool:
    """Return whether an item shows videos, not images."""
    return any(medium.media_type in VIDEO_TYPES for medium in lookup.media_of(item) or ())


def prompt_of(item: Item) -> str:
    """Return what a model is asked: the question, the options with their letters, and the form of answers."""
    letters = ", ".join(option.letter for option in item.options)
    lines = [item.question, *(f"{option.letter}. {option.text}" for option in item.options)]
    return "\n".join([*lines, answers.get(item.answer_format).prompt.replace("{letters}", letters)])


def record_refusal(item: Item, *, lookup: RecordLookup) -> WithholdReason | None:
    """Return why an item cannot be such a record, None if it can."""
    if reason := media_refusal(item, lookup=lookup):
        return reason
    if len({medium.media_type for medium in lookup.media_of(item) or ()}) > 1:
        return refusal_of("media", "The item shows media of several kinds.")
    if reason := text_refusal(item, ids=[item.name]):
        return reason
    letters = "".join(option.letter for option in item.options)
    if not LETTERS.startswith(letters):
        return refusal_of("options", f"The options are {letters}; the format requires letters from A on.")
    if not item.answer_key.strip():
        return refusal_of("answer_key", "The item has no answer key.")
    if not answers.is_known(item.answer_format):
        return refusal_of("answer_format", f"The answer format {item.answer_format} is unknown.")
    return None
