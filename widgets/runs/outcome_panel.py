"""What is asked of people before the outcome of a run is applied; one part for each kind of run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from annotator.commands.command import Command
from annotator.commands.depths import StoreDepths
from annotator.commands.model_drafts import StoreModelDrafts
from annotator.domain.run import Run
from annotator.progress import Progress
from annotator.session import Session
from widgets.labels import caption
from widgets.report_dialog import ReportSection
from widgets.translation import mark as _
from widgets.translation import tr

ReadOutcome = Callable[[Session, Run, Progress], Any]
"""Reads what a part needs; on another thread, with progress and cancel."""
KEPT = {
    "draft": (
        _("Drafts that pass the checks become items in the state Drafted. A single Undo reverts this step."),
        _("Add drafts (Enter)"),
    ),
    "detect": (
        _("Detections become regions of the media files, with neutral ids. A single Undo reverts this step."),
        _("Add regions (Enter)"),
    ),
    "depth": (
        _("Depth values are stored in the regions. A single Undo reverts this step."),
        _("Store depths (Enter)"),
    ),
}
"""English words of what becomes of runs that something is kept of, and of the button that does it."""


class OutcomePanel(QWidget):
    """Asks nothing: the whole of a run of drafting or depth is kept. Other kinds of runs ask more.

    Attributes:
        run: The run.
        read: Reads what there is to decide about, None where nothing is read.

    Signals:
        changed: What would be done is otherwise.
    """

    changed = Signal()
    read: ReadOutcome | None = None

    def __init__(self, run: Run, *, heading: str = "") -> None:
        super().__init__()
        self.run = run
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(4)
        if heading:
            self.add_heading(heading)

    def show_read(self, found: Any) -> None:  # noqa: ANN401 - what its own ``read`` returned
        """Decide about what was read."""
        raise NotImplementedError

    def is_settled(self) -> bool:
        """Tell whether what is shown is decided."""
        return True

    def words(self) -> str:
        """Return what would be done, in a sentence."""
        return tr(KEPT[self.run.kind][0])

    def button_words(self) -> str:
        """Return the words of the button that does it."""
        return tr(KEPT[self.run.kind][1])

    def command(self) -> Command | None:
        """Return what does it, None where nothing can be done."""
        return StoreDepths(run=self.run.id) if self.run.kind == "depth" else StoreModelDrafts(run=self.run.id)

    def groups(self) -> list[tuple[str, tuple[str, ...]]]:
        """Return the items that the outcome is about, in groups: words and ids of each."""
        return []

    def sections(self) -> list[ReportSection]:
        """Return the tables under the button."""
        return []

    def add_heading(self, text: str) -> None:
        """Begin a part of the form."""
        if self.column.count():
            self.column.addSpacing(12)
        self.column.addWidget(caption(text))
