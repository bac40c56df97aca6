"""From the Library to Annotate and back, and the loop of an annotator by keys alone."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.query import ItemQuery, SceneQuery
from annotator.domain.record import Record
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene, SceneView
from annotator.session import Session
from tests.e2e.conftest import Open, Person
from tests.gui.stage.hands import HEIGHT, WIDTH, write_picture
from tests.unit.store.making import created, write
from tests.windows import make_item, make_project
from widgets.annotate.workspace import AnnotateWorkspace
from widgets.library.scene_page import ScenePage
from widgets.window import MainWindow

SCENES = ("crossroads-1", "market-1", "crossroads-2", "market-2")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a project of four scenes of two views, and an item of each scene but the first."""
    folder = tmp_path_factory.mktemp("loop")
    records: list[Record] = []
    for number, name in enumerate(SCENES, start=1):
        media = [
            Medium(
                id=f"m{number}{view}",
                name=f"{name}-{view}.png",
                path=f"{name}-{view}.png",
                width_px=WIDTH,
                height_px=HEIGHT,
            )
            for view in (1, 2)
        ]
        views = tuple(SceneView(name=f"UAV{view}", medium=one.id) for view, one in enumerate(media, start=1))
        records += [*media, Scene(id=f"s{number}", name=name, views=views)]
    records += [
        make_item(1, scene="s4", media=("m42",), state="accepted"),
        make_item(2, scene="s2", media=("m21",), state="drafted"),
        make_item(3, scene="s3", media=("m31",), state="accepted"),
        make_item(4, state="accepted"),
    ]
    path = make_project(folder / "loop.vantage", records)
    with Session.open(path) as session:
        pictures = session.media_root
        region = Region(id="r7", medium="m32", number=7, box=Box(x1=300, y1=100, x2=360, y2=140))
        write(session, created("region", region))
    pictures.mkdir(exist_ok=True)
    for name in SCENES:
        for view in (1, 2):
            write_picture(pictures / f"{name}-{view}.png", seed=view)
    return path


@pytest.fixture
def project(made: Path, tmp_path: Path) -> Path:
    """Give a copy of the project; the pictures are only looked at."""
    path = tmp_path / made.name
    path.write_bytes(made.read_bytes())
    # Not a link to the folder: the window would ask whether a folder outside of the project may be used.
    shutil.copytree(made.parent / "loop.media", tmp_path / "loop.media", copy_function=os.link)
    return path


def annotate(person: Person) -> AnnotateWorkspace:
    workspace = person.window.slots["annotate"].workspace
    assert workspace is not None
    return workspace


def press(person: Person, *keys: str) -> None:
    for key in keys:
        person.press(key)
        person.settle()


def shown(person: Person) -> str:
    """Return the name of the scene in Annotate."""
    assert person.window.workspace == "annotate"
    return annotate(person).page.tool_bar.name.text()


def current(person: Person) -> str:
    """Return the name of the record that the Library is at."""
    assert person.window.workspace == "library"
    row = person.library.listing().current_row()
    return row.name if row is not None else ""


def is_at_stage(window: MainWindow) -> bool:
    workspace = window.slots["annotate"].workspace
    return workspace is not None and QApplication.focusWidget() in workspace.stage.canvases


def test_scene_when_opened_with_enter_then_annotate_shows_it_and_the_way_back_leads_to_the_next(
    project: Path, open_window: Open
) -> None:
    person = open_window(project)
    press(person, "Alt+S", "Right", "Right")
    chosen = current(person)
    press(person, "Return")
    assert shown(person) == chosen
    assert is_at_stage(person.window)
    press(person, "PgUp")
    stepped = shown(person)
    assert stepped != chosen
    press(person, "Ctrl+1")
    assert current(person) == stepped
    assert person.library.listing().view().hasFocus()
    press(person, "Left", "Ctrl+2")
    assert shown(person) != stepped
    before = shown(person)
    press(person, "Ctrl+1")
    assert current(person) == before


