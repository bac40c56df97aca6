"""Paints the annotations of a view in one pass: rasterized lines first, everything else with Qt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF

from annotator.domain.polyline import Polyline
from annotator.media.render import COLOURS, Rendering, arrow_head
from widgets import theme
from widgets.region_colours import region_colour
from widgets.stage.box_rasterizer import draw_boxes
from widgets.stage.issues import IssueBoxes, largest_of_each
from widgets.stage.label_placement import place_labels
from widgets.stage.overlay_kinds import OverlayKinds
from widgets.stage.polyline_rasterizer import RING_PX, PolylineRasterizer, clipped_lines
from widgets.stage.reprojected_regions import ReprojectedRegion
from widgets.stage.scene_overlays import SceneOverlays
from widgets.stage.text_badges import HEIGHT_PX, MARGIN_PX, badge_size, digit_px, paint_badge
from widgets.stage.trajectory_painter import paint_plan, paint_trail
from widgets.stage.view_annotations import ViewAnnotations
from widgets.stage.view_transform import ViewTransform

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
SMALLEST_LABELLED_PX = 14
"""Regions whose longer side is shorter show their number only under the pointer."""
ARROW_PX, DASH_PX = 9, 5
MOST_DASHED = 1500
"""Number of proposed boxes above which their lines are whole and only lighter: dashes of 5,000 take 30 ms."""
REPROJECTED_SHARE = 0.75
"""Brightness of reprojected regions relative to their colour."""
NOTHING_ELSE = SceneOverlays()


@dataclass(frozen=True, kw_only=True)
class OverlayState:
    """How annotations are painted.

    Attributes:
        rendering: Selects the annotations and their colours.
        ratio: Device pixel ratio of the widget.
        hidden: Ids of annotations that a tool currently paints itself.
        kinds: Overlays; in the rendering ``detected``, only regions and numbers apply.
    """

    rendering: Rendering
    ratio: float
    hidden: frozenset[str] = frozenset()
    kinds: OverlayKinds = OverlayKinds()  # noqa: RUF009 - frozen

    @property
    def line_px(self) -> int:
        """Line width, device pixels."""
        return max(1, round(1.4 * self.ratio))


@dataclass(frozen=True, kw_only=True)
class PlacedLabel:
    """A label with its position.

    Attributes:
        id: Id of its region, "" for any other label.
        text: The text.
        ink: Text colour, "" for the default.
        rect: Its rectangle, device pixels of the view.
    """

    id: str
    text: str
    ink: str
    rect: QRect

    def moved(self, x: int, y: int) -> PlacedLabel:
        """Return a copy at another position."""
        return replace(self, rect=self.rect.translated(x, y))


@dataclass(frozen=True, kw_only=True, eq=False)
class Labels:
    """Labels of outlines with the arrays for their placement.

    Boxes are float64 (n, 4), sizes int64 (n, 2), tops the x of the highest points. Labels of anything but the
    view's own regions yield, so that they never cover region numbers.
    """

    boxes: Floats
    tops: Floats
    sizes: Ints
    is_point: npt.NDArray[np.bool_]
    words: Sequence[str]
    ids: Sequence[str]
    is_later: bool = False
    ink: str = ""

    def plate(self, at: int, *, x: int, y: int) -> PlacedLabel:
        """Return one label at a position, device pixels of the view."""
        width, height = self.sizes[at].tolist()
        return PlacedLabel(
            id=self.ids[at], text=self.words[at], ink=self.ink, rect=QRect(x, y, width, height)
        )


def paint_marks(
    ground: QImage,
    marks: ViewAnnotations,
    *,
    transform: ViewTransform,
    state: OverlayState,
    overlays: SceneOverlays = NOTHING_ELSE,
    plates: list[PlacedLabel] | None = None,
) -> list[PlacedLabel]:
    """Paint all annotations and scene overlays of a view.

    Args:
        ground: Format_RGB32, device pixels, with the image already painted; modified in place.
        marks: The annotations.
        transform: View transform.
        state: How annotations are painted.
        overlays: Overlays other than the view's own annotations.
        plates: Placed labels; if None, labels are placed here.

    Returns:
        The painted labels.
    """
    if state.rendering == "clean":
        return []
    is_annotated = state.rendering == "annotated"
    # Rows of 32-bit pixels have no padding, so that the buffer is a contiguous array.
    pixels = np.ndarray((ground.height(), ground.width()), np.uint32, buffer=ground.bits())
    labels: list[Labels] = []
    sheet = PolylineRasterizer(pixels.shape, line_px=state.line_px)
    if state.kinds.regions:
        # Boxes are set in the pixels at once, before everything on the rasterizer's layer.
        _draw_regions(pixels, sheet, marks, transform=transform, state=state)
        labels += [region_labels(marks, transform=transform, state=state)] if plates is None else []
    if is_annotated and overlays.issues is not None:
        labels += _draw_issues(sheet, overlays.issues, transform=transform, state=state)
    if is_annotated and overlays.reprojected:
        labels += _draw_reprojected(sheet, overlays.reprojected, transform=transform, state=state)
    sheet.lay_on(pixels)
    # Only after the array operations: Qt must not paint on the image while its buffer is written.
    painter = QPainter(ground)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if is_annotated:
        _paint_paths(painter, marks, transform=transform, state=state, overlays=overlays)
    if plates is None:
        plates = _placed(labels, size=(ground.width(), ground.height()), ratio=state.ratio)
    for plate in plates:
        x, y = plate.rect.x(), plate.rect.y()
        paint_badge(painter, plate.text, x=x, y=y, ratio=state.ratio, ink=plate.ink)
    if is_annotated and overlays.plan is not None:
        paint_plan(painter, overlays.plan, size=(ground.width(), ground.height()), ratio=state.ratio)
    painter.end()
    return plates


def box_lines(marks: ViewAnnotations, transform: ViewTransform) -> Ints:
    """Return the pixels of box lines in the view, int64 (n, 4), x1 y1 x2 y2, both corners inclusive."""
    corners = transform.to_view(marks.boxes.reshape(-1, 2, 2)).reshape(-1, 4)
    # Clipped first: at a large zoom, distant corners exceed the range of later integer arithmetic.
    lines = np.floor(np.clip(corners, -1e6, 1e6)).astype(np.int64)
    # The lower right corner is exclusive in image coordinates.
    lines[:, 2:] = np.maximum(lines[:, 2:] - 1, lines[:, :2])
    return lines


def line_pens(colour: QColor, *, ratio: float) -> tuple[QPen, QPen]:
    """Return the pen of a dark halo, and the pen of the line on top of it."""
    halo = theme.load("dark").color("bg")
    return QPen(halo, 3.4 * ratio), QPen(colour, 1.4 * ratio)


def paint_path(
    painter: QPainter, path: Polyline, *, transform: ViewTransform, colour: QColor, ratio: float
) -> None:
    """Paint a path with an arrow at its end and a label at its start."""
    points = transform.to_view(np.array(path.points, np.float64))
    line = QPolygonF([QPointF(x, y) for x, y in points.tolist()])
    for pen in line_pens(colour, ratio=ratio):
        painter.setPen(pen)
        painter.drawPolyline(line)
    whole = np.rint(points).astype(np.int32)
    # All points on one pixel have no direction for an arrow.
    if np.any(whole != whole[0]):
        head = arrow_head(whole, length=ARROW_PX * ratio)
        painter.setPen(QPen(theme.load("dark").color("bg"), ratio))
        painter.setBrush(colour)
        painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in head.tolist()]))
        painter.setBrush(Qt.BrushStyle.NoBrush)
    if path.label:
        x, y = points[0].tolist()
        paint_badge(painter, path.label, x=round(x + 6 * ratio), y=round(y + 6 * ratio), ratio=ratio)


def paint_reprojected(
    painter: QPainter, region: ReprojectedRegion, *, transform: ViewTransform, ratio: float
) -> None:
    """Paint one reprojected region, for a region selected in another view."""
    colour = QColor(COLOURS[region.colour])
    corners = transform.to_view(_outline(region, transform, ratio=ratio))
    painter.save()
    # A reprojected outline can extend overlays the image into the margin of the view.
    painter.setClipRect(_picture(transform))
    for pen in line_pens(colour, ratio=ratio):
        # Dash lengths are in units of the pen width, which differs between halo and line.
        pen.setDashPattern([DASH_PX * ratio / pen.widthF()] * 2)
        painter.setPen(pen)
        painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in corners.tolist()]))
    painter.restore()
    width, height = badge_size(region.words, ratio=ratio)
    x, y = corners[corners[:, 1].argmin()].tolist()
    left, top = (
        min(max(0.0, x), transform.width - width),
        min(max(0.0, y - height - 2), transform.height - height),
    )
    paint_badge(painter, region.words, x=round(left), y=round(top), ratio=ratio)


def region_labels(marks: ViewAnnotations, *, transform: ViewTransform, state: OverlayState) -> Labels:
    """Return the number labels of the visible regions; none if numbers are off."""
    boxes, shown = _seen_boxes(marks, transform=transform, state=state)
    places = np.flatnonzero(shown if state.kinds.regions and state.kinds.numbers else np.zeros_like(shown))
    # Digits have equal widths: the number of digits determines the width of a label.
    tops = boxes[:, 0].astype(np.float64)
    tops[marks.polygons.places] = marks.polygons.tops * transform.zoom + transform.left
    widths = marks.digits[places] * digit_px(state.ratio) + round(MARGIN_PX * state.ratio)
    return Labels(
        boxes=boxes[places].astype(np.float64),
        tops=tops[places],
        sizes=np.stack([widths, np.full_like(widths, round(HEIGHT_PX * state.ratio))], axis=1),
        is_point=marks.is_point[places],
        words=[marks.numbers[place] for place in places.tolist()],
        ids=[marks.marks.regions[place].id for place in places.tolist()],
    )


def _seen_boxes(
    marks: ViewAnnotations, *, transform: ViewTransform, state: OverlayState
) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """Return the pixel boxes of regions in the view, int64 (n, 4), and which are visible, bool (n,)."""
    boxes = box_lines(marks, transform)
    reach = np.where(marks.is_point, round(RING_PX * state.ratio) + 1, 0)[:, None]
    boxes = boxes + reach * np.array((-1, -1, 1, 1))
    shown = marks.seen(state.hidden) & np.all(boxes[:, 2:] >= 0, axis=1)
    return boxes, shown & (boxes[:, 0] < transform.width) & (boxes[:, 1] < transform.height)


def _draw_regions(
    pixels: npt.NDArray[np.uint32],
    sheet: PolylineRasterizer,
    marks: ViewAnnotations,
    *,
    transform: ViewTransform,
    state: OverlayState,
) -> None:
    boxes, shown = _seen_boxes(marks, transform=transform, state=state)
    colours = marks.colours(state.rendering if state.kinds.links else "detected")
    proposed = shown & marks.is_plain & marks.is_proposed
    if np.count_nonzero(proposed) > MOST_DASHED:
        draw_boxes(pixels, boxes[proposed], colours=_lighter(colours[proposed]), line_px=state.line_px)
    plain = shown & marks.is_plain & ~marks.is_proposed
    draw_boxes(pixels, boxes[plain], colours=colours[plain], line_px=state.line_px)
    polygons = marks.polygons
    seen = (shown & ~marks.is_proposed)[polygons.places]
    corners = transform.to_view(polygons.corners)
    ranges = (polygons.ranges[place] for place in np.flatnonzero(seen).tolist())
    sheet.draw_polygons([corners[begin:end] for begin, end in ranges], colours=colours[polygons.places[seen]])
    points = shown & marks.is_point
    sheet.draw_points(transform.to_view(marks.boxes[points, :2]), colours=colours[points], ratio=state.ratio)
    _draw_proposals(sheet, marks, shown, colours=_lighter(colours), transform=transform, state=state)


def _draw_proposals(
    sheet: PolylineRasterizer,
    marks: ViewAnnotations,
    shown: npt.NDArray[np.bool_],
    *,
    colours: npt.NDArray[np.uint32],
    transform: ViewTransform,
    state: OverlayState,
) -> None:
    """Draw proposed boxes and polygons dashed."""
    boxes = np.flatnonzero(shown & marks.is_proposed & marks.is_plain)
    if 0 < len(boxes) <= MOST_DASHED:
        # Around each box: its corners, and each of them with the next one. One array for all of them.
        corners = marks.boxes[boxes][:, ((0, 1), (2, 1), (2, 3), (0, 3))]
        lines = np.concatenate([corners, np.roll(corners, -1, axis=1)], axis=2).reshape(-1, 4)
        _draw_dashes(sheet, lines, colours=np.repeat(colours[boxes], 4), transform=transform, state=state)
    places = marks.polygons.places
    polygons = np.flatnonzero((shown & marks.is_proposed)[places]).tolist()
    if polygons:
        outlines = [marks.polygons.corners[slice(*marks.polygons.ranges[one])] for one in polygons]
        _draw_dashed(sheet, outlines, colours=colours[places[polygons]], transform=transform, state=state)


def _draw_issues(
    sheet: PolylineRasterizer, issues: IssueBoxes, *, transform: ViewTransform, state: OverlayState
) -> Iterable[Labels]:
    """Draw issue boxes dashed, with one label per text beside its largest visible box."""
    corners = issues.corners_in(width=transform.image_width, height=transform.image_height)
    for name, token in (("issue", "warn"), ("what", "accent")):
        places = [place for place, own in enumerate(issues.lists) if own == name]
        if not places:
            continue
        colour = theme.load("dark").color(token)
        outlines, words = list(corners[places]), issues.words()
        _draw_dashed(sheet, outlines, colours=[colour.rgb()] * len(places), transform=transform, state=state)
        seen = [transform.to_view(outline) for outline in outlines]
        largest = largest_of_each(
            [words[place] for place in places], seen, size=(transform.width, transform.height)
        )
        yield _labels_for(
            [seen[at] for at in largest.values()], list(largest), ratio=state.ratio, ink=colour.name()
        )


def _draw_reprojected(
    sheet: PolylineRasterizer,
    regions: Sequence[ReprojectedRegion],
    *,
    transform: ViewTransform,
    state: OverlayState,
) -> Iterable[Labels]:
    """Draw reprojected regions of other views, dashed and dim."""
    outlines = [_outline(region, transform, ratio=state.ratio) for region in regions]
    dim = [QColor(COLOURS[region.colour]).darker(round(100 / REPROJECTED_SHARE)).rgb() for region in regions]
    _draw_dashed(sheet, outlines, colours=dim, transform=transform, state=state)
    if state.kinds.numbers:
        seen = [transform.to_view(outline) for outline in outlines]
        yield _labels_for(seen, [region.words for region in regions], ratio=state.ratio)


def _draw_dashed(
    sheet: PolylineRasterizer,
    outlines: Sequence[Floats],
    *,
    colours: Sequence[int] | npt.NDArray[np.uint32],
    transform: ViewTransform,
    state: OverlayState,
) -> None:
    """Draw the parts of dashed outlines inside the image; outlines are in image pixels."""
    begins = np.concatenate(outlines)
    ends = np.concatenate([np.roll(outline, -1, axis=0) for outline in outlines])
    # Clipping can drop lines, so each line has its own colour.
    inks = np.repeat(np.array(colours, np.uint32), [len(outline) for outline in outlines])
    lines = np.concatenate([begins, ends], axis=1)
    _draw_dashes(sheet, lines, colours=inks, transform=transform, state=state)


def _draw_dashes(
    sheet: PolylineRasterizer,
    lines: Floats,
    *,
    colours: npt.NDArray[np.uint32],
    transform: ViewTransform,
    state: OverlayState,
) -> None:
    """Draw the parts of dashed lines inside the image; float64 (n, 4), x1 y1 x2 y2, image pixels."""
    lines, kept = clipped_lines(lines, size=(transform.image_width, transform.image_height))
    seen = transform.to_view(lines.reshape(-1, 2, 2)).reshape(-1, 4)
    sheet.draw_dashes(seen, colours=colours[kept], dash_px=round(DASH_PX * state.ratio))


def _lighter(colours: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Return colours mixed half with white, uint32 (n,), 0xffRRGGBB."""
    # Halves each channel without carrying its lowest bit into the next one.
    return np.asarray(((colours >> 1) & 0x7F7F7F) + 0x808080 | 0xFF000000, np.uint32)


