"""Draws regions, links and paths into images for releases and model runs.

The stage paints overlays in the same colours for display, but images that leave the project are made only
here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from annotator.domain import answers
from annotator.domain.link import Link
from annotator.domain.polyline import Polyline
from annotator.domain.region import Box, Region
from annotator.media.map_drawing import draw_map_path
from annotator.media.name_plates import NamePlates
from annotator.media.path_drawing import (
    PathPen,
    PathScale,
    direction_colour,
    draw_arrow_line,
    draw_direction_arrow,
)

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
BLANK = (128, 128, 128)
"""Colour of blanked regions: without contrast to what images are on average."""
LINE_SHARE = 1 / 900
"""Width of lines over the longer side: 1 px at 720p, 4 px at 4K; models shrink pictures."""
LETTER_SHARE = 1 / 2400
"""Scale of OpenCV's simplex letters, which are 22 px high at 1.0, over the longer side."""
SMALLEST_LETTER = 0.45
DASH_SHARE = 6
"""Length of the dashes of hidden places, and of the gaps between them, over the width of the line."""
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
        blanked: Ids of regions whose inside is filled with grey before anything is drawn.
    """

    regions: tuple[Region, ...] = ()
    links: tuple[Link, ...] = ()
    paths: tuple[Polyline, ...] = ()
    is_map: bool = False
    blanked: frozenset[str] = frozenset()

    def of(self, medium: str, *, frame: int | None = None) -> Overlay:
        """Return what is marked in one medium, for a video at one frame; the links stay whole."""
        return Overlay(
            regions=tuple(one for one in self.regions if (one.medium, one.frame) == (medium, frame)),
            links=self.links,
            paths=tuple(one for one in self.paths if (one.medium, one.frame) == (medium, frame)),
            is_map=self.is_map,
            blanked=self.blanked,
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
    for index, link in enumerate(link for link in links if link.kind == "same"):
        for region in link.regions:
            yield region, free[index % len(free)]


def _drawn_regions(marks: Overlay, *, rendering: Rendering) -> list[Region]:
    shown = (region for region in marks.regions if not region.is_proposed)
    return [region for region in shown if rendering == "annotated" or not region.is_unseen]


def render(picture: Rgb, *, marks: Overlay, rendering: Rendering) -> Rgb:
    """Draw the overlays of one medium into a copy of its image.

    A region without extent is drawn as a ring with a cross-hair that leaves the point itself visible. The
    category of a region is never drawn: models see ``Region 3``. Proposals are not drawn. Numbers are placed
    outside of their box if there is space in the image. The place of an object that the image does not show
    is dashed, and drawn by ``annotated`` only: questions about detected regions are about what the image
    shows. ``annotated`` draws only the paths into a top-view map, as TopViewRS does: the regions of a map are
    the answers to its questions. A label such as ``Direction 3`` is not written: it is the answer about its
    path.

    Args:
        picture: uint8 (height, width, 3), RGB.
        marks: Regions and paths of this medium and frame, and all links of the scene.
        rendering: The overlays to draw.

    Returns:
        uint8 (height, width, 3), RGB; a new array.
    """
    # A copy: the picture may be the cache's own, and is shown without marks elsewhere.
    drawn = np.ascontiguousarray(picture).copy()
    _fill_blanked(drawn, marks)
    if rendering == "clean":
        return drawn
    if marks.is_map and rendering == "annotated":
        for index, path in enumerate(marks.drawn_paths):
            draw_path(drawn, path, index=index, is_map=True)
        return drawn
    pen = _OverlayPainter(drawn)
    colours = colour_numbers(marks, rendering=rendering)
    regions = _drawn_regions(marks, rendering=rendering)
    for region in regions:
        pen.region(region, colour=_rgb(COLOURS[colours[region.id]]))
    if rendering == "annotated":
        for index, path in enumerate(marks.drawn_paths):
            draw_path(drawn, path, index=index)
            pen.path_name(path)
    # After all lines, so that no line runs through a word.
    pen.names([(f"Region {region.number}", pen.extent(region)) for region in regions])
    return drawn


def _fill_blanked(picture: Rgb, marks: Overlay) -> None:
    """Fill the inside of the blanked regions with grey; of a point, the disc that its ring encloses."""
    regions = [region for region in marks.regions if region.id in marks.blanked]
    if not regions:
        return
    import cv2

    ring = max(SMALLEST_RING, round(max(picture.shape[:2]) * RING_SHARE))
    for region in regions:
        if region.is_point:
            middle = _whole([(region.box.x1, region.box.y1)])[0]
            cv2.circle(picture, middle.tolist(), ring, BLANK, cv2.FILLED)
        else:
            cv2.fillPoly(picture, [_corners(region)], BLANK)


def draw_path(
    picture: Rgb, path: Polyline, *, index: int, scale: PathScale | None = None, is_map: bool = False
) -> None:
    """Draw one path without its label: a navigation path, an arrow of a fan, or a line with an arrow head.

    Args:
        picture: uint8 (height, width, 3), RGB; changed in place.
        path: The path, its points in pixels of the picture.
        index: Place among the drawn paths, which decides the colour of a line.
        scale: The image that the picture is a view of, None if it is the image itself.
        is_map: Whether the picture is a top-view map.
    """
    image = scale or PathScale.of(picture)
    is_fan = path.style == "direction"
    colour = direction_colour(path) if is_fan else _rgb(COLOURS[index % len(COLOURS)])
    pen = PathPen(colour=colour, width=_line_width(image.longest_px), halo=HALO, edge=image.edge)
    if is_map:
        draw_map_path(picture, path.points, longest_px=image.longest_px)
    elif is_fan:
        draw_direction_arrow(picture, path, pen=pen)
    else:
        draw_arrow_line(picture, path.points, pen=pen)


def _line_width(longest_px: float) -> int:
    return max(1, round(longest_px * LINE_SHARE))


class _OverlayPainter:
    """Draws into one picture, in widths that fit its size."""

    def __init__(self, picture: Rgb) -> None:
        # OpenCV takes a third of a second to import, which the start of the window does not have.
        import cv2

        self._cv2, self._picture = cv2, picture
        self._columns, self._rows = picture.shape[1::-1]
        self._edge = np.array((self._columns, self._rows), np.int32)
        longest = max(picture.shape[:2])
        self._width = _line_width(longest)
        self._ring = ring = max(SMALLEST_RING, round(longest * RING_SHARE))
        # Begin and end of the four lines of a cross-hair, from its middle.
        self._arms = np.stack((_ARMS * round(ring * 0.7), _ARMS * round(ring * 1.6)), axis=1)
        letter = max(SMALLEST_LETTER, longest * LETTER_SHARE)
        self._names = NamePlates(picture, width=self._width, letter=letter)

    def region(self, region: Region, *, colour: _Colour) -> None:
        """Draw the outline of a region with its dark halo, or the ring around a point."""
        if region.is_unseen and not region.is_point:
            self._dashes(_corners(region), colour=colour)
            return
        if not region.is_point:
            outline = self._inside(_corners(region)) if region.polygon else self._box_outline(region.box)
            for ink, width in self._inks(colour):
                self._lines([outline], ink, width, is_closed=True)
            return
        middle = self._inside(_whole([(region.box.x1, region.box.y1)]))[0]
        arms = list(middle + self._arms)
        for ink, width in self._inks(colour):
            self._cv2.circle(self._picture, middle.tolist(), self._ring, ink, width, self._cv2.LINE_8)
            self._lines(arms, ink, width, is_closed=False)

    def extent(self, region: Region) -> Box:
        """Return the box that a region's mark takes, image pixels."""
        box = region.box
        if not region.is_point:
            return box
        reach = round(self._ring * 1.6)
        return Box(x1=box.x1 - reach, y1=box.y1 - reach, x2=box.x1 + reach + 1, y2=box.y1 + reach + 1)

    def path_name(self, path: Polyline) -> None:
        """Write the label of a path at its beginning, unless the label is the answer of path planning."""
        if path.label and answers.get("direction_label").parse(path.label).value is None:
            x, y = (float(value) for value in _whole(path.points)[0])
            self.names([(path.label, Box(x1=x, y1=y, x2=x + 1, y2=y + 1))])

    def names(self, names: Sequence[tuple[str, Box]]) -> None:
        """Write names on dark plates above their boxes or below, on no other name, else inside."""
        self._names.write(names)

    def _lines(
        self,
        lines: list[np.ndarray[tuple[int, ...], np.dtype[np.int32]]],
        ink: _Colour,
        width: int,
        *,
        is_closed: bool,
    ) -> None:
        self._cv2.polylines(self._picture, lines, is_closed, ink, width, self._cv2.LINE_8)

    def _box_outline(self, box: Box) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
        """Return ``_inside`` of the corners of a box; with an array in between it takes twice the time."""
        left, top, right, bottom = _sides(box)
        left, right = left - (left == self._columns), right - (right == self._columns)
        top, bottom = top - (top == self._rows), bottom - (bottom == self._rows)
        return np.array(((left, top), (right, top), (right, bottom), (left, bottom)), np.int32)

    def _dashes(self, points: np.ndarray[tuple[int, ...], np.dtype[np.int32]], *, colour: _Colour) -> None:
        """Draw a closed dashed outline; each side begins and ends with a dash, so that corners are seen."""
        ends = self._inside(points).astype(np.float64)
        dashes = [
            dash
            for begin, end in zip(ends, np.roll(ends, -1, axis=0), strict=True)
            for dash in _dashes_between(begin, end, dash_px=self._width * DASH_SHARE)
        ]
        for ink, width in self._inks(colour):
            for begin, end in dashes:
                self._cv2.line(self._picture, begin.tolist(), end.tolist(), ink, width, self._cv2.LINE_8)

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


