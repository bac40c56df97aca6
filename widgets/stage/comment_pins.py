"""Pins of comments over the views of a stage: numbered marks that are never part of an image."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPen

from widgets import theme
from widgets.stage.text_badges import label_font

if TYPE_CHECKING:
    from widgets.stage.stage import Stage
    from widgets.stage.view_transform import ViewTransform

RADIUS_PX, STEM_PX = 9, 14
"""Size of a mark, and the distance of its centre above the place, device-independent pixels."""
CENTRE = int(Qt.AlignmentFlag.AlignCenter)


@dataclass(frozen=True, kw_only=True)
class PinMark:
    """The pin of a comment.

    Attributes:
        comment: Id of the comment.
        number: Number on the mark, from 1 on.
        medium: Id of the medium.
        x: Image pixels.
        y: Image pixels.
        frame: Frame number, None for a still.
        is_current: Whether it is emphasised.
    """

    comment: str
    number: int
    medium: str
    x: float
    y: float
    frame: int | None = None
    is_current: bool = False


PinsAt = Callable[[str, int | None], Sequence[PinMark]]


def no_pins(_medium: str, _frame: int | None, /) -> Sequence[PinMark]:
    """Return no pins: the default for a view outside a stage."""
    return ()


class CommentPins(QObject):
    """The pins that a stage shows.

    Signals:
        chosen: A pin was clicked; carries the id of its comment.
    """

    chosen = Signal(str)

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self._stage = stage
        self.marks: tuple[PinMark, ...] = ()
        self._current = ""

    def show(self, marks: Sequence[PinMark]) -> None:
        """Replace the pins."""
        if self.marks != tuple(marks):
            self.marks = tuple(marks)
            self._update()

    def emphasise(self, comment: str) -> None:
        """Emphasise the pin of a comment, "" for none."""
        self._current = comment
        self._update()

    def choose(self, comment: str) -> None:
        """Emphasise the pin of a comment that was clicked, and report it."""
        self.emphasise(comment)
        self.chosen.emit(comment)

    def at(self, medium: str, frame: int | None) -> Sequence[PinMark]:
        """Return the pins of a medium on a frame, the emphasised one last."""
        marks = [mark for mark in self.marks if mark.medium == medium and mark.frame in {None, frame}]
        shown = (replace(mark, is_current=mark.comment == self._current) for mark in marks)
        return sorted(shown, key=lambda mark: mark.is_current)

    def _update(self) -> None:
        for canvas in self._stage.canvases:
            canvas.update()


def comment_at(
    marks: Sequence[PinMark], x: float, y: float, *, transform: ViewTransform, ratio: float
) -> str:
    """Return the id of the comment whose mark is at a point, "" for none; that on top, where marks overlap.

    Args:
        marks: The pins, in the order in which they are painted.
        x: Device pixels.
        y: Device pixels.
        transform: View transform.
        ratio: Device pixel ratio of the widget.
    """
    for mark in reversed(marks):
        x_px, y_px = transform.to_view(np.array([mark.x, mark.y])).tolist()
        if math.hypot(x - x_px, y - y_px + STEM_PX * ratio) <= RADIUS_PX * ratio:
            return mark.comment
    return ""


def paint_pins(
    painter: QPainter, marks: Sequence[PinMark], *, transform: ViewTransform, ratio: float
) -> None:
    """Paint pins: a number in a circle above the place, joined to it by a stem.

    Args:
        painter: Painter with device pixels as unit.
        marks: The pins.
        transform: View transform.
        ratio: Device pixel ratio of the widget.
    """
    # The colours of the dark theme: a pin is on an image, whose brightness does not follow the theme.
    tokens = theme.load("dark")
    for mark in marks:
        x, y = transform.to_view(np.array([mark.x, mark.y])).tolist()
        middle, radius = QPointF(x, y - STEM_PX * ratio), RADIUS_PX * ratio
        ground, ink = ("accent", "on_accent") if mark.is_current else ("bg", "text")
        for token, width_px in (("bg", 4.0), ("text", 1.5)):
            painter.setPen(QPen(tokens.color(token), width_px * ratio))
            painter.drawLine(QPointF(x, y), middle)
        painter.setBrush(tokens.color(ground))
        painter.drawEllipse(middle, radius, radius)
        painter.setPen(tokens.color(ink))
        painter.setFont(label_font(ratio))
        rect = QRectF(middle.x() - radius, middle.y() - radius, 2 * radius, 2 * radius)
        painter.drawText(rect, CENTRE, f"{mark.number}")
