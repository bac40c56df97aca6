"""The check for directions of the compass, which nobody can see in a drone's picture."""

from __future__ import annotations

import re

from annotator.domain.item import Item
from annotator.quality.check import CheckHit, ItemCheck
from annotator.quality.context import CheckContext
from annotator.quality.texts import joined_texts, texts_of

_POINTS = ("north", "south", "east", "west")
_POINT = r"(?:north|south)(?:[ -]?(?:east|west))?|east|west"
_DIRECTION = re.compile(
    rf"\b(?P<point>(?:{_POINT})(?:wards?|bound|ern(?:most)?|erly)?)\b(?=(?P<next>[ -]+\w+)?)", re.IGNORECASE
)
_DIRECTION_ZH = re.compile(
    r"[东西][南北](?:方|边|侧|面|向|部|角|偏)?|[东西南北](?:方|边|侧|面|向|部)|(?:向|往|朝|正|偏)[东西南北]"
    r"|^\W*[东西南北]\W*$"
)
_OF_MAP = re.compile(
    r"\b(?:upper|lower|top|bottom|left|right)(?:[ -](?:left|right))?"
    r"(?: (?:side|part|edge|corner|half))? of the map\b"
    r"|地图的?(?:[左右][上下](?:方|边|侧|角|部)?|[上下左右](?:方|边|侧|角|部))",
    re.IGNORECASE,
)
# "Western-style", "Eastern food": a manner, not a direction.
_MANNER = re.compile(r"[ -]+(?:style|food|restaurant|cuisine|medicine|world|culture)", re.IGNORECASE)


def find_directions(text: str) -> list[str]:
    """Return the directions of the compass that a text names.

    A capital word followed by a capital word is taken for a name: "West Gate", "North Street".
    """
    return [text[start:end] for start, end in find_direction_spans(text)]


def find_direction_spans(text: str) -> list[tuple[int, int]]:
    """Return start and end of each direction of the compass, or of a map, that a text names."""
    if _names_none(text):
        return []
    found = [match.span("point") for match in _DIRECTION.finditer(text) if not _is_name(match)]
    found += [match.span() for pattern in (_DIRECTION_ZH, _OF_MAP) for match in pattern.finditer(text)]
    return sorted(found)


class AbsoluteDirection(ItemCheck):
    """Finds directions of the compass."""

    id = "absolute_direction"
    severity = "warning"
    title = "Compass directions"
    finds = "The text uses a compass direction (north, south-east, 北); the frame of reference is the drone."
    advice = "Describe the direction relative to the drone: ahead, to its left, behind it."
    threshold = (
        "words in English and Chinese (UrbanVideo-Bench, issue class 'direction': 446 of 5.2k); "
        "a capitalized word before another is a name: 'North Street' passes, 'north street' does not"
    )
    task_sets = ("urbanvideo",)

    def check_item(self, item: Item, _context: CheckContext, /) -> CheckHit | None:
        """Name the first field that speaks of directions of the compass."""
        for field, text, index in () if _names_none(joined_texts(item)) else texts_of(item):
            if found := find_directions(text):
                message = f"Compass directions: {', '.join(dict.fromkeys(found))}."
                return CheckHit(message=message, field=field, option_index=index)
        return None


def _names_none(text: str) -> bool:
    """Return whether a text surely names no direction, as most do: ten times faster than the pattern."""
    folded = text.casefold()
    return text.isascii() and not any(point in folded for point in (*_POINTS, "map"))


def _is_name(match: re.Match[str]) -> bool:
    after = match["next"] or ""
    if _MANNER.match(after):
        return True
    is_capital = match["point"][0].isupper()
    return is_capital and after.startswith(" ") and after.lstrip()[0].isupper()
