"""Names of media in the records of a release."""

from __future__ import annotations

import re

from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.release.release_items import RecordLookup

LONGEST_MEDIA_PATH = 1000

_DRIVE_OR_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def is_safe_path(path: str) -> bool:
    """Return whether a text is a relative path, with "/" as separator, that cannot leave a folder."""
    if not path or len(path) > LONGEST_MEDIA_PATH or path != path.strip() or "\\" in path:
        return False
    parts = path.split("/")
    # ``C:name`` looks relative, and is on another drive on Windows.
    return not {"", ".", ".."} & set(parts) and not _DRIVE_OR_SCHEME.match(path)


def release_path(medium: Medium) -> str:
    """Return the path of a medium below the media root, or its name if no folder is known.

    Returns:
        A relative path; "" if it would be unsafe to open.
    """
    # A path of one part contains no more than the name, and sources identify the medium by its name.
    location = medium.path if "/" in medium.path else medium.name
    return location if is_safe_path(location) else ""


def release_paths(item: Item, *, lookup: RecordLookup) -> tuple[str, ...] | None:
    """Return the paths of all media of an item, None if one of them has none."""
    media = lookup.media_of(item)
    locations = tuple(release_path(medium) for medium in media or ())
    return locations if media is not None and all(locations) else None
