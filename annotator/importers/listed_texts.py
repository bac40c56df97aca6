"""Several texts in one cell: paths of media, or strings as Python and JSON write lists of them."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Possessive: a list that does not end must not be tried again with its blanks parted in every other way.
_LIST = re.compile(r"""\[\s*+(?:(?:'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+")\s*+(?:,\s*+)?)*+\]""", re.DOTALL)
_STRING = re.compile(r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\"""", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_VIEW = re.compile(r"(UAV[-_ ]?[0-9]+|ground|aerial)\s*[:：=]\s*(\S.*)", re.IGNORECASE)
_MARKS_OF_NAMES = frozenset(":：=")
_FILE = re.compile(r".*\.[A-Za-z0-9]{2,5}")


@dataclass(frozen=True, slots=True)
class ViewPath:
    """A path in a cell, and the view that it is said to show, "" where nothing is said."""

    path: str
    view: str = ""


def strings_in(cell: str) -> list[str]:
    """Return the strings of a cell that lists them in brackets, else the cell alone, none of a blank one."""
    plain = cell.strip()
    listed = strings_of_list(plain)
    if listed is not None:
        return [text for text in listed if text.strip()]
    return [plain] if plain else []


def strings_of_list(text: str) -> list[str] | None:
    """Return the strings of a list as Python prints it, blank ones included; None where it is none.

    Tables that pandas wrote hold such lists in cells: ``['one', "two's"]`` is no JSON.
    """
    if not text.startswith("[") or not _LIST.fullmatch(text):
        return None
    return [_ESCAPED.sub(r"\1", single or double) for single, double in _STRING.findall(text)]


def paths_in(cell: str) -> list[ViewPath]:
    """Return the paths of a cell: in brackets, on lines, between semicolons or bars, or between commas."""
    listed = strings_in(cell)
    if len(listed) == 1:
        listed = _split(listed[0])
    return [_named(text) for text in listed]


def _split(text: str) -> list[str]:
    # The first mark that occurs parts: a path may hold any of the later ones.
    for mark in ("\n", ";", "；", "|"):
        if mark in text:
            return [part.strip() for part in text.split(mark) if part.strip()]
    if "," not in text and "，" not in text:
        return [text]
    # A comma may stand in a name: it parts only what has the ending of a file on both sides.
    parts = [part.strip() for part in re.split("[,，]", text)]
    return parts if all(_FILE.fullmatch(part) for part in parts) else [text]


def _named(text: str) -> ViewPath:
    # Few paths are named, and none without one of these.
    found = _VIEW.fullmatch(text) if not _MARKS_OF_NAMES.isdisjoint(text) else None
    if found is None:
        return ViewPath(text)
    view = re.sub(r"[-_ ]", "", found[1])
    return ViewPath(found[2].strip(), view.upper() if view.upper().startswith("UAV") else view.lower())
