"""A workspace that is not shown asks nothing of the project, whatever changes."""

from __future__ import annotations

import sys
from concurrent.futures import Future
from pathlib import Path
from types import FrameType

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from annotator.commands.comments import WriteComment
from annotator.commands.item_states import ChangeState
from annotator.domain.item import Item
from annotator.domain.scene import Scene
from annotator.session import Session
from tests.e2e.conftest import Open, Person
from tests.windows import make_project
from widgets.bridge import Bridge
from widgets.workspaces import WORKSPACES


class Asking:
    """Notes which object of the window asks the project, and whether the widget it belongs to is shown."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.shown: set[str] = set()
        self.hidden: set[str] = set()
        query = Session.query

        def noted(session: Session, question: object) -> Future[object]:
            self._note(sys._getframe(1))
            return query(session, question)  # type: ignore[arg-type]

        monkeypatch.setattr(Session, "query", noted)

    def _note(self, frame: FrameType | None) -> None:
        while frame is not None:
            one = frame.f_locals.get("self")
            if isinstance(one, QObject) and not isinstance(one, Bridge):
                widget: QObject | None = one
                while widget is not None and not isinstance(widget, QWidget):
                    widget = widget.parent()
                is_hidden = isinstance(widget, QWidget) and not widget.isVisible()
                (self.hidden if is_hidden else self.shown).add(type(one).__name__)
                return
            frame = frame.f_back


def change(person: Person, item: Item, scene: Scene) -> None:
    """Change an item and a scene, and take one of it back."""
    for command in (
        ChangeState(items=(item.id,), state="rejected", reason="Seen twice"),
        WriteComment(entity="scene", target=scene.id, text="Look again"),
    ):
        person.window.controller.execute(command, title="Edit")
        person.settle()
    person.window.controller.undo()
    person.settle()


@pytest.mark.parametrize("shown", [one.id for one in WORKSPACES])
def test_workspaces_when_records_change_then_only_the_one_that_is_shown_asks_for_them(
    shown: str, open_window: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = open_window(make_project(tmp_path / "pilot.vantage"))
    session = person.window.controller.session
    assert session is not None
    item, scene = next(session.reader.records(Item)), next(session.reader.records(Scene))
    for workspace in (*WORKSPACES, person.window.slots[shown]):
        person.window.show_workspace(workspace.id)
        person.settle()
    asking = Asking(monkeypatch)
    change(person, item, scene)
    assert asking.shown
    assert asking.hidden == set()


def test_guard_when_a_hidden_widget_asks_then_it_is_named(
    open_window: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = open_window(make_project(tmp_path / "pilot.vantage"))
    listing = person.library.listing()
    person.window.show_workspace("runs")
    person.settle()
    asking = Asking(monkeypatch)
    listing.refresh()
    person.settle()
    assert "RecordList" in asking.hidden