def _outline(region: ReprojectedRegion, transform: ViewTransform, *, ratio: float) -> Floats:
    """Return the outline of a reprojected region, image pixels; for a point, a square around it."""
    if len(region.corners) > 1:
        return region.corners
    # Converted to image pixels, so that the square has a constant size on the screen.
    reach = RING_PX * ratio / transform.zoom
    return np.asarray(region.corners + np.array(((0, -reach), (reach, 0), (0, reach), (-reach, 0))))


def _picture(transform: ViewTransform) -> QRectF:
    """Return the rectangle of the image in the view, device pixels."""
    return QRectF(
        transform.left,
        transform.top,
        transform.image_width * transform.zoom,
        transform.image_height * transform.zoom,
    )


def _labels_for(outlines: Sequence[Floats], words: Sequence[str], *, ratio: float, ink: str = "") -> Labels:
    boxes = [(*outline.min(axis=0), *outline.max(axis=0)) for outline in outlines]
    return Labels(
        boxes=np.array(boxes, np.float64).reshape(-1, 4),
        tops=np.array([outline[outline[:, 1].argmin(), 0] for outline in outlines], np.float64),
        sizes=np.array([badge_size(text, ratio=ratio) for text in words], np.int64).reshape(-1, 2),
        is_point=np.zeros(len(words), bool),
        words=words,
        # Labels without a region are never updated by an incremental repaint.
        ids=[""] * len(words),
        is_later=True,
        ink=ink,
    )


