"""What a rule gives for one subject: the makings of an item, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass

from annotator.domain.item import Item


@dataclass(frozen=True, kw_only=True)
class ChoiceQuestion:
    """A question with one right and some wrong answers, before letters are dealt.

    Attributes:
        right: The right answer.
        wrong: The wrong answers, all different from it and from each other.
        slots: Values of the template's slots.
    """

    right: str
    wrong: tuple[str, ...]
    slots: dict[str, str]


@dataclass(frozen=True)
class SkippedItem:
    """No item, and why: words that are counted over all labels, so without names or numbers."""

    reason: str


@dataclass(frozen=True, kw_only=True)
class DraftedItem:
    """One new item.

    Attributes:
        item: The item, with its id still empty.
        answer: Text of the right option; tells how often guessing one answer would be right.
    """

    item: Item
    answer: str


RuleResult = DraftedItem | SkippedItem
