"""The four issue classes as toggles: what was wrong with the draft of an item."""

from __future__ import annotations

from functools import partial
from typing import get_args

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from annotator.domain.item import IssueClass
from widgets import display_text
from widgets.answers.flow_layout import FlowLayout
from widgets.box_layout import column_layout
from widgets.labels import label, set_role
from widgets.translation import join_texts, tr

CLASSES: tuple[IssueClass, ...] = get_args(IssueClass)


class IssueClassBar(QWidget):
    """Shows the issue classes of an item, and which ones its changes suggest.

    Signals:
        toggled: A class is to be set or removed; carries it.
    """

    toggled = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.buttons = {name: self._make(at, name) for at, name in enumerate(CLASSES, start=1)}
        self.note = label(role="label", wrap=True)
        # Not a grid that is filled again in each resize: its height would change the width that it is given.
        rows = FlowLayout(gap_px=8, is_filling=True, columns=2)
        for button in self.buttons.values():
            rows.addWidget(button)
        column = column_layout(self, margins_px=0, spacing_px=4)
        column.addLayout(rows)
        column.addWidget(self.note)

    def show_classes(
        self, chosen: tuple[IssueClass, ...], *, proposed: tuple[IssueClass, ...], is_asked: bool
    ) -> None:
        """Show the classes of an item.

        Args:
            chosen: The stored ones.
            proposed: Those that the changes of the item suggest, shown while none is stored.
            is_asked: Whether the item was to be accepted without a class that it needs.
        """
        is_open = bool(proposed) and not chosen
        for name, button in self.buttons.items():
            button.setChecked(name in chosen)
            self._mark(button, is_proposed=is_open and name in proposed)
        message = join_texts(display_text.issue_class_title(name) for name in proposed)
        text = tr("The text has changed. Proposed: {classes}.", classes=message) if is_open else ""
        if is_open and is_asked:
            text = tr("Choose a class by its digit, or press Enter again for: {classes}.", classes=message)
        set_role(self.note, "warn" if is_asked and is_open else "label")
        self.note.setText(text)
        self.note.setVisible(bool(text))

    def _make(self, number: int, name: IssueClass) -> QPushButton:
        made = QPushButton(f"{number}  {display_text.issue_class_title(name)}")
        made.setProperty("kind", "choice")
        made.setCheckable(True)
        made.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        made.setToolTip(f"{display_text.issue_class_title(name)}  {number}")
        made.clicked.connect(partial(self._on_button_clicked, name))
        return made

    def _mark(self, button: QPushButton, *, is_proposed: bool) -> None:
        if bool(button.property("is_proposed")) != is_proposed:
            button.setProperty("is_proposed", is_proposed)
            button.style().polish(button)

    def _on_button_clicked(self, name: IssueClass) -> None:
        # The check mark follows the item, which changes when the command is stored.
        self.buttons[name].setChecked(not self.buttons[name].isChecked())
        self.toggled.emit(name)
