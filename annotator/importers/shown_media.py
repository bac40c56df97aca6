"""What readers of questions say about the media that an item shows."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from annotator.importers.imported_record import ImportedFlag, ImportedMedium, ImportedScene


def scene_of_first(media: Sequence[ImportedMedium], *, view: str, name: str = "") -> ImportedScene | None:
    """Return the scene of the first medium, None without one: the others are other moments or candidates.

    Args:
        media: What the item shows, in order.
        view: Name of the view that the first medium is.
        name: Name of the scene, "" to take that of the medium.
    """
    if not media:
        return ImportedScene(name=name) if name else None
    first = media[0]
    named = first if first.view == view else msgspec.structs.replace(first, view=view)
    return ImportedScene(name=name or first.stem, views=(named,))


def missing_media(media: Sequence[ImportedMedium]) -> list[ImportedFlag]:
    """Return the flag of an item that shows nothing."""
    return (
        [] if media else [ImportedFlag(kind="media_missing", field="media", message="The item has no image.")]
    )
