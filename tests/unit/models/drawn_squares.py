"""Questions about drawn squares, of which it is known what part of the input answers them; and pictures."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from PIL import Image

from annotator.media.render import BLANK

COLOURS = {"red": (205, 45, 45), "green": (45, 165, 65), "blue": (45, 75, 205), "gold": (225, 185, 35)}
THINGS = {"red": "blood", "green": "grass", "blue": "the sea", "gold": "the sun"}
"""What is known to have a colour."""
CORNERS = ((0, 0), (1, 0), (1, 1), (0, 1))
"""Clockwise, as columns and rows."""
HIDDEN, NOTHING = "grey", "nothing"
"""Names of the colour of blanked regions, and of none: they answer nothing."""
SIDE_PX = 128
"""Side of a picture; a square fills most of a quarter of it."""
SQUARE_PX = 48
SHIFT_PX, JITTER = 6, 14
"""How far squares are from their places, and levels from those of their colours."""
PARTLY = 0.2
"""Share of the examples whose images do not tell the answer."""
ALONE = 0.5
"""Share of the questions that one of two views answers for which this view alone is shown."""

COLOUR_IN_VIEWS = "What colour is the square that one of the views shows?"
COLOUR_OF_BOTH = "Which colour do the squares of both views make together?"
COLOUR_IN_VIDEO = "What colour is the square in the video?"
COLOUR_OF_FRAMES = "Which colour do the first and the last square of the video make together?"
COLOURS_IN_ORDER = (
    "What colour is the first square of the video?",
    "What colour is the last square of the video?",
)
COLOUR_IN_REGION = "What colour is the square in Region 1?"
COLOUR_BESIDE_REGION = "What colour is the square beside Region 1?"


class Square(NamedTuple):
    """A square in one of the corners; another corner can be blanked, of those counted on from its own."""

    colour: str
    corner: int
    blanked: int = 0


EMPTY = Square(NOTHING, 0)
"""A picture without a square."""
Shown = tuple[str, Square]
"""The label of an image for a model, and its square."""


class Example(NamedTuple):
    """A question with the images that a model gets; the kind says what answers it."""

    kind: str
    question: str
    key: str
    shown: tuple[Shown, ...]
    options: tuple[str, ...] = tuple(COLOURS)


def draw(square: Square, *, chance: random.Random) -> Image.Image:
    """Return a picture on a dark ground with noise."""
    noise = np.random.default_rng(chance.randrange(2**32))
    pixels = np.full((SIDE_PX, SIDE_PX, 3), float(chance.randint(20, 50)))
    if square.colour in COLOURS:
        left, top = (index + chance.randint(-SHIFT_PX, SHIFT_PX) for index in corner_px(square.corner))
        levels = [level + chance.randint(-JITTER, JITTER) for level in COLOURS[square.colour]]
        pixels[top : top + SQUARE_PX, left : left + SQUARE_PX] = levels
    pixels += noise.normal(0, 6, pixels.shape)
    if square.colour == HIDDEN or square.blanked:
        column, row = CORNERS[(square.corner + square.blanked) % len(CORNERS)]
        half = SIDE_PX // 2
        pixels[row * half : (row + 1) * half, column * half : (column + 1) * half] = BLANK
    return Image.fromarray(pixels.clip(0, 255).astype(np.uint8))


def corner_px(corner: int) -> tuple[int, int]:
    """Return where the square of a corner begins, from the left and from the top."""
    column, row = CORNERS[corner]
    margin = (SIDE_PX // 2 - SQUARE_PX) // 2
    return column * SIDE_PX // 2 + margin, row * SIDE_PX // 2 + margin


def squares() -> Iterator[Square]:
    """Yield every square, beside every blanked corner, and blanked itself."""
    for corner in range(len(CORNERS)):
        for colour in COLOURS:
            for blanked in range(len(CORNERS)):
                yield Square(colour, corner, blanked)
        yield Square(HIDDEN, corner)
    yield EMPTY


def any_square(chance: random.Random) -> Square:
    """Return a square by chance."""
    return Square(chance.choice([*COLOURS]), chance.randrange(len(CORNERS)))


def together(first: str, second: str) -> str:
    """Return the colour that two colours make: by one of them alone, each is as likely.

    Two equal ones make the first colour, and each other one with the first makes itself.
    """
    names = [*COLOURS]
    return names[names.index(first) ^ names.index(second)]


def known_colour(colour: str) -> str:
    """Return a question whose answer is known without any picture."""
    return f"What colour is {THINGS[colour]}?"


def two_views(first: Square, second: Square) -> tuple[Shown, ...]:
    """Return the images of two views."""
    return ("Image 1 (UAV1)", first), ("Image 2 (UAV2)", second)


def view_example(chance: random.Random, *, is_whole: bool) -> Example:
    """Return a question that one of two views answers; the other one shows nothing."""
    square = any_square(chance)
    shown = two_views(*chance.sample((square, EMPTY), 2))
    if not is_whole or chance.random() < ALONE:
        shown = tuple(one for one in shown if (one[1] == square) == is_whole)
    return Example("view", COLOUR_IN_VIEWS, square.colour, shown)


def views_example(chance: random.Random, *, is_whole: bool) -> Example:
    """Return a question that two views answer together."""
    first, second = any_square(chance), any_square(chance)
    shown = _some(chance, two_views(first, second), is_whole=is_whole)
    return Example("views", COLOUR_OF_BOTH, together(first.colour, second.colour), shown)


def known_example(chance: random.Random, *, is_whole: bool) -> Example:
    """Return a question whose answer is known without any picture."""
    views, colour = two_views(any_square(chance), any_square(chance)), chance.choice([*COLOURS])
    return Example("known", known_colour(colour), colour, _some(chance, views, is_whole=is_whole))


def video_example(chance: random.Random, *, is_whole: bool) -> Example:
    """Return a question that each frame of two answers."""
    square = any_square(chance)
    shown = _some(
        chance, _video(chance, square, any_square(chance)._replace(colour=square.colour)), is_whole=is_whole
    )
    return Example("video", COLOUR_IN_VIDEO, square.colour, shown)


def frames_example(chance: random.Random, *, is_whole: bool) -> Example:
    """Return a question that two frames answer together."""
    first, second = any_square(chance), any_square(chance)
    shown = _some(chance, _video(chance, first, second), is_whole=is_whole)
    return Example("frames", COLOUR_OF_FRAMES, together(first.colour, second.colour), shown)


def order_example(chance: random.Random, *, is_whole: bool) -> Example:
    """Return a question about the first or last of two frames; in a part, only the other one is shown."""
    video = _video(chance, any_square(chance), any_square(chance))
    asked = chance.randrange(len(COLOURS_IN_ORDER))
    shown = video if is_whole else (video[1 - asked],)
    return Example("order", COLOURS_IN_ORDER[asked], video[asked][1].colour, shown)


def region_example(chance: random.Random, *, is_whole: bool) -> Example:
    """Return a question that the content of a region answers."""
    square = any_square(chance)
    shown = square if is_whole else square._replace(colour=HIDDEN)
    return Example("region", COLOUR_IN_REGION, square.colour, (("", shown),))


def beside_example(chance: random.Random, *, is_whole: bool) -> Example:
    """Return a question that names a region and is answered elsewhere."""
    square = any_square(chance)
    shown = square if is_whole else square._replace(blanked=chance.choice((1, 2, 3)))
    return Example("beside", COLOUR_BESIDE_REGION, square.colour, (("", shown),))


Kinds = Mapping[str, tuple[Callable[..., Example], int]]
KINDS: Kinds = MappingProxyType(
    {
        "view": (view_example, 1),
        "views": (views_example, 3),
        "known": (known_example, 2),
        "video": (video_example, 1),
        "frames": (frames_example, 3),
        "region": (region_example, 1),
        "beside": (beside_example, 1),
    }
)
"""What makes examples of each kind, and how many of them there are beside others."""
ORDER_KINDS: Kinds = MappingProxyType({"video": (video_example, 1), "order": (order_example, 3)})
"""The same for a model that learns the order of frames."""


def any_example(chance: random.Random, kinds: Kinds = KINDS) -> Example:
    """Return an example to learn from, with its options in any order."""
    (kind,) = chance.choices([*kinds], weights=[weight for _, weight in kinds.values()])
    made = kinds[kind][0](chance, is_whole=chance.random() >= PARTLY)
    return made._replace(options=tuple(chance.sample(made.options, len(made.options))))


def _video(chance: random.Random, first: Square, last: Square) -> tuple[Shown, ...]:
    return ("0.0 s", first), (f"{chance.randint(1, 9) / 10} s", last)


def _some(chance: random.Random, shown: tuple[Shown, ...], *, is_whole: bool) -> tuple[Shown, ...]:
    return shown if is_whole else (chance.choice(shown),)
