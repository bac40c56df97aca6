"""The Refine workspace: queue of items, their visual input, and the editor."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHideEvent, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QLineEdit,
    QWidget,
)

from annotator.commands.command import Command
from annotator.domain.rows import ItemRow
from widgets.active_clock import ActiveClock
from widgets.empty_state import EmptyState
from widgets.focus import ENTER, holds_keyboard, press_focused_button
from widgets.library.flags_view import FlagCard
from widgets.record_edits import RecordEdits
from widgets.record_workspace import RecordWorkspace
from widgets.refine.check_row import CheckRow
from widgets.refine.editor import ItemEditor
from widgets.refine.item_decisions import ItemDecisions
from widgets.refine.item_keys import ItemKeys
from widgets.refine.item_loader import ItemLoader
from widgets.refine.item_view import ItemView
from widgets.refine.live_checks_pane import LiveChecksPane
from widgets.refine.question_form import QuestionForm
from widgets.refine.queue_pane import WIDTH_PX as QUEUE_PX
from widgets.refine.queue_pane import QueuePane
from widgets.refine.typed_texts import TypedTexts
from widgets.stage_page.tool_bar import RenderingActions
from widgets.translation import tr
from widgets.workspace_services import WorkspaceServices

QUEUE_MENU = ["items.state", "items.issue_classes", "items.task", "items.rebalance", "items.variants"]
QUEUE_MENU += ["items.replace"]
EDITOR_PX = 384
RENDERINGS = RenderingActions(
    renderings=("refine.clean", "refine.detected", "refine.annotated"), model="refine.model"
)


class RefineWorkspace(RecordWorkspace):
    """The workspace of one open project."""

    def __init__(self, services: WorkspaceServices) -> None:
        super().__init__(services, renderings=RENDERINGS)
        session, registry = services.session, services.registry
        bridge, settings = services.bridge, services.settings
        self._controller = services.controller
        self._at_press: QWidget | None = None
        self.loader = ItemLoader(session=session, bridge=bridge, images=self.images, parent=self)
        self.edits = RecordEdits(controller=services.controller, loader=self.loader, parent=self)
        self.typed = TypedTexts(self.edits.execute, parent=self)
        self.queue = QueuePane(session=session, bridge=bridge, settings=settings, screen=self)
        self.second_look = registry.button("go.second_look")
        self.queue.tools.addWidget(self.second_look)
        self.checks = LiveChecksPane(session=session, bridge=bridge)
        self.form = QuestionForm(typed=self.typed, stage=self.stage, checks=self.checks)
        self.editor = ItemEditor(self.form, session=session, bridge=bridge, registry=registry)
        self.clock = ActiveClock(self, settings=settings)
        self.decisions = ItemDecisions(
            editor=self.editor,
            queue=self.queue,
            loader=self.loader,
            edits=self.edits,
            typed=self.typed,
            clock=self.clock,
            window=self,
            parent=self,
        )
        self._item_keys = ItemKeys(self.editor)
        self.reasons = self._make_reasons()
        self.put_panes(
            self.queue,
            self.editor,
            name="refine",
            widths_px=(QUEUE_PX, EDITOR_PX),
            reasons=self.reasons,
        )
        self.put_keyboard(
            search=self.queue.search,
            lists=(self.queue.table, self.editor),
            focus_home=self.editor.take_keyboard,
        )
        self._connect()
        owners = {
            "item_decisions": self.decisions,
            "item_editor": self.editor,
            "item_form": self.form,
            "queue": self.queue,
        }
        self.use_keys(owners, widget=self.page)
        registry.add_shortcuts("refine", self)

    def is_settled(self) -> bool:
        """Return whether all requested data is displayed, and every edit stored."""
        row = self.queue.row()
        is_shown = self.loader.wanted == (row.id if row is not None else "")
        is_stored = self.edits.is_settled() and self.loader.is_settled() and self.checks.is_settled()
        return self.queue.listing.is_settled() and is_shown and is_stored and self.page.is_settled()

    def leave(self) -> None:
        """Store what is typed, and stop background work, because the workspace is being closed."""
        if self._controller.session is self._session:
            self.typed.end()
        # Another project may be open already: a text that could not be stored must not go there.
        self.typed.stop()
        self.form.answer.clear()
        super().leave()
        self.queue.listing.leave()

    def event(self, event: QEvent) -> bool:
        """Take letters and digits of the item before they are shortcuts, and leave Enter to what uses it."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            self._at_press = QApplication.focusWidget()
            is_enter = event.key() in ENTER and self._uses_enter(self._at_press)
            if is_enter or self._item_keys.call_for(event) is not None:
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Execute letters and digits of the item, and clear the search text with Esc."""
        call = self._item_keys.call_for(event)
        # A field passes Enter on when it has used it: by then, the focus can be on a button.
        is_same = QApplication.focusWidget() is self._at_press
        if call is not None:
            call()
        elif is_same and press_focused_button(self, event):
            event.accept()
        elif event.key() != Qt.Key.Key_Escape or not self.navigation.clear_search():
            super().keyPressEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        """Store what is typed, and release the actions; a minimised window keeps them."""
        self.typed.end()
        super().hideEvent(event)

    def _uses_enter(self, focus: QWidget | None) -> bool:
        """Return whether Enter belongs to the widget in use, and does not accept the item."""
        # The line of an answer takes Enter itself while it has input, and leaves it to the item otherwise.
        is_line = isinstance(focus, QLineEdit) and not self.form.answer.isAncestorOf(focus)
        return is_line or isinstance(focus, QAbstractButton | CheckRow | FlagCard)

    def _connect(self) -> None:
        self.queue.chosen.connect(self._on_queue_chosen)
        self.queue.listing.found.connect(self._on_queue_found)
        self.queue.listing.selection_changed.connect(self.show_needs)
        self.queue.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.queue.table.customContextMenuRequested.connect(self._on_queue_menu_requested)
        self.queue.typed.connect(self._item_keys.press_text)
        self.loader.loaded.connect(self._show)
        self.checks.item_requested.connect(self._on_other_item_requested)
        self.form.commanded.connect(self.edits.execute)
        self.typed.failed.connect(self._on_typed_failed)
        self.edits.refused.connect(self.form.answer.restore)
        self.changes.arrived.connect(self.loader.follow)
        self.changes.arrived.connect(self.editor.follow)
        self.editor.opened.connect(partial(self.panes.show_right, is_shown=True))
        self.page.commanded.connect(self._execute)
        self.stage.left.connect(self.editor.take_keyboard)
        self._registry.about_to_run.connect(self._on_board_about_to_run)
        # Typed text belongs to the item of the project that is about to be closed.
        self._controller.about_to_change.connect(self._store_input)

    def _execute(self, command: Command) -> None:
        self.edits.execute(command)

    def _show(self, view: ItemView | None) -> None:
        before = self.form.view
        is_other = _item_id(before) != _item_id(view)
        if is_other and holds_keyboard(self.form):
            # Letters would go on into the same field of another item.
            self.editor.take_keyboard()
        shown = view.shown if view is not None and view.shown.media else None
        if shown is not self.stage.shown:
            self.page.show_scene(shown)
        self.editor.show_view(view)
        if view is not None and is_other:
            # Each item begins as it is released.
            self.stage.choose_rendering(view.rendering)
            self.editor.area.verticalScrollBar().setValue(0)
            self._read_ahead()
        self.stage_keys.refresh()
        self._show_middle()
        self.show_needs()
        if is_other:
            self.show_name(view.item.name if view is not None else "")

    def _show_middle(self) -> None:
        answer, view = self.queue.listing.answer, self.loader.view
        page: QWidget = self.page
        if answer is not None and not len(answer.numbers):
            page = self.reasons["nothing" if answer.total else "no_item"]
        elif view is not None and not view.shown.media:
            page = self.reasons["no_media"]
        self.middle.setCurrentWidget(page)

    def show_needs(self) -> None:
        """Enable the actions that the displayed item and the selection allow."""
        if self.isVisible():
            self._registry.set_there("item_shown", self.loader.view is not None)
            self._registry.set_there("items", self.queue.table.selected_count() > 0)

    def release_needs(self) -> None:
        """Disable the actions on the displayed item."""
        self._registry.set_there("item_shown", False)

    def _read_ahead(self) -> None:
        row = self.queue.next_row()
        if row is not None:
            self.loader.read_ahead(row.id)

    def _on_queue_chosen(self, row: ItemRow | None) -> None:
        wanted = row.id if row is not None else ""
        if wanted != self.loader.wanted:
            # A gesture in its pause belongs to the item before, whose widget may go on with this one.
            self._store_input()
        self.loader.load(wanted)

    def _store_input(self) -> None:
        self.form.answer.apply()
        self.typed.end()

    def _on_queue_found(self) -> None:
        self._show_middle()

    def _on_queue_menu_requested(self, at: QPoint) -> None:
        self.open_menu(self.queue.table, QUEUE_MENU, at=at)

    def _on_other_item_requested(self, item: str) -> None:
        self.queue.show_beside(item)

    def _on_typed_failed(self, item: str) -> None:
        if self.form.item is not None and self.form.item.id == item:
            self.editor.show_view(self.form.view)
            self.form.show_notes()

    def _on_board_about_to_run(self, _action_id: str) -> None:
        # An action acts on what is typed as well: undo, for instance, takes it back.
        self.typed.save()

    def _make_reasons(self) -> dict[str, EmptyState]:
        return {
            "no_item": EmptyState(
                icon="item",
                headline=tr("No items"),
                text=tr("Import questions, or draft items by rule from the labels of scenes."),
                registry=self._registry,
                steps=("project.draft", "project.import"),
            ),
            "nothing": EmptyState(
                icon="search",
                headline=tr("No matches"),
                text=tr(
                    "No item matches the filters and the search text of the queue. Choose All, clear the "
                    "search text with Esc, or select other items in the Library."
                ),
                registry=self._registry,
                steps=("go.library",),
            ),
            "no_media": EmptyState(
                icon="picture-missing",
                headline=tr("This item has no visual input"),
                text=tr(
                    "Question, options and answer can be edited on the right. Media are assigned when the "
                    "questions are imported, and by drafting from a scene."
                ),
                registry=self._registry,
                steps=("project.import",),
            ),
        }


def _item_id(view: ItemView | None) -> str:
    return view.item.id if view is not None else ""
