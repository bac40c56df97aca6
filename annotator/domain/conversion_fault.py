"""What is wrong with a value that does not have the form of a record, in plain words.

msgspec has no codes for its errors: its sentence is taken apart here, and nowhere else.
"""

from __future__ import annotations

import re

_PATH = re.compile(r" - at `\$\.?(.*)`$")
_WRONG_CHOICE = re.compile(r"Invalid enum value (.+)")
_TYPE_TITLES = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
    "null": "nothing",
}


def split_fault(message: str) -> tuple[str, str]:
    """Return the path of the value that a validation error of msgspec names, "" for the whole, and the fault.

    Args:
        message: Text of a ``msgspec.ValidationError``.
    """
    found = _PATH.search(message)
    what = message[: found.start()] if found else message
    what = what.replace("Object contains unknown", "unknown").replace("Object missing", "missing")
    what = _WRONG_CHOICE.sub(r"\1 is not a valid value", what.replace("Expected", "expected"))
    return (found[1] if found else ""), re.sub(r"`([a-z |]+)`", _type_text, what)


def field_fault(message: str) -> str:
    """Return a validation error of a flat structure: the field, and what is wrong with it."""
    path, what = split_fault(message)
    where = f"field {path}" if path else "top level"
    return f"{where}: {what}."


def _type_text(found: re.Match[str]) -> str:
    kinds = [kind for kind in found[1].split(" | ") if kind != "null"]
    # Names of fields stand in the same quotes.
    return " or ".join(_TYPE_TITLES.get(kind, f"`{kind}`") for kind in kinds)
