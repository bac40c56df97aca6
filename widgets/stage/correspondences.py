"""Finds the point of another view that corresponds to the pointer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from annotator.domain.link import Link
from annotator.media.ground_plane import PlaneTransform
from widgets.stage.canvas import StageCanvas

By = Literal["pointer", "link", "ground", "share"]
"""The pointer itself; a linked region; a ground-plane homography; the same relative position."""


@dataclass(frozen=True, kw_only=True)
class CorrespondingPoint:
    """An image point of a view that corresponds to the pointer.

    Attributes:
        x: Image pixels.
        y: Image pixels.
        by: How it was found; a relative position in the image is only a guess.
    """

    x: float
    y: float
    by: By


def corresponding_point(
    here: StageCanvas,
    there: StageCanvas,
    *,
    links: Iterable[Link],
    to_other: PlaneTransform | None,
    is_together: bool,
) -> CorrespondingPoint | None:
    """Return the point of another view that corresponds to the pointer, or None if it is unknown.

    A linked region is preferred to the ground plane, which is exact only for points on the ground.

    Args:
        here: The view with the pointer.
        there: The other view, or the same one for the pointer itself.
        links: Links of the scene.
        to_other: Transform from pixels of the first view to pixels of the second.
        is_together: Whether views are panned together, so that the same relative position is a usable guess.
    """
    if here.pointer is None:
        return None
    x, y = here.pointer
    if here is there:
        return CorrespondingPoint(x=x, y=y, by="pointer")
    linked = _linked_position(here, there, links=links)
    if linked is not None:
        return linked
    if to_other is not None:
        position = to_other.point(x, y)
        return (
            _inside(CorrespondingPoint(x=position[0], y=position[1], by="ground"), there)
            if position is not None
            else None
        )
    if not is_together:
        return None
    x_share, y_share = x / here.image_size.width(), y / here.image_size.height()
    return CorrespondingPoint(
        x=x_share * there.image_size.width(), y=y_share * there.image_size.height(), by="share"
    )


def _linked_position(
    here: StageCanvas, there: StageCanvas, *, links: Iterable[Link]
) -> CorrespondingPoint | None:
    region = here.hovered
    if region is None:
        return None
    linked = (
        one for link in links if link.kind == "same" and region.id in link.regions for one in link.regions
    )
    found = next((there.marks.region(one) for one in linked if there.marks.region(one) is not None), None)
    if found is None:
        return None
    box = found.box
    return CorrespondingPoint(x=(box.x1 + box.x2) / 2, y=(box.y1 + box.y2) / 2, by="link")


def _inside(point: CorrespondingPoint, canvas: StageCanvas) -> CorrespondingPoint | None:
    size = canvas.image_size
    return point if 0 <= point.x < size.width() and 0 <= point.y < size.height() else None
