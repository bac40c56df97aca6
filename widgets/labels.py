"""Labels: always plain text, so that imported text is not interpreted as markup."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

LONGEST_SHOWN = 20_000
"""Characters of one label; a longer text is cut with a mark, since laying it out would hold up the window."""


def label(text: str = "", *, role: str = "body", wrap: bool = False, selectable: bool = False) -> QLabel:
    """Make a label.

    Args:
        text: Text or imported data.
        role: Look of it, a ``role`` of the style sheet.
        wrap: Break lines; else the label is as wide as its text.
        selectable: Let the mouse and the keyboard select its text, for data that people copy.
    """
    made = QLabel()
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setText(cut(text))
    made.setProperty("role", role)
    made.setWordWrap(wrap)
    if wrap:
        made.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
    if selectable:
        made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return made


def set_role(shown: QLabel, role: str) -> None:
    """Give a label another look, a ``role`` of the style sheet."""
    if shown.property("role") != role:
        shown.setProperty("role", role)
        shown.style().polish(shown)


def chip(text: str, *, tone: str = "plain") -> QLabel:
    """Make a small rounded mark: ``plain``, ``good``, ``warn`` or ``bad``."""
    made = label(text)
    made.setProperty("chip", tone)
    made.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
    return made


def caption(text: str) -> QLabel:
    """Make the small heading of a part: spaced capitals where the script has them."""
    return label(text.upper(), role="caption")


def cut(text: str) -> str:
    """Return a text short enough to lay out, with a mark where it was cut."""
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]} …"


class ElidedLabel(QLabel):
    """One line that gives way: what does not fit ends in three dots, and the whole is in the tool tip."""

    def __init__(
        self,
        text: str = "",
        *,
        role: str = "body",
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("role", role)
        self._mode = mode
        self.setMinimumWidth(0)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setText(text)

    def setText(self, text: str) -> None:
        """Show a text, on one line."""
        super().setText(" ".join(cut(text).split()))
        self._set_tip()

    def minimumSizeHint(self) -> QSize:
        """Return the width of the dots: the label may shrink to them."""
        return QSize(QFontMetrics(self.font()).horizontalAdvance("…"), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Offer the whole text as a tool tip where it no longer fits."""
        super().resizeEvent(event)
        self._set_tip()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the text, elided."""
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.rect(), int(self.alignment()) | int(Qt.TextFlag.TextSingleLine), self._elided())

    def _elided(self) -> str:
        return self.fontMetrics().elidedText(self.text(), self._mode, self.width())

    def _set_tip(self) -> None:
        self.setToolTip(plain_tip(self.text()) if self._elided() != self.text() else "")


def plain_tip(text: str) -> str:
    """Return a text for a tool tip, which would otherwise read ``<b>`` as markup."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"<qt>{escaped}</qt>" if escaped != text else text
