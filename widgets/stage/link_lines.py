"""Connecting lines between linked regions of different views.

Each view paints the part of a line that lies inside it, over its image and annotations. Lines are not stored
in the cached image of a view and never appear in a model's input. Nothing is computed while no region is
selected and the overlay is off.

The two ends of a line lie in two views that are painted one after the other, and often only one of two videos
has a new frame. All parts must appear in the same repaint of the window. The first view that paints therefore
switches all others to their pending frames, and views whose image does not change are asked to repaint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from annotator.domain.link import Link
from annotator.media.render import COLOURS
from widgets import theme
from widgets.stage.polyline_rasterizer import RING_PX

if TYPE_CHECKING:
    from widgets.stage.image_view import ImageView

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
LINE_PX, HALO_PX, DOT_PX = 1.2, 3.0, 2.6
"""Widths of a line and its halo, and radius of the end dots."""
HALO_ALPHA, QUIET_ALPHA = 150, 130
"""Opacity, of 255: of the halo, and of lines without a selected region, which stay in the background."""
MOST_SMOOTH = 100
"""Number of lines in a view above which they are plain and thin: 1,000 take 8 ms instead of 50 ms."""
OPEN_PX = 2.0
"""Gap between a region's outline and the dot, so that a small box is not covered."""


@dataclass(frozen=True, kw_only=True, eq=False)
class MakeLinks:
    """Pairs of regions to connect, in the visible views.

    Attributes:
        views: int64 (n, 2), indices of the two views.
        regions: int64 (n, 2), indices of the regions in their views.
        colours: int64 (n,), indices into ``COLOURS``.
        links: int64 (n,), indices into the scene's links.
    """

    views: Ints
    regions: Ints
    colours: Ints
    links: Ints


@dataclass(frozen=True, kw_only=True, eq=False)
class LinkStrokes:
    """Lines of one colour in one view.

    Attributes:
        lines: The lines, device pixels of the view.
        ends: Centres of the end dots that lie in the view, device pixels.
        pens: Pens of the halo and the line; only the line's pen where there are too many lines for halos.
        rim: Pen of the dots' outline.
        dot_px: Radius of the dots, device pixels.
    """

    lines: list[QLineF]
    ends: list[QPointF]
    pens: tuple[QPen, ...]
    rim: QPen
    dot_px: float


class LinkLines:
    """The connecting lines of one stage: recomputed when their regions move, painted by each view.

    Attributes:
        views: The views of the stage in order.
    """

    def __init__(self) -> None:
        self.views: Sequence[ImageView] = ()
        self._pairs: tuple[object, MakeLinks] | None = None
        self._key: object = None
        self._strokes: dict[ImageView, list[LinkStrokes]] = {}
        self._stale: set[ImageView] = set()
        self._asked: set[ImageView] = set()

    def show_views(self, views: Sequence[ImageView]) -> None:
        """Set the views whose regions are connected."""
        self.views = views
        self._pairs, self._key = None, None
        self._strokes, self._stale, self._asked = {}, set(), set()

    def expect(self, view: ImageView) -> None:
        """Schedule a repaint of all other views with lines: one view is about to show another frame."""
        for other in self._strokes if self._key is not None else ():
            if other is not view and other not in self._asked:
                self._asked.add(other)
                other.update()

    def paint(self, painter: QPainter, view: ImageView) -> None:
        """Paint the part of all lines that lies in a view; the painter's unit is the device pixel."""
        seen = self._seen()
        if _is_wanted(seen):
            for other in seen:
                other.turn()
        self._take()
        self._stale.discard(view)
        self._asked.discard(view)
        strokes = self._strokes.get(view)
        if strokes:
            _paint(painter, strokes)
        if self._stale:
            self._refresh_stale()

    def follow(self) -> None:
        """Repaint the views whose lines have changed."""
        self._take()
        self._refresh_stale()

    def _seen(self) -> list[ImageView]:
        return [view for view in self.views if view.isVisible()]

    def _refresh_stale(self) -> None:
        for view in self._stale - self._asked:
            # A view with a pending frame is repainted in this repaint of the window anyway.
            if not view.is_turned:
                self._asked.add(view)
                view.update()

    def _take(self) -> None:
        """Recompute the lines if anything they depend on has changed."""
        seen = self._seen()
        key = _state(seen)
        if key == self._key:
            return
        self._key, before = key, self._strokes
        self._strokes = self._worked_out(seen) if key is not None else {}
        self._stale |= {*before, *self._strokes}

    def _worked_out(self, seen: Sequence[ImageView]) -> dict[ImageView, list[LinkStrokes]]:
        pairs = self._pairs_of(seen)
        chosen = _chosen_links(seen[0])
        is_chosen = np.isin(pairs.links, list(chosen))
        wanted = np.flatnonzero(is_chosen | seen[0].kinds.lines)
        begins, is_begin_seen = _boxes(seen, pairs.views[wanted, 0], pairs.regions[wanted, 0])
        ends, is_end_seen = _boxes(seen, pairs.views[wanted, 1], pairs.regions[wanted, 1])
        is_seen = is_begin_seen & is_end_seen
        lines = np.concatenate([_leaving(begins, towards=ends), _leaving(ends, towards=begins)], axis=1)[
            is_seen
        ]
        colours, is_chosen = pairs.colours[wanted][is_seen], is_chosen[wanted][is_seen]
        found = {view: _strokes_in(view, lines, colours=colours, is_chosen=is_chosen) for view in seen}
        return {view: strokes for view, strokes in found.items() if strokes}

    def _pairs_of(self, seen: Sequence[ImageView]) -> MakeLinks:
        key = tuple((id(view), view.marks, view.left_out, view.selected) for view in seen)
        if self._pairs is None or self._pairs[0] != key:
            self._pairs = key, pairs_of(seen)
        return self._pairs[1]


