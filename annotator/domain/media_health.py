"""Whether the file of a medium is there and is what the project knows."""

from __future__ import annotations

from collections.abc import Iterable

HEALTHS = ("damaged", "changed", "missing", "unseen", "found")
"""States of a medium's file, the one that needs somebody most first."""
FLAG_HEALTH = {"medium_damaged": "damaged", "medium_changed": "changed", "medium_missing": "missing"}
"""Kinds of open flags on a medium that say how its file was found."""


def health_of(*, sha256: str, flags: Iterable[str]) -> str:
    """Return the health of a medium.

    Args:
        sha256: Digest of its content, "" while no file has been seen.
        flags: Kinds of the open flags on it.
    """
    healths = {FLAG_HEALTH[kind] for kind in flags if kind in FLAG_HEALTH}
    return worst_health(healths) or ("found" if sha256 else "unseen")


def worst_health(healths: Iterable[str]) -> str:
    """Return the one of several healths that needs somebody most, "" for none at all."""
    known = set(healths)
    return next((health for health in HEALTHS if health in known), "")
