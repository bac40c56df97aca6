"""Shortcuts planted into the words of items, to measure which blind filter finds them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Literal

import msgspec

from annotator.domain.item import LETTERS, Item, Option

Giveaway = Literal["longest", "overlap", "absurd", "style", "letter"]
"""The key says far more than the other options; the question repeats its words; the other options cannot be;
the key alone is a sentence with a capital and a full stop; the key is always the same letter."""
GIVEAWAYS: tuple[Giveaway, ...] = ("longest", "overlap", "absurd", "style", "letter")
MARK = "planted"
"""Name of the extra field that says which shortcut an item has; no model is told it."""
FAVOURED = "B"
_DETAILS = (
    "which can be seen clearly from where the drone flies and stays in sight all the time",
    "as is plain from the shadows, the markings and everything that stands around it",
    "and that holds for the whole of the picture and not only for its nearer half",
    "although a part of it is covered by the trees that stand along the side of the street",
)
_NONSENSE = (
    "a herd of purple whales reading newspapers",
    "the inside of a sleeping clock",
    "seven litres of frozen music",
    "a staircase made of yesterday's weather",
    "the moon wearing a wooden hat",
    "an orchestra of boiled umbrellas",
    "nine kilometres of melted silence",
    "a soup that sings about geometry",
)


def plant(items: Sequence[Item], *, each: int, seed: int) -> list[Item]:
    """Return items of which so many have each shortcut; which ones is drawn, and kept in their extras.

    Args:
        items: With options that have texts, and a letter for a key.
        each: Number of items per shortcut.
        seed: The same seed, the same items.
    """
    draw = random.Random(seed)
    chosen = draw.sample(range(len(items)), each * len(GIVEAWAYS))
    kinds = dict(zip(chosen, [kind for kind in GIVEAWAYS for _ in range(each)], strict=True))
    return [
        _marked(_MAKERS[kinds[index]](item, draw), kinds[index]) if index in kinds else item
        for index, item in enumerate(items)
    ]


def planted_in(item: Item) -> str:
    """Return which shortcut was planted in an item, "" for none."""
    return str(item.extras.get(MARK, ""))


def _longest(item: Item, draw: random.Random) -> Item:
    detail = draw.choice(_DETAILS)
    return _with_texts(item, key=lambda text: f"{text.rstrip('.')}, {detail}", other=lambda text: text)


def _overlap(item: Item, draw: random.Random) -> Item:
    del draw
    key = next(option.text for option in item.options if option.letter == item.answer_key)
    told = f"{item.question} Pay attention to this: {key.rstrip('.')}."
    return msgspec.structs.replace(item, question=told)


def _absurd(item: Item, draw: random.Random) -> Item:
    others = iter(draw.sample(_NONSENSE, len(item.options) - 1))
    return _with_texts(item, key=lambda text: text, other=lambda _: next(others))


def _style(item: Item, draw: random.Random) -> Item:
    del draw
    return _with_texts(
        item,
        key=lambda text: f"{text[:1].upper()}{text[1:].rstrip('.')}.",
        other=lambda text: text.rstrip(".").lower(),
    )


def _letter(item: Item, draw: random.Random) -> Item:
    del draw
    texts = {option.letter: option.text for option in item.options}
    texts[FAVOURED], texts[item.answer_key] = texts[item.answer_key], texts[FAVOURED]
    options = tuple(Option(letter=letter, text=texts[letter]) for letter in texts)
    return msgspec.structs.replace(item, options=options, answer_key=FAVOURED)


_MAKERS: dict[Giveaway, Callable[[Item, random.Random], Item]] = {
    "longest": _longest,
    "overlap": _overlap,
    "absurd": _absurd,
    "style": _style,
    "letter": _letter,
}


def _with_texts(item: Item, *, key: Callable[[str], str], other: Callable[[str], str]) -> Item:
    options = tuple(
        Option(letter=option.letter, text=(key if option.letter == item.answer_key else other)(option.text))
        for option in item.options
    )
    return msgspec.structs.replace(item, options=options)


def _marked(item: Item, kind: Giveaway) -> Item:
    return msgspec.structs.replace(item, extras=item.extras | {MARK: kind})


def can_take(item: Item) -> bool:
    """Tell whether a shortcut can be planted: three to nine options with texts, one of them the key."""
    letters = [option.letter for option in item.options]
    has_letters = letters == list(LETTERS[: len(letters)]) and item.answer_key in letters
    is_wide = 3 <= len(letters) <= min(len(LETTERS), len(_NONSENSE) + 1)
    return has_letters and is_wide and all(option.text for option in item.options)
