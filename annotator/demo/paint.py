"""Colours of cars and clothes, and what people call them."""

from __future__ import annotations

from annotator.demo.terrain import Colour, colour_of

# Most cars are white, grey or black; that they come first and often is meant.
_CARS = (
    ("white", "d9dbdb"),
    ("white", "e6e6e2"),
    ("white", "d4d5d3"),
    ("grey", "85898d"),
    ("grey", "a9adb0"),
    ("black", "3a3d42"),
    ("black", "2b2d31"),
    ("blue", "2f4b78"),
    ("red", "8f2f2b"),
    ("red", "a8443a"),
    ("green", "3f6a55"),
    ("yellow", "c2a55a"),
)
CAR_COLOURS = tuple(colour_of(code) for _, code in _CARS)
CLOTHES = tuple(colour_of(code) for code in ("b5463c", "2d3d63", "dfdcd2", "2f2f33", "c9a24a", "4f7a5b"))
_NAMES = {colour_of(code): name for name, code in _CARS}


def colour_name(colour: Colour) -> str:
    """Return the word for a car's colour."""
    return _NAMES[colour]
