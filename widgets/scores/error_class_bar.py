"""The error classes of a set as buttons with their digits, and the note of a label."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QSizePolicy, QWidget

from annotator.domain.error_classes import ErrorClass, ErrorClassSet
from annotator.domain.error_label import ErrorLabel
from widgets.action_registry import ActionRegistry
from widgets.box_layout import column_layout
from widgets.labels import ElidedLabel, caption, label, plain_tip
from widgets.scores.error_text import spoken
from widgets.translation import tr


class ErrorClassBar(QWidget):
    """Shows the classes of a set, and which one a prediction has.

    Signals:
        chosen: A class is to be set; carries its id, "" to withdraw the label.
        noted: The note of the label was changed; carries it.
    """

    chosen = Signal(str)
    noted = Signal(str)

    def __init__(self, *, registry: ActionRegistry) -> None:
        super().__init__()
        self.set: ErrorClassSet | None = None
        self.label: ErrorLabel | None = None
        self.buttons: dict[str, QPushButton] = {}
        self.title = ElidedLabel(role="label")
        self.hint = label(role="dim", wrap=True)
        self.note = QLineEdit()
        self.note.setAccessibleName(tr("Note"))
        self.note.setMaxLength(10_000)
        self.note.editingFinished.connect(self._on_note_finished)
        key = registry.key("errors.next_set")
        self.other = QPushButton(tr("Other classes  {key}", key=key).strip())
        self.other.setProperty("kind", "pill")
        self.other.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.other.clicked.connect(partial(registry.run, "errors.next_set"))
        self._note_key = registry.key("errors.note")
        self._rows = column_layout(spacing_px=4)
        self._lay_out()

    def show_set(self, shown: ErrorClassSet) -> None:
        """Show the classes of a set."""
        if shown is self.set:
            return
        self.set = shown
        self.title.setText(spoken(shown.title))
        for button in self.buttons.values():
            self._rows.removeWidget(button)
            button.deleteLater()
        self.buttons = {}
        for digit, one in enumerate(shown.classes, start=1):
            button = self._button(one, digit=digit)
            self._rows.addWidget(button)
            self.buttons[one.id] = button
        self.show_label(self.label, can_label=self.isEnabled())

    def _button(self, one: ErrorClass, *, digit: int) -> QPushButton:
        button = QPushButton(f"{digit}  {spoken(one.title)}")
        button.setProperty("kind", "choice")
        button.setCheckable(True)
        # The pane decides on the width, and no long title does.
        button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        # A click leaves the keyboard with the list, so that its arrow keys go on.
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setToolTip(plain_tip(spoken(one.meaning)))
        button.clicked.connect(partial(self._on_button_clicked, one.id))
        return button

    def show_label(self, found: ErrorLabel | None, *, can_label: bool) -> None:
        """Show the label of a prediction, None for one without."""
        self.label = found
        name = found.error_class if found is not None else ""
        for own, button in self.buttons.items():
            button.setChecked(own == name)
        self.setEnabled(can_label)
        self.note.setEnabled(can_label and found is not None)
        self.note.setText(found.note if found is not None else "")
        self.note.setPlaceholderText(
            tr("Note  {key}", key=self._note_key)
            if found is not None
            else tr("Choose a class, then add a note.")
        )

    def show_hint(self, text: str) -> None:
        """Show what must be known about the label, "" for nothing."""
        self.hint.setText(text)
        self.hint.setVisible(bool(text))

    def choose_digit(self, digit: int) -> None:
        """Choose the class of a digit from 1 on; 0 withdraws the label."""
        self.chosen.emit(list(self.buttons)[digit - 1] if digit else "")

    def focus_note(self) -> None:
        """Set the keyboard focus to the note."""
        if self.note.isEnabled():
            self.note.setFocus()
            self.note.selectAll()

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.addWidget(caption(tr("Error class")))
        top.addWidget(self.title, 1)
        top.addWidget(self.other)
        column = column_layout(self, margins_px=(12, 8, 12, 12), spacing_px=8)
        column.addLayout(top)
        column.addWidget(self.hint)
        column.addLayout(self._rows)
        column.addWidget(self.note)

    def _on_button_clicked(self, name: str) -> None:
        # The check mark follows the label, which changes when the command is stored.
        was_checked = not self.buttons[name].isChecked()
        self.buttons[name].setChecked(was_checked)
        self.chosen.emit("" if was_checked else name)

    def _on_note_finished(self) -> None:
        if self.label is not None and self.note.text().strip() != self.label.note:
            self.noted.emit(self.note.text().strip())
