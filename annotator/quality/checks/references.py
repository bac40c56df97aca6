"""Checks of what an item points to: regions of its media, and the media themselves."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from annotator.domain import answers
from annotator.domain.item import Item
from annotator.quality.check import CheckHit, ItemCheck
from annotator.quality.context import CheckContext

_MENTION = re.compile(
    r"(?:\bregions?|区域)\s*#?(\d+(?:\s*(?:,|，|、|and|or|&|和|与)\s*#?\d+\b(?!\s*-))*)", re.IGNORECASE
)
# No region has so many digits, and Python reads no number of more than 4,300: a longer one falls into pieces.
_NUMBER = re.compile(r"\d{1,18}")
_PAIR = re.compile(r"(?<!\d)(\d{1,18})\s*+-\s*+(\d{1,18})")
# The form that the answer has to take names regions that are only examples.
_EXAMPLE = re.compile(
    r"`[^`\n]*`|(?:\b(?:like|for example|such as|in the form|format(?:ted)?)\b|\be\.g\.)[^.?!\n]*",
    re.IGNORECASE,
)


class UnknownRegions(ItemCheck):
    """Finds numbers of regions that do not exist."""

    id = "unknown_region"
    severity = "error"
    title = "Unknown regions"
    finds = "The question, options or answer key refer to a region that no media file of the item contains."
    advice = "Correct the region number, or add the region."
    threshold = "only if the media files have regions"
    task_sets = ("spatialuav",)

    def look(self, item: Item, context: CheckContext, /) -> CheckHit | None:
        """Name the regions that an item speaks of and none of its media has.

        Nothing is said while the media have no regions at all: they may not have been marked yet.
        """
        if not speaks_of_regions(item):
            return None
        by_medium = [context.regions(medium) for medium in item.media]
        known = frozenset().union(*by_medium)
        if not known:
            return None
        for field, numbers in _mentions(item):
            if unknown := sorted(set(numbers) - known):
                return CheckHit(
                    message=f"No media file of this item contains {_named(unknown)}.", field=field
                )
        return _find_wrong_pair(item, by_medium)


class MissingMedia(ItemCheck):
    """Finds items whose media are missing."""

    id = "missing_media"
    severity = "warning"
    title = "Missing media"
    finds = "The item has no media files, or a file that is not in the project yet."
    advice = "Import the media files. Until then the item can be edited but not displayed."
    threshold = "none"

    def look(self, item: Item, context: CheckContext, /) -> CheckHit | None:
        """Name the media of an item that are not in the project, or whose files nobody has seen yet."""
        if not item.media:
            # A question of a team's own, outside of all task sets, may be about text.
            is_text = context.task(item) is None
            return None if is_text else CheckHit(message="The item has no image or video.", field="media")
        absent = list(filter(None, (_absent_name(medium, context) for medium in item.media)))
        if not absent:
            return None
        shown = ", ".join(absent[:3]) + (f" and {len(absent) - 3} more" if len(absent) > 3 else "")
        return CheckHit(message=f"Files not in the project: {shown}.", field="media")


def speaks_of_regions(item: Item) -> bool:
    """Return whether an item names regions, or has an answer that does."""
    if answers.names_regions(item.answer_format):
        return True
    texts = (item.question, item.answer_key, *(option.text for option in item.options))
    return any(_MENTION.search(text) for text in texts)


def _mentions(item: Item) -> Iterator[tuple[str, list[int]]]:
    yield "question", _mentioned(_EXAMPLE.sub("", item.question))
    for option in item.options:
        yield "options", _mentioned(option.text)
    yield "answer_key", _mentioned(item.answer_key)


def _mentioned(text: str) -> list[int]:
    return [int(number) for match in _MENTION.finditer(text) for number in _NUMBER.findall(match[1])]


def _find_wrong_pair(item: Item, by_medium: list[frozenset[int]]) -> CheckHit | None:
    """Check a key of pairs such as ``3-15, 4-5``: first number in the first view, second in the second."""
    if item.answer_format != "pair_list" or len(by_medium) != 2 or not all(by_medium):
        return None
    known = set(itertools.product(*by_medium))
    pairs = [(int(one), int(two)) for one, two in _PAIR.findall(item.answer_key)]
    wrong = ", ".join(f"{one}-{two}" for one, two in pairs if (one, two) not in known)
    return (
        CheckHit(message=f"The two views do not contain these regions: {wrong}.", field="answer_key")
        if wrong
        else None
    )


def _named(numbers: list[int]) -> str:
    return f"Region {', '.join(map(str, numbers))}"


def _absent_name(medium: str, context: CheckContext) -> str:
    """Return the name of a medium that is not there, "" for one that is."""
    found = context.medium(medium)
    if found is None:
        return "a removed media file"
    return "" if found.sha256 else found.name