def test_scenes_when_several_are_selected_then_they_still_are_after_a_look_at_annotate(
    project: Path, open_window: Open
) -> None:
    person = open_window(project)
    press(person, "Alt+S", "Home", "Shift+Right", "Shift+Right")
    table = person.library.listing().table
    assert table.selected_count() == 3
    press(person, "Ctrl+2", "Ctrl+1")
    assert table.selected_count() == 3


def test_scenes_when_filtered_then_annotate_steps_through_these_alone(
    project: Path, open_window: Open
) -> None:
    person = open_window(project)
    press(person, "Alt+S")
    person.library.search_for("market")
    person.settle()
    press(person, "Home", "Return")
    assert shown(person) == "market-1"
    assert annotate(person).queue.search.text() == "market"
    press(person, "PgDown")
    assert shown(person) == "market-2"
    press(person, "PgDown")
    assert shown(person) == "market-2"
    annotate(person).queue.search.setText("cross")
    person.settle()
    press(person, "Ctrl+1")
    assert person.library.listing().query == SceneQuery(text="cross")
    assert person.library.filters.search.text() == "cross"
    assert current(person).startswith("crossroads")


def test_items_when_filtered_then_annotate_steps_through_their_scenes_and_back_to_their_items(
    project: Path, open_window: Open
) -> None:
    person = open_window(project)
    press(person, "Alt+I")
    person.toggle("state", "accepted")
    person.library.navigation.take_keyboard()
    press(person, "Home")
    assert current(person) == "item_00001"
    press(person, "Return")
    assert shown(person) == "market-2"
    # The item is about the second view.
    stage = annotate(person).stage
    assert stage.front is stage.canvases[1]
    assert "filters of the Library" in annotate(person).queue.count.text()
    press(person, "PgDown")
    assert shown(person) == "crossroads-2"
    press(person, "PgDown")
    assert shown(person) == "crossroads-2"
    press(person, "Ctrl+1")
    assert current(person) == "item_00003"
    assert person.library.filters.count.text() == "3 of 4"


def test_lists_when_shown_after_annotate_then_each_is_at_its_scene_once(
    project: Path, open_window: Open
) -> None:
    person = open_window(project)
    press(person, "Alt+M", "Home", "Alt+S", "Home", "Alt+I", "Home", "Down", "Return")
    assert shown(person) == "market-1"
    press(person, "PgDown")
    assert shown(person) == "crossroads-2"
    press(person, "Ctrl+1")
    assert current(person) == "item_00003"
    press(person, "Alt+S")
    assert current(person) == "crossroads-2"
    press(person, "Ctrl+2")
    assert shown(person) == "crossroads-2"
    press(person, "Ctrl+1", "Alt+M")
    assert current(person).startswith("crossroads-2-")
    # What is chosen afterwards is kept.
    press(person, "Home", "Alt+S", "Home", "Alt+M")
    assert current(person) == "crossroads-1-1.png"
    press(person, "Alt+S")
    assert current(person) == "crossroads-1"


def test_items_when_queried_anew_after_annotate_then_are_not_moved_to_its_scene(
    project: Path, open_window: Open
) -> None:
    person = open_window(project)
    press(person, "Alt+I", "Home", "Alt+S", "Home", "Right", "Return", "PgDown", "Ctrl+1")
    assert current(person) == "crossroads-2"
    person.library.show_query(ItemQuery())
    person.settle()
    assert current(person) == "item_00001"


def test_item_when_it_has_no_scene_then_annotate_says_so_and_shows_no_other(
    project: Path, open_window: Open
) -> None:
    person = open_window(project)
    press(person, "Alt+I", "End", "Return")
    workspace = annotate(person)
    assert workspace.reasons["no_record_scene"].isVisible()
    assert shown(person) == ""
    assert workspace.stage.shown is None
    workspace.queue.grid.choose(0)
    person.settle()
    assert shown(person) == "crossroads-1"
    assert workspace.stage.isVisible()


