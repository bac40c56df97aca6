"""Boxes that a question or an option names, such as ``the car at [823, 189, 932, 249]``."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from enum import Enum
from itertools import pairwise

import msgspec

from annotator.domain.answers.box_parser import GROUP
from annotator.domain.answers.box_scale import BoxScale
from annotator.domain.answers.numerals import strict_numbers, write_number
from annotator.domain.item import Item

BOX_FORMAT = "bbox"
# Four numbers in brackets can also be a list of regions; a question with boxes says so.
_BOX_WORDS = re.compile(
    r"\b(?:bounding|b?box(?:es)?|coordinates?|pixels?|xyxy)\b|框|坐标|像素", re.IGNORECASE
)

# Units and orders other than x1, y1, x2, y2 in pixels, in which a benchmark may have written its boxes.
_OTHER_FORM = re.compile(
    r"\b(?:xywh|cxcywh|yxyx|coco|yolo|normali[sz]ed|thousandths?|relative coordinates|wgs ?84)\b"
    r"|\b(?:lat(?:itude)?s?|lon(?:gitude)?s?|gps|utm)\b|经度|纬度|归一化|百分比坐标|千分"
    r"|\b0\s*(?:-|–|~|to)\s*1(?:\.0|,?000)\b|\b(?:between 0 and|from 0 to) 1\b"
    r"|\b(?:in|as) (?:percent|fractions?|parts) of (?:the )?(?:image|picture|frame|width|height|sides?)\b"
    r"|\by_?(?:1|min)\s*,\s*x_?(?:1|min)\b|\btop\s*,\s*left\s*,|\bx\w*\s*,\s*y\w*\s*,\s*w(?:idth)?\b|\bc_?x\s*,",
    re.IGNORECASE,
)
_LISTED = re.compile(r"\b(?:regions?|ids?|numbers?|objects?|frames?)\b|区域|编号|帧", re.IGNORECASE)
HIGHEST_LISTED = 99
"""Four rising whole numbers up to this may also be listed regions, where the item speaks of such."""


class BoxesInText(Enum):
    """What the groups of four numbers in an item are."""

    NONE = "none"
    SOME = "some"
    ALL = "all"


def names_boxes(item: Item) -> bool:
    """Return whether the question or the options of an item contain boxes and name no other unit."""
    texts = _texts(item)
    if item.answer_format != BOX_FORMAT and not any(map(_BOX_WORDS.search, texts)):
        return False
    return any(map(GROUP.search, texts)) and not any(map(_OTHER_FORM.search, texts))


def find_boxes(item: Item, image_px: tuple[int, int]) -> BoxesInText:
    """Return which groups of four numbers are boxes in pixels of an image.

    A group that may be something else is none: parts of the sides, other orders, listed regions. A box that
    reaches out of the image makes all of them none: they may be in a unit that is not known.

    Args:
        item: The item.
        image_px: Width and height of the image.
    """
    groups = list(_groups(item))
    if any(_reaches_out(corners, image_px) for corners in groups):
        return BoxesInText.NONE
    has_lists = any(map(_LISTED.search, _texts(item)))
    known = [_is_box(corners, image_px) and not (has_lists and _is_list(corners)) for corners in groups]
    if not any(known):
        return BoxesInText.NONE
    return BoxesInText.ALL if all(known) else BoxesInText.SOME


def rescale_boxes(item: Item, scale: BoxScale) -> Item | None:
    """Return an item whose boxes are in another unit, and whose question names the unit.

    Args:
        item: The item, with boxes in pixels of the image, and no other groups of four numbers.
        scale: The unit.

    Returns:
        None if the unit is too coarse: a box would be empty, or two options alike.
    """
    options = tuple(
        msgspec.structs.replace(option, text=_rescaled(option.text, scale)) for option in item.options
    )
    question = f"{_rescaled(item.question, scale).rstrip()}\n{scale.question_prompt}"
    found = msgspec.structs.replace(item, question=question, options=options)
    counts = [len({option.text for option in one.options}) for one in (item, found)]
    is_coarse = counts[0] != counts[1] or any(map(_is_empty, _groups(found)))
    return None if is_coarse else found


def _texts(item: Item) -> list[str]:
    return [item.question, *(option.text for option in item.options)]


def _groups(item: Item) -> Iterator[Sequence[float]]:
    """Yield the numbers of each group of four."""
    for text in _texts(item):
        for match in GROUP.finditer(text):
            # Too large for a float: no box.
            yield strict_numbers(match[0]) or (math.inf,) * 4


def _rescaled(text: str, scale: BoxScale) -> str:
    def in_unit(match: re.Match[str]) -> str:
        corners = strict_numbers(match[0]) or []
        numbers = ", ".join([write_number(number) for number in scale.from_pixels(corners)])
        return f"{match[0][0]}{numbers}{match[0][-1]}"

    return GROUP.sub(in_unit, text)


def _is_box(corners: Sequence[float], image_px: tuple[int, int]) -> bool:
    x1, y1, x2, y2 = corners
    return 0 <= x1 < x2 <= image_px[0] and 0 <= y1 < y2 <= image_px[1] and max(corners) > 1


def _is_empty(corners: Sequence[float]) -> bool:
    return corners[0] >= corners[2] or corners[1] >= corners[3]


def _reaches_out(corners: Sequence[float], image_px: tuple[int, int]) -> bool:
    x1, y1, x2, y2 = corners
    return min(corners) < 0 or max(x1, x2) > image_px[0] or max(y1, y2) > image_px[1]


def _is_list(corners: Sequence[float]) -> bool:
    is_rising = all(first < second for first, second in pairwise(corners))
    return is_rising and corners[-1] <= HIGHEST_LISTED and all(map(float.is_integer, corners))
