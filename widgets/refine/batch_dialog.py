"""Base class of the dialogs for edits of several items."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFormLayout, QWidget

from annotator.commands.command import Command
from widgets.dialog import FormDialog
from widgets.labels import label
from widgets.translation import trn


class BatchDialog(FormDialog):
    """A form whose acceptance gives one command.

    Signals:
        submitted: Emitted on acceptance; carries the command.

    Attributes:
        first: Field that takes the keyboard focus when the dialog opens.
    """

    submitted = Signal(object)

    def __init__(
        self, window: QWidget, *, title: str, count: int, explanation: str, width: int = 520, height: int = 0
    ) -> None:
        """Create the dialog without fields.

        Args:
            window: Parent window.
            title: Title.
            count: Number of selected items.
            explanation: What the edit does.
            width: Maximum width in pixels.
            height: Height in pixels, 0 to fit the content.
        """
        super().__init__(window, width=width, height=height, title=title)
        selected = trn("{n} item is selected.", "{n} items are selected.", n=count)
        self.body.addWidget(label(f"{selected} {explanation}", role="dim", wrap=True))
        self.fields = QFormLayout()
        self.fields.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        self.fields.setHorizontalSpacing(16)
        self.fields.setVerticalSpacing(8)
        self.body.addLayout(self.fields)
        self.first: QWidget = self

    def command(self) -> Command | None:
        """Return the command of the form, None if it is incomplete."""
        raise NotImplementedError

    def end(self, button: str) -> None:
        """Add the buttons; subclasses call this after their fields."""
        self.main = self.add_buttons(button)
        self.main.clicked.connect(self._on_main_clicked)
        self.check()
        self.note_entries()

    def check(self) -> None:
        """Enable the default button if the form is complete."""
        self.main.setEnabled(self.command() is not None)

    def add_field(self, title: str, field: QWidget) -> None:
        """Add a field with its title."""
        field.setAccessibleName(title)
        self.fields.addRow(label(title, role="dim"), field)

    def _on_main_clicked(self) -> None:
        command = self.command()
        if command is not None:
            self.accept()
            self.submitted.emit(command)
