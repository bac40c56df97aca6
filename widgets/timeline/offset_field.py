"""The input field for a view's offset, in seconds or in frames."""

from __future__ import annotations

import math
import re

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QVBoxLayout, QWidget

from annotator.commands.views import FARTHEST_S
from widgets.labels import label
from widgets.timeline.lanes import TimelineLane, lane_name
from widgets.translation import tr

_TYPED = re.compile(r"\s*([+-]?\d+(?:\.\d*)?|[+-]?\.\d+)\s*(s|f)?\s*", re.IGNORECASE)
WIDTH_PX = 240


def read_offset(text: str, *, fps: float) -> float | None:
    """Return the typed offset in seconds, or None if the text is invalid.

    Args:
        text: ``0.12``, ``-1.5 s``, or ``3 f`` for frames; a decimal comma and U+2212 (minus) are valid.
        fps: Frames per second of the video.
    """
    found = _TYPED.fullmatch(text.replace(",", ".").replace("−", "-"))
    if found is None:
        return None
    number = float(found[1])
    offset_s = number / fps if (found[2] or "s").lower() == "f" else number
    return offset_s if math.isfinite(offset_s) and abs(offset_s) <= FARTHEST_S else None


class OffsetField(QFrame):
    """A pop-up field over a lane's name; it closes when it loses the keyboard focus.

    Signals:
        typed: Enter was pressed with a valid offset; carries seconds.
        closed: The field has been closed.
    """

    typed = Signal(float)
    closed = Signal()

    def __init__(self, lane: TimelineLane, *, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("sheet")
        self._fps = lane.film.fps
        self.field = QLineEdit(f"{lane.offset_s:.3f}")
        self.field.setAccessibleName(tr("Offset of {view}", view=lane_name(lane.view)))
        self.said = label(role="label", wrap=True)
        self.field.installEventFilter(self)
        self.field.textEdited.connect(self._say)
        self.field.returnPressed.connect(self._on_field_return_pressed)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 12, 12)
        column.setSpacing(8)
        column.addWidget(label(self.field.accessibleName(), role="strong"))
        column.addWidget(self.field)
        column.addWidget(self.said)
        self.setFixedWidth(WIDTH_PX)
        self._say(self.field.text())

    def open_over(self, widget: QWidget, at: QPoint) -> None:
        """Show the field with its lower edge at a point of a widget in the same window, and focus it."""
        self.adjustSize()
        self.move(widget.mapTo(widget.window(), at) - QPoint(0, self.height()))
        self.show()
        self.raise_()
        self.field.selectAll()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Cancel with Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self.give_up()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Accept Enter and Esc before shortcuts of the window do; cancel when the focus is lost."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape}:
                event.accept()
                return True
        elif watched is self.field and event.type() == QEvent.Type.FocusOut:
            self.give_up()
        return super().eventFilter(watched, event)

    def give_up(self) -> None:
        """Close without a change."""
        # ``hide`` causes a FocusOut event, which calls this method again.
        if self.isHidden():
            return
        self.hide()
        self.closed.emit()
        self.deleteLater()

    def _say(self, text: str) -> None:
        offset_s = read_offset(text, fps=self._fps)
        if offset_s is None:
            self.said.setText(tr("Enter seconds (−0.120) or frames (3 f)"))
        else:
            frames = f"{offset_s * self._fps:+.1f}".replace("-", "−") if offset_s else "0"
            self.said.setText(tr("{n} frames of this video. Press Enter to apply.", n=frames))

    def _on_field_return_pressed(self) -> None:
        offset_s = read_offset(self.field.text(), fps=self._fps)
        if offset_s is not None:
            self.typed.emit(offset_s)
            self.give_up()
