"""Dashed outlines: proposals, hidden places, issue boxes, and reprojected regions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from widgets.stage.polyline_rasterizer import PolylineRasterizer, clipped_lines
from widgets.stage.view_annotations import ViewAnnotations
from widgets.stage.view_transform import ViewTransform

Floats = npt.NDArray[np.float64]
Colours = npt.NDArray[np.uint32]
DASH_PX = 5
MOST_DASHED = 1500
"""Number of dashed boxes above which their lines are whole and only lighter: dashes of 5,000 take 30 ms."""


def draw_dashed_regions(
    sheet: PolylineRasterizer,
    marks: ViewAnnotations,
    dashed: npt.NDArray[np.bool_],
    *,
    colours: Colours,
    transform: ViewTransform,
    ratio: float,
) -> None:
    """Draw boxes and polygons dashed.

    Args:
        sheet: The layer of lines.
        marks: The regions.
        dashed: Which of them, bool (n,); too many boxes are left to the caller.
        colours: Colours of all regions, uint32 (n,), 0xffRRGGBB.
        transform: View transform.
        ratio: Device pixel ratio of the widget.
    """
    boxes = np.flatnonzero(dashed & marks.is_plain)
    if 0 < len(boxes) <= MOST_DASHED:
        # Around each box: its corners, and each of them with the next one. One array for all of them.
        corners = marks.boxes[boxes][:, ((0, 1), (2, 1), (2, 3), (0, 3))]
        lines = np.concatenate([corners, np.roll(corners, -1, axis=1)], axis=2).reshape(-1, 4)
        _draw_dashes(sheet, lines, colours=np.repeat(colours[boxes], 4), transform=transform, ratio=ratio)
    indices = marks.polygons.region_indices
    polygons = np.flatnonzero(dashed[indices]).tolist()
    if polygons:
        outlines = [marks.polygons.corners[slice(*marks.polygons.ranges[one])] for one in polygons]
        draw_dashed(sheet, outlines, colours=colours[indices[polygons]], transform=transform, ratio=ratio)


def draw_dashed(
    sheet: PolylineRasterizer,
    outlines: Sequence[Floats],
    *,
    colours: Sequence[int] | Colours,
    transform: ViewTransform,
    ratio: float,
) -> None:
    """Draw the parts of dashed outlines inside the image; outlines are in image pixels."""
    begins = np.concatenate(outlines)
    ends = np.concatenate([np.roll(outline, -1, axis=0) for outline in outlines])
    # Clipping can drop lines, so each line has its own colour.
    inks = np.repeat(np.array(colours, np.uint32), [len(outline) for outline in outlines])
    lines = np.concatenate([begins, ends], axis=1)
    _draw_dashes(sheet, lines, colours=inks, transform=transform, ratio=ratio)


def lighter(colours: Colours) -> Colours:
    """Return colours mixed half with white, uint32 (n,), 0xffRRGGBB."""
    # Halves each channel without carrying its lowest bit into the next one.
    return np.asarray(((colours >> 1) & 0x7F7F7F) + 0x808080 | 0xFF000000, np.uint32)


def _draw_dashes(
    sheet: PolylineRasterizer, lines: Floats, *, colours: Colours, transform: ViewTransform, ratio: float
) -> None:
    """Draw the parts of dashed lines inside the image; float64 (n, 4), x1 y1 x2 y2, image pixels."""
    lines, kept = clipped_lines(lines, size=(transform.image_width, transform.image_height))
    seen = transform.to_view(lines.reshape(-1, 2, 2)).reshape(-1, 4)
    sheet.draw_dashes(seen, colours=colours[kept], dash_px=round(DASH_PX * ratio))
