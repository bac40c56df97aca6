"""A large button with the key that presses it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QPushButton, QSizePolicy

from widgets.box_layout import column_layout
from widgets.labels import ElidedLabel, set_role

HEIGHT_PX, EDGE_PX = 56, 6


class BigKey(QPushButton):
    """Two lines: the key, and what it does."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "big_key")
        # The keyboard stays where the letters of the answers work.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFixedHeight(HEIGHT_PX)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.letter, self.caption = ElidedLabel(role="big_key"), ElidedLabel(role="strong")
        column = column_layout(self, margins_px=(EDGE_PX, 4, EDGE_PX, 4), spacing_px=0)
        for part in (self.letter, self.caption):
            part.setAlignment(Qt.AlignmentFlag.AlignCenter)
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            column.addWidget(part)

    def minimumSizeHint(self) -> QSize:
        """Return the width of what it does: a row of buttons gives the longest text more than a third."""
        return QSize(self.caption.sizeHint().width() + 2 * EDGE_PX, HEIGHT_PX)

    def show_choice(self, text: str, *, key: str, is_main: bool) -> None:
        """Show a decision.

        Args:
            text: What it does.
            key: Its key.
            is_main: Whether it is the most likely one.
        """
        self.letter.setText(key)
        self.caption.setText(text)
        self.updateGeometry()
        self.setAccessibleName(text)
        self.setToolTip(f"{text}  {key}".strip())
        if self.property("is_main") != is_main:
            self.setProperty("is_main", is_main)
            self.style().polish(self)
        set_role(self.letter, "big_key_main" if is_main else "big_key")
        set_role(self.caption, "strong_main" if is_main else "strong")
