"""Base of the panels that show the outcome of a run before it is applied; one subclass per kind of run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from annotator.commands.command import Command
from annotator.commands.depths import StoreDepths
from annotator.commands.model_drafts import StoreModelDrafts
from annotator.domain.run import Run
from annotator.progress import Progress
from annotator.session import Session
from widgets.box_layout import column_layout
from widgets.labels import caption
from widgets.report_dialog import ReportSection
from widgets.translation import mark as _
from widgets.translation import tr

ReadOutcome = Callable[[Session, Run, Progress], Any]
"""Reads the data of a panel on another thread, with progress and cancellation."""
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
"""English texts of the changes and of the button, by kind of run."""


class OutcomePanel(QWidget):
    """Panel without settings, for draft and depth runs: all results are kept. Subclasses add settings.

    Attributes:
        run: The run.
        read: Reads the data that the outcome depends on, None if no data is needed.
        table_px: Minimum of the largest width of its tables, px.

    Signals:
        changed: Emitted when the outcome changes.
        item_opened: Emitted with the id of an item whose row was opened.
    """

    changed = Signal()
    item_opened = Signal(str)
    read: ReadOutcome | None = None
    table_px = 0

    def __init__(self, run: Run, *, heading: str = "") -> None:
        super().__init__()
        self.run = run
        self.column = column_layout(self, margins_px=0, spacing_px=4)
        if heading:
            self.add_heading(heading)

    def show_read(self, found: Any) -> None:  # noqa: ANN401 - what its own ``read`` returned
        """Set the data that was read."""
        raise NotImplementedError

    def is_settled(self) -> bool:
        """Return whether the shown outcome is up to date."""
        return True

    def summary(self) -> str:
        """Return one sentence that describes the changes."""
        return tr(KEPT[self.run.kind][0])

    def button_text(self) -> str:
        """Return the text of the button that applies the outcome."""
        return tr(KEPT[self.run.kind][1])

    def command(self) -> Command | None:
        """Return the command that applies the outcome, None if it cannot be applied."""
        return StoreDepths(run=self.run.id) if self.run.kind == "depth" else StoreModelDrafts(run=self.run.id)

    def obstacle(self) -> str:
        """Return why applying the outcome would change nothing, "" if it would change something."""
        return ""

    def refresh(self) -> None:
        """Update the obstacle after flags or items were changed."""

    def groups(self) -> list[tuple[str, tuple[str, ...]]]:
        """Return the items of the outcome in groups: the title and the item ids of each."""
        return []

    def sections(self) -> list[ReportSection]:
        """Return the tables below the button."""
        return []

    def add_heading(self, text: str) -> None:
        """Add a heading to the form."""
        if self.column.count():
            self.column.addSpacing(12)
        self.column.addWidget(caption(text))
