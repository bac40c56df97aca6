"""Reasons, common to several forms, why an item cannot be written in one."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.domain.item import LETTERS, Item
from annotator.release.exporter import refusal_of
from annotator.release.media_names import release_paths
from annotator.release.release_filter import WithholdReason
from annotator.release.release_items import RecordLookup


def media_refusal(item: Item, *, lookup: RecordLookup) -> WithholdReason | None:
    """Return the reason of an item with a medium that has no path, or with none at all."""
    if release_paths(item, lookup=lookup):
        return None
    return refusal_of("media", "The item has no image, or an image without a path below the media root.")


def text_refusal(item: Item, *, ids: Sequence[str]) -> WithholdReason | None:
    """Return the reason of an item whose question or ids are empty, or whose ids are not trimmed.

    Args:
        item: The item.
        ids: The texts that identify it.
    """
    if item.question.strip() and all(text and text == text.strip() for text in ids):
        return None
    return refusal_of("text", "The question or id is empty, or the id has leading or trailing spaces.")


def letters_refusal(item: Item) -> WithholdReason | None:
    """Return the reason of an item with fewer than two options, or with other letters than from A on."""
    letters = "".join(option.letter for option in item.options)
    if len(letters) >= 2 and LETTERS.startswith(letters):
        return None
    return refusal_of(
        "options", f"The options are {letters or 'none'}; the format requires letters from A on."
    )
