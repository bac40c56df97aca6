"""A JSON list in a file, written record by record in one fixed layout."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from typing import Any

import msgspec

from annotator.release.release_folder import ReleaseFile

LONGEST_STEM, MOST_BYTES = 80, 230
"""Characters, and bytes, of a file name available for the dataset; file systems limit names to 255 bytes."""


class JsonSheet:
    """A list of records, indented by two as ``json.dump(…, indent=2, ensure_ascii=False)`` lays it out.

    Args:
        file: Where it goes.
        head: Fields before the list in an enclosing object, empty for a bare list.
        field: Name of the list in that object, "" for a bare list.
    """

    def __init__(self, file: ReleaseFile, *, head: dict[str, Any] | None = None, field: str = "") -> None:
        self._file = file
        self._indent = b"    " if field else b"  "
        self._tail = b"\n  ]\n}\n" if field else b"\n]\n"
        opening = "".join(f"  {_text(key)}: {_text(value)},\n" for key, value in (head or {}).items())
        self._before = f"{{\n{opening}  {_text(field)}: [\n".encode() if field else b"[\n"

    def add(self, record: dict[str, Any]) -> None:
        """Append a record."""
        text = msgspec.json.format(msgspec.json.encode(record), indent=2)
        # Line ends inside strings are escaped, so each real line end belongs to the layout.
        indented = self._indent + text.replace(b"\n", b"\n" + self._indent)
        self._file.write(self._before + indented, records=1)
        self._before = b",\n"

    def close(self) -> None:
        """End the list."""
        self._file.write(self._tail)


def file_stem(dataset: str) -> str:
    """Return a file name part for a dataset that is valid on every system and cannot leave the folder.

    If the name has to be changed, a digest of the dataset is appended, so that names never collide.
    """
    # Normalise to NFC: macOS treats the two Unicode forms of an é as one name, Linux as two.
    normal = unicodedata.normalize("NFC", dataset)[:LONGEST_STEM]
    stem = "".join(ch if ch.isalnum() or ch in "._-" else "_" for ch in normal).strip(".")
    # 80 Chinese characters are 240 bytes, and the form adds text before and after them.
    stem = stem.encode()[:MOST_BYTES].decode(errors="ignore")
    if stem == dataset:
        return stem
    return f"{stem}-{hashlib.sha256(dataset.encode()).hexdigest()[:8]}"


def whole(number: float) -> int | float:
    """Return a number as the published files spell it: 40 instead of 40.0."""
    # Above 2**53 an integer would show digits that the float does not represent.
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
