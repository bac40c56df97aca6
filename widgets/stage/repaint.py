"""Incremental repaint: paints only the parts of a view's cached image in which a few annotations changed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QRect
from PySide6.QtGui import QImage, QPainter

from annotator.domain.region import Box
from widgets import theme
from widgets.stage.label_placement import place_labels
from widgets.stage.overlay_painter import (
    SMALLEST_LABELLED_PX,
    OverlayState,
    PlacedLabel,
    paint_marks,
    region_labels,
)
from widgets.stage.polyline_rasterizer import RING_PX
from widgets.stage.scene_overlays import SceneOverlays
from widgets.stage.view_annotations import ViewAnnotations
from widgets.stage.view_transform import ViewTransform

Floats = npt.NDArray[np.float64]
MARGIN_PX = 4
"""Margin around a box for its line and halo."""
MOST_SHARE = 0.5
"""Fraction of a view above which a full repaint is faster."""


@dataclass(kw_only=True)
class PaintedView:
    """The cached image of a view, without pointer feedback.

    Attributes:
        key: Everything except annotations that the image depends on.
        image: The image, device pixels.
        marks: The annotations in the image.
        hidden: Ids of annotations that were not painted.
        plates: The labels in the image.
    """

    key: object
    image: QImage
    marks: ViewAnnotations
    hidden: frozenset[str]
    plates: list[PlacedLabel]

    def is_of(self, marks: ViewAnnotations, *, hidden: frozenset[str]) -> bool:
        """Return whether the image shows these annotations."""
        return self.marks is marks and self.hidden == hidden


def repaint_marks(
    painted: PaintedView,
    marks: ViewAnnotations,
    *,
    transform: ViewTransform,
    state: OverlayState,
    overlays: SceneOverlays,
    paint_picture: Callable[[QPainter], None],
) -> bool:
    """Update the cached image of a view to changed annotations, if that is possible.

    Args:
        painted: The cached image; modified in place.
        marks: The annotations after the change.
        transform: View transform.
        state: How annotations are painted, and which are hidden.
        overlays: Overlays other than the view's own annotations.
        paint_picture: Paints the image without annotations.

    Returns:
        Whether the update was done; otherwise, the whole view has to be repainted.
    """
    ids, areas = _changed_ids(painted, marks, hidden=state.hidden), _areas(painted, marks, state=state)
    if ids is None or areas is None or _is_whole(marks, overlays, state=state):
        return False
    # Nothing is painted over the image in the rendering without annotations.
    if state.rendering != "clean":
        rects = _place_changed(painted, marks, ids=ids, areas=areas, transform=transform, state=state)
        if rects is None:
            return False
        # Painting uses device pixels; the widget sets the ratio of the same image for its own painting.
        painted.image.setDevicePixelRatio(1)
        for rect in rects:
            _repaint_part(
                painted,
                marks,
                rect,
                transform=transform,
                state=state,
                overlays=overlays,
                paint_picture=paint_picture,
            )
    painted.marks, painted.hidden = marks, state.hidden
    return True


def _place_changed(
    painted: PaintedView,
    marks: ViewAnnotations,
    *,
    ids: frozenset[str],
    areas: Floats,
    transform: ViewTransform,
    state: OverlayState,
) -> list[QRect] | None:
    """Place the labels of changed regions, and return the parts of the view to repaint, or None for all.

    Args:
        painted: The cached image, whose labels are changed.
        marks: The annotations after the change.
        ids: The changed regions.
        areas: float64 (n, 4), the boxes of all differences, image pixels.
        transform: View transform.
        state: How annotations are painted.
    """
    # Labels of unchanged regions keep their positions, so that they do not jump during an edit.
    plates = [plate for plate in painted.plates if plate.id not in ids]
    plates += _new_plates(marks, ids, plates=plates, transform=transform, state=state)
    changed = [plate.rect for plate in (*painted.plates, *plates) if plate.id in ids]
    changed += [_rect(area, transform=transform, ratio=state.ratio) for area in areas]
    rects = _cut(changed, transform=transform)
    # Overlapping parts are counted twice, which only makes the estimate conservative.
    if sum(rect.width() * rect.height() for rect in rects) > MOST_SHARE * transform.width * transform.height:
        return None
    painted.plates = plates
    return rects


def _is_whole(marks: ViewAnnotations, overlays: SceneOverlays, *, state: OverlayState) -> bool:
    """Return whether something is painted that looks different in a part of the view."""
    # Where dashes begin, and which pixels a cut line covers, depends on the part that is painted.
    is_dashed = bool(marks.is_proposed.any() or marks.is_unseen.any())
    has_paths = state.kinds.paths and bool(marks.marks.drawn_paths)
    # Reprojected regions depend on the annotations of other views, and the plan has a fixed place.
    return is_dashed or has_paths or bool(overlays.reprojected) or overlays.plan is not None


def _cut(rects: list[QRect], *, transform: ViewTransform) -> list[QRect]:
    """Return the parts of rectangles inside a view."""
    view = QRect(0, 0, transform.width, transform.height)
    return [rect & view for rect in rects if rect.intersects(view)]


def _changed_ids(
    painted: PaintedView, marks: ViewAnnotations, *, hidden: frozenset[str]
) -> frozenset[str] | None:
    """Return the ids of all regions that look different, or None if that is unknown."""
    # Regions that were hidden or shown look different although their records did not change.
    ids = painted.hidden ^ hidden
    if marks is painted.marks:
        return ids
    change = marks.change
    return ids | change.ids if change is not None and change.previous is painted.marks.revision else None


def _areas(painted: PaintedView, marks: ViewAnnotations, *, state: OverlayState) -> Floats | None:
    """Return the boxes of all differences, float64 (n, 4), x1 y1 x2 y2, image pixels; None if unknown."""
    change = marks.change if marks is not painted.marks else None
    areas = change.areas if change is not None else np.empty((0, 4))
    if areas is None:
        return None
    for one in painted.hidden ^ state.hidden:
        both = dict.fromkeys((painted.marks, marks))
        positions = [(known, known.ids[one]) for known in both if one in known.ids]
        # Paths have no box array, so the area of a hidden path is unknown.
        if not positions and any(path.id == one for path in marks.marks.paths):
            return None
        areas = np.concatenate([areas, *(known.boxes[index : index + 1] for known, index in positions)])
    return areas


def _new_plates(
    marks: ViewAnnotations,
    ids: frozenset[str],
    *,
    plates: list[PlacedLabel],
    transform: ViewTransform,
    state: OverlayState,
) -> list[PlacedLabel]:
    """Return the labels of regions, each at a position where there is no other label."""
    made: list[PlacedLabel] = []
    for one in sorted((ids & marks.ids.keys()) - state.hidden):
        plate = _new_plate(marks, one, plates=[*plates, *made], transform=transform, state=state)
        made += [plate] if plate is not None else []
    return made


def _new_plate(
    marks: ViewAnnotations,
    region_id: str,
    *,
    plates: list[PlacedLabel],
    transform: ViewTransform,
    state: OverlayState,
) -> PlacedLabel | None:
    """Return the label of a region, or None if it has none or there is no free position."""
    box = marks.marks.regions[marks.ids[region_id]].box
    labels = region_labels(marks.near(box), transform=transform, state=state)
    if region_id not in labels.ids:
        return None
    own = labels.ids.index(region_id)
    areas = np.prod(labels.boxes[:, 2:] - labels.boxes[:, :2], axis=1)
    standing = [plate.rect.getCoords() for plate in plates]
    # QRect corners are inclusive, those of boxes are exclusive.
    taken = np.add(np.array(standing, np.float64).reshape(-1, 4), (0, 0, 1, 1))
    positions = place_labels(
        labels.boxes[own : own + 1],
        labels.sizes[own : own + 1],
        view=(transform.width, transform.height),
        smallest_px=SMALLEST_LABELLED_PX * state.ratio,
        is_point=labels.is_point[own : own + 1],
        tops=labels.tops[own : own + 1],
        # Same rule as in the placement of all labels: not on other labels, nor on smaller regions.
        taken=np.concatenate([taken, labels.boxes[areas < areas[own]]]),
    )
    return labels.plate(own, x=positions[0].x, y=positions[0].y) if positions else None


def _repaint_part(
    painted: PaintedView,
    marks: ViewAnnotations,
    rect: QRect,
    *,
    transform: ViewTransform,
    state: OverlayState,
    overlays: SceneOverlays,
    paint_picture: Callable[[QPainter], None],
) -> None:
    """Repaint a part of the cached image: the image, the annotations that reach into it, and its labels."""
    with QPainter(painted.image) as painter:
        painter.setClipRect(rect)
        painter.fillRect(rect, theme.current().color("bg"))
        paint_picture(painter)
    # Annotations are rasterized into an array without clipping, so they are painted on a copy of the part.
    part = painted.image.copy(rect)
    part_transform = transform.part(rect.x(), rect.y(), width=rect.width(), height=rect.height())
    reach = _reach(state.ratio)
    (left, top), (right, bottom) = (
        part_transform.to_image(-reach, -reach),
        part_transform.to_image(rect.width() + reach, rect.height() + reach),
    )
    # Lines and halos of regions outside the part can reach into it.
    near = marks.near(Box(x1=left, y1=top, x2=right, y2=bottom))
    plates = [plate.moved(-rect.x(), -rect.y()) for plate in painted.plates if plate.rect.intersects(rect)]
    paint_marks(part, near, transform=part_transform, state=state, overlays=overlays, plates=plates)
    with QPainter(painted.image) as painter:
        painter.drawImage(rect.topLeft(), part)


def _rect(area: Floats, *, transform: ViewTransform, ratio: float) -> QRect:
    """Return the device pixels of a view touched by a region with a box, float64 (4,), image pixels."""
    reach = _reach(ratio)
    (left, top), (right, bottom) = transform.to_view(area.reshape(2, 2)).tolist()
    x, y = math.floor(left - reach), math.floor(top - reach)
    return QRect(x, y, math.ceil(right + reach) - x, math.ceil(bottom + reach) - y)


def _reach(ratio: float) -> int:
    """Return the distance by which a region's lines and halo extend beyond its box, device pixels."""
    return math.ceil((RING_PX + MARGIN_PX) * ratio)
