"""Paths of media in other people's files: hints below the media root, or nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass

LONGEST_PATH = 1024
_DRIVE_OR_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


@dataclass(frozen=True, slots=True)
class PathHint:
    """What a path in a file is worth.

    Attributes:
        path: Path below the media root with "/" between its parts, "" where it was refused.
        name: Last part of the path, or the whole text where it has none.
        refused: Why it is no path below the media root, in words; "" where it is one.
    """

    path: str
    name: str
    refused: str = ""


def read_path(text: str) -> PathHint:
    """Return a path that somebody else wrote as a hint that never leads out of the media root."""
    plain = text.strip().replace("\\", "/")
    parts = [part for part in plain.split("/") if part not in {"", "."}]
    refused = _reason_to_refuse(plain, parts)
    name = parts[-1] if parts and parts[-1] != ".." else text
    return PathHint(path="" if refused else "/".join(parts), name=name, refused=refused)


def _reason_to_refuse(plain: str, parts: list[str]) -> str:
    if plain.startswith("/"):
        return "an absolute path is no place below the media root"
    if _DRIVE_OR_SCHEME.match(plain):
        return "a drive or address is no place below the media root"
    if ".." in parts:
        return "the path leads out of the media root"
    if not parts:
        return "the path is empty"
    return f"the path has more than {LONGEST_PATH} characters" if len(plain) > LONGEST_PATH else ""
