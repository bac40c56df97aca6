"""The result of a rule for one subject: the parts of an item, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass

from annotator.domain.item import Item


@dataclass(frozen=True, kw_only=True)
class ChoiceQuestion:
    """A question with one right and several wrong answers, before the options are shuffled.

    Attributes:
        right: The right answer.
        wrong: The wrong answers, all different from it and from each other.
        slots: Values of the template's slots.
        answer: The right answer in the first wording, "" where it has only one.
        wording: Number of the wording of the options, from 1; 0 where there is only one.
    """

    right: str
    wrong: tuple[str, ...]
    slots: dict[str, str]
    answer: str = ""
    wording: int = 0


@dataclass(frozen=True)
class SkippedItem:
    """The reason why there is no item, without names or numbers, since equal reasons are counted."""

    reason: str


@dataclass(frozen=True, kw_only=True)
class DraftedItem:
    """One new item.

    Attributes:
        item: The item, with its id still empty. If its public id is empty too, it gets the task's next
            number, and its provenance names the subject.
        answer: The right answer in its first wording, or the answer key; shows how often a constant answer
            would be right.
    """

    item: Item
    answer: str


RuleResult = DraftedItem | SkippedItem
