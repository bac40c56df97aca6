"""A combo box with an arrow in the text colour of the theme."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox, QSizePolicy

from widgets import icons, theme

ARROW_PX = 12
FEWEST_LETTERS = 12
LIST_EDGES_PX = 32


class ComboBox(QComboBox):
    """Paints its own arrow: a style sheet needs an image file, which does not follow the theme."""

    def fit_column(self) -> None:
        """Limit the width to the column, regardless of the texts; the popup shows them in full."""
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(FEWEST_LETTERS)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def showPopup(self) -> None:
        """Show the list as wide as its longest text."""
        self.view().setMinimumWidth(self.view().sizeHintForColumn(0) + LIST_EDGES_PX)
        super().showPopup()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the box, then the arrow."""
        super().paintEvent(event)
        rect = QRectF(self.width() - ARROW_PX - 10, (self.height() - ARROW_PX) / 2, ARROW_PX, ARROW_PX)
        icons.draw(QPainter(self), "chevron-down", rect=rect, ink=theme.current().color("text_dim"))
