"""Paints the annotations of a view in one pass: rasterized lines first, everything else with Qt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRect, QRectF
from PySide6.QtGui import QColor, QImage, QPainter, QPolygonF

from annotator.media.render import COLOURS, Rendering
from widgets import theme
from widgets.overlay_kinds import OverlayKinds
from widgets.stage.box_rasterizer import draw_boxes
from widgets.stage.dashed_outlines import DASH_PX, MOST_DASHED, draw_dashed, draw_dashed_regions, lighter
from widgets.stage.issues import IssueBoxes, largest_of_each
from widgets.stage.label_placement import place_labels
from widgets.stage.path_painter import PlacedPath, draw_paths, line_pens, paint_path_labels
from widgets.stage.polyline_rasterizer import RING_PX, PolylineRasterizer
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
    texts: Sequence[str]
    ids: Sequence[str]
    is_later: bool = False
    ink: str = ""

    def plate(self, at: int, *, x: int, y: int) -> PlacedLabel:
        """Return one label at a position, device pixels of the view."""
        width, height = self.sizes[at].tolist()
        return PlacedLabel(
            id=self.ids[at], text=self.texts[at], ink=self.ink, rect=QRect(x, y, width, height)
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
    overlays = overlays if state.rendering == "annotated" else NOTHING_ELSE
    # Rows of 32-bit pixels have no padding, so that the buffer is a contiguous array.
    pixels = np.ndarray((ground.height(), ground.width()), np.uint32, buffer=ground.bits())
    labels = _draw_outlines(pixels, marks, overlays, transform=transform, state=state)
    paths = _shown_paths(marks, state=state)
    draw_paths(pixels, paths, transform=transform, is_map=marks.marks.is_map)
    # Only after the array operations: Qt must not paint on the image while its buffer is written.
    painter = QPainter(ground)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _paint_trail(painter, overlays, transform=transform, ratio=state.ratio)
    paint_path_labels(painter, paths, transform=transform, ratio=state.ratio)
    if plates is None:
        if state.kinds.regions:
            labels.insert(0, region_labels(marks, transform=transform, state=state))
        plates = _placed(labels, size=(ground.width(), ground.height()), ratio=state.ratio)
    for plate in plates:
        x, y = plate.rect.x(), plate.rect.y()
        paint_badge(painter, plate.text, x=x, y=y, ratio=state.ratio, ink=plate.ink)
    if overlays.plan is not None:
        paint_plan(painter, overlays.plan, size=(ground.width(), ground.height()), ratio=state.ratio)
    painter.end()
    return plates


def _draw_outlines(
    pixels: npt.NDArray[np.uint32],
    marks: ViewAnnotations,
    overlays: SceneOverlays,
    *,
    transform: ViewTransform,
    state: OverlayState,
) -> list[Labels]:
    """Draw regions, issue boxes and reprojected regions; return the labels of all but the view's regions."""
    labels: list[Labels] = []
    sheet = PolylineRasterizer(pixels.shape, line_px=state.line_px)
    if state.kinds.regions:
        # Boxes are set in the pixels at once, before everything on the rasterizer's layer.
        _draw_regions(pixels, sheet, marks, transform=transform, state=state)
    if overlays.issues is not None:
        labels += _draw_issues(sheet, overlays.issues, transform=transform, state=state)
    if overlays.reprojected:
        labels += _draw_reprojected(sheet, overlays.reprojected, transform=transform, state=state)
    sheet.lay_on(pixels)
    return labels


def box_lines(marks: ViewAnnotations, transform: ViewTransform) -> Ints:
    """Return the pixels of box lines in the view, int64 (n, 4), x1 y1 x2 y2, both corners inclusive."""
    corners = transform.to_view(marks.boxes.reshape(-1, 2, 2)).reshape(-1, 4)
    # Clipped first: at a large zoom, distant corners exceed the range of later integer arithmetic.
    lines = np.floor(np.clip(corners, -1e6, 1e6)).astype(np.int64)
    # The lower right corner is exclusive in image coordinates.
    lines[:, 2:] = np.maximum(lines[:, 2:] - 1, lines[:, :2])
    return lines


