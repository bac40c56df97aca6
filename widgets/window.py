"""The main window: navigation rail, top bar, workspaces and status bar."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QStackedWidget

from annotator.domain.changes import Changes
from annotator.progress import Progress
from annotator.session import Session
from widgets import qt_translations, theme
from widgets.action_registry import ActionRegistry
from widgets.actions import make_table
from widgets.banner import Banner
from widgets.bridge import Bridge
from widgets.bundles.bundle_files import are_bundles
from widgets.crash_presenter import CrashPresenter
from widgets.focus import EnterKeyWindow
from widgets.key_bindings import chosen_keys
from widgets.library.workspace import LibraryWorkspace
from widgets.library_slot import LibrarySlot
from widgets.nav_rail import NavRail
from widgets.open_project import OpenProject
from widgets.project_controller import ProjectController
from widgets.read_only import read_only_reason
from widgets.runs.slot import RunsSlot
from widgets.settings import Settings
from widgets.status_bar import StatusBar
from widgets.task import Task
from widgets.top_bar import TopBar
from widgets.translation import set_language, tr
from widgets.undo_location import UndoLocation
from widgets.undo_steps import UndoSteps
from widgets.window_body import WindowBody
from widgets.window_dialogs import WindowDialogs
from widgets.window_geometry import restore_geometry, save_geometry
from widgets.window_messages import WindowMessages, ask_about_tasks
from widgets.workspace import Workspace
from widgets.workspace_parts import WorkspaceParts
from widgets.workspace_slots import WorkspaceSlots
from widgets.workspaces import WORKSPACES

SMALLEST = QSize(960, 600)
TITLE = "Vantage"


class MainWindow(EnterKeyWindow):
    """The main window; it contains no domain rules.

    Signals:
        rebuilt: All widgets were created anew, in another language.
        extended: A workspace was shown for the first time.
    """

    rebuilt = Signal()
    extended = Signal()

    def __init__(
        self,
        session: Session | None,
        *,
        settings: Settings,
        make_demo: Callable[[Progress], Path] | None = None,
        workspaces: Sequence[type[Workspace]] = WORKSPACES,
    ) -> None:
        super().__init__()
        theme.style_window(self)
        self.settings, self._workspaces = settings, workspaces
        self.bridge = Bridge()
        self.controller = ProjectController(
            bridge=self.bridge, settings=settings, window=self, make_demo=make_demo
        )
        self._has_demo = make_demo is not None
        self.crashes = CrashPresenter(
            self, status=lambda: self.controller.save_status(self._saved_at), quit_window=self.close_now
        )
        self.project: OpenProject | None = None
        self.workspace = workspaces[0].id
        self._to_import: tuple[Path, ...] = ()
        self._saved_at = 0.0
        self._will_close = self._is_left = False
        self.setMinimumSize(SMALLEST)
        self.setObjectName("frame")
        self._build()
        restore_geometry(self, settings)
        self.controller.session_changed.connect(self._on_session_changed)
        self.controller.work_started.connect(self._on_work_started)
        self.controller.about_to_change.connect(self._on_controller_about_to_change)
        self.bridge.changed.connect(self._on_bridge_changed)
        # Last, when all receivers of its signals are connected.
        self.controller.use_session(session)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._on_scheme_changed)

    @property
    def library(self) -> LibraryWorkspace | None:
        """The Library of the open project, None without one."""
        return self.project.library if self.project is not None else None

    def show_workspace(self, workspace: str) -> None:
        """Open a workspace."""
        self.workspace = workspace
        shown = self.slots.show(workspace)
        self.rail.choose(shown.rail)
        self.registry.show_workspace(workspace, handler=shown.navigation)
        self.banner.show_workspace(workspace)
        self._pages.setCurrentWidget(shown.page)
        shown.take_focus()
        self._show_location()

    def show_palette(self) -> None:
        """Open the command palette."""
        # Dialogs are imported on demand, to keep the start of the window short.
        from widgets.command_palette import CommandPalette

        library = self.library
        sheet = CommandPalette(
            self, registry=self.registry, search=self._search if library is not None else None
        )
        sheet.open(sheet.field)

    def show_keys(self) -> None:
        """Open the shortcut help."""
        from widgets.shortcut_help import ShortcutHelp

        page = ShortcutHelp(self, registry=self.registry, workspace=tr(self.slots.current.title))
        page.open(page.area)

    def show_key_editor(self) -> None:
        """Open the shortcut editor."""
        from widgets.key_editor import KeyEditor

        sheet = KeyEditor(self, registry=self.registry, settings=self.settings)
        sheet.open(sheet.search)

    def show_menu(self) -> None:
        """Open the menu of all actions."""
        self.top_bar.open_menu()

    def apply_theme(self, choice: str) -> None:
        """Set the theme; "" follows the system."""
        self.settings.keep("theme", choice)
        theme.apply(choice)

    def set_language(self, code: str) -> None:
        """Set the language and rebuild all widgets."""
        self.settings.keep("language", code)
        set_language(code)
        qt_translations.install_qt_translations()
        theme.apply(self.settings.text("theme"))
        # Rebuilding all widgets cannot miss a text, and takes about 0.2 s.
        self._take_down()
        self._build()
        self._on_session_changed()
        self.show_workspace(self.workspace)
        # The new menus do not show the next steps yet.
        self.undo_steps.refresh()
        self.rebuilt.emit()

    def is_settled(self) -> bool:
        """Return whether all requested content is loaded."""
        is_quiet = not (self.controller.works or self.bridge.is_waiting())
        return is_quiet and self.slots.is_settled()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Store the window geometry and close the project; ask first if a task is running."""
        # What waits for a pause in the input is sent now.
        self.registry.about_to_run.emit("app.quit")
        if not self._will_close and self._ask_quit():
            event.ignore()
            return
        if not self._is_left:
            # Qt may close a window twice: by the user, and again when the application quits.
            self._is_left = True
            QGuiApplication.styleHints().colorSchemeChanged.disconnect(self._on_scheme_changed)
            save_geometry(self, self.settings)
            self._close_project()
            self.controller.leave()
        super().closeEvent(event)

    def _ask_quit(self) -> bool:
        """Ask about what would be lost if the window were closed; return whether there is something."""
        follower = self.project.file_follower if self.project is not None else None
        return (
            ask_about_tasks(self.controller.works, banner=self.banner, close=self.close_now)
            or (follower is not None and follower.ask_quit(self.close_now))
            or self.slots.ask_quit(self.close_now)
        )

    def _build(self) -> None:
        """Create all widgets in the current language."""
        table = make_table(self._workspaces)
        self.registry = ActionRegistry(table, chosen_keys(self.settings, table=table), parent=self)
        self.registry.set_there("demo", self._has_demo)
        self.registry.connect_owner("window", self)
        self.registry.connect_owner("controller", self.controller)
        self.rail, self.top_bar = NavRail(self.registry, self._workspaces), TopBar(self.registry)
        self.banner, self.status_bar = Banner(), StatusBar()
        WindowMessages(self.banner, controller=self.controller, bridge=self.bridge, registry=self.registry)
        self.undo_steps = self._make_undo_steps()
        self.dialogs = WindowDialogs(
            self, registry=self.registry, controller=self.controller, banner=self.banner
        )
        self.dialogs.add_recent_projects(self.settings)
        self.people = self.dialogs.add_people(self.top_bar.person, bridge=self.bridge, settings=self.settings)
        self._pages = QStackedWidget()
        self.slots = self._make_slots()
        self._body = WindowBody(
            rail=self.rail,
            top_bar=self.top_bar,
            banner=self.banner,
            pages=self._pages,
            status_bar=self.status_bar,
        )
        self.setCentralWidget(self._body)
        self.registry.add_shortcuts("window", self)
        self.registry.keys_changed.connect(self._show_hint)
        self._show_hint()
        self._show_saved()

    def _make_undo_steps(self) -> UndoSteps:
        steps = UndoSteps(
            controller=self.controller,
            bridge=self.bridge,
            registry=self.registry,
            banner=self.banner,
            window=self,
            shown_record=self.top_bar.record.text,
        )
        steps.changed.connect(self.status_bar.show_undo)
        steps.location_requested.connect(self._on_undo_location_requested)
        return steps

    def _make_slots(self) -> WorkspaceSlots:
        parts = WorkspaceParts(
            pages=self._pages,
            registry=self.registry,
            controller=self.controller,
            bridge=self.bridge,
            settings=self.settings,
            window=self,
            banner=self.banner,
        )
        slots = WorkspaceSlots(parts, self._workspaces)
        slots.created.connect(self.extended)
        slots.name_changed.connect(self._show_location)
        slots.find(LibrarySlot).import_requested.connect(self._on_start_page_import_requested)
        runs = slots.find(RunsSlot)
        runs.unfinished_changed.connect(self.top_bar.show_runs)
        runs.unfinished_changed.connect(self.status_bar.show_runs)
        return slots

    def _take_down(self) -> None:
        self._close_project()
        for action in self.registry.table.actions:
            # Qt reserves a shortcut as long as its action belongs to the window.
            self.removeAction(self.registry.action(action.id))
        self.registry.deleteLater()

    def _on_session_changed(self) -> None:
        """Show the workspace of the open project, or the start page."""
        session = self.controller.session
        place = self.project.place() if self.project is not None and self.controller.is_copy else None
        self._close_project()
        if session is not None:
            self.project = self._open_project(session)
        self.registry.set_there("project", session is not None)
        self.registry.set_read_only(read_only_reason(session))
        self.top_bar.show_person(session.actor.name if session is not None else "")
        self._show_saved()
        self.show_workspace(self._workspaces[0].id if session is None else self.workspace)
        if self.project is not None and place is not None:
            self.project.show_place(place)
        if self.library is not None and self._to_import:
            paths, self._to_import = self._to_import, ()
            self.library.batch.offer_import(paths)

    def _open_project(self, session: Session) -> OpenProject:
        project = OpenProject(
            session,
            controller=self.controller,
            bridge=self.bridge,
            registry=self.registry,
            settings=self.settings,
            slots=self.slots,
            banner=self.banner,
            window=self,
        )
        project.exchange.state_changed.connect(self.status_bar.show_exchange)
        project.file_follower.saving_changed.connect(self.status_bar.show_saving)
        self._body.add_panel(project.comments.panel)
        return project

    def _close_project(self) -> None:
        if self.project is not None:
            self.project.close()
            self.project = None
            self.status_bar.show_exchange("")
            self.status_bar.show_saving("")
        # The start page is made anew, with the projects that were opened last.
        self.slots.leave()

    def _on_start_page_import_requested(self, paths: tuple[Path, ...]) -> None:
        if are_bundles(paths):
            self.dialogs.ask_bundle_folder(paths[0])
            return
        # The project has to be open first; the import is offered afterwards.
        self._to_import = paths
        self.controller.ask_new()

    def _search(self, text: str) -> None:
        self.show_workspace("library")
        if self.library is not None:
            self.library.search_for(text)

    def _show_location(self) -> None:
        session = self.controller.session
        project = session.title if session is not None else ""
        if session is not None and session.is_read_only:
            project = tr("{project} (read-only)", project=project)
        self.top_bar.show_location(project, self.slots.current.name)
        self.setWindowTitle(f"{project} – {TITLE}" if project else TITLE)
        if self.project is not None:
            self.project.comments.follow()

    def _show_hint(self) -> None:
        key = self.registry.key("help.keys")
        self.status_bar.hint.setText(tr("{key} keyboard shortcuts", key=key) if key else "")

    def _show_saved(self) -> None:
        if self._saved_at:
            self.status_bar.show_saved(self._saved_at)
        else:
            self.status_bar.show_unchanged(self.controller.session)

    def _on_work_started(self, work: Task) -> None:
        # While no project is open, the page in the centre shows the task.
        if not (work.has_page and self.controller.session is None):
            self.status_bar.work.follow(work)

    def _on_bridge_changed(self, changes: Changes) -> None:
        if changes.saved_at:
            self._saved_at = changes.saved_at
            self._show_saved()

    def _on_undo_location_requested(self, location: UndoLocation) -> None:
        self.show_workspace(location.workspaces[0])
        if self.project is not None:
            self.project.show_location(location)

    def _on_controller_about_to_change(self) -> None:
        # The time of the last save is about the closed project.
        self._saved_at = 0.0

    def _on_scheme_changed(self, _scheme: Qt.ColorScheme) -> None:
        if self.settings.text("theme") not in theme.NAMES:
            theme.apply("")

    def close_now(self) -> None:
        """Close the window without a confirmation; tasks are cancelled."""
        self._will_close = True
        self.close()


def build(
    session: Session | None,
    *,
    settings: Settings | None = None,
    make_demo: Callable[[Progress], Path] | None = None,
) -> MainWindow:
    """Create the window with theme and language of the settings; the caller shows it.

    The window owns the session, and closes it together with itself.

    Args:
        session: The project to open, None for the start page.
        settings: Settings of the window, by default those of the user.
        make_demo: Creates the demo project and returns its path; called off the GUI thread.
    """
    kept = settings or Settings()
    set_language(kept.text("language"))
    qt_translations.install_qt_translations()
    cast("QApplication", QApplication.instance()).setStyle("Fusion")
    theme.apply(kept.text("theme"))
    return MainWindow(session, settings=kept, make_demo=make_demo)