def _paint_paths(
    painter: QPainter,
    marks: ViewAnnotations,
    *,
    transform: ViewTransform,
    state: OverlayState,
    overlays: SceneOverlays,
) -> None:
    if overlays.trail is not None:
        painter.setClipRect(_picture(transform))
        paint_trail(painter, overlays.trail, transform=transform, ratio=state.ratio)
        painter.setClipping(False)
    for place, path in enumerate(marks.marks.paths if state.kinds.paths else ()):
        # A path that the image itself shows would be painted twice; what is shown is what is released.
        if path.id not in state.hidden and not path.is_in_image:
            paint_path(painter, path, transform=transform, colour=region_colour(place), ratio=state.ratio)


def _placed(labels: Sequence[Labels], *, size: tuple[int, int], ratio: float) -> list[PlacedLabel]:
    """Return all labels with positions that do not overlap other labels or smaller boxes."""
    if not labels:
        return []
    owners = [(one, at) for one in labels for at in range(len(one.words))]
    places = place_labels(
        np.concatenate([one.boxes for one in labels]),
        np.concatenate([one.sizes for one in labels]),
        view=size,
        smallest_px=SMALLEST_LABELLED_PX * ratio,
        is_point=np.concatenate([one.is_point for one in labels]),
        tops=np.concatenate([one.tops for one in labels]),
        is_later=np.repeat([one.is_later for one in labels], [len(one.words) for one in labels]),
    )
    found = []
    for place in places:
        own, at = owners[place.index]
        found.append(own.plate(at, x=place.x, y=place.y))
    return found