def _paint_trail(
    painter: QPainter, overlays: SceneOverlays, *, transform: ViewTransform, ratio: float
) -> None:
    if overlays.trail is not None:
        painter.setClipRect(_picture(transform))
        paint_trail(painter, overlays.trail, transform=transform, ratio=ratio)
        painter.setClipping(False)


def _shown_paths(marks: ViewAnnotations, *, state: OverlayState) -> list[PlacedPath]:
    """Return the paths to draw with their places, which decide their colours."""
    is_on = state.kinds.paths and state.rendering == "annotated"
    paths = enumerate(marks.marks.drawn_paths if is_on else ())
    return [PlacedPath(path=path, colour_index=index) for index, path in paths if path.id not in state.hidden]


def paint_reprojected(
    painter: QPainter, region: ReprojectedRegion, *, transform: ViewTransform, ratio: float
) -> None:
    """Paint one reprojected region, for a region selected in another view."""
    colour = QColor(COLOURS[region.colour])
    corners = transform.to_view(_outline(region, transform, ratio=ratio))
    painter.save()
    # A reprojected outline can extend beyond the image into the margin of the view.
    painter.setClipRect(_picture(transform))
    for pen in line_pens(colour, ratio=ratio):
        # Dash lengths are in units of the pen width, which differs between halo and line.
        pen.setDashPattern([DASH_PX * ratio / pen.widthF()] * 2)
        painter.setPen(pen)
        painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in corners.tolist()]))
    painter.restore()
    width, height = badge_size(region.label, ratio=ratio)
    x, y = corners[corners[:, 1].argmin()].tolist()
    left, top = (
        min(max(0.0, x), transform.width - width),
        min(max(0.0, y - height - 2), transform.height - height),
    )
    paint_badge(painter, region.label, x=round(left), y=round(top), ratio=ratio)


def region_labels(marks: ViewAnnotations, *, transform: ViewTransform, state: OverlayState) -> Labels:
    """Return the number labels of the visible regions; none if numbers are off."""
    boxes, shown = _seen_boxes(marks, transform=transform, state=state)
    indices = np.flatnonzero(shown if state.kinds.regions and state.kinds.numbers else np.zeros_like(shown))
    # Digits have equal widths: the number of digits determines the width of a label.
    tops = boxes[:, 0].astype(np.float64)
    tops[marks.polygons.region_indices] = marks.polygons.tops * transform.zoom + transform.left
    widths = marks.digits[indices] * digit_px(state.ratio) + round(MARGIN_PX * state.ratio)
    return Labels(
        boxes=boxes[indices].astype(np.float64),
        tops=tops[indices],
        sizes=np.stack([widths, np.full_like(widths, round(HEIGHT_PX * state.ratio))], axis=1),
        is_point=marks.is_point[indices],
        texts=[marks.numbers[index] for index in indices.tolist()],
        ids=[marks.marks.regions[index].id for index in indices.tolist()],
    )


