"""Labels: always plain text, so that imported text is not interpreted as markup."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

LONGEST_SHOWN = 20_000
"""Maximum number of characters of a label; laying out a longer text would block the window."""


def label(text: str = "", *, role: str = "body", wrap: bool = False, selectable: bool = False) -> QLabel:
    """Make a label.

    Args:
        text: Text or imported data.
        role: A ``role`` of the style sheet.
        wrap: Break lines; else the label is as wide as its text.
        selectable: Allow selection by mouse and keyboard, for data that users copy.
    """
    made = QLabel()
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setText(cut(text))
    made.setProperty("role", role)
    made.setWordWrap(wrap)
    if wrap:
        # A label that wraps asks for a width of its own choice, by which it would widen its column.
        made.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
    if selectable:
        made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return made


def set_role(shown: QLabel, role: str) -> None:
    """Set the ``role`` of a label, which defines its style."""
    if shown.property("role") != role:
        shown.setProperty("role", role)
        # Qt does not look again by itself at the selectors that name a property.
        shown.style().polish(shown)


def chip(text: str, *, tone: str = "plain") -> QLabel:
    """Create a small rounded badge: ``plain``, ``good``, ``warn`` or ``bad``."""
    made = label(text)
    made.setProperty("chip", tone)
    made.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
    return made


def caption(text: str) -> QLabel:
    """Create the small heading of a section; upper case with letter spacing where the script has cases."""
    return label(text.upper(), role="caption")


def cut(text: str) -> str:
    """Return a text truncated to a length that can be laid out quickly, with an ellipsis."""
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]} …"


class ElidedLabel(QLabel):
    """A single line that shrinks: an elided text has its full text as tool tip."""

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
        line = " ".join(cut(text).split())
        # Most get the same text again at each change, and measuring it for the tool tip is slow.
        if line != self.text():
            super().setText(line)
            self._set_tip()

    def minimumSizeHint(self) -> QSize:
        """Return the width of the ellipsis: the label may shrink to it."""
        return QSize(QFontMetrics(self.font()).horizontalAdvance("…"), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Set the full text as tool tip if it does not fit."""
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
    """Return a text escaped for a tool tip, which would otherwise interpret ``<b>`` as markup."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"<qt>{escaped}</qt>" if escaped != text else text
