"""Repairs of an item that one key does: for a finding, the command that removes its cause."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.item_edits import ItemEdit, RemoveOption, SetAnswerKey, SwapOptions
from annotator.commands.variants import UpdateVariant
from annotator.domain import answers
from annotator.domain.answers import AnswerContext
from annotator.domain.clean_text import clean_text
from annotator.domain.item import LETTERS, Item
from annotator.domain.item_options import reletter
from annotator.quality.checks.choices import normalize_option
from annotator.quality.checks.directions import AbsoluteDirection
from annotator.quality.checks.variants import GONE, STATE, StaleVariant
from annotator.quality.finding import Finding
from annotator.quality.relative_directions import relative_wordings, with_relative_directions
from annotator.quality.texts import texts_of
from annotator.queries.reader import Reader

FEWEST_OPTIONS = 2


@dataclass(frozen=True, kw_only=True)
class LetterOptions(ItemEdit):
    """Letter the options of an item from A in their order; the answer key follows its option."""

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("letter_options")

    def edited(self, item: Item, _reader: Reader, /) -> Item:
        """Return the item with letters in order."""
        return reletter(item, item.options)


@dataclass(frozen=True, kw_only=True)
class TrimTexts(ItemEdit):
    """Remove superfluous spaces and invisible characters from the question and the options of an item."""

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("trim_texts")

    def edited(self, item: Item, _reader: Reader, /) -> Item:
        """Return the item with clean texts."""
        options = tuple(msgspec.structs.replace(each, text=clean_text(each.text)) for each in item.options)
        key = item.answer_key if options else clean_text(item.answer_key)
        return msgspec.structs.replace(
            item, question=clean_text(item.question), options=options, answer_key=key
        )


@dataclass(frozen=True, kw_only=True)
class UseRelativeDirections(ItemEdit):
    """Say the directions of the compass in the texts of an item relative to the drone.

    Attributes:
        heading_deg: Where its camera looks, clockwise from north.
        before: The first direction, for the undo menu.
        after: What it becomes.
    """

    heading_deg: float
    before: str
    after: str

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("use_relative_directions", before=self.before, after=self.after)

    def edited(self, item: Item, _reader: Reader, /) -> Item:
        """Return the item with other words for its directions."""

        def reword(text: str) -> str:
            return with_relative_directions(text, heading_deg=self.heading_deg)

        options = tuple(msgspec.structs.replace(each, text=reword(each.text)) for each in item.options)
        key = item.answer_key if options else reword(item.answer_key)
        return msgspec.structs.replace(item, question=reword(item.question), options=options, answer_key=key)


def repair_of(finding: Finding, item: Item, *, heading_deg: float | None = None) -> ItemEdit | None:
    """Return the command that removes the cause of a finding, None where a person has to decide.

    Args:
        finding: A finding of the live checks.
        item: The item as it was checked.
        heading_deg: Where its camera looks, clockwise from north; None where that is not known.
    """
    if finding.check == AbsoluteDirection.id:
        return None if heading_deg is None else _relative_directions(item, heading_deg)
    repair = _REPAIRS.get(finding.check)
    return repair(finding, item) if repair else None


def balancing_swap(item: Item, *, counts: dict[str, int]) -> SwapOptions | None:
    """Return the exchange that gives an item the rarest letter of its task as answer key.

    Args:
        item: The item.
        counts: Items of the task by the letter of their answer key, for every letter of the item.

    Returns:
        None where the item's letter is not above its share, or is the rarest itself.
    """
    letter = item.answer_key
    if counts.get(letter, 0) * len(counts) <= sum(counts.values()):
        return None
    rarest = min(counts, key=lambda each: (counts[each], each))
    return None if rarest == letter else SwapOptions(item=item.id, letters=(letter, rarest))


def _remove_duplicate(finding: Finding, item: Item) -> ItemEdit | None:
    if finding.option_index is None or len(item.options) <= FEWEST_OPTIONS:
        return None
    return RemoveOption(item=item.id, letter=item.options[finding.option_index].letter)


def _letter_options(_finding: Finding, item: Item) -> ItemEdit | None:
    letters = [option.letter for option in item.options]
    is_plain = "".join(letters) == LETTERS[: len(letters)]
    # Of two options with one letter nobody knows which is the answer.
    is_unique = len(set(letters)) == len(letters) <= len(LETTERS)
    return LetterOptions(item=item.id) if is_unique and not is_plain else None


def _set_key(_finding: Finding, item: Item) -> ItemEdit | None:
    letter = _meant_letter(item)
    return SetAnswerKey(item=item.id, text=letter) if letter else None


def _meant_letter(item: Item) -> str:
    """Return the letter of the option that the answer key means, "" where it is not certain."""
    text = normalize_option(item.answer_key)
    equal = [option.letter for option in item.options if text and normalize_option(option.text) == text]
    if len(equal) == 1:
        return equal[0]
    context = AnswerContext(options=item.options)
    parsed = answers.get("option_letter").parse(item.answer_key, context=context)
    return str(parsed.value or "")


def _relative_directions(item: Item, heading_deg: float) -> ItemEdit | None:
    for _, text, _ in texts_of(item):
        for wording in relative_wordings(text, heading_deg=heading_deg):
            return UseRelativeDirections(
                item=item.id, heading_deg=heading_deg, before=wording.before, after=wording.after
            )
    return None


def _update_variant(finding: Finding, item: Item) -> ItemEdit | None:
    # Without a source there is nothing to make it from.
    is_possible = finding.evidence.get(STATE) not in (GONE, "rejected")
    return UpdateVariant(item=item.id) if is_possible else None


def _trim(_finding: Finding, item: Item) -> ItemEdit:
    return TrimTexts(item=item.id)


_REPAIRS: dict[str, Callable[[Finding, Item], ItemEdit | None]] = {
    "duplicate_options": _remove_duplicate,
    "option_keys": _letter_options,
    "key_in_options": _set_key,
    "stray_characters": _trim,
    StaleVariant.id: _update_variant,
}