def _dashes_between(
    begin: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    end: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    *,
    dash_px: int,
) -> list[np.ndarray[tuple[int, ...], np.dtype[np.int32]]]:
    """Return the dashes of a side, int32 (2, 2) each, begin and end, x y, image pixels."""
    # An odd number of parts of equal length, the first and the last of which are dashes.
    parts = max(1, round(float(np.hypot(*(end - begin))) / dash_px))
    parts += 1 - parts % 2
    positions = begin + (end - begin) * np.linspace(0.0, 1.0, parts + 1)[:, None]
    return [_whole(positions[at : at + 2]) for at in range(0, parts, 2)]


def _corners(region: Region) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    if region.polygon:
        return _whole(region.polygon)
    left, top, right, bottom = _sides(region.box)
    return np.array(((left, top), (right, top), (right, bottom), (left, bottom)), np.int32)


def _sides(box: Box) -> tuple[int, int, int, int]:
    """Return the first column and row of a box, and its last ones: its lower right corner is exclusive."""
    # Much faster than rounding an array of four points.
    return round(box.x1), round(box.y1), round(max(box.x1, box.x2 - 1)), round(max(box.y1, box.y2 - 1))


def _whole(points: object) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    return np.asarray(np.rint(np.asarray(points, np.float64)), np.int32)


def _rgb(colour: str) -> _Colour:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
