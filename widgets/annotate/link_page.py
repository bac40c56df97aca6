"""The page of links: numbers typed as links, the table of all links, and the limit of their mismatch."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from widgets.annotate.link_table import LinkTable
from widgets.box_layout import column_layout
from widgets.focus import ENTER, mark_wrong
from widgets.labels import ElidedLabel, label
from widgets.number_field import NumberField
from widgets.translation import tr, trn

EDGE_PX, SPACE_PX, LIMIT_PX = 12, 8, 64
LEAST_PERCENT, MOST_PERCENT = 0.1, 100.0


class TypedLinkField(QLineEdit):
    """A line for numbers such as ``3-15``.

    Signals:
        accepted: Emitted when Enter is pressed.
        left: Emitted when the field is to be left.
    """

    accepted = Signal()
    left = Signal()

    def event(self, event: QEvent) -> bool:
        """Keep Enter and Escape from the shortcuts of the stage; an empty field has no text to undo."""
        is_override = event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        if is_override and not self.text() and event.matches(QKeySequence.StandardKey.Undo):  # type: ignore[attr-defined]
            event.ignore()
            return True
        if is_override and event.key() in (*ENTER, Qt.Key.Key_Escape):  # type: ignore[attr-defined]
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Accept with Enter, leave with Escape."""
        if event.key() in ENTER:
            self.accepted.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)


class LinkPage(QWidget):
    """Shows the links of a scene.

    Signals:
        limit_entered: Emitted when another limit is entered; carries the share of the image side.
    """

    limit_entered = Signal(float)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("pane")
        self.count, self.table, self.field = ElidedLabel(role="label"), LinkTable(), TypedLinkField()
        self.field.setPlaceholderText(tr("Link numbers: 3-15"))
        self.field.setAccessibleName(tr("Link by numbers of regions"))
        self.field.setToolTip(
            tr("Numbers of the regions in the order of the views; several links with commas: 3-15, 4-5")
        )
        self.note = label(role="bad", wrap=True)
        self.note.hide()
        self.empty = label(
            tr("No links yet. Type the numbers of two regions above, or link them on the stage."),
            role="dim",
            wrap=True,
        )
        self.limit = NumberField(tr("Limit of the mismatch, percent of the longer image side"))
        self.limit.setFixedWidth(LIMIT_PX)
        self.limit.setToolTip(tr("Links over this share of the longer side of the image are flagged"))
        self.limit.entered.connect(self._on_limit_entered)
        self.limit.refused.connect(self.show_problem)
        self.table.typed.connect(self._on_table_typed)
        self.field.textEdited.connect(self._on_field_text_edited)
        self._lay_out()

    def show_problem(self, text: str) -> None:
        """Show why the input is not possible, "" for nothing."""
        # The field of the limit reports its problems here as well.
        mark_wrong(self.field, is_wrong=bool(text) and self.field.hasFocus())
        self.note.setText(text)
        self.note.setVisible(bool(text))

    def show_count(self, count: int, *, flagged: int) -> None:
        """Show how many links there are, and how many of them are over the limit."""
        over = tr("{n} over the limit", n=f"{flagged:,}") if flagged else ""
        self.count.setText(" · ".join(filter(None, (trn("{n} link", "{n} links", n=count), over))))
        self.table.setVisible(bool(count))
        self.empty.setVisible(not count)

    def show_limit(self, share: float) -> None:
        """Show the limit."""
        self.limit.show_value(100 * share, least=LEAST_PERCENT, most=MOST_PERCENT)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Pass the focus to the table or, if it is empty, to the field."""
        super().focusInEvent(event)
        has_rows = bool(self.table.links.rows)
        target = self.table if has_rows else self.field
        if has_rows and not self.table.currentIndex().isValid():
            self.table.setCurrentIndex(self.table.links.index(0, 0))
        target.setFocus(event.reason())

    def _lay_out(self) -> None:
        head = column_layout(margins_px=(EDGE_PX, EDGE_PX, EDGE_PX, SPACE_PX), spacing_px=SPACE_PX)
        for part in (label(tr("Links"), role="strong"), self.field, self.note, self.empty):
            head.addWidget(part)
        foot = column_layout(margins_px=(EDGE_PX, 4, EDGE_PX, SPACE_PX), spacing_px=4)
        row = QHBoxLayout()
        row.addWidget(label(tr("Flag over, % of image"), role="dim"), 1)
        row.addWidget(self.limit)
        foot.addWidget(self.count)
        foot.addLayout(row)
        column = column_layout(self, margins_px=0, spacing_px=0)
        column.addLayout(head)
        column.addWidget(self.table, 1)
        column.addStretch(0)
        column.addLayout(foot)

    def _on_table_typed(self, digit: str) -> None:
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)
        self.field.setText(digit)
        self.show_problem("")

    def _on_field_text_edited(self, _text: str) -> None:
        self.show_problem("")

    def _on_limit_entered(self, percent: float) -> None:
        self.limit_entered.emit(percent / 100)
