"""Dialogs that belong to no workspace: guide, about, and a failure to open a project."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from annotator.database_files import PROJECT_SUFFIX
from annotator.project_recovery import OpenFailure
from widgets.action_registry import ActionRegistry
from widgets.banner import Banner
from widgets.bridge import Bridge
from widgets.labels import plain_tip
from widgets.open_failure import OpenFailureDialog
from widgets.person_actions import PersonActions
from widgets.project_controller import ProjectController
from widgets.settings import Settings
from widgets.start_page import make_panel
from widgets.translation import tr


class WindowDialogs(QObject):
    """Opens the dialogs for the actions of the menus Project and Help."""

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

    def add_people(self, button: QWidget, *, bridge: Bridge, settings: Settings) -> PersonActions:
        """Return what changes the person at this computer, from a menu below a button."""
        return PersonActions(
            self._window,
            button=button,
            registry=self._registry,
            controller=self._controller,
            bridge=bridge,
            banner=self._banner,
            settings=settings,
        )

    def ask_join(self) -> None:
        """Ask for a bundle of all events, and make a project from it."""
        dialog = QFileDialog(self._window, tr("New project from bundle"), str(Path.home()))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilter(tr("Bundles (*{suffix})", suffix=".bundle"))
        dialog.fileSelected.connect(self.ask_bundle_folder)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def ask_bundle_folder(self, bundle: str | Path) -> None:
        """Ask where to put the project that is made from a bundle."""
        file = Path(bundle)
        dialog = QFileDialog(self._window, tr("New project"), str(file.with_suffix(PROJECT_SUFFIX)))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setFileMode(QFileDialog.FileMode.AnyFile)
        dialog.setNameFilter(tr("Vantage projects (*{suffix})", suffix=PROJECT_SUFFIX))
        dialog.setDefaultSuffix(PROJECT_SUFFIX.lstrip("."))
        dialog.fileSelected.connect(partial(self._on_folder_chosen, file))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_folder_chosen(self, bundle: Path, name: str) -> None:
        self._controller.opener.join_at(Path(name), bundle=bundle)

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

    def _on_opener_changed(self) -> None:
        if self._controller.opener.task is not None:
            # The message is about the previous project or attempt.
            self._banner.clear()

    def _on_opener_failed(self, failure: OpenFailure) -> None:
        """Show the failure and its options; the open project stays open."""
        panel = make_panel(failure, opener=self._controller.opener, registry=self._registry)
        OpenFailureDialog(self._window, panel).open(panel.main_button())
