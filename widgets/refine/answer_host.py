"""Shows the answer of an item in the widget of its own format."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from annotator.domain.item import Item
from widgets.answers.answer_widget import AnswerWidget
from widgets.answers.registry import make_answer_widget
from widgets.box_layout import column_layout
from widgets.stage.scene import StageScene
from widgets.stage.stage import Stage


class AnswerHost(QWidget):
    """Holds the answer widget of one format, and replaces it when the format changes.

    Signals:
        committed: An answer was entered; carries its canonical text, "" for none.
    """

    committed = Signal(str)

    def __init__(self, stage: Stage, *, is_blind: bool = False) -> None:
        """Create the host without a widget.

        Args:
            stage: On which answers are picked.
            is_blind: Whether the person answers without seeing the answer key.
        """
        super().__init__()
        self._stage, self._is_blind = stage, is_blind
        self.widget: AnswerWidget | None = None
        self._column = column_layout(self, margins_px=0)

    def show_item(self, item: Item, shown: StageScene | None) -> None:
        """Show the answer key of an item."""
        if self.widget is None or self.widget.answer_format != item.answer_format:
            self.clear()
            self.widget = make_answer_widget(item.answer_format, is_blind=self._is_blind)
            self.widget.committed.connect(self.committed)
            self._column.addWidget(self.widget)
            self.widget.attach(self._stage)
        self.widget.show_item(item, shown)

    def clear(self) -> None:
        """Remove the widget, and give the stage its own tool back."""
        if self.widget is not None:
            # A hidden widget loses the keyboard focus, which commits its input: to another item by now.
            self.widget.committed.disconnect(self.committed)
            self.widget.detach()
            self.widget.hide()
            self.widget.deleteLater()
            self.widget = None

    def apply(self) -> bool:
        """Commit input that is not committed yet; return whether the answer is valid or empty."""
        return self.widget is None or self.widget.apply()

    def restore(self) -> None:
        """Show the stored answer again, because another one could not be stored."""
        if self.widget is not None:
            self.widget.restore()

    def edit(self) -> bool:
        """Set the keyboard focus to the answer; return whether there is one to edit."""
        if self.widget is None or self.isHidden():
            return False
        self.widget.pick()
        self.widget.setFocus(Qt.FocusReason.ShortcutFocusReason)
        return True
