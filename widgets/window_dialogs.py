"""Dialogs that belong to no workspace: user name, guide, about, and a failure to open a project."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu, QWidget

from annotator.errors import VantageError
from annotator.project_recovery import OpenFailure
from annotator.user_profile import current_actor, rename_actor
from widgets.action_registry import ActionRegistry
from widgets.banner import Banner
from widgets.labels import plain_tip
from widgets.open_failure import OpenFailureDialog
from widgets.project_controller import ProjectController
from widgets.settings import Settings
from widgets.start_page import make_panel
from widgets.text_prompt import TextPrompt
from widgets.translation import tr

LONGEST_NAME = 80


class WindowDialogs(QObject):
    """Opens the dialogs for the actions of the menus Project and Help.

    Signals:
        person_changed: Emitted when the user of the project was renamed; carries the new name.
    """

    person_changed = Signal(str)

    def __init__(
        self, window: QWidget, *, registry: ActionRegistry, controller: ProjectController, banner: Banner
    ) -> None:
        """Create the object, and connect it to the actions of a registry.

        Args:
            window: Parent of the dialogs.
            registry: The actions; the window creates new ones when its language changes.
            controller: The open project.
            banner: Shows errors.
        """
        super().__init__(registry)
        self._window, self._registry = window, registry
        self._controller, self._banner = controller, banner
        registry.connect_owner("dialogs", self)
        controller.opener.failed.connect(self._on_opener_failed)
        controller.opener.changed.connect(self._on_opener_changed)

    def add_recent_projects(self, settings: Settings) -> None:
        """Add the recent projects to the project menu."""
        self._registry.extend_menu("Project", partial(self._fill_recent, settings))

    def ask_name(self) -> None:
        """Ask for the name of the user."""
        sheet = TextPrompt(
            self._window,
            title=tr("User name"),
            explanation=tr(
                "The name is recorded with your changes from now on, in every project that you edit on this "
                "computer."
            ),
            placeholder=tr("First and last name"),
            button=tr("Change name"),
            text=current_actor().name,
        )
        sheet.field.selectAll()
        sheet.answered.connect(self._on_name_answered)
        sheet.open(sheet.field)

    def show_guide(self) -> None:
        """Open the user guide."""
        # Dialogs are imported on demand, to keep the start of the window short.
        from widgets.guide_dialog import GuideDialog

        sheet = GuideDialog(self._window)
        sheet.open(sheet.pages)

    def show_about(self) -> None:
        """Open the dialog with versions and licences."""
        from widgets.about_dialog import AboutDialog

        sheet = AboutDialog(self._window)
        sheet.open(sheet.copy)

    def _fill_recent(self, settings: Settings, menu: QMenu) -> None:
        session = self._controller.session
        recent = [path for path in settings.recent_projects() if session is None or path != session.path]
        part = QMenu(tr("Open recent"), menu)
        part.setToolTipsVisible(True)
        part.setEnabled(bool(recent))
        for path in recent:
            # An ampersand in a name would be interpreted as a mnemonic.
            action = part.addAction(path.stem.replace("&", "&&"))
            action.setToolTip(plain_tip(str(path)))
            action.triggered.connect(partial(self._on_recent_triggered, path))
        menu.insertMenu(self._registry.action("project.import"), part)

    def _on_recent_triggered(self, path: Path, _checked: bool = False) -> None:
        self._controller.open_at(str(path))

    def _on_name_answered(self, text: str) -> None:
        try:
            actor = rename_actor(" ".join(text.split())[:LONGEST_NAME])
        except VantageError as error:
            self._banner.show_error(error)
            return
        if self._controller.session is not None:
            self._controller.session.use_actor(actor)
            self.person_changed.emit(actor.name)

    def _on_opener_changed(self) -> None:
        if self._controller.opener.task is not None:
            # The message is about the previous project or attempt.
            self._banner.clear()

    def _on_opener_failed(self, failure: OpenFailure) -> None:
        """Show the failure and its options; the open project stays open."""
        panel = make_panel(failure, opener=self._controller.opener, registry=self._registry)
        OpenFailureDialog(self._window, panel).open(panel.main_button())
