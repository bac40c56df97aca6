"""The Review workspace: queue of cases, the visual input of their records, and the decision."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from annotator.domain.review import ReviewCase
from widgets.empty_state import EmptyState
from widgets.focus import holds_keyboard, press_focused_button
from widgets.record_edits import RecordEdits
from widgets.record_workspace import RecordWorkspace
from widgets.review.case_decisions import CaseDecisions
from widgets.review.case_keys import CaseKeys
from widgets.review.case_loader import CaseLoader
from widgets.review.case_panel import CasePanel
from widgets.review.case_view import CaseView
from widgets.review.queue_pane import WIDTH_PX as QUEUE_PX
from widgets.review.queue_pane import QueuePane
from widgets.review.rule_actions import RuleActions
from widgets.stage_page.tool_bar import RenderingActions
from widgets.translation import tr
from widgets.workspace_services import WorkspaceServices

CASE_MENU = ["review.keep", "review.change", "review.edit", "review.send_back", "review.reject"]
PANEL_PX = 432
RENDERINGS = RenderingActions(
    renderings=("review.clean", "review.detected", "review.annotated"), model="review.model"
)


class ReviewWorkspace(RecordWorkspace):
    """The workspace of one open project."""

    def __init__(self, services: WorkspaceServices) -> None:
        super().__init__(services, renderings=RENDERINGS)
        session, registry = services.session, services.registry
        bridge, settings = services.bridge, services.settings
        controller = services.controller
        self.loader = CaseLoader(session=session, bridge=bridge, images=self.images, parent=self)
        self.edits = RecordEdits(controller=controller, loader=self.loader, parent=self)
        self.queue = QueuePane(session=session, bridge=bridge, settings=settings, screen=self)
        self.panel = CasePanel(registry=registry)
        self.decisions = CaseDecisions(
            panel=self.panel,
            queue=self.queue,
            edits=self.edits,
            session=session,
            stage=self.stage,
            parent=self,
        )
        self._case_keys = CaseKeys(self.panel, self.decisions, registry=registry)
        self.reasons = self._make_reasons()
        self.put_panes(
            self.queue,
            self.panel,
            name="review",
            widths_px=(QUEUE_PX, PANEL_PX),
            reasons=self.reasons,
        )
        self.put_keyboard(
            lists=(self.queue.table, self.panel),
            focus_home=self.panel.take_keyboard,
        )
        self._connect()
        owners = {
            "case_decisions": self.decisions,
            "case_panel": self.panel,
            "cases": self.queue,
            "review_rules": RuleActions(self, session=session, bridge=bridge, controller=controller),
        }
        self.use_keys(owners, widget=self.page)
        registry.add_shortcuts("review", self)

    def is_settled(self) -> bool:
        """Return whether all requested data is displayed, and every decision stored."""
        row = self.queue.row()
        is_shown = self.loader.wanted == (row.target if row is not None else "")
        is_stored = self.edits.is_settled() and self.loader.is_settled()
        return self.queue.listing.is_settled() and is_shown and is_stored and self.page.is_settled()

    def leave(self) -> None:
        """Stop background work, because the workspace is being closed."""
        super().leave()
        self.queue.listing.leave()

    def event(self, event: QEvent) -> bool:
        """Take letters and digits of the case before they are shortcuts."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            is_meant = self._case_keys.call_for(event) is not None and not self._is_typing()
            if is_meant:
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Execute letters and digits of the case."""
        call = self._case_keys.call_for(event)
        if call is not None and not self._is_typing():
            call()
        elif press_focused_button(self, event) or (not self._is_typing() and self._case_keys.explain(event)):
            event.accept()
        else:
            super().keyPressEvent(event)

    def _is_typing(self) -> bool:
        return isinstance(QApplication.focusWidget(), QLineEdit)

    def _connect(self) -> None:
        self.queue.chosen.connect(self._on_queue_chosen)
        self.queue.listing.found.connect(self._on_queue_found)
        self.queue.listing.model.rows_arrived.connect(self._on_rows_arrived)
        self.queue.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.queue.table.customContextMenuRequested.connect(self._on_queue_menu_requested)
        self.queue.typed.connect(self._case_keys.press_text)
        self.loader.loaded.connect(self._show)
        self.changes.arrived.connect(self.loader.follow)
        self.panel.opened.connect(partial(self.panes.show_right, is_shown=True))
        self.stage.left.connect(self.panel.take_keyboard)

    def _show(self, view: CaseView | None) -> None:
        before = self.panel.view
        is_other = (before.key if before is not None else "") != (view.key if view is not None else "")
        if is_other and holds_keyboard(self.panel):
            # Letters would go on into the reason of another case.
            self.panel.take_keyboard()
        shown = view.shown if view is not None and view.shown.media else None
        if shown is not self.stage.shown:
            self.page.show_scene(shown)
        self.panel.show_view(view)
        if view is not None and is_other:
            # The evidence of a decision is everything that is known of the images.
            self.stage.choose_rendering("annotated")
            self._read_ahead()
        self.stage_keys.refresh()
        self._show_middle()
        self.show_needs()
        if is_other:
            self.show_name(view.case.name if view is not None else "")

    def _show_middle(self) -> None:
        answer, view = self.queue.listing.answer, self.loader.view
        page: QWidget = self.page
        if answer is not None and not len(answer.numbers):
            page = self.reasons["nothing" if not answer.total else "filtered"]
        elif view is not None and not view.shown.media:
            page = self.reasons["no_media"]
        self.middle.setCurrentWidget(page)

    def show_needs(self) -> None:
        """Enable the actions on the displayed case."""
        if self.isVisible():
            self._registry.set_there("case_shown", self.loader.view is not None)

    def release_needs(self) -> None:
        """Disable the actions on the displayed case."""
        self._registry.set_there("case_shown", False)

    def _read_ahead(self) -> None:
        row = self.queue.next_row()
        if row is not None:
            self.loader.read_case_ahead(row)

    def _on_queue_chosen(self, case: ReviewCase | None) -> None:
        self.loader.show_case(case)

    def _on_queue_found(self) -> None:
        self._show_middle()

    def _on_rows_arrived(self) -> None:
        row = self.queue.row()
        if row is not None:
            self.loader.update_case(row)

    def _on_queue_menu_requested(self, at: QPoint) -> None:
        self.open_menu(self.queue.table, CASE_MENU, at=at)

    def _make_reasons(self) -> dict[str, EmptyState]:
        return {
            "nothing": EmptyState(
                icon="review",
                headline=tr("Nothing to decide"),
                text=tr(
                    "Records with open flags wait here: where people or models disagree with the answer key, "
                    "a check has failed, somebody has a question, or two workstations have changed the same "
                    "field. Run the checks, or start a consensus run."
                ),
                registry=self._registry,
                steps=("project.check", "runs.new_consensus"),
            ),
            "filtered": EmptyState(
                icon="filter",
                headline=tr("No matches"),
                text=tr("No case matches the filters of the queue. Show all cases."),
                registry=self._registry,
                steps=("review.all",),
            ),
            "no_media": EmptyState(
                icon="picture-missing",
                headline=tr("This record has no visual input"),
                text=tr("Decide on the right. Media are assigned when the questions are imported."),
                registry=self._registry,
                steps=("review.edit",),
            ),
        }
