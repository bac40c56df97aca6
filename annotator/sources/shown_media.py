"""What readers of questions say about the media that an item shows."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from annotator.sources.found import FoundFlag, FoundMedium, FoundScene


def scene_of_first(media: Sequence[FoundMedium], *, view: str, name: str = "") -> FoundScene | None:
    """Return the scene of the first medium, None without one: the others are other moments or candidates.

    Args:
        media: What the item shows, in order.
        view: Name of the view that the first medium is.
        name: Name of the scene, "" to take that of the medium.
    """
    if not media:
        return FoundScene(name=name) if name else None
    first = media[0]
    named = first if first.view == view else msgspec.structs.replace(first, view=view)
    return FoundScene(name=name or first.name.rpartition(".")[0] or first.name, views=(named,))


def missing_media(media: Sequence[FoundMedium]) -> list[FoundFlag]:
    """Return the flag of an item that shows nothing."""
    return [] if media else [FoundFlag(kind="media_missing", field="media", message="It shows no picture.")]
