"""Link regions by keys: the other end is cycled through, or typed by its number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from annotator.domain.region import Region

if TYPE_CHECKING:
    from widgets.stage.canvas import StageCanvas

TO_THE_OTHER_END = "-"
"""Between the two numbers of a link: ``3-15``."""
PLAIN = frozenset({Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier})


class TypedNumber:
    """The number of a region as it is typed.

    Attributes:
        text: The digits so far.
    """

    def __init__(self) -> None:
        self.text = ""

    def take(self, event: QKeyEvent) -> bool:
        """Take a digit, or take the last one back; False for other keys."""
        if is_digit(event):
            self.text += event.text()
        elif event.key() == Qt.Key.Key_Backspace and self.text:
            self.text = self.text[:-1]
        else:
            return False
        return True

    def region_in(self, canvas: StageCanvas) -> Region | None:
        """Return the region of a view that has the number, None for none."""
        # A number that is typed may begin with zeros; those of regions never do.
        wanted = int(self.text or -1)
        regions = (one for one in canvas.marks.marks.regions if one.id not in canvas.hidden_by_user)
        return next((one for one in regions if one.number == wanted), None)


def is_digit(event: QKeyEvent) -> bool:
    """Return whether a key is a digit without modifiers."""
    return event.text().isascii() and event.text().isdigit() and event.modifiers() in PLAIN


def next_view(
    canvases: Sequence[StageCanvas], *, after: StageCanvas, linked: frozenset[str]
) -> StageCanvas | None:
    """Return the next view whose regions may be linked, None where there is no other view.

    Args:
        canvases: The views.
        after: The view that is left.
        linked: Ids of the regions that are linked already; a link has one region of each view.
    """
    at = canvases.index(after)
    others = (*canvases[at + 1 :], *canvases[:at])
    free = (one for one in others if linked.isdisjoint(one.marks.ids))
    return next(free, others[0] if others else None)


def candidates(
    canvas: StageCanvas, *, first: Region, linked: frozenset[str], near: tuple[float, float] | None
) -> list[Region]:
    """Return the regions of a view that another one may be linked with.

    Args:
        canvas: The view.
        first: The region of the other view.
        linked: Ids of the regions that it is linked with already: a view with one of them has no other.
        near: Where it should be in this view, image pixels; those next to it come first. None where that is
            not known: then they are in the order of their numbers.
    """
    if not linked.isdisjoint(canvas.marks.ids):
        return []
    hidden = canvas.hidden_by_user
    found = [one for one in canvas.marks.marks.regions if one.id not in hidden and one.id != first.id]
    if near is None:
        return sorted(found, key=lambda one: one.number)
    x, y = near

    def distance(one: Region) -> float:
        middle = (one.box.x1 + one.box.x2) / 2, (one.box.y1 + one.box.y2) / 2
        return (middle[0] - x) ** 2 + (middle[1] - y) ** 2

    return sorted(found, key=distance)
