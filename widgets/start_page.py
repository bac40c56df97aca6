"""The page while no project is open: first steps, the progress of opening, or the failure."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QStackedWidget

from annotator.project_recovery import OpenFailure
from widgets.action_registry import ActionRegistry
from widgets.open_failure import OpenFailurePage, OpenFailurePanel
from widgets.project_opener import ProjectOpener
from widgets.task import Task
from widgets.task_page import TaskPage
from widgets.translation import tr
from widgets.welcome import Welcome


class StartPage(QStackedWidget):
    """Shows the state of opening a project.

    Signals:
        import_requested: Emitted when files are dropped for a new project; carries their paths.
    """

    import_requested = Signal(object)

    def __init__(self, *, registry: ActionRegistry, opener: ProjectOpener, recent: list[Path]) -> None:
        super().__init__()
        self._opener, self._registry = opener, registry
        self.welcome = Welcome(registry=registry, recent=recent)
        self.welcome.chosen.connect(self._on_welcome_chosen)
        self.welcome.import_requested.connect(self.import_requested)
        self.addWidget(self.welcome)
        self._page: TaskPage | OpenFailurePage | None = None
        opener.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the task that opens a project, or the last failure, or the first steps."""
        if self._opener.task is not None:
            self._put(self._task_page(self._opener.task))
        elif self._opener.failure is not None:
            self._put(
                OpenFailurePage(
                    make_panel(self._opener.failure, opener=self._opener, registry=self._registry)
                )
            )
        else:
            self._put(None)

    def _main_button(self) -> QPushButton:
        """Return the main button of the visible page."""
        if isinstance(self._page, TaskPage):
            return self._page.cancel
        if isinstance(self._page, OpenFailurePage):
            return self._page.panel.main_button()
        return self.welcome.steps[0]

    def _task_page(self, task: Task) -> TaskPage:
        explanation = tr(
            "The demo is a small project with images, labels and items of a synthetic town. It is created "
            "once; after that it opens immediately."
        )
        return TaskPage(task, explanation=explanation if self._opener.is_demo else "")

    def _on_welcome_chosen(self, name: str) -> None:
        self._opener.open_at(Path(name))

    def _put(self, page: TaskPage | OpenFailurePage | None) -> None:
        before, self._page = self._page, page
        if page is not None:
            self.addWidget(page)
        self.setCurrentWidget(page or self.welcome)
        if before is not None:
            self.removeWidget(before)
            before.deleteLater()
        # The page passes the keyboard focus on to its main button.
        self.setFocusProxy(self._main_button())
        # A replaced page still exists until Qt deletes it.
        if self.isVisible():
            self.setFocus(Qt.FocusReason.OtherFocusReason)


def make_panel(failure: OpenFailure, *, opener: ProjectOpener, registry: ActionRegistry) -> OpenFailurePanel:
    """Return the panel of a failure, with its options connected to the opener."""
    panel = OpenFailurePanel(failure)
    panel.open_requested.connect(registry.action("project.open").trigger)
    panel.read_requested.connect(opener.open_for_reading)
    panel.restore_requested.connect(opener.restore)
    return panel
