"""Undo and redo: next step, its place, and a confirmation if its effect is not visible."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Literal

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from widgets.action_registry import ActionRegistry
from widgets.banner import Banner
from widgets.bridge import Bridge
from widgets.dialog import FormDialog
from widgets.labels import label
from widgets.project_controller import ProjectController
from widgets.task import while_exists
from widgets.translation import tr
from widgets.undo_location import UndoLocation, read_undo_locations

Step = Literal["undo", "redo"]


class UndoSteps(QObject):
    """Executes undo and redo steps one after the other.

    Signals:
        changed: Emitted when the next undo step changes; carries its ``UndoLocation``, or None.
        location_requested: Emitted to show the place of a step; carries the ``UndoLocation``.
    """

    changed = Signal(object)
    location_requested = Signal(object)

    def __init__(
        self,
        *,
        controller: ProjectController,
        bridge: Bridge,
        registry: ActionRegistry,
        banner: Banner,
        window: QWidget,
        shown_record: Callable[[], str],
    ) -> None:
        """Create the object, and register it as owner of the ``undo`` actions.

        Args:
            controller: Executes undo and redo.
            bridge: Delivers results of other threads to the GUI thread.
            registry: Provides the current workspace, and shows the next steps in its menus; owns this.
            banner: Reports a step whose effect is not visible.
            window: Parent of the question.
            shown_record: Returns the name of the displayed record.
        """
        super().__init__(registry)
        self._controller, self._bridge, self._registry = controller, bridge, registry
        self._banner, self._window, self._shown_record = banner, window, shown_record
        self._asked: deque[Step] = deque()
        self._is_busy = False
        registry.connect_owner("undo", self)
        controller.session_changed.connect(self._on_session_changed)
        bridge.changed.connect(self._on_bridge_changed)

    def undo(self) -> None:
        """Undo the newest command; confirm first if it is consequential or from another workspace."""
        self._ask("undo")

    def redo(self) -> None:
        """Redo the last undone command; confirm first if it is from another workspace."""
        self._ask("redo")

    def refresh(self) -> None:
        """Read the next undo and redo steps."""
        session = self._controller.session
        if session is None or session.is_read_only:
            self._show((None, None))
        else:
            question = partial(read_undo_locations, actor=session.actor.id, machine=session.machine)
            self._bridge.query(session, question, done=self._show, channel=(id(self), "next"))

    def _ask(self, step: Step) -> None:
        # One after the other: what a second press undoes is known only after the first.
        self._asked.append(step)
        if not self._is_busy:
            self._begin()

    def _begin(self) -> None:
        session = self._controller.session
        self._is_busy = bool(self._asked) and session is not None
        if not self._asked or session is None:
            self._asked.clear()
            return
        step = self._asked.popleft()
        if any(work.is_gesture for work in self._controller.works):
            # An edit that is still being saved is the newest command, and it was made here.
            self._execute(step, None)
            return
        question = partial(read_undo_locations, actor=session.actor.id, machine=session.machine)
        done = partial(self._on_locations, step)
        self._bridge.query(session, question, done=done, failed=self._on_failed, channel=(id(self), "step"))

    def _on_locations(self, step: Step, positions: tuple[UndoLocation | None, UndoLocation | None]) -> None:
        location = positions[0 if step == "undo" else 1]
        if location is None:
            self._begin()
            return
        is_elsewhere = self._registry.workspace not in location.workspaces
        if is_elsewhere or (step == "undo" and location.is_consequential):
            self._asked.clear()
            self._is_busy = False
            # Further presses were dropped: their steps depend on the answer.
            self._open_question(step, location, is_elsewhere=is_elsewhere)
        else:
            self._execute(step, location)

    def _open_question(self, step: Step, location: UndoLocation, *, is_elsewhere: bool) -> None:
        question = UndoQuestion(self._window, step=step, undo_location=location, is_elsewhere=is_elsewhere)
        question.confirmed.connect(partial(self._execute, step, location))
        question.location_requested.connect(partial(self.location_requested.emit, location))
        question.open(question.keep_button)

    def _execute(self, step: Step, location: UndoLocation | None) -> None:
        reverse = self._controller.undo if step == "undo" else self._controller.redo
        work = reverse(location.command if location is not None else "")
        if work is None:
            self._is_busy = False
            return
        self._is_busy = True
        work.finished.connect(while_exists(self, partial(self._on_done, step, location)))
        work.failed.connect(self._on_failed)

    def _on_done(self, step: Step, location: UndoLocation | None, _changes: object) -> None:
        if location is not None and location.name and location.name != self._shown_record():
            text = tr("Undone: {what}") if step == "undo" else tr("Redone: {what}")
            self._banner.show_message(
                text.format(what=location.what()),
                advice=location.where(),
                tone="good",
                offer=tr("Show {record}", record=location.name),
                call=partial(self.location_requested.emit, location),
            )
        self._begin()

    def _on_failed(self, _error: BaseException) -> None:
        self._asked.clear()
        self._is_busy = False

    def _show(self, positions: tuple[UndoLocation | None, UndoLocation | None]) -> None:
        for name, text, location in zip(("undo", "redo"), (tr("Undo"), tr("Redo")), positions, strict=True):
            told = f"{text}: {location.what()} · {location.where()}" if location is not None else text
            self._registry.set_text(f"edit.{name}", told)
        self._registry.set_there("undo", positions[0] is not None)
        self._registry.set_there("redo", positions[1] is not None)
        self.changed.emit(positions[0])

    def _on_session_changed(self) -> None:
        # A project that is closed may give no answer to the query of a step, or one of its own commands.
        self._bridge.drop((id(self), "step"))
        self._asked.clear()
        self._is_busy = False
        self.refresh()

    def _on_bridge_changed(self, _changes: object) -> None:
        self.refresh()


class UndoQuestion(FormDialog):
    """Asks for confirmation of a step that is from another workspace or has consequences.

    Signals:
        confirmed: Emitted when the user confirms.
        location_requested: Emitted when the user wants to see the place of the step instead.
    """

    confirmed = Signal()
    location_requested = Signal()

    def __init__(
        self, window: QWidget, *, step: Step, undo_location: UndoLocation, is_elsewhere: bool
    ) -> None:
        """Create the dialog.

        Args:
            window: Parent window.
            step: ``undo`` or ``redo``.
            undo_location: The command and its place.
            is_elsewhere: Whether its place is in another workspace.
        """
        title = tr("Undo this step?") if step == "undo" else tr("Redo this step?")
        super().__init__(window, width=520, title=title)
        self.what = label(undo_location.what(), role="strong", wrap=True)
        self.where = label(tr("Made in: {place}", place=undo_location.where()), wrap=True)
        text = (
            tr("The step was made in another workspace. Its records are not shown now.")
            if is_elsewhere
            else tr("All records of the step are removed or restored. Redo brings them back.")
        )
        for part in (self.what, self.where, label(text, role="dim", wrap=True)):
            self.body.addWidget(part)
        if step == "undo" and undo_location.keeps_files:
            kept = tr("The files that it wrote stay in the media folder.")
            self.body.addWidget(label(kept, role="dim", wrap=True))
        if step == "undo" and undo_location.has_seen_key:
            seen = tr("The answer key was shown. Another answer to the item is not possible.")
            self.body.addWidget(label(seen, role="dim", wrap=True))
        self.show_location = QPushButton(tr("Show place"))
        self.show_location.setVisible(is_elsewhere)
        self.show_location.clicked.connect(self._on_show_clicked)
        act = tr("Undo step") if step == "undo" else tr("Redo step")
        self.act = self.add_warning_buttons(tr("Change nothing"), act=act, left=self.show_location)
        self.act.clicked.connect(self._on_act_clicked)

    def _on_act_clicked(self) -> None:
        self.accept()
        self.confirmed.emit()

    def _on_show_clicked(self) -> None:
        self.accept()
        self.location_requested.emit()
