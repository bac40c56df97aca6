"""The parts of an answer as chips; a click on a chip removes its part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from widgets.answers.flow_layout import FlowLayout
from widgets.focus import holds_keyboard
from widgets.translation import tr

SWATCH_PX = 10


@dataclass(frozen=True, kw_only=True)
class AnswerChip:
    """One part of an answer.

    Attributes:
        text: Its text.
        tip: Tool tip.
        colour: Colour of the region on the stage; None for a part that no view has.
    """

    text: str
    tip: str
    colour: QColor | None = None


class ChipRow(QWidget):
    """Chips in rows.

    Signals:
        removed: A chip was clicked; carries its index.
    """

    removed = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._flow = FlowLayout()
        self.setLayout(self._flow)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.buttons: tuple[QPushButton, ...] = ()
        self._chips: tuple[AnswerChip, ...] = ()
        self.hide()

    def show_chips(self, chips: Sequence[AnswerChip]) -> None:
        """Replace the chips; the keyboard focus stays at its place among them."""
        if tuple(chips) == self._chips:
            return
        had_focus = holds_keyboard(self)
        at = next((index for index, one in enumerate(self.buttons) if one.hasFocus()), 0)
        for button in self.buttons:
            self._flow.removeWidget(button)
            # A removed chip must not be painted until the event loop deletes it.
            button.hide()
            button.deleteLater()
        self._chips = tuple(chips)
        self.buttons = tuple(self._make(index, chip) for index, chip in enumerate(chips))
        self.setVisible(bool(chips))
        if had_focus and self.buttons:
            self.buttons[min(at, len(self.buttons) - 1)].setFocus(Qt.FocusReason.OtherFocusReason)
        elif had_focus and (parent := self.parentWidget()) is not None:
            parent.setFocus()
        self.updateGeometry()

    def _make(self, index: int, chip: AnswerChip) -> QPushButton:
        button = QPushButton(f"{chip.text}  ×")
        button.setProperty("kind", "pill")
        button.setToolTip(chip.tip)
        button.setAccessibleName(tr("Remove {part}", part=chip.text))
        if chip.colour is not None:
            # The style puts an icon right at the text.
            button.setText(f" {button.text()}")
            button.setIcon(_swatch(chip.colour, ratio=self.devicePixelRatioF()))
            button.setIconSize(QSize(SWATCH_PX, SWATCH_PX))
        # Queued: the chip is replaced while its own click is handled.
        button.clicked.connect(partial(self.removed.emit, index), Qt.ConnectionType.QueuedConnection)
        self._flow.addWidget(button)
        button.show()
        return button


def _swatch(colour: QColor, *, ratio: float) -> QIcon:
    """Return a round spot of a colour."""
    pixmap = QPixmap(round(SWATCH_PX * ratio), round(SWATCH_PX * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    with QPainter(pixmap) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawEllipse(QRectF(0.5, 0.5, SWATCH_PX - 1, SWATCH_PX - 1))
    return QIcon(pixmap)
