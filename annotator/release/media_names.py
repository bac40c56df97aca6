"""How a release names the media that its records show."""

from __future__ import annotations

import re

from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.release.release_items import RecordLookup

LONGEST_PLACE = 1000

_DRIVE_OR_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def is_safe_path(place: str) -> bool:
    """Tell whether a text is a relative path, "/" between its parts, that cannot lead out of a folder."""
    if not place or len(place) > LONGEST_PLACE or place != place.strip() or "\\" in place:
        return False
    parts = place.split("/")
    return not {"", ".", ".."} & set(parts) and not _DRIVE_OR_SCHEME.match(place)


def release_path(medium: Medium) -> str:
    """Return where a medium lies below the media root, or its name where no folder is known.

    Returns:
        A plain path; "" where it is none, since nobody should open what it leads to.
    """
    # A path of one part says no more than the name, and the name is what sources call it by.
    place = medium.path if "/" in medium.path else medium.name
    return place if is_safe_path(place) else ""


def release_paths(item: Item, *, lookup: RecordLookup) -> tuple[str, ...] | None:
    """Return the places of all media that an item shows, None where one of them has none."""
    media = lookup.media_of(item)
    places = tuple(release_path(medium) for medium in media or ())
    return places if media is not None and all(places) else None
