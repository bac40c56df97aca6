"""The picture as the model sees it: what releases and model runs take, pixel by pixel.

The stage paints marks in the same colours, but only this makes pictures that leave the project.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from annotator.domain.link import Link
from annotator.domain.path import Path
from annotator.domain.region import Box, Region

if TYPE_CHECKING:
    from annotator.media.pictures import Rgb

Rendering = Literal["clean", "detected", "annotated"]
"""Without marks; with regions under neutral ids; with linked regions in one colour, and with paths."""
COLOURS = (
    "#e69f00", "#56b4e9", "#f0e442", "#cc79a7", "#ff6f61", "#00d9c0",
    "#b9a3ff", "#ffffff", "#d55e00", "#9be564", "#3f8efc", "#ffb3d1",
)  # fmt: skip
"""Colours of regions and links; light ones for a dark halo.

Source: the eight of Okabe and Ito, "Color Universal Design" (2008), without black, green and the dark
blue, which drown in vegetation and shadow; six of ours take their place and fill up.
"""
UNLINKED = COLOURS.index("#ffffff")
"""Regions without a link are white where linked ones have the colour of their link."""
HALO = (20, 22, 26)
LINE_SHARE = 1 / 900
"""Width of lines over the longer side: 1 px at 720p, 4 px at 4K; models shrink pictures."""
LETTER_SHARE = 1 / 2400
"""Scale of OpenCV's simplex letters, which are 22 px high at 1.0, over the longer side."""
SMALLEST_LETTER = 0.45
ARROW_SHARE = 8
"""Length of arrow heads over the width of the line."""


@dataclass(frozen=True, kw_only=True)
class Marks:
    """What is marked in the media of a scene.

    Attributes:
        regions: Regions of one or several media.
        links: Links between them.
        paths: Paths through them.
    """

    regions: tuple[Region, ...] = ()
    links: tuple[Link, ...] = ()
    paths: tuple[Path, ...] = ()

    def of(self, medium: str, *, frame: int | None = None) -> Marks:
        """Return what is marked in one medium, for a video at one frame; the links stay whole."""
        return Marks(
            regions=tuple(one for one in self.regions if (one.medium, one.frame) == (medium, frame)),
            links=self.links,
            paths=tuple(one for one in self.paths if (one.medium, one.frame) == (medium, frame)),
        )


def colour_numbers(marks: Marks, *, rendering: Rendering) -> dict[str, int]:
    """Return the place in ``COLOURS`` of each region by its id.

    Args:
        marks: Regions, and all links of their scene: a link has the same colour in every view.
        rendering: ``annotated`` shows links; else each region has the colour of its own number.
    """
    if rendering != "annotated" or not marks.links:
        return {region.id: region.number % len(COLOURS) for region in marks.regions}
    linked = dict(_link_colours(marks.links))
    return {region.id: linked.get(region.id, UNLINKED) for region in marks.regions}


def _link_colours(links: Iterable[Link]) -> Iterable[tuple[str, int]]:
    free = [number for number in range(len(COLOURS)) if number != UNLINKED]
    for place, link in enumerate(link for link in links if link.kind == "same"):
        for region in link.regions:
            yield region, free[place % len(free)]


def render(picture: Rgb, *, marks: Marks, rendering: Rendering) -> Rgb:
    """Draw what is marked in one medium into a copy of its picture.

    The category of a region is never drawn: models see ``Region 3``. Ids stand outside of their box where
    there is room in the picture.

    Args:
        picture: uint8 (height, width, 3), red, green, blue.
        marks: Regions and paths of this medium (and frame), with all links of the scene.
        rendering: What is drawn.

    Returns:
        uint8 (height, width, 3), red, green, blue; a new array.
    """
    drawn = np.ascontiguousarray(picture).copy()
    if rendering == "clean":
        return drawn
    pen = _Pen(drawn)
    colours = colour_numbers(marks, rendering=rendering)
    for region in marks.regions:
        pen.outline(_corners(region), colour=_rgb(COLOURS[colours[region.id]]))
    if rendering == "annotated":
        for place, path in enumerate(marks.paths):
            pen.path(path, colour=_rgb(COLOURS[place % len(COLOURS)]))
    # After all lines, so that no line runs through a word.
    for region in marks.regions:
        pen.name(f"Region {region.number}", box=region.box)
    return drawn


