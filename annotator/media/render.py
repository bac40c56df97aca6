"""Draws regions, links and paths into images for releases and model runs.

The stage paints overlays in the same colours for display, but images that leave the project are made only
here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from annotator.domain.link import Link
from annotator.domain.polyline import Polyline
from annotator.domain.region import Box, Region
from annotator.media.map_drawing import draw_map_path
from annotator.media.name_plates import NamePlates

if TYPE_CHECKING:
    from annotator.media.image_decoder import Rgb

Rendering = Literal["clean", "detected", "annotated"]
"""Without marks; with regions under neutral ids; with linked regions in one colour, and with paths."""
RENDERINGS: Mapping[str, Rendering] = {
    "detected_image": "detected",
    "detected_pair": "detected",
    "annotated_pair": "annotated",
    "annotated_path_pair": "annotated",
    "topview_map_path": "annotated",
}
"""What is drawn for a task's visual input; all others are shown clean, where marks would tell the answer."""
COLOURS = (
    "#e69f00", "#56b4e9", "#f0e442", "#cc79a7", "#c030ff", "#30ffc0",
    "#8080e0", "#ffffff", "#d55e00", "#c0ffa0", "#30c058", "#e0c0e0",
)  # fmt: skip
"""Colours of regions and links; light ones for a dark halo.

Any two are 27 apart in CIELAB, 16 for people without red or green cones, and all stand out from grass,
asphalt and sand; a test computes it.
Source: the eight of Okabe and Ito, "Color Universal Design" (2008), without black, green and the dark
blue, which drown in vegetation and shadow; white and six found by search fill up.
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
RING_SHARE, SMALLEST_RING = 1 / 160, 5
"""Radius of the ring around a point over the longer side; at least so many pixels."""


@dataclass(frozen=True, kw_only=True)
class Overlay:
    """What is marked in the media of a scene.

    Attributes:
        regions: Regions of one or several media.
        links: Links between them.
        paths: Paths through them.
        is_map: Whether they are marked on a top-view map.
    """

    regions: tuple[Region, ...] = ()
    links: tuple[Link, ...] = ()
    paths: tuple[Polyline, ...] = ()
    is_map: bool = False

    def of(self, medium: str, *, frame: int | None = None) -> Overlay:
        """Return what is marked in one medium, for a video at one frame; the links stay whole."""
        return Overlay(
            regions=tuple(one for one in self.regions if (one.medium, one.frame) == (medium, frame)),
            links=self.links,
            paths=tuple(one for one in self.paths if (one.medium, one.frame) == (medium, frame)),
            is_map=self.is_map,
        )

    @property
    def drawn_paths(self) -> tuple[Polyline, ...]:
        """The paths that renderers draw: those that the image itself does not show."""
        return tuple(path for path in self.paths if not path.is_in_image)


def colour_numbers(marks: Overlay, *, rendering: Rendering) -> dict[str, int]:
    """Return the index into ``COLOURS`` of each region by its id.

    Args:
        marks: Regions, and all links of their scenes: a link has the same colour in every view.
        rendering: With ``annotated`` linked regions share a colour; otherwise the number decides.
    """
    if rendering != "annotated" or not marks.links:
        return {region.id: region.number % len(COLOURS) for region in marks.regions}
    linked = dict(link_colours(marks.links))
    return {region.id: linked.get(region.id, UNLINKED) for region in marks.regions}


def link_colours(links: Iterable[Link]) -> Iterable[tuple[str, int]]:
    """Yield the linked regions of a scene by id, each with the place of its link's colour in ``COLOURS``."""
    free = [number for number in range(len(COLOURS)) if number != UNLINKED]
    for place, link in enumerate(link for link in links if link.kind == "same"):
        for region in link.regions:
            yield region, free[place % len(free)]


def render(picture: Rgb, *, marks: Overlay, rendering: Rendering) -> Rgb:
    """Draw the overlays of one medium into a copy of its image.

    A region without extent is drawn as a ring with a cross-hair that leaves the point itself visible. The
    category of a region is never drawn: models see ``Region 3``. Proposals are not drawn. Numbers are placed
    outside of their box if there is space in the image. ``annotated`` draws only the paths into a
    top-view map, as TopViewRS does: the regions of a map are the answers to its questions.

    Args:
        picture: uint8 (height, width, 3), RGB.
        marks: Regions and paths of this medium and frame, and all links of the scene.
        rendering: The overlays to draw.

    Returns:
        uint8 (height, width, 3), RGB; a new array.
    """
    # A copy: the picture may be the cache's own, and is shown without marks elsewhere.
    drawn = np.ascontiguousarray(picture).copy()
    if rendering == "clean":
        return drawn
    if marks.is_map and rendering == "annotated":
        for path in marks.drawn_paths:
            draw_map_path(drawn, path.points)
        return drawn
    pen = _OverlayPainter(drawn)
    colours = colour_numbers(marks, rendering=rendering)
    regions = [region for region in marks.regions if not region.is_proposed]
    for region in regions:
        pen.region(region, colour=_rgb(COLOURS[colours[region.id]]))
    if rendering == "annotated":
        for place, path in enumerate(marks.drawn_paths):
            pen.path(path, colour=_rgb(COLOURS[place % len(COLOURS)]))
    # After all lines, so that no line runs through a word.
    for region in regions:
        pen.name(f"Region {region.number}", box=pen.extent(region))
    return drawn


