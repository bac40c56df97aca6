"""Undo says what and where and asks before it acts on another page; messages belong to a page."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from annotator.command_summary import CommandSummary
from annotator.commands.comments import WriteComment
from annotator.commands.links import LinkRegions
from annotator.commands.regions import AddRegion
from annotator.domain.region import Box
from tests.e2e.conftest import Open, Person
from tests.e2e.two_scenes import annotate, make_two_scenes
from tests.windows import AddRecords, make_item
from widgets.undo_steps import UndoQuestion

BOX = Box(x1=10.0, y1=10.0, x2=60.0, y2=40.0)


@pytest.fixture
def person(tmp_path: Path, open_window: Open) -> Person:
    """Give somebody at the Library of a project of two scenes."""
    return open_window(make_two_scenes(tmp_path))


def execute(person: Person, command: object) -> None:
    person.window.controller.execute(command, title="Edit")  # type: ignore[arg-type]
    person.settle()


def draw(person: Person, *, scene: str = "0001") -> None:
    """Add a region, as a tool of the stage does."""
    execute(person, AddRegion(medium=f"{scene}-1.png", box=BOX))


def regions(person: Person) -> int:
    assert person.window.controller.session is not None
    return person.window.controller.session.reader.counts()["region"]


def question(person: Person) -> UndoQuestion:
    person.press("Ctrl+Z")
    person.settle()
    found = person.window.findChild(UndoQuestion)
    assert found is not None
    return found


def answer(person: Person, key: str, sheet: UndoQuestion) -> None:
    person.press(key, at=QApplication.focusWidget())
    person.qtbot.waitUntil(lambda: not isValid(sheet))
    person.settle()


def test_undo_when_the_step_was_made_in_another_workspace_then_asks_and_enter_changes_nothing(
    person: Person,
) -> None:
    annotate(person)
    draw(person)
    person.press("Ctrl+1")
    person.settle()
    told = "Undo: Add region · Annotate, 0001"
    assert person.window.status_bar.undo.text().endswith(told)
    assert person.window.registry.action("edit.undo").text() == told
    sheet = question(person)
    assert (sheet.what.text(), sheet.where.text()) == ("Add region", "Made in: Annotate, 0001")
    answer(person, "Return", sheet)
    assert regions(person) == 2
    sheet = question(person)
    sheet.act.setFocus()
    answer(person, "Return", sheet)
    assert regions(person) == 1
    # What was undone there is not done again unseen, either.
    person.press("Ctrl+Shift+Z")
    person.settle()
    assert person.window.findChild(UndoQuestion) is not None
    assert regions(person) == 1


def test_undo_when_its_place_is_asked_for_then_is_shown_and_the_next_press_undoes(person: Person) -> None:
    annotate(person)
    draw(person, scene="0002")
    person.press("Ctrl+1")
    person.settle()
    sheet = question(person)
    sheet.show_location.setFocus()
    answer(person, "Return", sheet)
    workspace = person.window.slots["annotate"].workspace
    assert workspace is not None
    assert (person.window.workspace, workspace.stage.scene) == ("annotate", "s-0002")
    assert regions(person) == 2
    person.press("Ctrl+Z")
    person.settle()
    assert regions(person) == 1


def test_undo_when_the_step_was_made_here_then_asks_nothing_and_two_presses_are_two_steps(
    person: Person,
) -> None:
    annotate(person)
    draw(person)
    draw(person)
    person.press("Ctrl+Z")
    person.press("Ctrl+Z")
    person.settle()
    assert regions(person) == 1
    assert person.window.findChild(UndoQuestion) is None
    assert not person.window.banner.isVisible()


def test_undo_when_another_scene_is_shown_then_says_which_and_offers_to_go_there(person: Person) -> None:
    workspace = annotate(person)
    draw(person, scene="0002")
    assert workspace.stage.scene == "s-0001"
    person.press("Ctrl+Z")
    person.settle()
    banner = person.window.banner
    assert (banner.headline.text(), banner.advice.text()) == ("Undone: Add region", "Annotate, 0002")
    person.click(banner.offer_button)
    person.settle()
    assert workspace.stage.scene == "s-0002"
    assert not banner.isVisible()


def test_undo_when_text_was_typed_in_the_list_then_takes_it_back_and_then_undoes_in_the_project(
    person: Person,
) -> None:
    search, undo = person.library.filters.search, person.window.registry.action("edit.undo")
    before = undo.text()
    execute(person, WriteComment(entity="scene", target="s-0001", text="Fine"))
    told = undo.text()
    assert told != before
    person.write("x")
    person.settle()
    assert (search.text(), search.hasFocus(), person.names()) == ("x", True, [])
    person.press("Ctrl+Z")
    person.settle()
    assert (search.text(), search.hasFocus(), len(person.names())) == ("", True, 1)
    assert undo.text() == told
    person.press("Ctrl+Z")
    person.settle()
    assert undo.text() == before


@dataclass(kw_only=True)
class TakeIn(AddRecords):
    """Adds records as an import does."""

    code: str = "import_file"

    @property
    def summary(self) -> CommandSummary:
        """What it did."""
        return CommandSummary.of(self.code, name="questions.json", count=3)


@pytest.mark.parametrize("code", ["import_file", "import_files", "add_media", "register_media"])
def test_undo_when_it_takes_back_an_import_then_asks_in_its_own_workspace_as_well(
    person: Person, code: str
) -> None:
    execute(person, TakeIn(records=[make_item(7), make_item(8)], code=code))
    assert len(person.names()) == 3
    sheet = question(person)
    assert sheet.show_location.isHidden()
    answer(person, "Escape", sheet)
    assert len(person.names()) == 3
    sheet = question(person)
    sheet.act.setFocus()
    answer(person, "Return", sheet)
    assert len(person.names()) == 1


def test_undo_when_it_takes_back_a_release_then_names_the_release_workspace_as_its_place(
    person: Person,
) -> None:
    execute(person, TakeIn(records=[make_item(7), make_item(8)], code="release"))
    assert len(person.names()) == 3
    sheet = question(person)
    assert not sheet.show_location.isHidden()
    assert sheet.where.text() == "Made in: Release"
    answer(person, "Escape", sheet)
    person.window.show_workspace("release")
    person.settle()
    sheet = question(person)
    assert sheet.show_location.isHidden()
    sheet.act.setFocus()
    answer(person, "Return", sheet)
    person.window.show_workspace("library")
    person.settle()
    assert len(person.names()) == 1


def test_message_when_another_workspace_is_shown_then_is_hidden_until_one_is_back(
    person: Person,
) -> None:
    annotate(person)
    banner = person.window.banner
    execute(person, LinkRegions(scene="s-0001", regions=("r1", "r1")))
    assert banner.isVisible()
    person.press("Ctrl+1")
    person.settle()
    assert not banner.isVisible()
    # A success here says nothing about the failure there.
    execute(person, WriteComment(entity="scene", target="s-0001", text="Fine"))
    annotate(person)
    assert banner.isVisible()
    draw(person)
    assert not banner.isVisible()


def test_message_when_the_project_is_closed_then_goes_with_it_as_does_the_time_of_saving(
    person: Person,
) -> None:
    draw(person)
    execute(person, LinkRegions(scene="s-0001", regions=("r1", "r1")))
    assert person.window.banner.isVisible()
    assert person.window.status_bar.saved.text().startswith("Saved ")
    person.press("Ctrl+W")
    person.settle()
    assert not person.window.banner.isVisible()
    assert person.window.status_bar.saved.text() == ""


def test_message_about_a_task_when_the_task_is_over_then_goes(person: Person) -> None:
    go_on = threading.Event()
    person.window.controller.run_task(go_on.wait, title="Looking for files")
    person.window.close()
    assert person.window.banner.headline.text() == "Looking for files is still running."
    person.press("Ctrl+2")
    assert person.window.banner.isVisible()
    go_on.set()
    person.settle()
    assert not person.window.banner.isVisible()
