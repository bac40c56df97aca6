"""Paths of media in other people's files: hints below the media root, or nothing."""

from __future__ import annotations

import re

import msgspec

LONGEST_PATH = 1024
_SAYING_NOTHING = frozenset({"", "."})
_DRIVE_OR_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


class PathHint(msgspec.Struct, frozen=True, gc=False):
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
    # Windows paths are common in published files; "/" is what a medium keeps.
    plain = text.strip().replace("\\", "/")
    parts = plain.split("/")
    if not _SAYING_NOTHING.isdisjoint(parts):
        parts = [part for part in parts if part not in _SAYING_NOTHING]
    refused = _reason_to_refuse(plain, parts)
    name = parts[-1] if parts and parts[-1] != ".." else text
    return PathHint(path="" if refused else "/".join(parts), name=name, refused=refused)


def _reason_to_refuse(plain: str, parts: list[str]) -> str:
    # An absolute path such as /data/a.jpg belongs to another machine.
    if plain.startswith("/"):
        return "an absolute path is not below the media root"
    # Of "./C:" the drive would be left.
    if parts and ":" in parts[0] and _DRIVE_OR_SCHEME.match(parts[0]):
        return "a drive or URL is not below the media root"
    if ".." in parts:
        return "the path is outside the media root"
    if not parts:
        return "the path is empty"
    return f"the path has more than {LONGEST_PATH} characters" if len(plain) > LONGEST_PATH else ""
