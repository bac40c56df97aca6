"""Boxes that a question or an option names, such as ``the car at [823, 189, 932, 249]``."""

from __future__ import annotations

import re
from collections.abc import Sequence

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


def names_boxes(item: Item) -> bool:
    """Return whether the question or the options of an item contain boxes."""
    texts = [item.question, *(option.text for option in item.options)]
    if item.answer_format != BOX_FORMAT and not any(map(_BOX_WORDS.search, texts)):
        return False
    return any(map(GROUP.search, texts))


def rescale_boxes(item: Item, scale: BoxScale) -> Item:
    """Return an item whose boxes are in another unit, and whose question names the unit.

    Numbers in brackets that are no box inside the image stay as they are.

    Args:
        item: The item, with boxes in pixels of the image.
        scale: The unit.
    """
    options = tuple(
        msgspec.structs.replace(option, text=_rescaled(option.text, scale)) for option in item.options
    )
    question = f"{_rescaled(item.question, scale).rstrip()}\n{scale.question_prompt}"
    return msgspec.structs.replace(item, question=question, options=options)


def _rescaled(text: str, scale: BoxScale) -> str:
    def in_unit(match: re.Match[str]) -> str:
        corners = strict_numbers(match[0]) or []
        if not _is_box(corners, scale.image_px):
            return match[0]
        numbers = ", ".join([write_number(number) for number in scale.from_pixels(corners)])
        return f"{match[0][0]}{numbers}{match[0][-1]}"

    return GROUP.sub(in_unit, text)


def _is_box(corners: Sequence[float], image_px: tuple[int, int]) -> bool:
    if len(corners) != 4:
        return False
    x1, y1, x2, y2 = corners
    return 0 <= x1 < x2 <= image_px[0] and 0 <= y1 < y2 <= image_px[1] and max(corners) > 1
