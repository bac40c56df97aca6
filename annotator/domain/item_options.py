"""Changes of an item's options that keep letters in order and the answer key on its option."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from annotator.domain import answers
from annotator.domain.item import LETTERS, Item, Option
from annotator.errors import UserError


def find_option(item: Item, letter: str) -> int:
    """Return the place of an option, from 0.

    Raises:
        UserError: The item has no option of that letter.
    """
    for index, option in enumerate(item.options):
        if option.letter == letter:
            return index
    raise UserError(
        f"{item.name} has no option {letter}.",
        hint=f"Options: {', '.join(option.letter for option in item.options) or 'none'}.",
    )


def reletter(item: Item, options: Sequence[Option]) -> Item:
    """Return an item with these options, lettered from A in their order.

    Args:
        item: The item as it is.
        options: Options of the item, moved, removed or with other texts, and new ones, whose letter is "".

    Raises:
        UserError: There are more options than letters.
    """
    if len(options) > len(LETTERS):
        raise UserError(
            f"An item has at most {len(LETTERS)} options.", hint="Remove an option, or reword one."
        )
    lettered = tuple(
        msgspec.structs.replace(option, letter=LETTERS[index]) for index, option in enumerate(options)
    )
    new_letters = {option.letter: LETTERS[index] for index, option in enumerate(options) if option.letter}
    return msgspec.structs.replace(item, options=lettered, answer_key=_follow(item, new_letters))


def _follow(item: Item, new_letters: dict[str, str]) -> str:
    """Return the answer key where its option went, "" where its option was removed."""
    is_letter = answers.has_options(item.answer_format) and item.answer_key in {
        o.letter for o in item.options
    }
    return new_letters.get(item.answer_key, "") if is_letter else item.answer_key
