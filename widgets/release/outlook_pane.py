"""What a release would be: items by task, and what is withheld and why."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtWidgets import QGridLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from annotator.release_examination.outlook import ReleaseOutlook
from widgets import display_text
from widgets.action_registry import ActionRegistry
from widgets.box_layout import column_layout
from widgets.labels import ElidedLabel, caption, label
from widgets.translation import tr, trn

MOST_ROWS = 200
"""Tasks and reasons at most; more would take long to lay out."""


class OutlookPane(QWidget):
    """Shows what the release will be, and creates it."""

    def __init__(self, *, registry: ActionRegistry, report: QWidget) -> None:
        """Create the pane.

        Args:
            registry: The actions.
            report: What makes reports of releases, shown at the bottom.
        """
        super().__init__()
        self.setObjectName("pane")
        self._registry = registry
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self.main = QPushButton(f"{tr('Create release')}  {registry.key('project.release')}".strip())
        self.main.setProperty("kind", "main")
        self.main.setEnabled(False)
        self.main.clicked.connect(partial(registry.run, "project.release"))
        self.note = label(role="dim", wrap=True)
        column = column_layout(self, margins_px=(16, 12, 16, 12), spacing_px=8)
        column.addWidget(label(tr("What the release will be"), role="big"))
        column.addWidget(self._area, 1)
        column.addWidget(self.note)
        column.addWidget(self.main)
        self.compare = QPushButton(
            f"{registry.action('release.compare').text()}  {registry.key('release.compare')}".strip()
        )
        self.compare.clicked.connect(partial(registry.run, "release.compare"))
        column.addWidget(self.compare)
        column.addWidget(report)
        self.setFocusProxy(self.main)

    def show_outlook(self, outlook: ReleaseOutlook) -> None:
        """Show what a release of the accepted items will be."""
        inner = QWidget()
        column = column_layout(inner, margins_px=(0, 0, 8, 0), spacing_px=4)
        total = trn("{n} accepted item", "{n} accepted items", n=outlook.items)
        column.addWidget(label(total, role="body"))
        _add(column, tr("Items by task"), {_task(name): n for name, n in outlook.tasks.items()})
        withheld = {display_text.withheld_reason_text(kind): n for kind, n in outlook.withheld.items()}
        _add(column, tr("Withheld"), withheld)
        excluded = {display_text.item_state_title(state): n for state, n in outlook.preview.excluded.items()}
        _add(column, tr("Never released"), excluded)
        column.addStretch(1)
        self._area.setWidget(inner)
        refusal = self._registry.refusal("project.release")
        self.main.setEnabled(bool(outlook.items) and not outlook.blocking and not refusal)
        self.note.setText(refusal or _note(outlook))


def _note(outlook: ReleaseOutlook) -> str:
    if outlook.blocking:
        return tr("The release is refused while a required gate fails.")
    if not outlook.items:
        return tr("A release contains accepted items. Accept items in Refine, and decide on flags in Review.")
    return tr("Export format, states and folder are chosen next. The checks run again.")


def _add(column: QVBoxLayout, title: str, counts: Mapping[str, int]) -> None:
    """Add a section of names and numbers; none for no numbers."""
    if not counts:
        return
    column.addSpacing(12)
    column.addWidget(caption(title))
    grid = QGridLayout()
    grid.setColumnStretch(0, 1)
    grid.setHorizontalSpacing(12)
    for at, (name, count) in enumerate(list(counts.items())[:MOST_ROWS]):
        grid.addWidget(ElidedLabel(name), at, 0)
        grid.addWidget(label(f"{count:,}", role="dim"), at, 1)
    column.addLayout(grid)


def _task(name: str) -> str:
    task_set, _, task = name.partition("/")
    return display_text.task_title(task, task_set)
