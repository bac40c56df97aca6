"""Decisions on the current item: accept and show the next one, skip, send back, reject."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from annotator.commands.command import Command
from annotator.commands.comments import WriteComment
from annotator.commands.item_edits import SetIssueClasses
from annotator.commands.item_states import ChangeState
from annotator.commands.records import DecideFlags
from annotator.domain.flag import FlagState
from annotator.domain.issue_proposal import is_changed, propose_issue_classes
from annotator.domain.item import Item, ItemState
from annotator.domain.item_life import ACCEPTING
from widgets.active_clock import ActiveClock
from widgets.record_edits import RecordEdits
from widgets.refine.editor import ItemEditor
from widgets.refine.item_loader import ItemLoader
from widgets.refine.queue_pane import QueuePane
from widgets.refine.typed_texts import TypedTexts
from widgets.task import Task, while_exists
from widgets.text_prompt import TextPrompt
from widgets.translation import tr

RETURNABLE = frozenset({"refined", "flagged", "accepted", "rejected"})
"""States of items that can be sent back to refinement."""


class ItemDecisions(QObject):
    """Executes the decisions, and goes to the next item of the queue."""

    def __init__(
        self,
        *,
        editor: ItemEditor,
        queue: QueuePane,
        loader: ItemLoader,
        edits: RecordEdits,
        typed: TypedTexts,
        clock: ActiveClock,
        window: QWidget,
        parent: QObject,
    ) -> None:
        """Set up.

        Args:
            editor: Shows the item.
            queue: Knows the next one.
            loader: Has the item.
            edits: Executes commands.
            typed: Has text that is not stored yet.
            clock: Counts the active time of the item.
            window: Parent of dialogs.
            parent: Owner.
        """
        super().__init__(parent)
        self._editor, self._queue, self._loader = editor, queue, loader
        self._edits, self._typed, self._window = edits, typed, window
        self._clock = clock
        self._told_about: Item | None = None
        editor.tabs.flags.decided.connect(self.decide_flags)
        loader.loaded.connect(self._on_loaded)

    @property
    def item(self) -> Item | None:
        """The stored item that is shown."""
        return self._loader.view.item if self._loader.view is not None else None

    def accept(self) -> None:
        """Accept the item as it is, and show the next one."""
        self._when_valid(self._accept_stored)

    def keep(self) -> None:
        """Accept the item only if it equals its draft, and show the next one."""
        self._when_valid(self._keep_stored)

    def ask_skip(self) -> None:
        """Ask why the item is left as it is for now, and show the next one."""
        self._ask(
            title=tr("Skip item"),
            explanation=tr("The state of the item does not change. The reason becomes a comment."),
            placeholder=tr("Reason, for example: the image of UAV2 is missing"),
            button=tr("Skip"),
            then=self._skip,
        )

    def ask_send_back(self) -> None:
        """Ask why the item is sent back to refinement, and show the next one."""
        if self.item is not None and self.item.state not in RETURNABLE:
            self._tell(tr("Only refined, flagged, accepted and rejected items can be sent back."))
            return
        self._ask(
            title=tr("Send item back to refinement"),
            explanation=tr("The item is in refinement again. The reason becomes a comment."),
            placeholder=tr("Reason, for example: option C is correct as well"),
            button=tr("Send back"),
            then=partial(self._change_state, "in_refinement"),
        )

    def ask_reject(self) -> None:
        """Ask why the item is rejected, and show the next one."""
        self._ask(
            title=tr("Reject item"),
            explanation=tr(
                "Rejected items stay in the project and can be restored. Releases do not include them."
            ),
            placeholder=tr("Reason, for example: two options are correct"),
            button=tr("Reject"),
            then=partial(self._change_state, "rejected"),
        )

    def decide_flags(self, flags: tuple[str, ...], state: FlagState, reason: str) -> None:
        """Close or reopen flags of the item."""
        self._edits.execute(DecideFlags(flags=flags, state=state, resolution=reason))

    def _when_valid(self, call: Callable[[], None]) -> None:
        """Store what is entered, and decide then; an answer that is not valid is told instead."""
        self._typed.end()
        if self._editor.form.answer.apply():
            self._when_stored(call)
        else:
            self._tell(tr("The answer is not valid. Correct it before the item is accepted."))

    def _when_stored(self, call: Callable[[], None]) -> None:
        """Decide when the item is stored, unless another one is shown by then."""
        if self.item is not None:
            self._edits.when_stored(partial(self._call_for, self.item.id, call))

    def _call_for(self, item: str, call: Callable[[], None]) -> None:
        if self.item is not None and self.item.id == item:
            call()

    def _accept_stored(self) -> None:
        view, item = self._loader.view, self.item
        if view is None or item is None or self._has_unsaved(item):
            return
        if is_changed(view.draft, item) and not item.issue_classes:
            if not self._editor.form.is_class_asked:
                self._editor.ask_for_class()
                self._tell(tr("The item has changed: choose what was wrong with the draft."))
                return
            proposed = propose_issue_classes(view.draft, item)
            self._edits.execute(SetIssueClasses(item=item.id, issue_classes=proposed))
        after = ACCEPTING.get(item.state)
        # A draft whose issue class is set now is in refinement, from where the same states follow.
        if after is not None:
            self._change_state(after, item.id, "")
        else:
            self._finish(None)

    def _keep_stored(self) -> None:
        view = self._loader.view
        if view is not None and is_changed(view.draft, view.item):
            self._tell(tr("The item differs from its draft. Undo the changes, or accept it."))
        else:
            self._accept_stored()

    def _has_unsaved(self, item: Item) -> bool:
        problem = self._typed.problem_of(item.id)
        if problem:
            self._tell(tr("Not saved: {reason}", reason=problem))
        return bool(problem)

    def _skip(self, item: str, reason: str) -> None:
        self._finish(WriteComment(entity="item", target=item, text=reason))

    def _change_state(self, state: ItemState, item: str, reason: str) -> None:
        """Hand the item in, with the active time on it."""
        seconds = self._clock.active_time.take(item)
        command = ChangeState(
            items=(item,), state=state, reason=reason, person=self._queue.person, active_s=seconds
        )
        work = self._finish(command)
        if work is not None:
            work.failed.connect(while_exists(self, partial(self._on_refused, item, seconds)))

    def _on_refused(self, item: str, seconds: float, _error: BaseException) -> None:
        self._clock.active_time.give_back(item, seconds)

    def _finish(self, command: Command | None) -> Task | None:
        # The next item is known by its number: this one can leave the list by its new state.
        following = self._queue.next_number()
        if command is None:
            self._go_on(following)
            return None
        work = self._edits.execute(command)
        work.finished.connect(while_exists(self, partial(self._on_finished, following)))
        return work

    def _on_finished(self, following: int | None, _changes: object) -> None:
        self._go_on(following)

    def _go_on(self, following: int | None) -> None:
        if following is None:
            # When its new state is shown: a message is about the item as it is.
            self._edits.when_stored(partial(self._tell, tr("This is the last item of the queue.")))
        else:
            self._queue.go_to(following)

    def _ask(
        self, *, title: str, explanation: str, placeholder: str, button: str, then: Callable[[str, str], None]
    ) -> None:
        if self.item is None:
            return
        self._typed.end()
        sheet = TextPrompt(
            self._window, title=title, explanation=explanation, placeholder=placeholder, button=button
        )
        sheet.answered.connect(partial(then, self.item.id))
        sheet.open(sheet.field)

    def _tell(self, text: str) -> None:
        # A message is about the item as it is now: it stays until another one, or another state of it,
        # is shown.
        self._told_about = self.item
        self._editor.bar.show_message(text)

    def _on_loaded(self) -> None:
        self._clock.active_time.show(self.item.id if self.item is not None else "")
        if self.item != self._told_about:
            self._tell("")
