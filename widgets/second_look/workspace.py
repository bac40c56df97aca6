"""The workspace of the second look: queue, visual input, and the form of the answer."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from annotator.domain.changes import Changes
from annotator.domain.item import LETTERS
from annotator.domain.response_queue import ResponseQueue, validation_queue
from annotator.queries.reader import Reader
from widgets.empty_state import EmptyState
from widgets.record_loader import RecordLoader
from widgets.record_workspace import RecordWorkspace
from widgets.refine.issue_class_bar import CLASSES
from widgets.second_look.answering import AnswerClock, Answering
from widgets.second_look.blind_view import BlindView, is_blind_view_concerned, read_blind_view
from widgets.second_look.form import SecondLookForm
from widgets.second_look.queue import WIDTH_PX as QUEUE_PX
from widgets.second_look.queue import SecondLookQueue
from widgets.stage_page.tool_bar import RenderingActions
from widgets.translation import tr
from widgets.workspace_services import WorkspaceServices

FORM_PX = 384
QUEUE_CHANGES = ("assignment", "item", "response")
"""Kinds of records that decide which items wait."""
RENDERINGS = RenderingActions(
    renderings=("second_look.clean", "second_look.detected", "second_look.annotated"),
    model="second_look.model",
)


class SecondLookWorkspace(RecordWorkspace):
    """The workspace of one open project."""

    def __init__(self, services: WorkspaceServices) -> None:
        super().__init__(services, renderings=RENDERINGS)
        session, bridge, registry = self._session, services.bridge, self._registry
        self.queue = SecondLookQueue(session=session, bridge=bridge)
        self.form = SecondLookForm(stage=self.stage, registry=registry)
        self.loader: RecordLoader[BlindView] = RecordLoader(
            self._read,
            is_concerned=is_blind_view_concerned,
            session=session,
            bridge=bridge,
            images=self.images,
            parent=self,
        )
        self.clock = AnswerClock(self.loader, settings=services.settings, screen=self, parent=self)
        self.answering = Answering(
            form=self.form,
            queue=self.queue,
            loader=self.loader,
            clock=self.clock,
            controller=services.controller,
            parent=self,
        )
        self.reasons = self._make_reasons()
        self.put_panes(
            self.queue,
            self.form,
            name="second_look",
            widths_px=(QUEUE_PX, FORM_PX),
            reasons=self.reasons,
        )
        self.put_keyboard(
            lists=(self.queue.table, self.form),
            focus_home=self.form.take_keyboard,
        )
        self._connect()
        self.use_keys({"answering": self.answering, "second_queue": self.queue}, widget=self.page)
        registry.add_shortcuts("second_look", self)

    def open(self, queue: ResponseQueue) -> None:
        """Show the items that wait in a queue."""
        self.form.bar.use_queue(shows_key=queue.shows_key)
        self.queue.open(queue)

    def open_for(self, person: str) -> None:
        """Show the queue of a person that was shown last, at first that of validation."""
        self.open(self.queue.queue if self.queue.queue.person == person else validation_queue(person))

    def is_settled(self) -> bool:
        """Return whether all requested data is displayed, and every answer stored."""
        number = self.queue.number()
        is_shown = self.loader.wanted == (str(number) if number >= 0 else "")
        is_read = self.queue.is_settled() and self.loader.is_settled() and self.answering.is_settled()
        return is_shown and is_read and self.page.is_settled()

    def leave(self) -> None:
        """Stop background work, because the workspace is being closed."""
        self.form.answer.clear()
        super().leave()
        self.queue.leave()

    def event(self, event: QEvent) -> bool:
        """Take letters and digits of the item before they are shortcuts."""
        is_override = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride
        if is_override and isinstance(event, QKeyEvent) and self._call_for(event) is not None:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Answer with letters, choose issue classes with digits, and leave a field with Esc."""
        call = self._call_for(event)
        if call is not None:
            call()
        elif event.key() == Qt.Key.Key_Escape:
            self.form.setFocus(Qt.FocusReason.ShortcutFocusReason)
        else:
            super().keyPressEvent(event)

    def _read(self, reader: Reader, key: str) -> BlindView | None:
        # Called on the reading thread; the queue is immutable.
        return read_blind_view(reader, number=int(key), queue=self.queue.queue, roots=self._session.roots)

    def _call_for(self, event: QKeyEvent) -> Callable[[], object] | None:
        """Return what a letter or digit does with the item, None for nothing."""
        view = self.form.view
        plain = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == Qt.KeyboardModifier.NoModifier
        character = chr(event.key()) if 0 < event.key() < 0x80 else ""
        if view is None or view.phase != "answering" or not plain or not character:
            return None
        if character in "1234":
            return partial(self.form.toggle_class, CLASSES[int(character) - 1])
        has_option = character in LETTERS and any(one.letter == character for one in view.item.options)
        return partial(self.form.choose, character) if has_option else None

    def _connect(self) -> None:
        self.queue.chosen.connect(self._on_queue_chosen)
        self.queue.found.connect(self._show_middle)
        self.queue.queue_requested.connect(self.open)
        self.loader.loaded.connect(self._show)
        self.stage.left.connect(self.form.take_keyboard)
        self.changes.arrived.connect(self._on_changes_arrived)

    def _show(self, view: BlindView | None) -> None:
        before = self.form.view
        is_other = _number(before) != _number(view)
        is_next_phase = before is not None and view is not None and before.phase != view.phase
        self._show_stage(view, is_other=is_other)
        self.form.show_view(view, is_read_only=self._session.is_read_only)
        self.clock.follow()
        self.stage_keys.refresh()
        self._show_middle()
        self.show_needs()
        if (is_other or is_next_phase) and self.isVisible():
            self.form.take_keyboard()
        if is_other:
            self.show_name(view.item.name if view is not None else "")
            self._read_ahead()

    def _show_stage(self, view: BlindView | None, *, is_other: bool) -> None:
        shown = view.shown if view is not None and view.shown.media else None
        if shown is not self.stage.shown:
            self.page.show_scene(shown)
        if view is not None and is_other:
            # Each item begins as it is released.
            self.stage.choose_rendering(view.rendering)

    def _show_middle(self) -> None:
        view = self.loader.view
        page: QWidget = self.page
        if self.queue.is_empty:
            page = self.reasons["nothing"]
        elif view is not None and not view.shown.media:
            page = self.reasons["no_media"]
        self.middle.setCurrentWidget(page)

    def show_needs(self) -> None:
        """Enable the actions of the phase that the displayed item is in."""
        view = self.loader.view
        if self.isVisible():
            can_write = view is not None and not self._session.is_read_only
            phase = view.phase if view is not None and can_write else ""
            self._registry.set_there("answering", phase == "answering")
            self._registry.set_there("key_shown", phase == "key_shown")

    def release_needs(self) -> None:
        """Disable the actions on the displayed item."""
        self._registry.set_there("answering", False)
        self._registry.set_there("key_shown", False)

    def _read_ahead(self) -> None:
        following = self.queue.following()
        if following >= 0:
            self.loader.read_ahead(str(following))

    def _on_queue_chosen(self, number: int) -> None:
        wanted = str(number) if number >= 0 else ""
        if wanted != self.loader.wanted:
            self.loader.load(wanted)

    def _on_changes_arrived(self, changes: Changes) -> None:
        self.loader.follow(changes)
        if any(changes.concerns(entity) for entity in QUEUE_CHANGES):
            self.queue.refresh()

    def _make_reasons(self) -> dict[str, EmptyState]:
        return {
            "nothing": EmptyState(
                icon="second-look",
                headline=tr("No items wait for your answer"),
                text=tr(
                    "Items that are assigned to you for validation appear here; without assignments, all "
                    "refined items that you neither wrote nor answered."
                ),
                registry=self._registry,
                steps=("go.refine", "go.library"),
            ),
            "no_media": EmptyState(
                icon="picture-missing",
                headline=tr("This item has no visual input"),
                text=tr("Answer the question on the right."),
                registry=self._registry,
            ),
        }


def _number(view: BlindView | None) -> int:
    return view.number if view is not None else -1