class _Pen:
    """Draws into one picture, in widths that fit its size."""

    def __init__(self, picture: Rgb) -> None:
        # OpenCV takes a third of a second to import, which the start of the window does not have.
        import cv2

        self._cv2, self._picture = cv2, picture
        longest = max(picture.shape[:2])
        self._width = max(1, round(longest * LINE_SHARE))
        self._letter = max(SMALLEST_LETTER, longest * LETTER_SHARE)

    def outline(self, corners: np.ndarray[tuple[int, ...], np.dtype[np.int32]], *, colour: _Colour) -> None:
        """Draw a closed line with its dark halo.

        Args:
            corners: int32 (n, 2), x y, image pixels.
            colour: Of the line.
        """
        self._line(corners, colour=colour, is_closed=True)

    def path(self, path: Path, *, colour: _Colour) -> None:
        """Draw a way with an arrow head at its end, and its label at its beginning."""
        points = _whole(path.points)
        self._line(points, colour=colour, is_closed=False)
        has_way = bool(np.any(points != points[0]))
        for ink, extra in ((HALO, 2), (colour, 0)) if has_way else ():
            self._cv2.fillConvexPoly(
                self._picture,
                arrow_head(points, length=self._width * ARROW_SHARE + extra),
                ink,
                lineType=self._cv2.LINE_AA,
            )
        if path.label:
            x, y = (float(value) for value in points[0])
            self.name(path.label, box=Box(x1=x, y1=y, x2=x + 1, y2=y + 1))

    def name(self, text: str, *, box: Box) -> None:
        """Write on a dark plate above a box, below it where there is no room, else inside."""
        cv2, font, width = self._cv2, self._cv2.FONT_HERSHEY_SIMPLEX, self._width
        (wide, high), below = cv2.getTextSize(text, font, self._letter, width)
        plate_height, plate_width = high + below + 4, wide + 6
        rows, columns = self._picture.shape[:2]
        top = round(box.y1) - plate_height - width
        if top < 0:
            top = round(box.y2) + width + 1
        if top + plate_height > rows:
            top = max(0, round(box.y1) + width)
        left = min(max(0, round(box.x1)), max(0, columns - plate_width))
        cv2.rectangle(
            self._picture, (left, top), (left + plate_width - 1, top + plate_height - 1), HALO, cv2.FILLED
        )
        place = (left + 3, top + high + 2)
        cv2.putText(
            self._picture, text, place, font, self._letter, (255, 255, 255), width, lineType=cv2.LINE_AA
        )

    def _line(
        self, points: np.ndarray[tuple[int, ...], np.dtype[np.int32]], *, colour: _Colour, is_closed: bool
    ) -> None:
        for ink, width in ((HALO, self._width + 2), (colour, self._width)):
            self._cv2.polylines(self._picture, [points], is_closed, ink, width, self._cv2.LINE_8)


_Colour = tuple[int, int, int]


def arrow_head(
    points: np.ndarray[tuple[int, ...], np.dtype[np.int32]], *, length: float
) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    """Return the three corners of the arrow head at the end of a line.

    Args:
        points: int32 (n, 2), x y, image pixels; two or more, not all the same.
        length: From tip to base, px.

    Returns:
        int32 (3, 2), the tip first.
    """
    tip = points[-1].astype(np.float64)
    others = points[np.any(points != points[-1], axis=1)]
    along = tip - others[-1]
    along = along / np.hypot(*along)
    across = np.array([-along[1], along[0]])
    ahead = tip + along * length / 2
    corners = [
        ahead,
        ahead - along * length + across * length / 2,
        ahead - along * length - across * length / 2,
    ]
    return _whole(corners)


def _corners(region: Region) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    box = region.box
    # The lower right corner is exclusive: the last pixel that belongs to the region is one before it.
    x2, y2 = max(box.x1, box.x2 - 1), max(box.y1, box.y2 - 1)
    corners = region.polygon or ((box.x1, box.y1), (x2, box.y1), (x2, y2), (box.x1, y2))
    return _whole(corners)


def _whole(points: object) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    return np.asarray(np.rint(np.asarray(points, np.float64)), np.int32)


def _rgb(colour: str) -> _Colour:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