def test_medium_when_opened_with_enter_then_its_view_is_in_front_and_the_way_back_leads_to_it(
    project: Path, open_window: Open
) -> None:
    person = open_window(project)
    press(person, "Alt+M")
    listing = person.library.listing()
    positions = {listing.model.row(index).name: index for index in range(8)}  # type: ignore[union-attr]
    listing.table.choose_row(positions["market-1-2.png"])
    person.settle()
    press(person, "Return")
    stage = annotate(person).stage
    assert shown(person) == "market-1"
    assert stage.front is stage.canvases[1]
    press(person, "E", "Ctrl+1")
    assert current(person) == "market-1-1.png"


def test_scene_page_when_annotate_is_pressed_then_shows_its_scene_and_the_page_follows_on_the_way_back(
    project: Path, open_window: Open
) -> None:
    person = open_window(project)
    press(person, "Alt+S", "Right", "Alt+Return")
    page = person.library.pages.shown
    assert isinstance(page, ScenePage)
    person.click(page.annotate)
    person.settle()
    assert shown(person) == "market-1"
    press(person, "PgDown", "Ctrl+1")
    assert page.isVisible()
    assert page.name.text() == "crossroads-2"


def test_region_in_the_list_when_enter_is_pressed_then_the_stage_shows_it_with_the_keyboard(
    project: Path, open_window: Open
) -> None:
    person = open_window(project)
    press(person, "Alt+S", "Right", "Right", "Return")
    workspace = annotate(person)
    workspace.annotation_panel.list.setFocus()
    press(person, "Home", "Down", "Return")
    assert workspace.stage.selected == ("r7",)
    assert workspace.stage.front is workspace.stage.canvases[1]
    assert workspace.stage.canvases[1].hasFocus()


def test_record_when_double_clicked_then_opens_in_annotate(project: Path, open_window: Open) -> None:
    person = open_window(project)
    press(person, "Alt+S")
    grid = person.library.listing().grid
    assert grid is not None
    position = grid.cell_rect(0).center()
    person.qtbot.mouseDClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=position)
    person.settle()
    assert shown(person) == "crossroads-1"


def test_loop_when_driven_by_keys_alone_then_a_region_is_drawn_named_linked_and_undone(
    project: Path, open_window: Open
) -> None:
    person = open_window(project)
    session = person.window.controller.session
    assert session is not None

    def regions() -> list[Region]:
        return list(session.reader.records(Region))

    def links() -> list[tuple[str, ...]]:
        return [one.regions for one in session.reader.records(Link)]

    press(person, "Alt+S", "Home", "Right", "Return")
    assert shown(person) == "market-1"
    press(person, "PgDown")
    assert shown(person) == "crossroads-2"
    # Draw a box, size it, name it.
    press(person, "Shift+B", "Ctrl+Right", "Shift+Down", "Ctrl+Shift+Right", "Return")
    drawn = regions()[-1]
    assert (drawn.medium, drawn.category) == ("m31", "")
    assert (drawn.box.x2 - drawn.box.x1, drawn.box.y2 - drawn.box.y1) == (55, 46)
    person.write("truck")
    press(person, "Return")
    assert regions()[-1].category == "truck"
    assert is_at_stage(person.window)
    # Move it: a run of keys is one step.
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down):
        # Without a turn of the event loop, in which a pause could be over.
        QTest.keyClick(QApplication.focusWidget(), key)
    person.settle()
    moved = regions()[-1].box
    assert (moved.x1, moved.y1) == (drawn.box.x1 + 2, drawn.box.y1 + 1)
    # Link it with region 7 of the other view.
    press(person, "S", "7", "Return")
    assert links() == [(drawn.id, "r7")]
    assert annotate(person).stage.selected == (drawn.id, "r7")
    press(person, "Ctrl+Z")
    assert links() == []
    press(person, "Ctrl+Z")
    assert regions()[-1].box == drawn.box
    press(person, "Ctrl+Shift+Z", "Ctrl+Shift+Z")
    assert links() == [(drawn.id, "r7")]
    assert regions()[-1].box == moved
    # On to the next region and the next scene, and back to its record.
    press(person, "N", "N")
    assert len(annotate(person).stage.selected) == 1
    press(person, "PgDown", "Ctrl+1")
    assert current(person) == "market-2"