def pairs_of(views: Sequence[ImageView]) -> MakeLinks:
    """Return the pairs to connect: for each link, a region of each view with that of the next view.

    If a link has several regions in a view, one of them represents the link: a selected region if there is
    one, so that a selected region never appears unlinked, otherwise the first.
    """
    scene = views[0].scene
    joined = [
        (link, one, other)
        for link, record in enumerate(scene.marks.links if scene is not None else ())
        for one, other in pairwise(_members(views, record))
    ]
    colours = [
        views[one[0]].marks.link_colour_indices[views[one[0]].marks.marks.regions[one[1]].id]
        for _, one, _ in joined
    ]
    ends = np.array([(one, other) for _, one, other in joined], np.int64).reshape(-1, 2, 2)
    return MakeLinks(
        views=ends[:, :, 0],
        regions=ends[:, :, 1],
        colours=np.array(colours, np.int64),
        links=np.array([link for link, _, _ in joined], np.int64),
    )


def _members(views: Sequence[ImageView], link: Link) -> list[tuple[int, int]]:
    """Return the indices of the views that have a region of a link, with that of the region."""
    if link.kind != "same":
        return []
    found = ((at, _member(view, link)) for at, view in enumerate(views))
    return [(at, index) for at, index in found if index is not None]


def _member(view: ImageView, link: Link) -> int | None:
    """Return the index of the region that represents a link in a view, or None if the view has none."""
    ids = view.marks.ids
    regions = [one for one in link.regions if one in ids and one not in view.left_out]
    chosen = [one for one in regions if one in view.selected]
    return min((ids[one] for one in chosen or regions), default=None)


def _is_wanted(seen: Sequence[ImageView]) -> bool:
    """Return whether lines can be visible: two views, and the overlay is on or a region is selected."""
    if len(seen) < 2:
        return False
    return bool(seen[0].kinds.lines or seen[0].selected) and seen[0].rendering == "annotated"


def _state(seen: Sequence[ImageView]) -> object:
    """Return everything that the lines depend on, or None if there are no lines."""
    if not _is_wanted(seen) or any(view.is_model_input or view.picture is None for view in seen):
        return None
    first = seen[0]
    # Annotations compare by identity, which is cheap enough to be done at each repaint.
    own = tuple((id(view), view.transform, view.marks, view.left_out, view.x(), view.y()) for view in seen)
    return own, first.selected, first.kinds.lines


def _chosen_links(view: ImageView) -> set[int]:
    same = view.scene.same_links if view.scene is not None else {}
    return {link for one in view.selected for link in same.get(one, ())}


