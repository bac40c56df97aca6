"""Keyboard input of the link tool: candidates, and region numbers typed by the user."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from annotator.domain.region import Region
from annotator.media.ground_plane import PlaneTransform
from annotator.media.view_geometry import PairGeometry

if TYPE_CHECKING:
    from widgets.stage.canvas import StageCanvas
    from widgets.stage.scene import StageScene

TO_THE_OTHER_END = "-"
"""Separates the two numbers of a link: ``3-15``."""
PLAIN = frozenset({Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier})


class TypedNumber:
    """A partially typed region number.

    Attributes:
        text: The digits.
    """

    def __init__(self) -> None:
        self.text = ""

    def take(self, event: QKeyEvent) -> bool:
        """Append a digit or remove the last one; return False for other keys."""
        if is_digit(event):
            self.text += event.text()
        elif event.key() == Qt.Key.Key_Backspace and self.text:
            self.text = self.text[:-1]
        else:
            return False
        return True

    def region_in(self, canvas: StageCanvas) -> Region | None:
        """Return the region of a view with the number, or None."""
        # Compared as integers: a typed number can have leading zeros, those of regions never do.
        wanted = int(self.text or -1)
        regions = (one for one in canvas.marks.marks.regions if one.id not in canvas.hidden_by_user)
        return next((one for one in regions if one.number == wanted), None)


def is_digit(event: QKeyEvent) -> bool:
    """Return whether a key is a digit without modifiers."""
    return event.text().isascii() and event.text().isdigit() and event.modifiers() in PLAIN


def candidate_step(event: QKeyEvent) -> int:
    """Return 1 for the key of the next candidate, -1 for that of the previous one, 0 for any other."""
    if event.key() == Qt.Key.Key_Backtab:
        return -1
    if event.key() != Qt.Key.Key_Tab:
        return 0
    return -1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1


def next_view(
    canvases: Sequence[StageCanvas], *, after: StageCanvas, linked: frozenset[str]
) -> StageCanvas | None:
    """Return the next view with regions to link, or None if there is no other view.

    Args:
        canvases: The views.
        after: The current view.
        linked: Ids of the regions already linked; a link has one region per view.
    """
    at = canvases.index(after)
    others = (*canvases[at + 1 :], *canvases[:at])
    free = (one for one in others if linked.isdisjoint(one.marks.ids))
    return next(free, others[0] if others else None)


def views_to_link(canvases: Sequence[StageCanvas], *, linked: frozenset[str]) -> list[StageCanvas]:
    """Return the views that have regions, none of which is linked yet."""
    return [one for one in canvases if one.marks.ids and linked.isdisjoint(one.marks.ids)]


def taken_elsewhere(shown: StageScene | None, here: StageCanvas | None, first: Region) -> frozenset[str]:
    """Return the regions whose link has another region of the first one's view: they cannot be linked.

    Args:
        shown: The scene.
        here: The view of the first region.
        first: The first region.
    """
    if shown is None or here is None:
        return frozenset()
    others = here.marks.ids.keys() - {first.id}
    links = (link.regions for link in shown.marks.links if link.kind == "same")
    return frozenset(one for link in links if not others.isdisjoint(link) for one in link)


def neighbour(regions: Sequence[Region], known: Region | None, step: int) -> Region:
    """Return the region that is a step of 1 or -1 away from a known one, or the first or last of all.

    Args:
        regions: At least one.
        known: Where the step begins; None, or one that is not among them, for the beginning.
        step: 1 or -1; after the last region the first one follows.
    """
    ids = [one.id for one in regions]
    # Outside the list, so that the first step reaches its first or last region.
    outside = -1 if step > 0 else 0
    at = ids.index(known.id) if known is not None and known.id in ids else outside
    return regions[(at + step) % len(regions)]


def linked_with(shown: StageScene | None, region: Region | None) -> frozenset[str]:
    """Return the ids of the regions that a link says show the same object as a region."""
    if region is None or shown is None:
        return frozenset()
    links = (link.regions for link in shown.marks.links if link.kind == "same")
    return frozenset(one for link in links if region.id in link for one in link if one != region.id)


def region_among(canvas: StageCanvas, ids: Iterable[str]) -> Region | None:
    """Return the first region of a view that is among some ids, or None."""
    found = (canvas.marks.region(one) for one in ids)
    return next((one for one in found if one is not None), None)


def ground_position(region: Region, to_other: PlaneTransform | None) -> tuple[float, float] | None:
    """Return the expected position of a region in another view, image pixels, or None if it is unknown.

    Args:
        region: The region.
        to_other: Maps the ground plane of its view to that of the other one, None if it is unknown.
    """
    if to_other is None:
        return None
    box = region.box
    # The middle of the lower edge is where an object touches the ground; the transform is exact only there.
    return to_other.point((box.x1 + box.x2) / 2, box.y2)


def candidates(
    canvas: StageCanvas,
    *,
    first: Region,
    linked: frozenset[str],
    near: tuple[float, float] | None,
    taken: frozenset[str] = frozenset(),
    pair: PairGeometry | None = None,
) -> list[Region]:
    """Return the regions of a view that can be linked with a region of another view.

    Args:
        canvas: The view.
        first: The region of the other view.
        linked: Ids already linked with it: a view that contains one of them has no further candidates.
        taken: Ids of regions that are linked with another region of the first one's view.
        near: Expected position in this view, image pixels; candidates are sorted by distance from it. If it
            is None, they are sorted by distance from the epipolar line, or else by number.
        pair: What is known between the views.
    """
    if not linked.isdisjoint(canvas.marks.ids):
        return []
    marks, epipolar = canvas.marks, pair.epipolar if pair is not None else None
    # Arrays that the view keeps: a loop over thousands of regions would be felt.
    shown = np.flatnonzero(marks.seen(canvas.hidden_by_user | taken | {first.id}))
    middles = (marks.boxes[shown, :2] + marks.boxes[shown, 2:]) / 2
    if near is not None:
        order = np.hypot(*(middles - near).T)
    elif epipolar is not None:
        a, b, c = epipolar.line(*_middle(first))
        order = np.abs(middles @ (a, b) + c)
    else:
        order = np.array([marks.marks.regions[index].number for index in shown.tolist()], np.float64)
    indices = shown[np.argsort(order, kind="stable")]
    return [marks.marks.regions[position] for position in indices.tolist()]


def _middle(region: Region) -> tuple[float, float]:
    return (region.box.x1 + region.box.x2) / 2, (region.box.y1 + region.box.y2) / 2
