"""Checks that an item is complete before it is refined or accepted."""

from __future__ import annotations

from annotator.domain import answers
from annotator.domain.item import Item
from annotator.quality.check import ItemCheck
from annotator.quality.checks.choices import DuplicateOptions
from annotator.quality.checks.structure import KeyInOptions, RequiredFields
from annotator.quality.context import CheckContext, answer_context

NEEDED: tuple[ItemCheck, ...] = (RequiredFields(), KeyInOptions(), DuplicateOptions())
"""Checks that no finished item may fail, whatever its task set asks for."""


def find_defect(item: Item, context: CheckContext) -> str:
    """Return the reason why an item is not complete, "" if it is."""
    for check in NEEDED:
        if hit := check.check_item(item, context):
            return hit.message
    # Options without any text stand for images.
    if any(option.text.strip() for option in item.options):
        for option in item.options:
            if not option.text.strip():
                return f"Option {option.letter} is empty."
    return find_answer_problem(item, context)


def find_answer_problem(item: Item, context: CheckContext) -> str:
    """Return why an item's answer key is not an answer in its format, "" if it is one."""
    if not answers.is_known(item.answer_format):
        return ""
    answer_format, surroundings = answers.get(item.answer_format), answer_context(item, context)
    parsed = answer_format.parse(item.answer_key, context=surroundings)
    if parsed.value is None:
        return f"The answer key cannot be read: {parsed.reason}"
    problems = answer_format.validate(parsed.value, context=surroundings)
    return problems[0].message if problems else ""
