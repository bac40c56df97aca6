"""What the geometry of the views says about a link: where the other region should be, and how far it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QLineF, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from annotator.domain.region import Region
from annotator.media.epipolar import segment_in_image
from annotator.media.view_geometry import Mismatch, PairGeometry
from widgets import theme
from widgets.stage.path_painter import line_pens
from widgets.stage.text_badges import paint_badge
from widgets.stage.tools.draft_boxes import POINT_PX
from widgets.stage.tools.link_keys import taken_elsewhere
from widgets.translation import tr

if TYPE_CHECKING:
    from widgets.stage.canvas import StageCanvas
    from widgets.stage.scene import StageScene

DASH_PX = 5
AROUND_PX = 4
"""Gap between a region and the frame that marks it as already linked."""
LIKELY = 2.0
"""A candidate is suggested up to this multiple of the limit above which links are flagged."""


def pair_geometry(shown: StageScene | None, first: Region, canvas: StageCanvas) -> PairGeometry | None:
    """Return what is known between the image of a region and another view, None for nothing."""
    if shown is None:
        return None
    pair = shown.geometry.between(
        first.medium, canvas.medium, here_frame=first.frame, there_frame=canvas.frame
    )
    return pair if pair.is_known else None


def mismatch_of(shown: StageScene | None, first: Region, other: Region) -> Mismatch | None:
    """Return how far two regions are from showing one object, None if the geometry is unknown."""
    if shown is None:
        return None
    return shown.geometry.pair(first, other).mismatch(first, other, limit=shown.link_limit)


def is_likely(mismatch: Mismatch | None) -> bool:
    """Return whether a candidate is close enough to be suggested."""
    return mismatch is not None and mismatch.px <= LIKELY * mismatch.limit_px


def distance_text(mismatch: Mismatch | None) -> str:
    """Return the distance of a candidate as text, "" if it is unknown."""
    if mismatch is None:
        return ""
    if mismatch.is_over:
        return tr(
            "{n} px off, over the limit of {limit} px",
            n=f"{mismatch.px:.0f}",
            limit=f"{mismatch.limit_px:.0f}",
        )
    return tr("{n} px off", n=f"{mismatch.px:.0f}")


def flag_text(mismatch: Mismatch | None, *, first: str, other: str) -> str:
    """Return why a link that was made is flagged, "" if it is not.

    Args:
        mismatch: Its mismatch.
        first: View and number of the first region.
        other: View and number of the other one.
    """
    if mismatch is None or not mismatch.is_over:
        return ""
    values = {"a": first, "b": other, "n": f"{mismatch.px:.0f}", "limit": f"{mismatch.limit_px:.0f}"}
    if mismatch.by == "ground":
        return tr("Flagged: {a} and {b} are {n} px apart on the ground plane, limit {limit} px", **values)
    return tr("Flagged: {b} is {n} px from the epipolar line of {a}, limit {limit} px", **values)


def new_link_flag(shown: StageScene | None, here: StageCanvas | None, first: Region, other: Region) -> str:
    """Return why a link that is about to be made will be flagged, "" if it will not be, or is refused.

    Args:
        shown: The scene.
        here: The view of the first region.
        first: The first region.
        other: The region of another view.
    """
    if shown is None or other.id in taken_elsewhere(shown, here, first):
        return ""
    names = [f"{shown.view_of(one.medium)} {one.number}".strip() for one in (first, other)]
    return flag_text(mismatch_of(shown, first, other), first=names[0], other=names[1])


def paint_epipolar_line(
    painter: QPainter, canvas: StageCanvas, *, pair: PairGeometry | None, first: Region
) -> None:
    """Paint the line of a view on which the object of a region is; over a ground plane its place is known.

    Args:
        painter: Painter with device pixels as unit.
        canvas: The view.
        pair: What is known between the views.
        first: The region of the other view.
    """
    if pair is None or pair.epipolar is None or pair.ground is not None:
        return
    box = first.box
    line = pair.epipolar.line((box.x1 + box.x2) / 2, (box.y1 + box.y2) / 2)
    size = canvas.image_size
    ends = segment_in_image(line, size=(size.width(), size.height()))
    if ends is None:
        return
    (x1, y1), (x2, y2) = canvas.transform.to_view(np.array(ends, np.float64)).tolist()
    for pen in line_pens(theme.load("dark").color("accent"), ratio=canvas.ratio()):
        pen.setDashPattern([DASH_PX * canvas.ratio() / pen.widthF()] * 2)
        painter.setPen(pen)
        painter.drawLine(QPointF(x1, y1), QPointF(x2, y2))


def middle_on_screen(canvas: StageCanvas, region: Region) -> QPoint:
    """Return the centre of a region in screen coordinates."""
    return canvas.mapToGlobal((canvas.region_rect(region).center() / canvas.ratio()).toPoint())


def around_region(canvas: StageCanvas, region: Region) -> QRectF:
    """Return the frame around a region, or the square around a point's ring, device pixels."""
    least = (POINT_PX if region.is_point else 0.0) * canvas.ratio()
    return canvas.region_rect(region).adjusted(-least, -least, least, least)


def paint_linked(painter: QPainter, canvas: StageCanvas, region: Region) -> None:
    """Paint the frame of a region that is linked already."""
    ratio, tokens = canvas.ratio(), theme.load("dark")
    around = AROUND_PX * ratio
    rect = around_region(canvas, region).adjusted(-around, -around, around, around)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for colour, style, width in (
        (tokens.color("bg"), Qt.PenStyle.SolidLine, 3.4),
        (tokens.color("accent"), Qt.PenStyle.DashLine, 1.4),
    ):
        painter.setPen(QPen(colour, width * ratio, style))
        painter.drawRect(rect)
    # The badge must stay inside the view.
    y = min(round(rect.bottom() + 3 * ratio), canvas.transform.height - round(14 * ratio))
    paint_badge(painter, tr("linked"), x=max(0, round(rect.left())), y=max(0, y), ratio=ratio)


def paint_line(painter: QPainter, canvas: StageCanvas, *, begin: QPoint, end: QPoint) -> None:
    """Paint the part in a view of the line between two ends of a link, in screen coordinates."""
    ratio = canvas.ratio()
    line = QLineF(QPointF(canvas.mapFromGlobal(begin)) * ratio, QPointF(canvas.mapFromGlobal(end)) * ratio)
    for pen in line_pens(theme.load("dark").color("accent"), ratio=ratio):
        painter.setPen(pen)
        painter.drawLine(line)
