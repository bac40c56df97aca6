"""The person who works at this computer: chosen from a menu, entered by name, renamed."""

from __future__ import annotations

from functools import partial

import msgspec
from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtWidgets import QMenu, QWidget

from annotator.domain.actor import Actor
from annotator.edits.people import choose_person, find_people
from annotator.errors import VantageError
from annotator.queries.reader import Reader
from annotator.user_profile import current_actor, people_here, use_person
from widgets.action_registry import ActionRegistry
from widgets.banner import Banner
from widgets.bridge import Bridge
from widgets.project_controller import ProjectController
from widgets.settings import Settings
from widgets.task import Task
from widgets.text_prompt import LinePrompt
from widgets.translation import tr

LONGEST_NAME = 80
MOST_LISTED = 20
"""Persons in the menu; others are entered by name."""
NAME_SETTING = "person/is_named"

People = tuple[Actor, ...]


class PersonActions(QObject):
    """Lets one of the persons of the project and of this computer work, or a new one."""

    def __init__(
        self,
        window: QWidget,
        *,
        button: QWidget,
        registry: ActionRegistry,
        controller: ProjectController,
        bridge: Bridge,
        banner: Banner,
        settings: Settings,
    ) -> None:
        """Create the object, and connect it to the action of a registry.

        Args:
            window: Parent of the dialogs.
            button: Shows the name; the menu opens below it.
            registry: The actions; the window creates new ones when its language changes.
            controller: The open project.
            bridge: Delivers results of other threads to the GUI thread.
            banner: Shows errors.
            settings: Stores that the name was asked for.
        """
        super().__init__(registry)
        self._window, self._button, self._settings = window, button, settings
        self._controller, self._bridge, self._banner = controller, bridge, banner
        registry.connect_owner("people", self)

    def ask_person(self) -> None:
        """Show the persons, and what can be done about the present one."""
        try:
            here = people_here()
        except VantageError as error:
            self._banner.show_error(error)
            return
        session = self._controller.session
        if session is None:
            self._popup(here[0], here)
        else:
            done = partial(self._on_people_read, session.actor, here)
            self._bridge.query(session, people_of, done=done, channel=(id(self), "people"))

    def make_menu(self, now: Actor, people: People) -> QMenu:
        """Return the menu.

        Args:
            now: The person who works now.
            people: All persons to choose from.
        """
        menu = QMenu(self._window)
        for person in people[:MOST_LISTED]:
            # An ampersand in a name is no shortcut of the menu.
            action = menu.addAction(person.name.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(person.id == now.id)
            action.triggered.connect(partial(self._on_person_triggered, person))
        menu.addSeparator()
        menu.addAction(tr("Another person…")).triggered.connect(self.ask_other_person)
        menu.addAction(tr("Change user name…")).triggered.connect(self.ask_name)
        return menu

    def ask_other_person(self) -> None:
        """Ask for the name of the person who works from now on."""
        prompt = LinePrompt(
            self._window,
            title=tr("Another person"),
            explanation=tr(
                "Changes are recorded as those of this person from now on. Undo, the queue and the "
                "active time are those of this person. A new name adds a person."
            ),
            placeholder=tr("First and last name"),
            button=tr("Change person"),
        )
        prompt.answered.connect(self._on_person_answered)
        prompt.open(prompt.field)

    def ask_name(self) -> None:
        """Ask for another name of the present person."""
        prompt = LinePrompt(
            self._window,
            title=tr("User name"),
            explanation=tr(
                "The name is recorded with your changes from now on, in every project that you edit on this "
                "computer."
            ),
            placeholder=tr("First and last name"),
            button=tr("Change name"),
            text=self._now().name,
        )
        prompt.field.selectAll()
        prompt.answered.connect(self._on_name_answered)
        prompt.open(prompt.field)

    def ask_first_name(self) -> None:
        """Ask for the name once, at the first start."""
        if not self._settings.switch(NAME_SETTING, default=False):
            # Also if the dialog is cancelled: the name can be changed at any time.
            self._settings.keep(NAME_SETTING, True)
            self.ask_name()

    def _now(self) -> Actor:
        session = self._controller.session
        return session.actor if session is not None else current_actor()

    def _on_people_read(self, now: Actor, here: People, people: People) -> None:
        self._popup(now, people + tuple(one for one in here if one.id not in {known.id for known in people}))

    def _popup(self, now: Actor, people: People) -> None:
        menu = self.make_menu(
            now, tuple(sorted(people, key=lambda one: (one.id != now.id, one.name.casefold())))
        )
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self._button.mapToGlobal(QPoint(0, self._button.height() + 4)))

    def _on_person_triggered(self, person: Actor, _checked: bool = False) -> None:
        self._use(person)

    def _on_person_answered(self, text: str) -> None:
        name = _tidied(text)
        session = self._controller.session
        try:
            here = people_here()
            if session is None:
                self._use(choose_person(name, known=here, reader=None))
                return
        except VantageError as error:
            self._banner.show_error(error)
            return
        question = partial(_chosen, name=name, known=here)
        self._bridge.query(session, question, done=self._use, failed=self._banner.show_error)

    def _on_name_answered(self, text: str) -> None:
        self._use(msgspec.structs.replace(self._now(), name=_tidied(text)))

    def _use(self, person: Actor) -> None:
        """Let a person work from now on, unless a task is still recorded as the former person's."""
        if person == self._now():
            return
        if (running := self._running_command()) is not None:
            self._banner.show_message(
                tr("{what} is still running.", what=running.title),
                advice=tr("The person can be changed when it has ended, or is stopped."),
                cause=running,
            )
            return
        try:
            use_person(person)
        except VantageError as error:
            self._banner.show_error(error)
            return
        self._settings.keep(NAME_SETTING, True)
        self._controller.use_person(person)

    def _running_command(self) -> Task | None:
        return next((one for one in self._controller.works if one.is_command and not one.is_gesture), None)


def people_of(reader: Reader) -> People:
    """Return the persons of a project; called on the reading thread."""
    return tuple(actor for actor in reader.records(Actor) if actor.role == "person")


def find_person(reader: Reader, *, name: str, executing: Actor) -> tuple[Actor, bool]:
    """Return the person with a name, and whether the project does not contain the person yet.

    Called on the reading thread.

    Args:
        reader: The project.
        name: The name as entered.
        executing: The person who works, and is in the project with the next command.
    """
    (person,), new = find_people((name,), reader, may_be_new=True, executing=executing)
    return person, bool(new)


def _chosen(reader: Reader, *, name: str, known: People) -> Actor:
    return choose_person(name, known=known, reader=reader)


def _tidied(name: str) -> str:
    return " ".join(name.split())[:LONGEST_NAME]