def _boxes(seen: Sequence[ImageView], views: Ints, regions: Ints) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return the boxes of regions on the stage, and whether each is visible.

    Args:
        seen: The views.
        views: int64 (n,), indices of the views.
        regions: int64 (n,), indices of the regions in their views.

    Returns:
        float64 (n, 4), x1 y1 x2 y2, device pixels of the stage, clipped to their views, and bool (n,).
    """
    boxes, is_seen = np.zeros((len(views), 4)), np.zeros(len(views), bool)
    for index, view in enumerate(seen):
        own = views == index
        if not own.any():
            continue
        ratio, at = view.ratio(), regions[own]
        shown = view.transform.to_view(view.marks.boxes[at].reshape(-1, 2, 2)).reshape(-1, 4)
        reach = np.where(view.marks.is_point[at], RING_PX * ratio, 0.0)[:, None]
        shown = shown + reach * (-1, -1, 1, 1)
        size = (view.transform.width, view.transform.height)
        is_seen[own] = np.all(shown[:, 2:] > 0, axis=1) & np.all(shown[:, :2] < size, axis=1)
        corner = np.array((view.x(), view.y()), np.float64) * ratio
        boxes[own] = np.clip(shown, 0, np.tile(size, 2)) + np.tile(corner, 2)
    return boxes, is_seen


def _leaving(boxes: Floats, *, towards: Floats) -> Floats:
    """Return the points where lines between box centres leave the first boxes, float64 (n, 2), x y."""
    middles, aims = ((one[:, :2] + one[:, 2:]) / 2 for one in (boxes, towards))
    direction = aims - middles
    half = (boxes[:, 2:] - boxes[:, :2]) / 2 + OPEN_PX + DOT_PX
    # At most half of the distance: lines between boxes that nearly touch would leave on the wrong side.
    with np.errstate(divide="ignore"):
        share = np.min(half / np.maximum(np.abs(direction), 1e-9), axis=1, initial=0.5)
    return np.asarray(middles + direction * share[:, None])


def _strokes_in(
    view: ImageView, lines: Floats, *, colours: Ints, is_chosen: npt.NDArray[np.bool_]
) -> list[LinkStrokes]:
    """Return the lines that cross a view, those of selected regions last."""
    corner = np.array((view.x(), view.y()), np.float64) * view.ratio()
    own = lines - np.tile(corner, 2)
    size = (view.transform.width, view.transform.height)
    low, high = np.minimum(own[:, :2], own[:, 2:]), np.maximum(own[:, :2], own[:, 2:])
    is_in = np.all(high >= 0, axis=1) & np.all(low <= size, axis=1)
    made = []
    ratio, halo = view.ratio(), QColor(theme.load("dark").color("bg"))
    halo.setAlpha(HALO_ALPHA)
    # Selected lines are painted last, on top of the others.
    for choice in (False, True):
        is_many = np.count_nonzero(is_in & (is_chosen == choice)) > MOST_SMOOTH
        for colour in np.unique(colours[is_in & (is_chosen == choice)]).tolist():
            part = own[is_in & (is_chosen == choice) & (colours == colour)]
            ends = part.reshape(-1, 2)
            ends = ends[np.all((ends >= 0) & (ends <= size), axis=1)]
            ink = QColor(COLOURS[colour])
            ink.setAlpha(255 if choice else QUIET_ALPHA)
            made.append(
                LinkStrokes(
                    lines=[QLineF(*line) for line in part.tolist()],
                    ends=[] if is_many else [QPointF(x, y) for x, y in ends.tolist()],
                    pens=(QPen(ink, 0),)
                    if is_many
                    else (QPen(halo, HALO_PX * ratio), QPen(ink, LINE_PX * ratio)),
                    rim=QPen(halo, ratio),
                    dot_px=DOT_PX * ratio,
                )
            )
    return made


def _paint(painter: QPainter, strokes: Sequence[LinkStrokes]) -> None:
    painter.save()
    for one in strokes:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, len(one.pens) > 1)
        for pen in one.pens:
            painter.setPen(pen)
            painter.drawLines(one.lines)
        painter.setPen(one.rim)
        painter.setBrush(one.pens[-1].color())
        for end in one.ends:
            painter.drawEllipse(end, one.dot_px, one.dot_px)
        painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.restore()
