"""Hands in answers, and decides on the answer key once it is shown."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from annotator.commands.command import Command
from annotator.commands.responses import AddResponses, DecideKey, GivenAnswer
from annotator.domain.response import KeyDecision
from widgets import display_text
from widgets.active_clock import ActiveClock
from widgets.project_controller import ProjectController
from widgets.record_loader import RecordLoader
from widgets.second_look.blind_view import BlindView
from widgets.second_look.form import SecondLookForm
from widgets.second_look.queue import SecondLookQueue
from widgets.settings import Settings
from widgets.task import Task, while_exists
from widgets.translation import tr


class AnswerClock(ActiveClock):
    """Counts the active time from the display of a question to its answer."""

    def __init__(
        self, loader: RecordLoader[BlindView], *, settings: Settings, screen: QWidget, parent: QObject
    ) -> None:
        """Set up.

        Args:
            loader: Knows the item that is shown.
            settings: Stores the idle limit.
            screen: The workspace.
            parent: Owner.
        """
        super().__init__(screen, settings=settings, parent=parent)
        self._loader = loader
        self.resumed.connect(self.follow)

    def follow(self) -> None:
        """Let the clock of the item run that is being answered."""
        view = self._loader.view
        is_open = view is not None and view.phase == "answering"
        self.active_time.show(view.item.id if view is not None and is_open else "")


class Answering(QObject):
    """Executes the answer and the decision, and goes on to the next item."""

    def __init__(
        self,
        *,
        form: SecondLookForm,
        queue: SecondLookQueue,
        loader: RecordLoader[BlindView],
        clock: AnswerClock,
        controller: ProjectController,
        parent: QObject,
    ) -> None:
        """Set up.

        Args:
            form: Has what the person entered.
            queue: Knows the next item.
            loader: Has the item.
            clock: Measures the active time.
            controller: Executes commands.
            parent: Owner.
        """
        super().__init__(parent)
        self._form, self._queue, self._loader, self._clock = form, queue, loader, clock
        self._controller = controller
        self._is_busy = False
        form.reason_entered.connect(self._on_reason_entered)

    def hand_in(self) -> None:
        """Record the answer; the answer key is shown, or the next item if the queue does not show keys."""
        view = self._loader.view
        if self._is_busy or view is None or view.phase != "answering":
            return
        text = self._form.text()
        if not text:
            problem = (
                tr("Answer the question first.")
                if text is not None
                else tr("The answer is not valid. Correct it before you hand it in.")
            )
            self._form.bar.show_message(problem)
            return
        given = self._given(view, text)
        work = self._execute(AddResponses(answers=(given,)))
        work.finished.connect(self._on_handed_in)
        work.failed.connect(while_exists(self, partial(self._on_failed, given)))

    def keep_key(self) -> None:
        """Keep the answer key, and show the next item."""
        self._decide("keep")

    def object_to_key(self) -> None:
        """Object to the answer key, and show the next item; ask for a reason if there is none."""
        view = self._loader.view
        if view is None or view.response is None:
            return
        if self._form.reason.text().strip() or view.response.issue_classes:
            self._decide("object")
        else:
            self._form.ask_reason()

    def is_settled(self) -> bool:
        """Return whether no command is pending."""
        return not self._is_busy

    def _given(self, view: BlindView, text: str) -> GivenAnswer:
        return GivenAnswer(
            item=view.item.id,
            answer=text,
            person=self._queue.queue.person,
            duration_s=self._clock.active_time.take(view.item.id),
            reason=self._form.reason.text(),
            issue_classes=self._form.issue_classes,
            is_key_shown=self._queue.queue.shows_key,
        )

    def _decide(self, decision: KeyDecision) -> None:
        view = self._loader.view
        if self._is_busy or view is None or view.response is None or view.phase != "key_shown":
            return
        reason = self._form.reason.text().strip()
        command = DecideKey(response=view.response.id, decision=decision, reason=reason)
        self._execute(command).finished.connect(self._on_decided)

    def _execute(self, command: Command) -> Task:
        self._is_busy = True
        title = display_text.command_summary_text(command.summary)
        work = self._controller.execute(command, title=title, is_gesture=True)
        work.finished.connect(self._on_ended)
        work.failed.connect(self._on_ended)
        return work

    def _on_ended(self, _result: object) -> None:
        self._is_busy = False

    def _on_handed_in(self, _changes: object) -> None:
        if self._queue.queue.shows_key:
            # Not only by the change of the project, which arrives by itself, before or after this.
            self._loader.reload()
        else:
            self._go_on()

    def _on_decided(self, _changes: object) -> None:
        self._go_on()

    def _go_on(self) -> None:
        following = self._queue.following()
        if following >= 0:
            self._queue.go_to(following)
        else:
            self._loader.reload()

    def _on_failed(self, given: GivenAnswer, _error: BaseException) -> None:
        self._clock.active_time.give_back(given.item, given.duration_s)
        self._loader.reload()

    def _on_reason_entered(self) -> None:
        view = self._loader.view
        if view is not None and view.phase == "key_shown" and self._form.reason.text().strip():
            self._decide("object")
