"""The field of a new item for the images of other scenes."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from widgets.annotate.candidate_dialog import Candidate
from widgets.box_layout import column_layout
from widgets.labels import caption, label
from widgets.translation import tr


class CandidateField(QWidget):
    """Shows the picked images, and asks for others.

    Signals:
        requested: Emitted when images are to be picked.
        changed: Emitted when other images are shown; carries their names.
    """

    requested = Signal()
    changed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.chosen: tuple[Candidate, ...] = ()
        self.needed = 0
        self.names, self.button = label(role="dim", wrap=True), QPushButton(tr("Choose images…"))
        self.button.clicked.connect(self.requested)
        column = column_layout(self, margins_px=0, spacing_px=4)
        column.addWidget(caption(tr("Wrong candidates")))
        column.addWidget(self.names)
        column.addWidget(self.button)
        self.hide()

    @property
    def is_complete(self) -> bool:
        """Whether all images are picked; always where none are needed."""
        return len(self.chosen) == self.needed

    def show_needed(self, needed: int) -> None:
        """Show the field for a number of images, 0 hides it; picked images of another number are dropped."""
        if needed != self.needed:
            self.needed, self.chosen = needed, ()
        self.setVisible(bool(needed))
        self._show()

    def show_chosen(self, chosen: Sequence[Candidate]) -> None:
        """Show the picked images."""
        is_other = self.chosen != tuple(chosen)
        self.chosen = tuple(chosen)
        self._show()
        if is_other:
            self.changed.emit(self.names.text())

    def _show(self) -> None:
        count = tr("{n} of {total} picked", n=len(self.chosen), total=self.needed)
        self.names.setText("\n".join((count, *(one.name for one in self.chosen))))
