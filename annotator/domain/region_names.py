"""Names of regions in the texts of items: which numbers stand where, and of which view each of them is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from annotator.domain import answers
from annotator.domain.item import Item

_JOIN = r"\s*(?:,\s*(?:and\s+|or\s+)?|，|、|\band\b|\bor\b|&|和|与)\s*"
# What may follow a further number: after any other word it counts or measures ("Region 3 and 5 cars").
_AFTER = (
    r"(?!\s*(?:-|°|%|(?!(?:in|of|from|on|at|and|or|are|is|was|were|be|do|does|have|has|can|show|shows|both|the|to|"
    r"as|with|that|which|than|appear|belong|respectively)\b)[a-z]))"
)
_LIST = re.compile(rf"(?:\bregions?|区域)[\s_]*\[?#?(\d+(?:\]?{_JOIN}\[?#?\d+\b{_AFTER})*)", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,18}")
_PAIR = re.compile(r"(?<!\d)(\d{1,18})(?:\s*+-\s*+)(\d{1,18})")
# The form that the answer has to take names regions that are only examples.
_EXAMPLE = re.compile(
    r"`[^`\n]*`|(?:\b(?:for example|such as|in the form|format(?:ted)?)\b|\be\.g\.|"
    # Not every 'like': "Which region looks like Region 3?" asks for it.
    r"(?<!\blook )(?<!\blooks )(?<!\bmost )(?<!\bmore )(?<!\bis )(?<!\bare )\blike\b)[^.?!\n]*",
    re.IGNORECASE,
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
_ORDINALS_ZH = "一二三四五六"
_IMAGE = r"(?:image|picture|photo|view|frame)"
_BEFORE = 32
"""Characters before a name of a region in which its view may be named: 'in the second image, Region 3'."""


class RegionName(NamedTuple):
    """One number of a region in a text.

    Attributes:
        start: Place of its first digit.
        end: Place after its last digit.
        number: The number.
        view: Place of the view that the text names beside it, None where it names none.
    """

    start: int
    end: int
    number: int
    view: int | None


@dataclass(frozen=True)
class ViewNames:
    """The views of an item by what texts call them.

    Args:
        names: Names of the views in the order of the item's media, "" for a view without one.
    """

    names: tuple[str, ...]

    def view_beside(self, text: str, *, start: int, end: int) -> int | None:
        """Return the place of the view that is named right after or before a part of a text."""
        after, before = text[end : end + 2 * _BEFORE], text[max(0, start - _BEFORE) : start]
        for index, name in enumerate(self._patterns()):
            if re.match(
                rf"[\])]?\s*[(（,]?\s*(?:in|of|from|on|at|在)?\s*(?:the\s+)?{name}", after, re.IGNORECASE
            ):
                return index
        for index, name in enumerate(self._patterns()):
            if re.search(rf"{name}(?:['’]s|的|中的|里的)?\s*[,，:：]?\s*(?:the\s+)?$", before, re.IGNORECASE):
                return index
        return None

    def _patterns(self) -> Iterator[str]:
        for index, name in enumerate(self.names):
            choices = [rf"{re.escape(name)}(?!\d)"] if name else []
            choices.append(rf"{_IMAGE}\s*{index + 1}(?!\d)|(?:图像?|视角)\s*{index + 1}(?!\d)")
            if index < len(_ORDINALS):
                choices.append(
                    rf"{_ORDINALS[index]}\s+{_IMAGE}|第{_ORDINALS_ZH[index]}[张幅个](?:图像?|图片|视角)"
                )
            yield f"(?:{'|'.join(choices)})"


def find_region_names(
    text: str, *, views: Sequence[str] = (), has_examples: bool = False
) -> list[RegionName]:
    """Return the numbers of regions that a text names, in its order.

    Args:
        text: A question or an option.
        views: Names of the item's views in the order of its media.
        has_examples: Whether the text describes the form of the answer, whose numbers are no regions.
    """
    # As many characters, so that places stay.
    read = _EXAMPLE.sub(lambda found: " " * len(found.group()), text) if has_examples else text
    names = ViewNames(tuple(views))
    return [
        RegionName(start, end, number, names.view_beside(text, start=found.start(), end=found.end()))
        for found in _LIST.finditer(read)
        for start, end, number in _numbers(read, found.start(1), found.end(1))
    ]


def find_key_names(item: Item) -> list[RegionName]:
    """Return the numbers of regions in an answer key; those of a pair are of the first and second view."""
    key = item.answer_key
    if item.answer_format == "pair_list":
        pairs = (found for found in _PAIR.finditer(key))
        return [
            RegionName(found.start(side), found.end(side), int(found[side]), side - 1)
            for found in pairs
            for side in (1, 2)
        ]
    if answers.names_regions(item.answer_format):
        return [RegionName(start, end, number, None) for start, end, number in _numbers(key, 0, len(key))]
    return find_region_names(key) if not item.options else []


class FieldNames(NamedTuple):
    """The regions that one text of an item names.

    Attributes:
        field: Path of the field: ``question``, ``options[1]``, ``answer_key``.
        names: The names in the order of the text.
    """

    field: str
    names: list[RegionName]


def names_by_field(item: Item, *, views: Sequence[str] = ()) -> Iterator[FieldNames]:
    """Yield the regions that each text of an item names.

    Args:
        item: The item.
        views: Names of its views in the order of its media.
    """
    yield FieldNames("question", find_region_names(item.question, views=views, has_examples=True))
    for index, option in enumerate(item.options):
        yield FieldNames(f"options[{index}]", find_region_names(option.text, views=views))
    yield FieldNames("answer_key", find_key_names(item))


def with_new_number(
    item: Item, *, number: int, concerns: Callable[[RegionName], bool], views: Sequence[str] = ()
) -> Item:
    """Return an item in whose texts some regions have another number.

    Args:
        item: The item.
        number: The new number.
        concerns: Which names change.
        views: Names of the item's views in the order of its media.
    """
    changed = {
        field: [name for name in names if concerns(name)]
        for field, names in names_by_field(item, views=views)
    }
    options = tuple(
        msgspec.structs.replace(option, text=_replaced(option.text, changed[f"options[{index}]"], number))
        for index, option in enumerate(item.options)
    )
    return msgspec.structs.replace(
        item,
        question=_replaced(item.question, changed["question"], number),
        options=options,
        answer_key=_replaced(item.answer_key, changed["answer_key"], number),
    )


def _replaced(text: str, names: list[RegionName], number: int) -> str:
    # From the end: a longer number must not move the places of those before.
    for name in reversed(names):
        text = f"{text[: name.start]}{number}{text[name.end :]}"
    return text


def _numbers(text: str, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    for found in _NUMBER.finditer(text, start, end):
        yield found.start(), found.end(), int(found.group())
