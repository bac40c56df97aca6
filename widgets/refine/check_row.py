"""One line of the live checks: a mark, a statement, and what can be done about it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QPushButton

from annotator.commands.item_edits import ItemEdit
from widgets.box_layout import column_layout, row_layout
from widgets.focus import ENTER
from widgets.labels import label, plain_tip
from widgets.translation import tr

MARKS = {"good": "✓", "dim": "·", "warn": "!", "bad": "✗"}
"""Signs of the tones: colour is never the only one."""
MARK_PX = 12


class CheckRow(QFrame):
    """One line; a click or Enter goes to its field.

    Signals:
        jump_requested: The field of the line is to be edited; carries it.
        repair_requested: The repair is to be done; carries the command.
        item_requested: The other item of the line is to be shown; carries its id.
    """

    jump_requested = Signal(str)
    repair_requested = Signal(object)
    item_requested = Signal(str)

    def __init__(
        self,
        text: str,
        *,
        tone: str,
        advice: str = "",
        field: str = "",
        repair: ItemEdit | None = None,
        repair_text: str = "",
        other_item: str = "",
    ) -> None:
        """Create a line.

        Args:
            text: What is the case.
            tone: ``good``, ``dim``, ``warn`` or ``bad``.
            advice: What to do about it, as tool tip.
            field: The field concerned, "" for none.
            repair: The command that repairs it, None for none.
            repair_text: What the repair does.
            other_item: Id of another item concerned, "" for none.
        """
        super().__init__()
        self.setObjectName("check_row")
        self.text, self.field, self.repair = text, field, repair
        self.setAccessibleName(text)
        self.setAccessibleDescription(advice)
        self.setToolTip(plain_tip(advice))
        if field:
            self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self.setCursor(Qt.CursorShape.PointingHandCursor)
        sign = label(MARKS[tone], role=tone)
        sign.setFixedWidth(MARK_PX)
        self._column = column_layout(spacing_px=4)
        self._column.addWidget(label(text, role=tone, wrap=True))
        row = row_layout(self, margins_px=0, spacing_px=4)
        row.addWidget(sign, alignment=Qt.AlignmentFlag.AlignTop)
        row.addLayout(self._column, 1)
        self.buttons: list[QPushButton] = []
        if repair is not None:
            self._add_button(repair_text, partial(self.repair_requested.emit, repair))
        if other_item:
            self._add_button(tr("Show other item"), partial(self.item_requested.emit, other_item))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Go to the field."""
        super().mouseReleaseEvent(event)
        if self.field and self.rect().contains(event.position().toPoint()):
            self.jump_requested.emit(self.field)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to the field when Enter is pressed."""
        if self.field and event.key() in ENTER:
            self.jump_requested.emit(self.field)
        else:
            super().keyPressEvent(event)

    def _add_button(self, text: str, call: partial[None]) -> None:
        made = QPushButton(text)
        made.setProperty("kind", "pill")
        made.clicked.connect(call)
        self.buttons.append(made)
        self._column.addWidget(made, alignment=Qt.AlignmentFlag.AlignLeft)
