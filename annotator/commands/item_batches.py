"""Edits of many items at once, each one step for undo."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal, get_args

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.commands.item_edits import ItemEdit, reopened
from annotator.domain import answers
from annotator.domain.event import Edit, edit_differences
from annotator.domain.item import Item
from annotator.domain.item_options import find_option, reletter
from annotator.domain.predictable_letters import has_predictable_letter, needs_other_options
from annotator.draft.seeded_random import SeededRandom, keyed_seed
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.reader import Reader

TextField = Literal["question", "options"]
_NAMES_LETTERS = re.compile(
    r"\b(?:of the above|both [A-I] and [A-I]|options? [A-I]|[A-I] and [A-I])\b", re.IGNORECASE
)
"""Matches options that refer to other options; moving them would change their meaning."""


@dataclass(frozen=True, kw_only=True)
class EditItems(Command):
    """Edit several items, each in its own way, as one step.

    Attributes:
        edits: The edits; one item may have several, done in order.
    """

    edits: tuple[ItemEdit, ...]

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("edit_items", count=len({edit.item for edit in self.edits}))

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the fields that change, item after item.

        Raises:
            UserError: An edit does not fit its item; nothing is changed.
        """
        by_item: defaultdict[str, list[ItemEdit]] = defaultdict(list)
        for edit in self.edits:
            by_item[edit.item].append(edit)
        progress.begin(self.summary, total=len(by_item))
        for item_id, edits in by_item.items():
            progress.step()
            before = after = reader.require(Item, item_id)
            for edit in edits:
                after = edit.edited(after, reader)
            yield from edit_differences(before, reopened(before, after))


@dataclass(frozen=True, kw_only=True)
class TextReplacement:
    r"""What to find in the texts of items, and what to put in its place.

    Attributes:
        find: Text to find, or a regular expression.
        replace: New text; with a regular expression it may name groups (``\1``).
        fields: Texts to look into.
        is_pattern: Whether ``find`` is a regular expression.
        has_case: Whether capital and small letters differ.
    """

    find: str
    replace: str
    fields: tuple[TextField, ...] = get_args(TextField)
    is_pattern: bool = False
    has_case: bool = True

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What is searched for.

        Raises:
            UserError: Nothing to find, or no valid regular expression.
        """
        if not self.find:
            raise UserError("There is no text to find.", hint="Enter the text to find.")
        try:
            source = self.find if self.is_pattern else re.escape(self.find)
            return re.compile(source, re.NOFLAG if self.has_case else re.IGNORECASE)
        except re.error as error:
            raise UserError(
                f"{self.find!r} is not a valid regular expression: {error.msg}.",
                hint="Correct it, or search for plain text.",
            ) from error

    def applied(self, item: Item) -> Item:
        """Return an item with the text replaced.

        Raises:
            UserError: The new text names a group that the expression does not have.
        """
        changes: dict[str, object] = {}
        if "question" in self.fields:
            changes["question"] = self._replaced(item.question)
        if "options" in self.fields:
            changes["options"] = tuple(
                msgspec.structs.replace(option, text=self._replaced(option.text)) for option in item.options
            )
        return msgspec.structs.replace(item, **changes)

    def _replaced(self, text: str) -> str:
        if not self.is_pattern:
            return self.pattern.sub(lambda _found: self.replace, text)
        try:
            return self.pattern.sub(self.replace, text)
        except (re.error, IndexError) as error:
            raise UserError(
                f"The new text {self.replace!r} does not fit the expression: {error}.",
                hint="Use \\1 for the first group of the expression.",
            ) from error


def preview_replacement(items: Iterable[Item], replacement: TextReplacement) -> Iterator[tuple[Item, Item]]:
    """Yield each item that a replacement changes, as it is and as it would be."""
    for item in items:
        changed = replacement.applied(item)
        if changed != item:
            yield item, changed


@dataclass(frozen=True, kw_only=True)
class ReplaceText(Command):
    """Replace text in the questions and options of items.

    Attributes:
        items: Ids of the items.
        replacement: What to find and to put in its place.
    """

    items: tuple[str, ...]
    replacement: TextReplacement

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("replace_text", count=len(self.items))

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the texts that change.

        Raises:
            UserError: The expression is not valid, or an item is unknown.
        """
        progress.begin(self.summary, total=len(self.items))
        for item_id in self.items:
            progress.step()
            before = reader.require(Item, item_id)
            yield from edit_differences(before, reopened(before, self.replacement.applied(before)))


@dataclass(frozen=True, kw_only=True)
class RebalanceLetters(Command):
    """Move the right options of items so that each letter is the answer key equally often.

    An item changes by one exchange of two options. Items without a valid option letter, and items whose
    options refer to each other ('all of the above'), stay as they are. The state of the items stays: their
    meaning is the same.

    Attributes:
        items: Ids of the items.
        seed: Seed of the draw; in a project, the same items and seed give the same letters.
    """

    items: tuple[str, ...]
    seed: int = 0

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("rebalance_letters", count=len(self.items))

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield options and answer key of each item that changes.

        Raises:
            UserError: An item is unknown.
        """
        progress.begin(self.summary, total=len(self.items))
        movable: defaultdict[int, list[Item]] = defaultdict(list)
        for item_id in self.items:
            progress.step()
            item = reader.require(Item, item_id)
            if has_movable_options(item):
                movable[len(item.options)].append(item)
        seed = keyed_seed(self.seed, project=reader.project.id)
        for count, items in sorted(movable.items()):
            draw = SeededRandom(seed, "letters", count)
            for item, dealt in _rebalanced(items, draw=draw, count=count):
                yield from edit_differences(item, _keyed(item, dealt, source=partial(reader.get, Item)))


def _rebalanced(items: list[Item], *, draw: SeededRandom, count: int) -> Iterator[tuple[Item, Item]]:
    """Yield items, each as it is and with its options in their new order."""
    # In an order that nobody knows: in that of the public ids, the letters that a release publishes would
    # tell those of their neighbours whose answer keys it hides.
    in_order = draw.shuffled(sorted(items, key=lambda item: (item.name, item.id)))
    indices = [index for _ in range(-(-len(items) // count)) for index in draw.shuffled(range(count))]
    for item, index in zip(in_order, indices, strict=False):
        options = list(item.options)
        now = find_option(item, item.answer_key)
        options[now], options[index] = options[index], options[now]
        yield item, reletter(item, options)


def _keyed(item: Item, dealt: Item, *, source: Callable[[str], Item | None]) -> Item:
    """Return an item as dealt, marked as one whose letter nobody can compute any more."""
    if needs_other_options(item) or not has_predictable_letter(item, source=source):
        return dealt
    made = msgspec.structs.replace(item.provenance, is_keyed=True)
    return msgspec.structs.replace(dealt, provenance=made)


def has_movable_options(item: Item) -> bool:
    """Return whether the options of an item can change places without a change of its meaning."""
    letters = [option.letter for option in item.options]
    is_lettered = answers.has_options(item.answer_format) and item.answer_key in letters
    return is_lettered and not any(_NAMES_LETTERS.search(option.text) for option in item.options)
