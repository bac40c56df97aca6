"""Numbers in text: as published scripts find them, and as the strict rules read and write them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal

# SpatialUAV, eval_spatialuav.py: these two patterns find every number that its scores are made from.
# The hyphen of "1-2" becomes a sign, the 1 of "x1" a number, and digits of other scripts count as digits.
_PUBLISHED_INT = re.compile(r"-?\d+")
_PUBLISHED_FLOAT = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")

# A number that does not hang on a word ("x1", "UAV2") or on another number ("1.2.3"), in plain digits.
NUMBER = r"(?<![A-Za-z0-9_.])[-+]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?![0-9]|\.[0-9])"
_NUMBER = re.compile(NUMBER)

RANGE = re.compile(r"[0-9.]\s*(?:-|~|到|至|\bto\b)\s*[-+]?[0-9.]")
"""Two numbers that a hyphen or "to" joins: in "80-90" it makes neither a range nor a sign into one answer."""

THOUSANDS = re.compile(r"[0-9],[0-9]{3}(?![0-9])")
"""In "1,200": a thousand and two hundred, or the numbers 1 and 200."""

# Fractions ("\u2044" is what folding leaves of "½"), powers, tolerances, calculations, marks between digits
# ("1_200") and words that change the number beside them.
_COMPOSED = re.compile(
    r"[\u2044^±]|[0-9][_'][0-9]|[0-9]\s*+[+*/×÷]++\s*+[-+]?[0-9]"
    r"|\b(?:minus|plus|negative|half|quarter|hundred|thousand|million|dozen)s?\b|[负半百千万亿]",
    re.IGNORECASE,
)
_ANY_DIGIT = re.compile(r"\d")

# Python stops converting integers at 4,300 digits, and so do the published scripts, with an exception.
TOO_LONG = "The text contains a number of thousands of digits; the published script stops with an error."


def published_ints(text: str) -> list[int] | None:
    """Return all integers that SpatialUAV's script finds, None where it stops with an exception."""
    try:
        return [int(digits) for digits in _PUBLISHED_INT.findall(text)]
    except ValueError:
        return None


def published_floats(text: str) -> list[float]:
    """Return all numbers that SpatialUAV's script finds; too large ones are infinite, as there."""
    return [float(digits) for digits in _PUBLISHED_FLOAT.findall(text)]


def strict_numbers(text: str) -> list[float] | None:
    """Return the free-standing numbers of folded text, None where one is too large for a float."""
    numbers = [float(digits) for digits in _NUMBER.findall(text)]
    return numbers if all(map(math.isfinite, numbers)) else None


def is_composed(text: str) -> bool:
    """Return whether folded text holds a number that is not written in plain digits alone."""
    return _COMPOSED.search(text) is not None


def has_digit(text: str) -> bool:
    """Return whether the text holds a digit of any script."""
    return _ANY_DIGIT.search(text) is not None


def write_number(number: float, *, decimals: int = 0) -> str:
    """Return the shortest text that reads back as the number, with no exponent.

    Args:
        number: Any finite number.
        decimals: At least so many digits after the point.
    """
    # Through Decimal, since repr writes 1e-07 and a reader of boxes expects no exponents.
    digits = format(Decimal(repr(float(number))), "f")
    whole, _, fraction = digits.partition(".")
    fraction = fraction.rstrip("0").ljust(decimals, "0")
    return f"{whole}.{fraction}" if fraction else whole


def format_numbers(numbers: Sequence[int]) -> str:
    """Return numbers as people list them, for messages."""
    return ", ".join([str(number) for number in numbers])
