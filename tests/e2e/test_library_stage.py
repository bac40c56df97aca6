"""The stage in the Library: the page of a scene, and one picture large over the window."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene, SceneView
from annotator.session import Session
from tests.bench.numbered_videos import Recipe, make_video
from tests.e2e.conftest import Open, Person
from tests.gui.stage.hands import HEIGHT, WIDTH, Hands, write_picture
from tests.unit.store.making import created, write
from tests.windows import make_item, make_project
from widgets.library.large_image import LargeImageDialog
from widgets.library.scene_page import ScenePage
from widgets.stage.stage import Stage

VIDEO = Recipe(size_px=(192, 128), frames=50, gop=10, options={"bf": "2", "preset": "ultrafast"})
BOX = Box(x1=100.0, y1=100.0, x2=200.0, y2=160.0)


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(make_video(tmp_path_factory.mktemp("videos"), name="flight", recipe=VIDEO).path)


@pytest.fixture
def project(tmp_path: Path, video: Path) -> Path:
    """Write a project with a scene of two pictures, one of a video, and an item that shows both pictures."""
    media = [
        Medium(id=f"m{n}", name=f"{n}.png", path=f"{n}.png", width_px=WIDTH, height_px=HEIGHT) for n in (1, 2)
    ]
    flight = Medium(
        id="m3", name="flight.mp4", path="flight.mp4", media_type="video", duration_s=2.0, frames=50
    )
    views = tuple(SceneView(name=f"UAV{n}", medium=f"m{n}") for n in (1, 2))
    scenes = [
        Scene(id="s1", name="0001", views=views),
        Scene(id="s2", name="0002", views=(SceneView(name="UAV1", medium="m3"),)),
    ]
    item: Item = make_item(1, scene="s1", media=("m1", "m2"))
    path = make_project(tmp_path / "pilot.vantage", [*media, flight, *scenes, item])
    with Session.open(path) as session:
        folder = session.media_root
        region = Region(id=new_id(), medium="m1", number=3, box=BOX)
        write(session, created("region", region))
    folder.mkdir(exist_ok=True)
    for n in (1, 2):
        write_picture(folder / f"{n}.png", seed=n)
    (folder / "flight.mp4").write_bytes(video.read_bytes())
    return path


def open_scene(person: Person, *, index: int = 0) -> ScenePage:
    person.press("Alt+S")
    person.settle()
    person.library.listing().table.choose_row(index)
    person.settle()
    person.library.inspect()
    person.settle()
    page = person.library.pages.shown
    assert isinstance(page, ScenePage)
    return page


def open_large(person: Person, *, index: int = 0) -> LargeImageDialog:
    """Open a picture of the item from the inspector."""
    person.press("Alt+I")
    person.settle()
    assert person.library.inspector.pictures is not None
    person.click(person.library.inspector.pictures.frames[index])
    person.settle()
    assert person.library.pages.large is not None
    return person.library.pages.large


def hands(stage: Stage, person: Person) -> Hands:
    return Hands(stage, person.qtbot)


def turn_wheel(stage: Stage, notches: int) -> None:
    canvas = stage.canvases[0]
    middle = QPointF(canvas.rect().center())
    event = QWheelEvent(
        middle, canvas.mapToGlobal(middle), QPoint(), QPoint(0, 120 * notches),
        Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(canvas, event)


def test_scene_when_its_page_is_open_then_nothing_can_be_marked_and_all_looked_at(
    project: Path, open_window: Open
) -> None:
    person = open_window(project)
    page = open_scene(person)
    assert page.stage.canvases[0].hasFocus()
    registry = person.window.registry
    can = {name: registry.can_run(f"stage.{name}") for name in ("box", "link", "remove", "select", "fit")}
    assert can == {"box": False, "link": False, "remove": False, "select": True, "fit": True}
    assert not registry.can_run("video.play")
    person.press("C")
    assert page.stage.rendering == "clean"
    person.press("A")
    hands(page.stage, person).drag((150, 130), (250, 130))
    assert page.stage.canvases[0].marks.marks.regions[0].box == BOX
    assert not any(work.title for work in person.window.controller.works)


def test_region_when_clicked_on_the_page_then_is_selected_and_a_pull_moves_the_picture(
    project: Path, open_window: Open
) -> None:
    person = open_window(project)
    page = open_scene(person)
    turn_wheel(page.stage, 5)
    hand = hands(page.stage, person)
    hand.click(120, 130)
    region = page.stage.canvases[0].marks.marks.regions[0]
    assert page.stage.selected == (region.id,)
    canvas = page.stage.canvases[0]
    begin = canvas.rect().center()
    held = canvas.image_point(begin)
    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=begin)
    for end in (begin + QPoint(20, 0), begin + QPoint(40, 10)):
        hand.move(*canvas.image_point(end), is_down=True)
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=begin + QPoint(40, 10))
    assert canvas.image_point(begin + QPoint(40, 10)) == pytest.approx(held, abs=1)
    assert page.stage.selected == (region.id,)
    hand.click(300, 300)
    assert page.stage.selected == ()


def test_keys_when_pressed_at_the_stage_then_lead_to_scenes_items_and_back(
    project: Path, open_window: Open
) -> None:
    person = open_window(project)
    page = open_scene(person)
    person.press("PgDown", at=page.stage.canvases[0])
    person.settle()
    assert page.name.text() == "0002"
    person.press("PgUp", at=page.stage.canvases[0])
    person.settle()
    person.press("Down", at=page.stage.canvases[0])
    assert page.items is not None
    assert page.items.hasFocus()
    page.stage.focus_view()
    page.stage.toggle_large()
    person.press("Escape")
    assert page.isVisible()
    person.press("Escape")
    assert not page.isVisible()


def test_scene_when_it_has_no_view_then_its_page_says_what_to_do(project: Path, open_window: Open) -> None:
    person = open_window(project)
    assert person.window.controller.session is not None
    write(person.window.controller.session, created("scene", Scene(id="s0", name="0000")))
    person.settle()
    page = open_scene(person, index=2)
    assert page.name.text() == "0000"
    assert page.no_picture.isVisible()
    assert not page.views.isVisible()
    person.press("PgUp", at=page)
    person.settle()
    assert page.views.isVisible()


def test_video_when_played_on_the_page_then_its_frames_are_painted_until_the_page_is_left(
    project: Path, open_window: Open
) -> None:
    person = open_window(project)
    page = open_scene(person, index=1)
    canvas, player = page.stage.canvases[0], page.stage.player
    assert page.views.timeline.isVisible()
    assert canvas.frame == 0
    assert person.window.registry.can_run("video.play")
    person.press("Space", at=canvas)
    assert player.is_playing
    person.qtbot.waitUntil(lambda: (canvas.frame or 0) >= 3)
    person.press("K", at=canvas)
    assert not player.is_playing
    person.press("Space", at=canvas)
    person.press("Escape", at=canvas)
    assert not page.isVisible()
    assert not player.is_playing
    assert (page.stage.canvases, player.videos) == ((), ())
    assert not person.window.registry.can_run("video.play")
    assert not person.window.registry.can_run("stage.fit")
    person.library.inspect()
    person.settle()
    assert page.stage.canvases[0].frame == 0


def test_video_when_shifted_on_the_page_then_the_scene_keeps_its_offset(
    project: Path, open_window: Open
) -> None:
    person = open_window(project)
    page = open_scene(person, index=1)
    page.stage.player.shift(page.stage.player.videos[0], 1.5)
    person.settle()
    assert person.window.controller.session is not None
    scene = person.window.controller.session.reader.get(Scene, "s2")
    assert scene is not None
    assert scene.views[0].offset_s == 1.5
    person.press("Ctrl+Z")
    person.settle()
    assert page.stage.player.videos[0].offset_s == 0.0


def test_stage_when_workspaces_are_changed_then_the_one_visible_has_the_keys(
    project: Path, open_window: Open
) -> None:
    person = open_window(project)
    registry = person.window.registry
    page = open_scene(person)
    assert registry.owner("stage") is page.stage
    person.press("Ctrl+2")
    person.settle()
    assert person.window.slots["annotate"].workspace is not None
    assert registry.owner("stage") is person.window.slots["annotate"].workspace.stage
    assert registry.can_run("stage.box")
    assert page.stage.shown is None
    person.press("Ctrl+1")
    person.settle()
    assert registry.owner("stage") is page.stage
    assert not registry.can_run("stage.box")
    assert [canvas.problem for canvas in page.stage.canvases] == ["", ""]
    assert page.stage.scene == "s1"


def test_region_when_drawn_elsewhere_then_the_page_shows_it(project: Path, open_window: Open) -> None:
    person = open_window(project)
    page = open_scene(person)
    assert person.window.controller.session is not None
    region = Region(id=new_id(), medium="m2", number=1, box=BOX)
    write(person.window.controller.session, created("region", region))
    person.qtbot.waitUntil(lambda: len(page.stage.canvases[1].marks.marks.regions) == 1)


def test_picture_when_clicked_in_the_inspector_then_is_large_and_can_be_zoomed(
    project: Path, open_window: Open
) -> None:
    person = open_window(project)
    large = open_large(person)
    assert large.name.text() == "UAV1 1.png"
    assert large.stage.canvases[0].hasFocus()
    before = large.stage.canvases[0].transform.zoom
    turn_wheel(large.stage, 3)
    assert large.stage.canvases[0].transform.zoom > 1.5 * before
    person.press("F")
    assert large.stage.canvases[0].transform.is_fit
    assert large.stage.rendering == "clean"
    assert [region.number for region in large.stage.canvases[0].marks.marks.regions] == [3]


def test_large_picture_when_arrows_are_pressed_then_shows_the_others_and_escape_closes_it(
    project: Path, open_window: Open
) -> None:
    person = open_window(project)
    large = open_large(person, index=1)
    assert large.name.text() == "UAV2 2.png"
    for key, name in (("Right", "UAV1 1.png"), ("Left", "UAV2 2.png"), ("PgDown", "UAV1 1.png")):
        person.press(key, at=large.stage.canvases[0])
        person.settle()
        assert large.name.text() == name
        assert large.stage.canvases[0].medium == f"m{name[3]}"
    person.press("Escape", at=large.stage.canvases[0])
    assert not isValid(large)
    assert person.library.pages.large is None
    assert not person.window.registry.can_run("stage.fit")


def test_large_video_when_space_is_tapped_then_plays_and_its_window_can_close(
    project: Path, open_window: Open
) -> None:
    person = open_window(project)
    person.press("Alt+M")
    person.settle()
    person.library.listing().table.choose_row(2)
    person.settle()
    person.library.inspector.picture_opened.emit(
        person.library.inspector.pictures.media if person.library.inspector.pictures else (), 0
    )
    person.settle()
    large = person.library.pages.large
    assert large is not None
    person.press("Space", at=large.stage.canvases[0])
    person.qtbot.waitUntil(lambda: (large.stage.canvases[0].frame or 0) >= 2)
    person.window.close_now()
    assert large.stage.canvases == ()