class _OverlayPainter:
    """Draws into one picture, in widths that fit its size."""

    def __init__(self, picture: Rgb) -> None:
        # OpenCV takes a third of a second to import, which the start of the window does not have.
        import cv2

        self._cv2, self._picture = cv2, picture
        self._edge = np.array(picture.shape[1::-1], np.int32)
        longest = max(picture.shape[:2])
        self._width = max(1, round(longest * LINE_SHARE))
        self._ring = max(SMALLEST_RING, round(longest * RING_SHARE))
        letter = max(SMALLEST_LETTER, longest * LETTER_SHARE)
        self._names = NamePlates(picture, width=self._width, letter=letter)

    def region(self, region: Region, *, colour: _Colour) -> None:
        """Draw the outline of a region with its dark halo, or the ring around a point."""
        if not region.is_point:
            self._line(_corners(region), colour=colour, is_closed=True)
            return
        middle = self._inside(_whole([(region.box.x1, region.box.y1)]))[0]
        ring = self._ring
        arms = [_whole([middle + arm * round(ring * 0.7), middle + arm * round(ring * 1.6)]) for arm in _ARMS]
        for ink, width in self._inks(colour):
            self._cv2.circle(self._picture, middle.tolist(), ring, ink, width, self._cv2.LINE_8)
            for begin, end in arms:
                self._cv2.line(self._picture, begin.tolist(), end.tolist(), ink, width, self._cv2.LINE_8)

    def extent(self, region: Region) -> Box:
        """Return the box that a region's mark takes, image pixels."""
        box = region.box
        if not region.is_point:
            return box
        reach = round(self._ring * 1.6)
        return Box(x1=box.x1 - reach, y1=box.y1 - reach, x2=box.x1 + reach + 1, y2=box.y1 + reach + 1)

    def path(self, path: Polyline, *, colour: _Colour) -> None:
        """Draw a way with an arrow head at its end, and its label at its beginning."""
        points = _whole(path.points)
        self._line(points, colour=colour, is_closed=False)
        has_length = bool(np.any(points != points[0]))
        for ink, extra in ((HALO, 2), (colour, 0)) if has_length else ():
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
        """Write on a dark plate above a box or below it, on no other name, else inside; never outside."""
        self._names.write(text, box=box)

    def _line(
        self, points: np.ndarray[tuple[int, ...], np.dtype[np.int32]], *, colour: _Colour, is_closed: bool
    ) -> None:
        corners = [self._inside(points)]
        for ink, width in self._inks(colour):
            self._cv2.polylines(self._picture, corners, is_closed, ink, width, self._cv2.LINE_8)

    def _inks(self, colour: _Colour) -> tuple[tuple[_Colour, int], ...]:
        return (HALO, self._width + 2), (colour, self._width)

    def _inside(
        self, points: np.ndarray[tuple[int, ...], np.dtype[np.int32]]
    ) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
        """Return points with those on the right and lower edge on the last pixel, where they are seen."""
        inside: np.ndarray[tuple[int, ...], np.dtype[np.int32]] = points - (points == self._edge)
        return inside


_Colour = tuple[int, int, int]
_ARMS = np.array(((1, 0), (-1, 0), (0, 1), (0, -1)), np.int32)
"""Directions of a cross-hair."""


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
    # The last point that differs: a line may end in several at one place, which have no direction.
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
    if region.polygon:
        return _whole(region.polygon)
    left, top, right, bottom = round(box.x1), round(box.y1), round(x2), round(y2)
    # Much faster than rounding an array of four points.
    return np.array(((left, top), (right, top), (right, bottom), (left, bottom)), np.int32)


def _whole(points: object) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    return np.asarray(np.rint(np.asarray(points, np.float64)), np.int32)


def _rgb(colour: str) -> _Colour:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
