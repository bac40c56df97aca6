"""The error browser: predictions on the left, the images, and the item with the reply on the right."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from annotator.domain.changes import Changes
from annotator.domain.error_classes import ErrorClassCatalogue
from annotator.queries.reader import Reader
from annotator.scoring.row_filter import RowFilter
from annotator.scoring.scored_rows import ScoredRows
from annotator.session import Session
from widgets import display_text
from widgets.action import ActionNeed
from widgets.action_registry import ActionRegistry
from widgets.box_layout import column_layout
from widgets.bridge import Bridge
from widgets.deferred_changes import DeferredChanges
from widgets.empty_state import EmptyState
from widgets.focus import focus_next
from widgets.project_controller import ProjectController
from widgets.record_loader import RecordLoader
from widgets.scores.error_labelling import ErrorLabelling, read_labels
from widgets.scores.error_list import ErrorList
from widgets.scores.error_panel import ErrorPanel
from widgets.scores.error_view import ErrorView, is_error_view_concerned, read_error_view
from widgets.scores.flight_plot import FlightPlot
from widgets.settings import Settings
from widgets.stage.stage_media import StageMedia
from widgets.stage.tools.stage_keys import StageKeys
from widgets.stage.tools.tool_sets import LOOKING_TOOLS
from widgets.stage_page.stage_page import StagePage
from widgets.stage_page.tool_bar import RenderingActions
from widgets.translation import tr
from widgets.workspace_panes import WorkspacePanes

LIST_PX, PANEL_PX = 336, 352
NEEDS: tuple[ActionNeed, ...] = ("errors_page", "error_shown", "error_flight")
"""Preconditions of its actions."""
RENDERINGS = RenderingActions(
    renderings=("errors.clean", "errors.detected", "errors.annotated"), model="errors.model"
)


class ErrorBrowser(QWidget):
    """Shows scored predictions one by one, and labels why they are wrong.

    Attributes:
        file: The file of predictions, None before one is open.

    Signals:
        back_requested: The table of scores is to be shown again.
    """

    back_requested = Signal()

    def __init__(
        self,
        *,
        session: Session,
        controller: ProjectController,
        bridge: Bridge,
        registry: ActionRegistry,
        settings: Settings,
        stage_media: StageMedia,
        concerns: Callable[[Changes], bool],
    ) -> None:
        super().__init__()
        self._session, self._bridge, self._registry = session, bridge, registry
        self.file: ScoredRows | None = None
        self._opening = 0
        self._shows_flight = True
        self.page = StagePage(
            stage_media.pictures,
            registry=registry,
            bridge=bridge,
            settings=settings,
            tools=LOOKING_TOOLS,
            actions=RENDERINGS,
        )
        self.stage = self.page.stage
        self.list = ErrorList(session=session, bridge=bridge, registry=registry)
        self.panel = ErrorPanel(
            session=session, bridge=bridge, registry=registry, title_of=self.list.class_title
        )
        self.loader: RecordLoader[ErrorView] = RecordLoader(
            self._read,
            is_concerned=is_error_view_concerned,
            session=session,
            bridge=bridge,
            images=stage_media.pictures,
            parent=self,
        )
        self.labelling = ErrorLabelling(
            self.panel.classes,
            selected=self.list.selected_numbers,
            loader=self.loader,
            session=session,
            controller=controller,
            bridge=bridge,
            parent=self,
        )
        self._changes = DeferredChanges(self, bridge=bridge, concerns=concerns)
        self._lay_out(settings)
        self._connect()
        self._add_keys(registry)

    def _add_keys(self, registry: ActionRegistry) -> None:
        owners = {
            "errors": self,
            "error_list": self.list,
            "error_labels": self.labelling,
            "error_classes": self.panel.classes,
            "error_panel": self.panel,
            "error_counts": self.panel.counts,
        }
        self._keys = StageKeys(self.stage, registry=registry, widget=self.page, owners=owners, can_mark=False)
        registry.add_shortcuts("errors", self)

    def show_rows(self, file: Path, wanted: RowFilter) -> None:
        """Show the predictions of a file of scored predictions that a filter lets through.

        Args:
            file: What ``write_scored_rows`` made.
            wanted: The filter, for example that of a cell of the table of scores.
        """
        if self.file is not None and self.file.path == file and not self._opening:
            self.list.show_filter(wanted)
            return
        # Without a channel, which would drop a file that is open already: each one has to be closed.
        self._opening += 1
        question = partial(_open, file=file, project=self._session.path)
        done = partial(self._on_opened, wanted)
        self._bridge.query(self._session, question, done=done, failed=self._on_open_failed)

    def take_keyboard(self) -> None:
        """Set the keyboard focus to the list."""
        self.list.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def focus_next_pane(self) -> None:
        """Set the keyboard focus to the next pane."""
        focus_next((self.list, self.list.table), (self.page, self.stage), (self.panel, self.panel.front))

    def is_settled(self) -> bool:
        """Return whether all requested data is displayed, and every label stored."""
        wanted = str(self.list.number) if self.list.number >= 0 else ""
        is_read = not self._opening and self.list.is_settled() and self.loader.is_settled()
        is_stored = self.labelling.is_settled()
        return is_read and is_stored and self.loader.wanted == wanted and self.page.is_settled()

    def leave(self) -> None:
        """Stop background work, because the workspace is being closed."""
        self.page.leave()
        self.list.model.leave()
        self._keys.release()
        self.release_needs()
        if self.file is not None:
            self._close_later(self.file)

    def toggle_flight(self) -> None:
        """Show the images of the item in place of the flight, or the flight again."""
        self._shows_flight = not self._shows_flight
        self._show_middle()

    def go_back(self) -> None:
        """Show the table of scores again."""
        self.back_requested.emit()

    def event(self, event: QEvent) -> bool:
        """Take digits before they are shortcuts."""
        is_override = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride
        if is_override and isinstance(event, QKeyEvent) and self.labelling.digit_of(event) is not None:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose an error class by its digit; 0 withdraws the label."""
        digit = self.labelling.digit_of(event)
        if digit is None:
            super().keyPressEvent(event)
        else:
            self.panel.classes.choose_digit(digit)

    def showEvent(self, event: QShowEvent) -> None:
        """Make the stage the handler of the stage actions, and enable the actions."""
        super().showEvent(event)
        if not event.spontaneous():
            self._keys.take()
            self._show_needs()

    def hideEvent(self, event: QHideEvent) -> None:
        """Disable the actions; a minimised window keeps them."""
        super().hideEvent(event)
        if not event.spontaneous():
            self._keys.release()
            self.release_needs()

    def release_needs(self) -> None:
        """Disable the actions of the browser."""
        for need in NEEDS:
            self._registry.set_there(need, False)

    def _lay_out(self, settings: Settings) -> None:
        self.no_rows = EmptyState(
            icon="filter",
            headline=tr("No predictions match"),
            text=tr("No prediction matches the filters on the left. List all predictions."),
            registry=self._registry,
            steps=("errors.clear", "errors.back"),
        )
        self.no_image = EmptyState(
            icon="picture-missing",
            headline=tr("No image of this item"),
            text=tr(
                "Neither this project nor the release has an image of the item. Release with images, or open "
                "the project that the release was made from."
            ),
            registry=self._registry,
        )
        self._middle = QStackedWidget()
        self.flight = FlightPlot()
        for page in (self.page, self.no_rows, self.no_image, self.flight):
            self._middle.addWidget(page)
        self.panes = WorkspacePanes(
            self.list,
            self._middle,
            self.panel,
            settings=settings,
            name="errors",
            widths_px=(LIST_PX, PANEL_PX),
        )
        whole = column_layout(self, margins_px=0)
        whole.addWidget(self.panes)

    def _connect(self) -> None:
        self.list.chosen.connect(self._on_list_chosen)
        self.list.found.connect(self._on_list_found)
        self.list.selection_changed.connect(self.labelling.show)
        self.loader.loaded.connect(self._show)
        self.labelling.labels_used.connect(self.list.list_rows)
        self.stage.left.connect(self.take_keyboard)
        self.stage.player.changed.connect(self._on_player_changed)
        self._changes.arrived.connect(self._on_changes_arrived)

    def _read(self, reader: Reader, key: str) -> ErrorView | None:
        # Called on the reading thread.
        file = self.file
        if file is None:
            return None
        return read_error_view(reader, number=int(key), rows=file, roots=self._session.roots)

    def _show(self, view: ErrorView | None) -> None:
        shown = view.shown if view is not None and view.shown.media else None
        if shown is not self.stage.shown:
            self.page.show_scene(shown)
            if view is not None and shown is not None:
                self.stage.choose_rendering(view.rendering)
        self.panel.show_view(view)
        self.flight.show_flight(view.flight if view is not None else None)
        self.labelling.show()
        self.page.tool_bar.name.setText(view.row.item if view is not None else "")
        self._keys.refresh()
        self._show_middle()
        self._show_needs()
        following = self.list.following()
        if following >= 0:
            self.loader.read_ahead(str(following))

    def _show_middle(self) -> None:
        view = self.loader.view
        page: QWidget = self.page
        if self.list.is_empty:
            page = self.no_rows
        elif view is not None and view.flight is not None and self._shows_flight:
            page = self.flight
        elif view is not None and not view.shown.media:
            page = self.no_image
        self._middle.setCurrentWidget(page)

    def _show_needs(self) -> None:
        if self.isVisible():
            self._registry.set_there("errors_page", self.file is not None)
            self._registry.set_there("error_shown", self.labelling.can_label)
            view = self.loader.view
            self._registry.set_there("error_flight", view is not None and view.flight is not None)

    def _on_opened(self, wanted: RowFilter, opened: tuple[ScoredRows, ErrorClassCatalogue]) -> None:
        self._opening -= 1
        before = self.file
        self.file, catalogue = opened
        self.labelling.file, self.labelling.catalogue = opened
        self.list.show_file(self.file, catalogue, wanted)
        if before is not None:
            self._close_later(before)
        self._show_needs()

    def _close_later(self, file: ScoredRows) -> None:
        # On the reading thread, after the queries about it that are still waiting there.
        self._session.query(partial(_close, file=file))

    def _on_open_failed(self, error: BaseException) -> None:
        self._opening -= 1
        self._bridge.failed.emit(error)

    def _on_list_chosen(self, number: int) -> None:
        self.loader.load(str(number) if number >= 0 else "")

    def _on_list_found(self) -> None:
        self._show_middle()
        self.panel.count_rows(self.file, self.list.filter)

    def _on_changes_arrived(self, changes: Changes) -> None:
        self.loader.follow(changes)
        if changes.concerns("error_label"):
            self.labelling.use_labels()

    def _on_player_changed(self) -> None:
        self._keys.refresh()


def _close(_reader: Reader, *, file: ScoredRows) -> None:
    """Close a file of predictions; called on the reading thread."""
    file.close()


def _open(reader: Reader, *, file: Path, project: Path) -> tuple[ScoredRows, ErrorClassCatalogue]:
    """Open a file of predictions with the labels of the project; called on the reading thread."""
    rows = ScoredRows(file)
    read_labels(reader, file=rows)
    task_sets = {task.partition("/")[0] for task in rows.names("task")}
    display_text.load_task_set_titles(task_sets, project=project)
    return rows, ErrorClassCatalogue.of(project)
