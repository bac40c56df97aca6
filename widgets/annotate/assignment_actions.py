"""Assigns the selected scenes of the queue to persons, from a menu."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtWidgets import QMenu

from annotator.commands.assignments import AssignRecords, UnassignRecords
from annotator.commands.command import Command
from annotator.domain.actor import Actor
from annotator.queries.reader import Reader
from annotator.session import Session
from widgets import display_text
from widgets.annotate.scene_queue import SceneQueue
from widgets.bridge import Bridge
from widgets.library.record_types import Numbers
from widgets.person_actions import find_person, people_of
from widgets.project_controller import ProjectController
from widgets.text_prompt import LinePrompt
from widgets.translation import tr

People = tuple[tuple[str, str], ...]


class AssignmentActions(QObject):
    """Offers the persons of the project; a new one is entered by name."""

    def __init__(
        self, queue: SceneQueue, *, session: Session, bridge: Bridge, controller: ProjectController
    ) -> None:
        super().__init__(queue)
        self._queue, self._session = queue, session
        self._bridge, self._controller = bridge, controller
        queue.grid.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        queue.grid.customContextMenuRequested.connect(self._on_menu_requested)

    def open_menu(self) -> None:
        """Show the persons for the selected scenes, at the current one."""
        grid = self._queue.grid
        self._on_menu_requested(grid.cell_rect(max(grid.current_position(), 0)).center())

    def make_menu(self, people: People, numbers: Numbers) -> QMenu:
        """Return the menu for some scenes.

        Args:
            people: Id and name of each person.
            numbers: Row numbers of the scenes, int64 (n,).
        """
        menu = QMenu(self._queue)
        own = self._session.actor.id
        self._add(menu, tr("Assign to me"), partial(self._assign, numbers, (own, self._session.actor.name)))
        for person, name in people:
            if person != own:
                assign = partial(self._assign, numbers, (person, name))
                self._add(menu, tr("Assign to {name}", name=name), assign)
        self._add(menu, tr("Assign to a new person…"), partial(self._ask_name, numbers))
        menu.addSeparator()
        self._add(menu, tr("Remove assignments"), partial(self._unassign, numbers))
        return menu

    def _add(self, menu: QMenu, text: str, call: partial[None]) -> None:
        # An ampersand in a name is no shortcut of the menu.
        menu.addAction(text.replace("&", "&&")).triggered.connect(call)

    def _on_menu_requested(self, at: QPoint) -> None:
        numbers = self._queue.listing.table.selected_numbers()
        if len(numbers):
            shown = self._queue.grid.viewport().mapToGlobal(at)
            done = partial(self._on_people_read, shown, numbers)
            self._bridge.query(self._session, _named_people, done=done, channel=(id(self), "people"))

    def _on_people_read(self, at: QPoint, numbers: Numbers, people: People) -> None:
        menu = self.make_menu(people, numbers)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(at)

    def _ask_name(self, numbers: Numbers, _checked: bool = False) -> None:
        prompt = LinePrompt(
            self._queue.window(),
            title=tr("New person"),
            explanation=tr("The scenes are assigned to this person, who is added to the project."),
            placeholder=tr("First and last name"),
            button=tr("Assign scenes"),
        )
        prompt.answered.connect(partial(self._on_name_answered, numbers))
        prompt.open(prompt.field)

    def _on_name_answered(self, numbers: Numbers, name: str) -> None:
        done = partial(self._on_person_found, numbers)
        self._bridge.query(
            self._session, partial(find_person, name=name, executing=self._session.actor), done=done
        )

    def _on_person_found(self, numbers: Numbers, found: tuple[Actor, bool]) -> None:
        person, is_new = found
        self._with_scenes(numbers, partial(self._assign_scenes, person=person, is_new=is_new))

    def _assign(self, numbers: Numbers, person: tuple[str, str], _checked: bool = False) -> None:
        given = Actor(id=person[0], name=person[1])
        self._with_scenes(numbers, partial(self._assign_scenes, person=given, is_new=False))

    def _assign_scenes(self, scenes: tuple[str, ...], *, person: Actor, is_new: bool) -> None:
        pairs = tuple((scene, person.id) for scene in scenes)
        people = (person,) if is_new else ()
        self._execute(AssignRecords(entity="scene", role="annotate", pairs=pairs, people=people))

    def _unassign(self, numbers: Numbers, _checked: bool = False) -> None:
        self._with_scenes(numbers, self._unassign_scenes)

    def _unassign_scenes(self, scenes: tuple[str, ...]) -> None:
        self._execute(UnassignRecords(entity="scene", role="annotate", targets=scenes))

    def _with_scenes(self, numbers: Numbers, done: Callable[[tuple[str, ...]], None]) -> None:
        question = partial(_scene_ids, numbers=numbers.tolist())
        self._bridge.query(self._session, question, done=done, channel=(id(self), "scenes"))

    def _execute(self, command: Command) -> None:
        self._controller.execute(
            command, title=display_text.command_summary_text(command.summary), initiator=self
        )


def _named_people(reader: Reader) -> People:
    found = ((actor.id, actor.name) for actor in people_of(reader))
    return tuple(sorted(found, key=lambda one: one[1].casefold()))


def _scene_ids(reader: Reader, *, numbers: list[int]) -> tuple[str, ...]:
    return tuple(row.id for row in reader.scenes.rows(numbers))
