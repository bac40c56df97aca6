"""Somebody who answers an item with the widget of its format."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from annotator.domain.item import Item, Option
from tests.guards_qt import PatientBot
from widgets.answers.answer_widget import AnswerWidget
from widgets.answers.registry import make_answer_widget
from widgets.stage.scene import StageScene

OPTIONS = (Option(letter="A", text="bed"), Option(letter="B", text="chair"), Option(letter="C", text="sofa"))


def item_of(answer_format: str, key: str = "", **values: object) -> Item:
    """Return an item of two views in an answer format."""
    made = Item(
        id="i",
        name="0001",
        task_set="spatialuav",
        answer_format=answer_format,
        answer_key=key,
        scene="s",
        media=("m1", "m2"),
    )
    return msgspec.structs.replace(made, **values)


class Answerer:
    """An answer widget on the screen, and what it commits."""

    def __init__(
        self, qtbot: PatientBot, item: Item, *, shown: StageScene | None = None, is_blind: bool = False
    ) -> None:
        self.qtbot, self.item, self.shown = qtbot, item, shown
        self.widget: AnswerWidget = make_answer_widget(item.answer_format, is_blind=is_blind)
        self.committed: list[str] = []
        self.widget.committed.connect(self.committed.append)
        self.frame = QWidget()
        self.widget.setParent(self.frame)
        self.frame.resize(360, 320)
        self.widget.resize(360, 320)
        qtbot.addWidget(self.frame)
        self.widget.show_item(item, shown)
        self.frame.show()
        self.frame.activateWindow()
        self.widget.setFocus()
        qtbot.wait_until(lambda: self.frame.focusWidget().hasFocus())

    def show(self, **values: object) -> None:
        """Show the item with other values, as the project has it now."""
        self.item = msgspec.structs.replace(self.item, **values)
        self.widget.show_item(self.item, self.shown)

    def type(self, text: str) -> None:
        """Type where the keyboard is."""
        QTest.keyClicks(self.frame.focusWidget(), text)

    def press(
        self, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier, *, times: int = 1
    ) -> None:
        """Press a key where the keyboard is."""
        for _ in range(times):
            QTest.keyClick(self.frame.focusWidget(), key, modifiers)
