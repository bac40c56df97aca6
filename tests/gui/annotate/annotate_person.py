"""Somebody at the window who marks a scene of two pictures."""

from __future__ import annotations

from annotator.domain.link import Link
from annotator.domain.polyline import Polyline
from annotator.domain.region import Region
from tests.guards_qt import PatientBot
from tests.gui.person import WindowPerson
from tests.gui.stage.hands import Hands
from widgets.annotate.workspace import AnnotateWorkspace
from widgets.window import MainWindow


class AnnotatePerson(WindowPerson):
    """The window at Annotate, with hands at its stage and eyes on the project."""

    def __init__(self, window: MainWindow, qtbot: PatientBot) -> None:
        super().__init__(window, qtbot, workspace="annotate")
        self.hands = Hands(self.annotate.stage, qtbot)

    @property
    def annotate(self) -> AnnotateWorkspace:
        made = self.window.slots["annotate"].workspace
        assert made is not None
        return made

    def regions(self) -> list[Region]:
        return list(self.session.reader.records(Region))

    def links(self) -> list[tuple[str, ...]]:
        return [one.regions for one in self.session.reader.records(Link)]

    def paths(self) -> list[Polyline]:
        return list(self.session.reader.records(Polyline))

    def rows(self) -> list[str]:
        return [f"{row.text}  {row.note}".strip() for row in self.annotate.annotation_panel.list.marks.rows]
