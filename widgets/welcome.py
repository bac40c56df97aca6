"""The start page: first steps and recent projects."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QPushButton

from annotator.database_files import PROJECT_SUFFIX
from widgets.action_registry import ActionRegistry
from widgets.box_layout import row_layout
from widgets.drag_drop import dropped_paths
from widgets.empty_state import EmptyState
from widgets.labels import ElidedLabel, caption, plain_tip
from widgets.translation import tr


class Welcome(EmptyState):
    """Offers the demo project, new and open, and the recent projects.

    Signals:
        chosen: Emitted when a project is to be opened; carries its path.
        import_requested: Emitted when files are dropped for a new project; carries their paths.
    """

    chosen = Signal(str)
    import_requested = Signal(object)

    def __init__(self, *, registry: ActionRegistry, recent: list[Path]) -> None:
        has_demo = registry.can_run("project.demo")
        super().__init__(
            icon="library",
            headline=tr("No project is open"),
            text=tr(
                "A project is one file that contains scenes, labels, items and their history. Media "
                "files are stored in a folder next to it. Every change is saved immediately."
            ),
            registry=registry,
            steps=(*(("project.demo",) if has_demo else ()), "project.new", "project.open"),
        )
        if recent:
            self.column.addSpacing(20)
            self.column.addWidget(caption(tr("Recent projects")))
        self.recent = [self._add(path) for path in recent]
        self.setAcceptDrops(True)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept dragged project files, and files for a new project."""
        if dropped_paths(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open a dropped project file; other files start a new project."""
        if project := _project_in(event):
            self.chosen.emit(project)
        else:
            self.import_requested.emit(dropped_paths(event))
        event.acceptProposedAction()

    def _add(self, path: Path) -> QPushButton:
        made = QPushButton()
        made.setProperty("kind", "row")
        made.setAccessibleName(path.stem)
        made.setToolTip(plain_tip(str(path)))
        made.clicked.connect(partial(self.chosen.emit, str(path)))
        row = row_layout(made, margins_px=(8, 0, 8, 0), spacing_px=12)
        row.addWidget(ElidedLabel(path.stem))
        folder = ElidedLabel(str(path.parent), role="label", mode=Qt.TextElideMode.ElideMiddle)
        row.addWidget(folder, 1)
        self.column.addWidget(made)
        return made


def _project_in(event: QDropEvent) -> str:
    """Return the path of the first project among dropped files, "" for none."""
    return next((str(path) for path in dropped_paths(event) if path.suffix == PROJECT_SUFFIX), "")
