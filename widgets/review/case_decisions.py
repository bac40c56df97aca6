"""Decisions on the current case: asks for the reason, executes the command, and shows the next case."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from annotator.commands.command import Command
from annotator.commands.records import DecideFlags
from annotator.domain.answer_groups import is_same
from annotator.domain.flag import FlagState
from annotator.session import Session
from widgets.record_edits import RecordEdits
from widgets.review.case_answers import most_given
from widgets.review.case_choices import impossible_text, possible_choices
from widgets.review.case_panel import CasePanel
from widgets.review.case_pin import CasePin
from widgets.review.case_view import CaseView
from widgets.review.decision_commands import Decision, decision_command
from widgets.review.queue_pane import QueuePane
from widgets.stage.stage import Stage
from widgets.task import while_exists
from widgets.translation import tr


class CaseDecisions(QObject):
    """Executes the decisions, and goes to the next case of the queue.

    Signals:
        edit_requested: The record of the case is to be edited; carries its ``CaseView``.
    """

    edit_requested = Signal(object)

    def __init__(
        self,
        *,
        panel: CasePanel,
        queue: QueuePane,
        edits: RecordEdits,
        session: Session,
        stage: Stage,
        parent: QObject,
    ) -> None:
        """Set up.

        Args:
            panel: Shows the case.
            queue: Knows the next one.
            edits: Executes commands.
            session: Has the person who decides.
            stage: Shows the images.
            parent: Owner.
        """
        super().__init__(parent)
        self._panel, self._queue, self._edits, self._session = panel, queue, edits, session
        self._pin = CasePin(stage, parent=self)
        self._pin.changed.connect(self._on_pin_changed)
        self._decided: int | None = None
        self._gone: list[int] = []
        panel.bar.decided.connect(self._on_decided)
        panel.bar.closed.connect(self._pin.stop)
        panel.bar.left.connect(panel.take_keyboard)
        panel.form.key_requested.connect(self.choose_answer)
        queue.listing.found.connect(self._on_queue_found)
        panel.tabs.flags.decided.connect(self._on_flags_decided)

    @property
    def view(self) -> CaseView | None:
        """The case that is shown."""
        return self._panel.view

    def ask_keep(self) -> None:
        """Ask why the record is right as it is."""
        self._ask("keep")

    def ask_change(self) -> None:
        """Ask why the answer that most gave becomes the key."""
        view = self.view
        if view is not None and view.item is not None and not most_given(view.groups):
            self._panel.bar.show_message(
                tr("No answer differs from the answer key. Press the letter of the right option.")
            )
            return
        self._ask("change")

    def choose_answer(self, answer: str) -> None:
        """Ask why an answer becomes the key; the key itself is kept."""
        view = self.view
        if view is None or view.item is None:
            return
        if view.item.answer_key and is_same(answer, view.item.answer_key, item=view.item):
            self._ask("keep")
        else:
            self._ask("change", answer=answer)

    def edit(self) -> None:
        """Open the record where it can be edited."""
        if self.view is None:
            return
        if "edit" in possible_choices(self.view):
            self.edit_requested.emit(self.view)
        else:
            self._panel.bar.show_message(impossible_text("edit", self.view))

    def ask_send_back(self) -> None:
        """Ask what has to be corrected."""
        self._ask("send_back")

    def ask_reject(self) -> None:
        """Ask why the item is rejected."""
        self._ask("reject")

    def ask_resolve(self) -> None:
        """Ask what was corrected."""
        self._ask("resolve")

    def ask_merge(self) -> None:
        """Ask why the chosen versions are right, once each field has one."""
        forks = self._panel.form.forks
        row = forks.open_row() if forks is not None else None
        if row is not None:
            row.buttons[0].setFocus()
            self._panel.bar.show_message(tr("Choose a version of each field: press its digit, or click it."))
            return
        self._ask("merge")

    def _ask(self, choice: str, *, answer: str = "") -> None:
        view = self.view
        if view is None:
            return
        self._panel.opened.emit()
        self._panel.tabs.choose(0)
        if choice not in possible_choices(view):
            self._panel.bar.show_message(impossible_text(choice, view))
            return
        # Only what is sent back has a comment; the reason of other decisions belongs to the flags.
        self._pin.stop()
        if choice == "send_back":
            self._pin.start()
        self._panel.bar.ask(choice, answer=answer, note=self._pin.text if choice == "send_back" else "")

    def _on_pin_changed(self) -> None:
        self._panel.bar.reason.show_note(self._pin.text)
        # The click has set the keyboard focus to the image; the reason is still to be given.
        self._panel.bar.reason.take_keyboard()

    def _on_decided(self, choice: str, reason: str) -> None:
        view = self.view
        if view is None:
            return
        forks = self._panel.form.forks
        bar = self._panel.bar
        decision = Decision(
            choice=choice,
            reason=reason,
            person=self._session.actor.id,
            answer=bar.answer or most_given(view.groups),
            accepts=bar.accepts,
            pin=self._pin.pin,
            versions=forks.choices() if forks is not None else (),
        )
        self._finish(decision_command(view, decision))

    def _on_flags_decided(self, flags: tuple[str, ...], state: FlagState, reason: str) -> None:
        self._edits.execute(DecideFlags(flags=flags, state=state, resolution=reason))

    def _finish(self, command: Command) -> None:
        # The next case is known by its number: this one leaves the list by the decision.
        following = self._queue.next_row()
        self._panel.take_keyboard()
        number = following.n if following is not None else None
        go_on = partial(self._on_finished, self.view, number)
        self._edits.execute(command).finished.connect(while_exists(self, go_on))

    def _on_finished(self, decided: CaseView | None, following: int | None, _changes: object) -> None:
        if decided is not None:
            self._decided = decided.case.n
            self._panel.bar.forget_reason(decided.key)
        if following is not None:
            self._queue.go_to(following)

    def _on_queue_found(self) -> None:
        """Show a decided case again when it comes back, as by undo, unless a reason is being typed."""
        if self._panel.bar.asked:
            return
        back = next((number for number in reversed(self._gone) if self._queue.has(number)), None)
        if back is not None:
            self._gone.remove(back)
            self._queue.go_to(back)
        if self._decided is not None and not self._queue.has(self._decided):
            self._gone.append(self._decided)
            self._decided = None
