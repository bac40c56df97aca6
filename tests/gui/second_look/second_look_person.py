"""Somebody at the window who answers items without seeing their keys, and counts the keys."""

from __future__ import annotations

from annotator.domain.flag import Flag
from annotator.domain.item import Item
from annotator.domain.response import Response
from tests.guards_qt import PatientBot
from tests.gui.person import WindowPerson
from widgets.second_look.blind_view import BlindView
from widgets.second_look.form import SecondLookForm
from widgets.second_look.workspace import SecondLookWorkspace
from widgets.window import MainWindow


class SecondLookPerson(WindowPerson):
    """The window at the second look, with eyes on the project."""

    def __init__(self, window: MainWindow, qtbot: PatientBot) -> None:
        super().__init__(window, qtbot, workspace="second_look")

    @property
    def second_look(self) -> SecondLookWorkspace:
        made = self.window.slots["second_look"].workspace
        assert made is not None
        return made

    @property
    def form(self) -> SecondLookForm:
        return self.second_look.form

    @property
    def shown(self) -> BlindView:
        """The item on the screen."""
        view = self.second_look.loader.view
        assert view is not None
        return view

    def answers(self) -> list[Response]:
        """Read the answers of this person."""
        return list(self.session.reader.find(Response, person=self.session.actor.id))

    def flags(self, name: str) -> dict[str, Flag]:
        """Read the flags of an item by its name."""
        item = next(one for one in self.session.reader.records(Item) if one.name == name)
        return {flag.kind: flag for flag in self.session.reader.flags_of(item.id)}
