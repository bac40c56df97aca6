"""A workspace that is added to the registry as docs/extending.md says, in the real window."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QToolButton

from annotator.commands.item_edits import SetQuestion
from annotator.domain.scene import Scene
from annotator.session import Session
from tests.guards import Messages
from tests.guards_qt import PatientBot
from tests.gui.person import WindowPerson
from tests.windows import NO_SIZE_HINTS, AddRecords, make_item
from widgets.record_reference import RecordReference
from widgets.settings import Settings
from widgets.window import MainWindow
from widgets.workspaces import WORKSPACES

REPO = Path(__file__).resolve().parents[2]
PAGE = (REPO / "docs" / "extending.md").read_text(encoding="utf-8").partition("\n## A workspace\n")[2]
ITEMS = [make_item(number, id=f"i{number}", question=f"Question {number}?") for number in range(1, 4)]


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """Give the module that the page tells to write."""
    path = tmp_path_factory.mktemp("questions") / "questions.py"
    path.write_text(re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)[0], encoding="utf-8")
    spec = spec_from_file_location("widgets.questions", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.modules.pop("widgets.questions", None)


@pytest.fixture
def person(
    questions: ModuleType, settings: Settings, guard_messages: Messages, qtbot: PatientBot, tmp_path: Path
) -> Iterator[WindowPerson]:
    """Give a person at the Library of a window that has the workspace of the page."""
    guard_messages.allow(NO_SIZE_HINTS)
    session = Session.create(tmp_path / "pilot.vantage")
    session.execute(AddRecords(records=[*ITEMS])).result()
    window = MainWindow(session, settings=settings, workspaces=(*WORKSPACES, questions.QuestionsSlot))
    qtbot.addWidget(window)
    window.resize(1280, 720)
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    yield WindowPerson(window, qtbot, workspace="library")
    window.close()


def test_page_when_its_lines_are_added_then_the_registry_has_their_places() -> None:
    registry = (REPO / "widgets" / "workspaces.py").read_text(encoding="utf-8")
    anchors = re.findall(r"In `widgets/workspaces.py`, after the line `([^`]+)`", PAGE)
    assert [registry.count(f"{anchor}\n") for anchor in anchors] == [1, 1]


def test_workspace_when_registered_then_the_rail_and_the_menus_show_it(person: WindowPerson) -> None:
    window = person.window
    button = window.rail.findChild(QToolButton, "questions")
    assert button is not None
    assert (button.text(), button.toolTip()) == ("Questions", "Questions  Ctrl+9")
    icon = button.grab().toImage().copy(18, 7, 20, 20)
    assert len({icon.pixel(x, y) for x in range(20) for y in range(20)}) > 1
    menus = {entry.text(): entry.menu() for entry in window.registry.menu(window).actions()}
    assert [entry.text() for entry in menus["Questions"].actions()] == ["Copy question"]
    assert "Questions" in [entry.text() for entry in menus["Go"].actions()]
    assert list(menus).index("Questions") < list(menus).index("Go")


def test_workspace_when_its_key_is_pressed_then_is_shown_with_focus_and_only_then_acts(
    person: WindowPerson,
) -> None:
    window, registry = person.window, person.window.registry
    assert not registry.action("questions.copy").isEnabled()
    person.press("Ctrl+9")
    assert window.rail.findChild(QToolButton, "questions").isChecked()
    content = window.slots["questions"].workspace
    assert window._pages.currentWidget() is content
    assert content.list.hasFocus()
    assert registry.action("questions.copy").isEnabled()
    person.press("C")
    assert QGuiApplication.clipboard().text() == "Question 1?"
    person.press("Ctrl+1")
    assert not registry.action("questions.copy").isEnabled()
    person.press("Ctrl+9")
    assert window.slots["questions"].workspace is content


def test_workspace_when_asked_for_a_record_then_shows_it_and_the_window_names_it(
    person: WindowPerson,
) -> None:
    window = person.window
    window.slots["refine"].record_requested.emit(
        "questions", RecordReference(entity="item", id="i2", name=ITEMS[1].name)
    )
    person.settle()
    window.slots["questions"].show_record(RecordReference(entity="item", id="i2", name=ITEMS[1].name))
    assert window.workspace == "questions"
    assert window.slots["questions"].workspace.list.currentItem().text() == "Question 2?"
    assert window.top_bar.record.text() == ITEMS[1].name


def test_workspace_when_records_change_then_hears_only_what_concerns_it(
    person: WindowPerson, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, session = person.window, person.session
    person.press("Ctrl+9")
    content, reads = window.slots["questions"].workspace, list[str]()
    query = content._bridge.query

    def count(*arguments: object, channel: object = None, **options: object) -> None:
        if channel == (id(content), "items"):
            reads.append("read")
        query(*arguments, channel=channel, **options)

    monkeypatch.setattr(content._bridge, "query", count)
    session.execute(AddRecords(records=[Scene(id="s1", name="s1")])).result()
    person.settle()
    assert reads == []
    session.execute(SetQuestion(item="i1", text="Changed?")).result()
    person.settle()
    assert reads == ["read"]
    assert content.list.item(0).text() == "Changed?"
    person.press("Ctrl+1")
    session.execute(SetQuestion(item="i1", text="Changed again?")).result()
    person.settle()
    assert reads == ["read"]
    person.press("Ctrl+9")
    assert reads == ["read", "read"]
    assert content.list.item(0).text() == "Changed again?"


def test_workspace_when_the_project_is_closed_then_its_content_and_its_actions_go(
    person: WindowPerson,
) -> None:
    window = person.window
    person.press("Ctrl+9")
    window.registry.run("project.close")
    person.qtbot.waitUntil(lambda: window.library is None)
    person.settle()
    assert window.workspace == "library"
    window.show_workspace("questions")
    page = window._pages.currentWidget()
    assert page.body.text() == window.slots["questions"].purpose
    assert page.steps[0].hasFocus()
    assert window.slots["questions"].workspace is None
