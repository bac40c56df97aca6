"""Assigns the selected records of a list of the Library, or all of the list, to persons."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from annotator.commands.assignments import AssignRecords
from annotator.domain.actor import Actor
from annotator.quality.assignment_order import (
    AssignmentPlan,
    entity_of,
    item_groups,
    plan_order,
    scene_groups,
)
from annotator.queries.reader import Reader
from annotator.session import Session
from widgets import display_text
from widgets.bridge import Bridge
from widgets.dialog import OPENING
from widgets.library.workspace import LibraryWorkspace
from widgets.person_actions import People, find_person, people_of
from widgets.project_controller import ProjectController

if TYPE_CHECKING:
    # Dialogs are imported on demand, to keep the start of the window short.
    from widgets.library.assign_dialog import AssignDialog, AssignRequest


class AssignActions(QObject):
    """Opens the dialog, plans what it asks for, and executes the plan."""

    def __init__(
        self,
        session: Session,
        *,
        controller: ProjectController,
        bridge: Bridge,
        library: LibraryWorkspace,
        window: QWidget,
    ) -> None:
        """Set up.

        Args:
            session: The project.
            controller: Executes the command.
            bridge: Delivers results of other threads to the GUI thread.
            library: Has the lists.
            window: Parent of the dialog.
        """
        super().__init__(library)
        self._session, self._controller, self._bridge = session, controller, bridge
        self._library, self._window = library, window

    def ask_assign(self) -> None:
        """Ask who gets the selected records; the whole list if fewer than two are selected."""
        entity = "item" if self._library.front == "item" else "scene"
        listing = self._library.listings[entity]
        selected = listing.table.selected_numbers()
        is_selection = len(selected) > 1
        numbers = tuple((selected if is_selection else listing.model.numbers).tolist())
        done = partial(self._open, entity, numbers, is_selection)
        self._bridge.query(self._session, people_of, done=done, channel=OPENING)

    def _open(self, entity: str, numbers: tuple[int, ...], is_selection: bool, people: People) -> None:
        from widgets.library.assign_dialog import AssignDialog

        me = self._session.actor
        # Who has not changed the project yet is in it with the assignment.
        mine = () if any(person.id == me.id for person in people) else (me,)
        dialog = AssignDialog(
            self._window,
            entity=entity,
            count=len(numbers),
            is_selection=is_selection,
            people=sorted((*people, *mine), key=lambda person: person.name.casefold()),
        )
        dialog.changed.connect(partial(self._plan, dialog, numbers))
        dialog.name_entered.connect(partial(self._find, dialog))
        dialog.submitted.connect(self._assign)
        dialog.open(dialog.people)

    def _plan(self, dialog: AssignDialog, numbers: tuple[int, ...], request: AssignRequest) -> None:
        self._bridge.query(
            self._session,
            partial(plan_numbers, request=request, numbers=numbers),
            done=dialog.show_plan,
            failed=dialog.show_error,
            channel=(id(self), "plan"),
        )

    def _find(self, dialog: AssignDialog, name: str) -> None:
        self._bridge.query(
            self._session,
            partial(find_person, name=name, executing=self._session.actor),
            done=dialog.take_person,
            failed=dialog.show_error,
            channel=(id(self), "name"),
        )

    def _assign(self, plan: AssignmentPlan, people: tuple[Actor, ...]) -> None:
        command = AssignRecords.of_plan(plan, new_people=people)
        self._controller.execute(command, title=display_text.command_summary_text(command.summary))


def plan_numbers(reader: Reader, *, request: AssignRequest, numbers: tuple[int, ...]) -> AssignmentPlan:
    """Return the plan for some rows of a list; called on the reading thread."""
    with reader.snapshot():
        groups = (scene_groups if entity_of(request.order.role) == "scene" else item_groups)(reader, numbers)
        return plan_order(reader, request.order, groups=groups)
