"""Keys act on what is seen: scopes of shortcuts, letters beside a stage, Escape."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from shiboken6 import isValid

from tests.e2e.conftest import Open, Person
from tests.e2e.two_scenes import annotate, make_two_scenes
from widgets.library.scene_page import ScenePage
from widgets.shortcut_help import ShortcutHelp


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_two_scenes(tmp_path)


def keyboard() -> QWidget:
    focus = QApplication.focusWidget()
    assert focus is not None
    return focus


def is_in(part: QWidget) -> bool:
    """Return whether the keyboard is in a part of the window, and visible."""
    return keyboard().isVisible() and (part is keyboard() or part.isAncestorOf(keyboard()))


def test_search_when_asked_for_in_annotate_then_is_that_of_annotate(open_window: Open, project: Path) -> None:
    person = open_window(project)
    workspace = annotate(person)
    person.press("Ctrl+F")
    assert workspace.queue.search.hasFocus()
    assert person.library.filters.search.text() == ""


def test_panes_when_stepped_through_in_annotate_then_each_takes_the_keyboard(
    open_window: Open, project: Path
) -> None:
    person = open_window(project)
    workspace = annotate(person)
    parts = [workspace.annotation_panel.list, workspace.queue.grid, workspace.stage]
    for part in (*parts, *parts):
        person.press("F6")
        assert is_in(part)


@pytest.mark.parametrize("size", [(1600, 1000), (1280, 720)])
def test_panels_when_toggled_in_annotate_then_are_those_of_annotate(
    open_window: Open, project: Path, size: tuple[int, int]
) -> None:
    person = open_window(project, size=size)
    had_filters = not person.library.filters.isHidden()
    workspace = annotate(person)
    panels = {"Ctrl+B": workspace.queue.grid, "Ctrl+Alt+B": workspace.annotation_panel}
    for key, panel in panels.items():
        was_shown = panel.isVisible()
        person.press(key)
        assert panel.isVisible() is not was_shown
        person.press(key)
        assert panel.isVisible() is was_shown
    assert person.library.filters.isHidden() is not had_filters


def test_panel_when_it_is_hidden_with_the_keyboard_then_the_stage_has_it(
    open_window: Open, project: Path
) -> None:
    person = open_window(project)
    workspace = annotate(person)
    person.press("F6")
    assert is_in(workspace.annotation_panel)
    person.press("Ctrl+Alt+B")
    assert is_in(workspace.stage)


def test_list_when_asked_for_in_another_workspace_then_the_library_shows_it(
    open_window: Open, project: Path
) -> None:
    person = open_window(project)
    for key, kind in (("Alt+S", "scene"), ("Alt+I", "item"), ("Alt+M", "medium")):
        annotate(person)
        person.press(key)
        person.settle()
        assert person.window.workspace == "library"
        assert person.library.front == kind
        assert is_in(person.library.lists)


def test_actions_when_their_workspace_is_hidden_then_are_out_of_reach(
    open_window: Open, project: Path
) -> None:
    person = open_window(project)
    registry = person.window.registry
    annotate(person)
    assert not any(registry.can_run(name) for name in ("item.reject", "scene.tag", "view.grid"))
    assert registry.can_run("stage.box")
    person.press("Ctrl+1")
    person.settle()
    assert registry.can_run("item.reject")
    # Of a stage that nobody sees nothing can be done.
    assert not any(registry.can_run(name) for name in ("stage.box", "stage.fit", "stage.select"))


@pytest.mark.parametrize("key", ["K", "B", "R", "N"])
def test_letter_when_pressed_in_the_list_of_scenes_then_goes_to_the_stage(
    open_window: Open, project: Path, key: str
) -> None:
    person = open_window(project)
    workspace = annotate(person)
    workspace.queue.grid.setFocus()
    person.press("Down")
    person.settle()
    shown = workspace.stage.scene
    person.press(key)
    person.settle()
    assert workspace.queue.search.text() == ""
    assert workspace.queue.listing.model.rowCount() == 2
    assert workspace.stage.scene == shown
    if key == "B":
        assert workspace.stage.tool.id == "box"


def test_letter_when_a_region_was_chosen_in_the_list_then_goes_to_the_stage(
    open_window: Open, project: Path
) -> None:
    person = open_window(project)
    workspace = annotate(person)
    person.press("F6")
    person.press("End")
    assert workspace.stage.selected == ("r1",)
    person.press("B")
    assert workspace.stage.tool.id == "box"
    assert workspace.stage.selected == ("r1",)


def test_letter_when_pressed_among_the_items_of_a_scene_then_goes_to_its_stage(
    open_window: Open, project: Path
) -> None:
    person = open_window(project)
    person.press("Alt+S")
    person.settle()
    person.press("Alt+Return")
    person.settle()
    page = person.library.pages.shown
    assert isinstance(page, ScenePage)
    person.press("Down", at=page)
    assert page.items is not None
    assert page.items.hasFocus()
    person.press("C")
    assert page.stage.rendering == "clean"


def test_home_end_and_enter_when_pressed_in_the_list_of_scenes_then_lead_on(
    open_window: Open, project: Path
) -> None:
    person = open_window(project)
    workspace = annotate(person)
    workspace.queue.grid.setFocus()
    person.press("End")
    assert workspace.queue.listing.table.current_position() == 1
    person.press("Home")
    assert workspace.queue.listing.table.current_position() == 0
    person.settle()
    person.press("Return")
    assert is_in(workspace.stage)


def test_escape_when_a_search_is_set_then_clears_it_from_the_list_as_well(
    open_window: Open, project: Path
) -> None:
    person = open_window(project)
    person.press("Alt+S")
    person.settle()
    for workspace, search in (
        ("Ctrl+1", person.library.filters.search),
        ("Ctrl+2", annotate(person).queue.search),
    ):
        person.press(workspace)
        person.settle()
        person.press("Ctrl+F")
        person.write("0002")
        person.settle()
        person.press("Down")
        assert not search.hasFocus()
        person.press("Escape")
        person.settle()
        assert search.text() == ""


def test_escape_when_pressed_in_the_search_box_of_annotate_then_clears_it_and_keeps_the_scene(
    open_window: Open, project: Path
) -> None:
    person = open_window(project)
    workspace = annotate(person)
    person.press("B")
    person.press("Ctrl+F")
    person.write("zz")
    person.settle()
    assert workspace.stage.scene == ""
    person.press("Escape")
    person.settle()
    assert (workspace.queue.search.text(), workspace.stage.scene) == ("", "s-0001")


def help_texts(person: Person) -> set[str]:
    """Open the shortcut help, read it, and close it."""
    person.press("F1")
    person.settle()
    page = person.window.findChild(ShortcutHelp)
    assert page is not None
    texts = {part.text() for part in page.findChildren(QLabel)}
    page.reject()
    person.qtbot.waitUntil(lambda: not isValid(page))
    return texts


def test_shortcut_help_when_opened_then_shows_the_keys_of_this_place_alone(
    open_window: Open, project: Path
) -> None:
    person = open_window(project)
    of_lists, of_stage, of_marking, of_videos = (
        "Copy names",
        "Fit images to views",
        "Draw boxes",
        "Set in point",
    )
    of_runs = "Set run limit…"
    known = {of_lists, of_stage, of_marking, of_videos, of_runs}
    assert help_texts(person) & known == {of_lists}
    person.press("Alt+S")
    person.settle()
    person.press("Alt+Return")
    person.settle()
    assert help_texts(person) & known == {of_stage}
    annotate(person)
    shown = help_texts(person)
    assert shown & known == {of_stage, of_marking}
    assert {"Next region", "Keyboard shortcuts", "Move selection by 1 pixel"} <= shown
    assert not {"Show predictions", "Comment…", "Switch grid / list"} & shown
    person.press("Ctrl+5")
    person.settle()
    shown = help_texts(person)
    assert shown & known == {of_runs}
    assert "Search predictions" not in shown


@pytest.mark.parametrize(
    "keys", [("Alt+M", "Ctrl+F"), ("Ctrl+6", "Up"), ("Ctrl+2",), ("Ctrl+6", "Up", "Alt+M", "Ctrl+G")]
)
def test_keyboard_when_a_project_is_closed_and_opened_again_then_is_at_what_is_seen(
    open_window: Open, project: Path, keys: tuple[str, ...]
) -> None:
    person = open_window(project)
    for key in (*keys, "Ctrl+W"):
        person.press(key)
        person.settle()
    assert keyboard().isVisible()
    person.window.controller.open_at(str(project))
    person.qtbot.waitUntil(lambda: person.window.library is not None)
    person.settle()
    assert is_in(person.library.lists)
