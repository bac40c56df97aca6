"""Colours of vehicles and clothes, and their names."""

from __future__ import annotations

from annotator.demo.terrain import Colour, colour_of

# Most cars are white, grey or black; their frequency here is intended.
_CARS = (
    ("white", "d9dbdb"),
    ("white", "e6e6e2"),
    ("white", "d4d5d3"),
    ("grey", "85898d"),
    ("grey", "a9adb0"),
    ("black", "3a3d42"),
    ("black", "2b2d31"),
    ("blue", "2f4b78"),
    ("blue", "3f6ea8"),
    ("red", "8f2f2b"),
    ("red", "a8443a"),
    ("green", "3f6a55"),
    ("yellow", "c2a55a"),
    ("orange", "c06a2c"),
    ("brown", "6b4a37"),
    ("beige", "c4b596"),
)
_LARGE = (
    ("white", "d9dbdb"),
    ("blue", "2f4b78"),
    ("red", "a8443a"),
    ("yellow", "c2a55a"),
    ("green", "3f6a55"),
    ("orange", "c06a2c"),
)
_CLOTHES = (
    ("red", "c4483c"),
    ("blue", "3a5490"),
    ("blue", "5a8cc0"),
    ("white", "ecebe4"),
    ("black", "2f2f33"),
    ("yellow", "dcb040"),
    ("green", "55905f"),
    ("pink", "c98a9a"),
    ("grey", "7d7f84"),
    ("orange", "d0712f"),
)
CAR_COLOURS = tuple(colour_of(code) for _, code in _CARS)
LARGE_COLOURS = tuple(colour_of(code) for _, code in _LARGE)
"""Paint of lorries, buses and boats."""
CLOTHES = tuple(colour_of(code) for _, code in _CLOTHES)
WHITE, FIRE_RED = colour_of("d9dbdb"), colour_of("a8443a")
ORANGE_VEST = colour_of("d0712f")
_NAMES = {colour_of(code): name for name, code in (*_CARS, *_LARGE, *_CLOTHES)}


def colour_name(colour: Colour) -> str:
    """Return the word for the colour of paint or clothes."""
    return _NAMES[colour]
