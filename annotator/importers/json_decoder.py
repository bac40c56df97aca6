"""Decodes one JSON value strictly, and finds the part of it that JSON or a project file does not allow."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

from annotator.importers.input_file import fault_of_text, printable
from annotator.importers.json_batches import LARGEST_INTEGER

MAX_DEPTH = 40
"""Levels of lists and objects in one record; the published files have four."""
TOO_DEEP = f"It is nested more than {MAX_DEPTH} levels deep."
_DIGITS_THAT_FIT = 18
_NESTING = frozenset({dict, list})


@dataclass(frozen=True, slots=True)
class _InvalidValue:
    """Stands in a decoded value for a part that JSON does not allow."""

    message: str


class StrictDecoder:
    """Decodes values of a text; a part that is not allowed becomes a stand-in that ``find_fault`` finds.

    Attributes:
        has_invalid: Whether the value decoded last has such a part. A flag instead of a walk: they are
            met while decoding, and hardly any record has one.
    """

    def __init__(self) -> None:
        self.has_invalid = False
        self._decoder = json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_float=self._number,
            parse_int=self._integer,
            parse_constant=self._constant,
        )

    def decode(self, text: str, start: int) -> tuple[Any, int]:
        """Return the value that begins at an offset, and the offset after it.

        Raises:
            JSONDecodeError: It is not JSON.
            RecursionError: It is nested too deeply for the decoder.
        """
        self.has_invalid = False
        return self._decoder.raw_decode(text, start)

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        # The standard module lets the last of equal keys win in silence.
        if len(members) != len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            members[twice] = self._refuse("The field name occurs twice.")
        return members

    def _number(self, digits: str) -> object:
        # 1e999 becomes infinity, which no JSON can be written with.
        number = float(digits)
        return (
            number
            if math.isfinite(number)
            else self._refuse(f"{digits[:40]} is a number outside the supported range.")
        )

    def _integer(self, digits: str) -> object:
        if len(digits) <= _DIGITS_THAT_FIT:
            return int(digits)
        # Python refuses to convert thousands of digits, with an error that names no place.
        number = int(digits) if len(digits) <= 20 else LARGEST_INTEGER + 1
        return (
            number
            if abs(number) <= LARGEST_INTEGER
            else self._refuse(f"{digits[:40]} is a number outside the supported range.")
        )

    def _constant(self, name: str) -> object:
        return self._refuse(f"{name} is not a number in JSON.")

    def _refuse(self, message: str) -> _InvalidValue:
        self.has_invalid = True
        return _InvalidValue(message)


def is_deep(value: object) -> bool:
    """Return whether a value has more than ``MAX_DEPTH`` levels of lists and objects."""
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH + 1):
        parts = [part.values() if type(part) is dict else part for part in level if type(part) in _NESTING]
        level = [below for part in parts for below in part]
        if not level:
            return False
    return True


def find_fault(value: object) -> tuple[str, str] | None:
    """Return path and message of the first part of a value that is not allowed, or None."""
    waiting: list[tuple[str, object, int]] = [("", value, 0)]
    while waiting:
        path, part, depth = waiting.pop()
        if message := _fault_of_part(part, depth=depth):
            return printable(path[:80]), message
        if isinstance(part, dict):
            waiting += [
                (f"{path}.{key}" if path else key, below, depth + 1) for key, below in reversed(part.items())
            ]
            waiting += [(path or key, key, depth + 1) for key in part]
        elif isinstance(part, list):
            waiting += [(f"{path}[{i}]", below, depth + 1) for i, below in reversed(list(enumerate(part)))]
    return None


def _fault_of_part(part: object, *, depth: int) -> str:
    if isinstance(part, _InvalidValue):
        return part.message
    if isinstance(part, str):
        return fault_of_text(part)
    return TOO_DEEP if depth > MAX_DEPTH else ""
