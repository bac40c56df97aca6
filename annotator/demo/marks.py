"""Regions under neutral ids, as a detector would have marked them, and images with them drawn in."""

from __future__ import annotations

from collections.abc import Sequence

import cv2

from annotator.demo.camera_effects import Image
from annotator.demo.captures import Marked, Picture
from annotator.demo.terrain import Colour, colour_of
from annotator.demo.truth import VisibleObject

FOLDER = "detected"
_MOST, _MOST_MISSED = 10, 2
_WELL_SEEN, _LEAST_WIDTH_PX = 0.7, 24
_COLOURS = tuple(
    colour_of(c)
    for c in (
        "ffb000",
        "648fff",
        "dc267f",
        "4fd1a5",
        "fe6100",
        "b7a0ff",
        "f5e663",
        "00bcd4",
        "ff8fa3",
        "a5d651",
    )
)


def mark(picture: Picture, image: Image, *, partners: Sequence[Picture]) -> tuple[Marked, Image]:
    """Choose the regions of an image: what its partners show too, and one or two that are hidden from them.

    Args:
        picture: The image.
        image: Its pixels, which stay as they are.
        partners: The marked images of the moment, itself among them or not.

    Returns:
        The marked image and its pixels.
    """
    others = [other for other in partners if other.name != picture.name]
    # Numbers run from left to right: they tell neither size nor what is shared.
    visible_objects = tuple(sorted(_best(picture, others), key=lambda s: s.x1))
    drawn = image.copy()
    scale = max(1, round(image.shape[1] / 1280))
    for number, visible_object in enumerate(visible_objects):
        _draw(drawn, visible_object, number=number, colour=_COLOURS[number], scale=scale)
    return Marked(name=f"{FOLDER}/{picture.name}", picture=picture, visible_objects=visible_objects), drawn


def _best(picture: Picture, others: Sequence[Picture]) -> list[VisibleObject]:
    """Return the objects to mark: what other images show too, and one or two that are hidden from them."""
    shared = {s.mover.number for other in others for s in _plain(other)}
    missed = {s.mover.number for other in others for s in other.visible_objects if s.hidden_by} - shared
    # The largest are the nearest: questions about them can be answered by human annotators too.
    ranked = sorted(_plain(picture), key=lambda s: (s.mover.number not in shared, -_area(s)))
    # First, since links of what hides what need both of their regions.
    told = [s for s in ranked if s.mover.number in missed][:_MOST_MISSED]
    return [*told, *(s for s in ranked if s not in told)][:_MOST]


def _plain(picture: Picture) -> list[VisibleObject]:
    """Return the vehicles of an image that are seen well."""
    return [
        s
        for s in picture.visible_objects
        if is_vehicle(s) and s.shown > _WELL_SEEN and s.x2 - s.x1 > _LEAST_WIDTH_PX
    ]


def is_vehicle(visible_object: VisibleObject) -> bool:
    """Return whether an object is a vehicle."""
    return visible_object.mover.kind != "person"


def _area(visible_object: VisibleObject) -> int:
    return (visible_object.x2 - visible_object.x1) * (visible_object.y2 - visible_object.y1)


def _draw(image: Image, visible_object: VisibleObject, *, number: int, colour: Colour, scale: int) -> None:
    """Draw a box with a dark rim, so that it reads on any ground, and its number outside of it."""
    gap = 3 * scale
    corners = (
        (visible_object.x1 - gap, visible_object.y1 - gap),
        (visible_object.x2 + gap, visible_object.y2 + gap),
    )
    cv2.rectangle(image, *corners, (20, 20, 20), 4 * scale, cv2.LINE_AA)
    cv2.rectangle(image, *corners, colour, 2 * scale, cv2.LINE_AA)
    text, font = str(number), cv2.FONT_HERSHEY_SIMPLEX
    (width, height), _ = cv2.getTextSize(text, font, 0.55 * scale, scale)
    top = (
        visible_object.y1 - 5 * scale
        if visible_object.y1 > 24 * scale
        else visible_object.y2 + height + 9 * scale
    )
    cv2.rectangle(
        image,
        (visible_object.x1 - 4 * scale, top - height - 5 * scale),
        (visible_object.x1 + width + 2 * scale, top + 3 * scale),
        colour,
        cv2.FILLED,
    )
    cv2.putText(
        image,
        text,
        (visible_object.x1 - scale, top - scale),
        font,
        0.55 * scale,
        (20, 20, 20),
        scale,
        cv2.LINE_AA,
    )
