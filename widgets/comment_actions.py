"""Shows the comments of the record in the workspace, and executes what is chosen there."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QRectF

from annotator.commands.command import Command
from annotator.commands.comments import DeleteComment
from annotator.commands.records import DecideFlags
from annotator.domain.changes import Changes
from annotator.domain.comment import CommentPin
from annotator.domain.flag import FlagState
from annotator.domain.record_types import record_type
from annotator.domain.rows import CommentRow
from annotator.queries.reader import Reader
from annotator.session import Session
from widgets import display_text
from widgets.action_registry import ActionRegistry
from widgets.bridge import Bridge
from widgets.comments.comment_form import CommentDraft
from widgets.comments.comments_panel import CommentsPanel
from widgets.comments.pin_tool import PinTool
from widgets.comments.record_comments import RecordComments, read_comments
from widgets.comments.unread_comments import UnreadComments
from widgets.deferred_changes import DeferredChanges
from widgets.focus import holds_keyboard
from widgets.library.workspace import LibraryWorkspace
from widgets.project_controller import ProjectController
from widgets.record_reference import RecordReference
from widgets.settings import Settings
from widgets.stage.canvas import StageCanvas
from widgets.stage.region_navigator import reveal_place
from widgets.stage.stage import Stage
from widgets.task import Task, while_exists
from widgets.workspace_slots import WorkspaceSlots

OPEN = "comments/open"
"""Setting: whether the panel is open."""
STAGE_OF = {"item": "go.refine", "scene": "go.annotate", "medium": "go.annotate"}
"""Action that shows the images of a record."""


class CommentActions(QObject):
    """Owns the panel of comments of one project, and the unread comments of its person."""

    def __init__(
        self,
        session: Session,
        *,
        controller: ProjectController,
        bridge: Bridge,
        registry: ActionRegistry,
        library: LibraryWorkspace,
        slots: WorkspaceSlots,
        settings: Settings,
        parent: QObject,
    ) -> None:
        """Create the panel, open if it was open last.

        Args:
            session: The project.
            controller: Executes commands.
            bridge: Delivers results of other threads to the GUI thread.
            registry: The actions.
            library: The Library.
            slots: The other workspaces.
            settings: Store whether the panel is open.
            parent: Owner.
        """
        super().__init__(parent)
        self._session, self._controller, self._bridge = session, controller, bridge
        self._registry, self._library, self._slots = registry, library, slots
        self._settings = settings
        self._wanted: RecordReference | None = None
        self._stages: list[Stage] = []
        self._comment = ""
        self.unread = UnreadComments(session, bridge=bridge, parent=self)
        self.panel = CommentsPanel(
            registry=registry, person=session.actor.id, is_read_only=session.is_read_only
        )
        # Not shown here: the panel has no place in the window yet, and is shown with it unless it is hidden.
        if not settings.switch(OPEN, default=False):
            self.panel.hide()
        self.panel.chosen.connect(self._on_panel_chosen)
        self.panel.closed.connect(self.close)
        self.panel.seen.connect(self._on_panel_seen)
        self.panel.form.commanded.connect(self._on_comment_sent)
        self.unread.changed.connect(self._show_unread)
        DeferredChanges(self.panel, bridge=bridge).arrived.connect(self._on_changes_arrived)
        self.unread.refresh()

    def toggle(self) -> None:
        """Show the panel with the keyboard focus in its field; close it if the focus is there."""
        if self.panel.isVisible() and holds_keyboard(self.panel):
            self.close()
        else:
            self.open()
            self.panel.form.take_keyboard()

    def open(self) -> None:
        """Show the panel, also when a project is opened the next time."""
        self._settings.keep(OPEN, True)
        self.panel.show()
        self.follow()

    def close(self) -> None:
        """Hide the panel and the pins, and return the keyboard focus to the workspace."""
        self._settings.keep(OPEN, False)
        had_keyboard = holds_keyboard(self.panel)
        self.panel.hide()
        for stage in self._stages:
            stage.pins.show(())
        if had_keyboard:
            self._slots.current.take_focus()

    def follow(self) -> None:
        """Show the comments of the record that the workspace shows."""
        self._mark_rows()
        if not self.panel.isVisible():
            return
        subject = self._slots.current.comment_subject()
        is_other = subject != self._wanted
        self._wanted = subject
        self._watch(self._slots.current.stage())
        self.panel.form.show_subject(subject, target=self._slots.current.comment_target())
        if subject is None:
            self._bridge.drop((id(self), "comments"))
            self._on_read(RecordComments())
        elif is_other or self.panel.shown.subject != subject:
            self._read()
        else:
            # Another workspace shows the same record.
            self._show_pins()
            self._show_comment()

    def place_pin(self) -> None:
        """Let the user point at the place of the next comment."""
        stage = self._slots.current.stage()
        if stage is None or not stage.canvases or self._session.is_read_only:
            return
        self.open()
        stage.leave_model()
        before = stage.tool
        stage.choose_tool(
            PinTool(stage, placed=self.panel.form.show_pin, ended=partial(stage.choose_tool, before))
        )
        stage.focus_view()

    def show_next_unread(self) -> None:
        """Show the next unread comment with its record in the Library."""
        row = self.unread.next()
        if row is None:
            return
        self.panel.show()
        if row.entity not in self._library.listings:
            # Its record has no list, or is deleted.
            self.unread.mark_read([row.id])
            return
        self._comment = row.id
        question = partial(_read_number, entity=row.entity, record_id=row.target)
        self._bridge.query(self._session, question, done=partial(self._go_to, row.entity, row.id))

    def leave(self) -> None:
        """Take the panel out of the window, because the project is being closed."""
        self._registry.set_there("unread", False)
        # A result that arrives between the deletion of the panel and that of its owner would reach neither.
        self._bridge.drop((id(self), "comments"))
        self.panel.hide()
        self.panel.deleteLater()

    def _watch(self, stage: Stage | None) -> None:
        if stage is not None and stage not in self._stages:
            self._stages.append(stage)
            stage.selection_changed.connect(self._on_stage_selection_changed)
            stage.marks_shown.connect(self._on_stage_marks_shown)
            stage.pins.chosen.connect(self.panel.choose)

    def _read(self) -> None:
        if self._wanted is not None:
            question = partial(read_comments, subject=self._wanted)
            self._bridge.query(self._session, question, done=self._on_read, channel=(id(self), "comments"))

    def _on_read(self, shown: RecordComments) -> None:
        self.panel.show_comments(shown, unread=self.unread.ids)
        self._show_pins()
        self._show_comment()

    def _show_pins(self) -> None:
        stage = self._slots.current.stage()
        if stage is not None and self.panel.isVisible():
            stage.pins.show(self.panel.shown.pins)

    def _show_comment(self) -> None:
        """Show the comment that was asked for, as soon as its card and its place are there."""
        card = self.panel.card(self._comment) if self._comment else None
        if card is None:
            return
        self.panel.area.ensureWidgetVisible(card)
        pin = card.row.comment.pin
        if pin is None or self._show_location(pin, comment=self._comment):
            self._comment = ""

    def _show_location(self, pin: CommentPin, *, comment: str) -> bool:
        """Scroll to the position of a comment; return whether its view is on the stage."""
        stage = self._slots.current.stage()
        canvas = None
        if stage is not None:
            canvas = next((one for one in stage.canvases if one.medium == pin.medium), None)
        if stage is None or canvas is None:
            return False
        if pin.frame is not None and pin.frame != canvas.frame and canvas.video is not None:
            stage.player.pause()
            stage.player.seek(canvas.video.time_of(pin.frame))
        stage.viewports.bring(canvas)
        stage.pins.emphasise(comment)
        _reveal(canvas, pin)
        return True

    def _on_comment_sent(self, command: Command, record: str, draft: CommentDraft) -> None:
        give_back = partial(self._on_comment_failed, record, draft)
        self._execute(command).failed.connect(while_exists(self, give_back))

    def _on_comment_failed(self, record: str, draft: CommentDraft, _error: BaseException) -> None:
        self.panel.form.restore(record, draft)

    def _execute(self, command: Command) -> Task:
        title = display_text.command_summary_text(command.summary)
        return self._controller.execute(command, title=title, is_gesture=True)

    def _on_panel_chosen(self, name: str, row: CommentRow) -> None:
        if name == "reply":
            self.panel.form.answer(row)
        elif name == "edit":
            self.panel.form.edit(row)
        elif name == "delete":
            self._execute(DeleteComment(comment=row.comment.id, person=self._session.actor.id))
        elif name == "pin":
            self._open_location(row)
        else:
            self._decide(row, state="resolved" if name == "resolve" else "open")

    def _decide(self, row: CommentRow, *, state: FlagState) -> None:
        answers = [one.text for one in self.panel.shown.rows if one.comment.parent == row.comment.id]
        # The last answer is the reason; the history of the flag shows it.
        reason = answers[-1] if answers and state == "resolved" else ""
        self._execute(DecideFlags(flags=(row.comment.flag,), state=state, resolution=reason))

    def _open_location(self, row: CommentRow) -> None:
        pin, subject = row.comment.pin, self._wanted
        if pin is None or subject is None or self._show_location(pin, comment=row.comment.id):
            return
        self._comment = row.comment.id
        if self._registry.workspace == "library":
            self._registry.run(STAGE_OF.get(subject.entity, "go.annotate"))

    def _go_to(self, entity: str, comment: str, number: int | None) -> None:
        if number is None:
            self.unread.mark_read([comment])
            return
        self._library.show_list(entity)
        self._library.listings[entity].bring(number)
        self.follow()

    def _show_unread(self) -> None:
        count = len(self.unread.rows)
        self._registry.set_there("unread", count > 0)
        self._registry.action("comments.next_unread").setIconText(f"{count:,}")
        self._mark_rows()

    def _mark_rows(self) -> None:
        for entity, listing in self._slots.queues():
            listing.show_unread(self.unread.records(entity))

    def _on_panel_seen(self, comments: tuple[str, ...]) -> None:
        if unread := self.unread.ids.intersection(comments):
            self.unread.mark_read(unread)

    def _on_changes_arrived(self, changes: Changes) -> None:
        if any(changes.concerns(entity) for entity in ("comment", "flag", "actor")):
            self._read()

    def _on_stage_selection_changed(self) -> None:
        current = self._slots.current
        self.panel.form.show_subject(current.comment_subject(), target=current.comment_target())

    def _on_stage_marks_shown(self) -> None:
        self.follow()
        self._show_comment()


def _reveal(canvas: StageCanvas, pin: CommentPin) -> None:
    x, y = canvas.view_point(pin.x, pin.y)
    reveal_place(canvas, QRectF(x - 1, y - 1, 2, 2))


def _read_number(reader: Reader, *, entity: str, record_id: str) -> int | None:
    return reader.order.arrival_number(record_type(entity), record_id)
