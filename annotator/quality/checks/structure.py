"""Checks of an item's build: required fields, option letters, key among the options."""

from __future__ import annotations

import re

from annotator.domain import answers
from annotator.domain.item import LETTERS, Item
from annotator.domain.task_set import OptionCount
from annotator.quality.check import CheckHit, ItemCheck
from annotator.quality.context import CheckContext

# Source: UrbanVideo-Bench has 3 to 7 options, its published converter reserves 8; our format ends at 9.
ANY_COUNT = OptionCount(min=2, max=len(LETTERS))
_LETTER_LIST = re.compile(r"[A-Z](?:\s*[,;、，]\s*[A-Z])+")


class RequiredFields(ItemCheck):
    """Finds items without a field that an item needs."""

    id = "required_fields"
    severity = "error"
    title = "Required fields"
    finds = "The public id, task, question, answer key or (in formats with options) options are empty."
    advice = "Fill in the field, or reject the item."
    threshold = "none; the five fields of AirCopBench's draft check"

    def check_item(self, item: Item, context: CheckContext, /) -> CheckHit | None:
        """Say which of the fields are empty that an item cannot do without.

        Source: AirCopBench's draft check asks for question_id, question_type, question, options and
        correct_answer; options are asked for in formats that have them.
        """
        missing = [
            name for name in ("name", "task", "question", "answer_key") if not getattr(item, name).strip()
        ]
        if not item.options and _wants_options(item, context):
            missing.append("options")
        if not missing:
            return None
        listed = ", ".join({"answer_key": "answer key"}.get(name, name) for name in missing)
        return CheckHit(message=f"Empty: {listed}.", field=missing[0])


def has_plain_letters(item: Item) -> bool:
    """Tell whether the options are lettered A, B, C … in order."""
    return "".join(option.letter for option in item.options) == LETTERS[: len(item.options)]


class OptionLetters(ItemCheck):
    """Finds options whose letters or number are wrong."""

    id = "option_keys"
    severity = "error"
    title = "Option letters"
    finds = "Options are not lettered A, B, C … in order, or their number differs from the task's number."
    advice = "Letter the options from A without gaps, and use the number of options that the task requires."
    threshold = "the task's option count (AirCopBench: exactly A to D); 2 to 9 if the task is unknown"

    def check_item(self, item: Item, context: CheckContext, /) -> CheckHit | None:
        """Say what is wrong with the letters of the options: order, gaps, or their number for the task."""
        if not answers.has_options(item.answer_format) or not item.options:
            return None
        task = context.task(item)
        count = (task.option_count if task else None) or ANY_COUNT
        if has_plain_letters(item) and count.min <= len(item.options) <= count.max:
            return None
        shown = ", ".join(option.letter or "?" for option in item.options)
        return CheckHit(message=f"The options are {shown}; {_wanted(count)}.", field="options")


class KeyInOptions(ItemCheck):
    """Finds keys that are none of the options."""

    id = "key_in_options"
    severity = "error"
    title = "Answer key among the options"
    finds = "The answer key is not an option letter, or contains several letters."
    advice = "Choose the correct option. If several are correct, reword the options so that only one is."
    threshold = "none; AirCopBench's draft check"

    def check_item(self, item: Item, _context: CheckContext, /) -> CheckHit | None:
        """Say that the key is none of the option letters, or not one letter."""
        letters = [option.letter for option in item.options]
        # Where options or key are missing at all, required_fields says so.
        if item.answer_format != "option_letter" or item.answer_key in ("", *letters) or not letters:
            return None
        message = f"The answer key {item.answer_key!r} is not among the options {', '.join(letters)}."
        if _LETTER_LIST.fullmatch(item.answer_key.strip()):
            message = (
                f"The answer key {item.answer_key!r} contains several options; this format allows one letter."
            )
        return CheckHit(message=message, field="answer_key")


def _wants_options(item: Item, context: CheckContext) -> bool:
    task = context.task(item)
    # The options of SpatialUAV's Collaboration Recognition are pictures; its tasks leave that check out.
    return answers.has_options(item.answer_format) and (task is None or "option_keys" in task.checks)


def _wanted(count: OptionCount) -> str:
    exact = f"exactly {LETTERS[0]} to {LETTERS[count.max - 1]}"
    if count.min == count.max:
        return f"this task requires {exact}, in order"
    return f"{count.min} to {count.max} options are required, lettered from A without gaps"