def _seen_boxes(
    marks: ViewAnnotations, *, transform: ViewTransform, state: OverlayState
) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """Return the pixel boxes of regions in the view, int64 (n, 4), and which are visible, bool (n,)."""
    boxes = box_lines(marks, transform)
    reach = np.where(marks.is_point, round(RING_PX * state.ratio) + 1, 0)[:, None]
    boxes = boxes + reach * np.array((-1, -1, 1, 1))
    shown = marks.seen(state.hidden) & np.all(boxes[:, 2:] >= 0, axis=1)
    if state.rendering != "annotated":
        shown &= ~marks.is_unseen
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
    dashed = shown & (marks.is_proposed | marks.is_unseen)
    inks = np.where(marks.is_proposed, lighter(colours), colours)
    many = dashed & marks.is_plain
    if np.count_nonzero(many) > MOST_DASHED:
        draw_boxes(pixels, boxes[many], colours=lighter(colours[many]), line_px=state.line_px)
    plain = shown & marks.is_plain & ~dashed
    draw_boxes(pixels, boxes[plain], colours=colours[plain], line_px=state.line_px)
    polygons = marks.polygons
    seen = (shown & ~dashed)[polygons.region_indices]
    corners = transform.to_view(polygons.corners)
    ranges = (polygons.ranges[index] for index in np.flatnonzero(seen).tolist())
    sheet.draw_polygons(
        [corners[begin:end] for begin, end in ranges], colours=colours[polygons.region_indices[seen]]
    )
    points = shown & marks.is_point
    sheet.draw_points(transform.to_view(marks.boxes[points, :2]), colours=colours[points], ratio=state.ratio)
    draw_dashed_regions(sheet, marks, dashed, colours=inks, transform=transform, ratio=state.ratio)


def _draw_issues(
    sheet: PolylineRasterizer, issues: IssueBoxes, *, transform: ViewTransform, state: OverlayState
) -> Iterable[Labels]:
    """Draw issue boxes dashed, with one label per text beside its largest visible box."""
    corners = issues.corners_in(width=transform.image_width, height=transform.image_height)
    for name, token in (("issue", "warn"), ("what", "accent")):
        indices = [index for index, own in enumerate(issues.lists) if own == name]
        if not indices:
            continue
        colour = theme.load("dark").color(token)
        outlines, texts = list(corners[indices]), issues.label_texts()
        draw_dashed(
            sheet, outlines, colours=[colour.rgb()] * len(indices), transform=transform, ratio=state.ratio
        )
        seen = [transform.to_view(outline) for outline in outlines]
        largest = largest_of_each(
            [texts[index] for index in indices], seen, size=(transform.width, transform.height)
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
    draw_dashed(sheet, outlines, colours=dim, transform=transform, ratio=state.ratio)
    if state.kinds.numbers:
        seen = [transform.to_view(outline) for outline in outlines]
        yield _labels_for(seen, [region.label for region in regions], ratio=state.ratio)


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


def _labels_for(outlines: Sequence[Floats], texts: Sequence[str], *, ratio: float, ink: str = "") -> Labels:
    boxes = [(*outline.min(axis=0), *outline.max(axis=0)) for outline in outlines]
    return Labels(
        boxes=np.array(boxes, np.float64).reshape(-1, 4),
        tops=np.array([outline[outline[:, 1].argmin(), 0] for outline in outlines], np.float64),
        sizes=np.array([badge_size(text, ratio=ratio) for text in texts], np.int64).reshape(-1, 2),
        is_point=np.zeros(len(texts), bool),
        texts=texts,
        # Labels without a region are never updated by an incremental repaint.
        ids=[""] * len(texts),
        is_later=True,
        ink=ink,
    )


def _placed(labels: Sequence[Labels], *, size: tuple[int, int], ratio: float) -> list[PlacedLabel]:
    """Return all labels with positions that do not overlap other labels or smaller boxes."""
    if not labels:
        return []
    owners = [(one, at) for one in labels for at in range(len(one.texts))]
    positions = place_labels(
        np.concatenate([one.boxes for one in labels]),
        np.concatenate([one.sizes for one in labels]),
        view=size,
        smallest_px=SMALLEST_LABELLED_PX * ratio,
        is_point=np.concatenate([one.is_point for one in labels]),
        tops=np.concatenate([one.tops for one in labels]),
        is_later=np.repeat([one.is_later for one in labels], [len(one.texts) for one in labels]),
    )
    found = []
    for placement in positions:
        own, at = owners[placement.index]
        found.append(own.plate(at, x=placement.x, y=placement.y))
    return found
