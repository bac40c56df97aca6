from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from annotator.media.ground_plane import IDENTITY
from annotator.media.render import Overlay
from tests.guards_qt import PatientBot
from tests.gui.stage.hands import HEIGHT, WIDTH, Hands, make_scene
from widgets.action_registry import ActionRegistry
from widgets.bridge import Bridge
from widgets.media_loader import MediaLoader
from widgets.settings import Settings
from widgets.stage.image_cache import StageImages
from widgets.stage.scene import StageScene
from widgets.stage_page.stage_page import StagePage

# A pixel of the second view is two of the first, 40 further right and 20 further down.
TWICE = (2.0, 0.0, 40.0, 0.0, 2.0, 20.0, 0.0, 0.0, 1.0)
# A camera that sees the horizon in the row 100: what is above it lies nowhere on the ground.
LEVEL = (1.0, 0.0, 0.0, 0.0, 0.0, 300.0, 0.0, 0.01, -1.0)


def on_ground(shown: StageScene, *grounds: tuple[float, ...]) -> StageScene:
    """Return a scene whose views lie on one ground."""
    views = tuple(
        msgspec.structs.replace(view, to_ground=ground)
        for view, ground in zip(shown.scene.views, grounds, strict=True)
    )
    scene = msgspec.structs.replace(shown.scene, views=views)
    return StageScene(scene=scene, media=shown.media, marks=shown.marks)


@pytest.fixture
def grounded(hands: Hands, tmp_path: Path) -> Hands:
    hands.show(on_ground(make_scene(tmp_path), IDENTITY, TWICE))
    return hands


def middle(hands: Hands, view: int) -> tuple[float, float]:
    transform = hands.canvas(view).transform
    return transform.x, transform.y


def test_views_when_they_share_a_ground_then_the_place_in_the_middle_and_its_size_are_the_same(
    grounded: Hands,
) -> None:
    first, second = grounded.canvas(0), grounded.canvas(1)
    first.change_transform(first.transform.zoomed(4.0).showing(290, 170, 310, 190))
    zoom = first.transform.zoom
    assert middle(grounded, 1) == pytest.approx(((300 - 40) / 2, (180 - 20) / 2))
    assert second.transform.zoom == pytest.approx(2 * zoom)


def test_views_when_the_other_one_leads_then_the_first_follows_back(grounded: Hands) -> None:
    first, second = grounded.canvas(0), grounded.canvas(1)
    first.change_transform(first.transform.zoomed(6.0).panned(31.0, -17.0))
    before = first.transform
    second.change_transform(second.transform)
    assert first.transform.zoom == pytest.approx(before.zoom)
    assert middle(grounded, 0) == pytest.approx((before.x, before.y))


def test_views_when_one_leads_for_long_then_what_follows_does_not_drift(grounded: Hands) -> None:
    first = grounded.canvas(0)
    first.change_transform(first.transform.zoomed(6.0))
    before = grounded.canvas(1).transform
    for dx, dy in ((40.0, 11.0), (-13.0, 25.0), (-27.0, -36.0)) * 20:
        first.change_transform(first.transform.panned(dx, dy))
    assert middle(grounded, 1) == pytest.approx((before.x, before.y))


def test_views_when_one_fits_then_all_fit(grounded: Hands) -> None:
    first, second = grounded.canvas(0), grounded.canvas(1)
    first.change_transform(first.transform.zoomed(5.0))
    assert not second.transform.is_fit
    first.change_transform(first.transform.fitted())
    assert second.transform.is_fit


def test_views_when_a_place_is_nowhere_in_the_other_then_it_waits(hands: Hands, tmp_path: Path) -> None:
    hands.show(on_ground(make_scene(tmp_path), LEVEL, IDENTITY))
    first, second = hands.canvas(0), hands.canvas(1)
    first.change_transform(first.transform.showing(100, 250, 140, 270))
    before = second.transform
    assert not before.is_fit
    first.change_transform(first.transform.showing(100, 40, 140, 60))
    assert second.transform == before


def test_views_when_one_has_no_ground_then_it_follows_by_share(hands: Hands, tmp_path: Path) -> None:
    hands.show(on_ground(make_scene(tmp_path), IDENTITY, ()))
    first, second = hands.canvas(0), hands.canvas(1)
    first.change_transform(first.transform.showing(290, 170, 310, 190))
    assert (second.transform.x, second.transform.y, second.transform.zoom) == (
        300.0,
        180.0,
        first.transform.zoom,
    )


def test_views_when_moved_alone_then_no_ground_moves_them(grounded: Hands) -> None:
    grounded.stage.viewports.toggle_together()
    before = grounded.canvas(1).transform
    grounded.canvas(0).change_transform(grounded.canvas(0).transform.zoomed(6.0))
    assert grounded.canvas(1).transform == before


def test_ground_between_when_both_have_one_then_leads_from_view_to_view(grounded: Hands) -> None:
    looks, (first, second) = grounded.stage.viewports, grounded.stage.canvases
    there, back = looks.ground_between(first, second), looks.ground_between(second, first)
    assert there is not None
    assert back is not None
    assert there.point(140.0, 120.0) == pytest.approx((50.0, 50.0))
    assert back.point(50.0, 50.0) == pytest.approx((140.0, 120.0))


def test_loupe_when_views_share_a_ground_then_shows_that_place_of_each(grounded: Hands) -> None:
    looks = grounded.stage.viewports
    looks.show_loupe()
    grounded.move(400, 300)
    first, second = grounded.stage.canvases
    x, y = looks.loupes.loupes[first].point
    assert looks.loupes.loupes[second].point == pytest.approx(((x - 40) / 2, (y - 20) / 2))
    looks.hide_loupe()
    assert looks.loupes.loupes == {}


def test_loupe_when_the_place_is_out_of_the_other_picture_then_that_view_has_none(grounded: Hands) -> None:
    grounded.stage.viewports.show_loupe()
    grounded.move(10, 5)
    assert list(grounded.stage.viewports.loupes.loupes) == [grounded.canvas(0)]


def test_cross_when_the_pointer_moves_then_stands_on_its_place_in_the_other_view(grounded: Hands) -> None:
    grounded.move(240, 120)
    first, second = grounded.stage.canvases
    ghosts = grounded.stage.viewports.cross_cursors.crosses
    assert list(ghosts) == [second]
    pointer = first.pointer
    assert pointer is not None
    x, y = second.view_point((pointer[0] - 40) / 2, (pointer[1] - 20) / 2)
    at = ghosts[second].geometry().center()
    assert at.toTuple() == pytest.approx((x, y), abs=1)
    assert ghosts[second].isVisible()


def test_cross_when_painted_then_its_arms_are_on_the_picture_and_its_middle_is_free(grounded: Hands) -> None:
    second = grounded.canvas(1)
    clean = second.grab().toImage()
    grounded.move(240, 120)
    cross = grounded.stage.viewports.cross_cursors.crosses[second]
    shown, at = second.grab().toImage(), cross.geometry()
    changed = {
        (x - at.left(), y - at.top())
        for x in range(at.left(), at.right() + 1)
        for y in range(at.top(), at.bottom() + 1)
        if shown.pixel(x, y) != clean.pixel(x, y)
    }
    assert {(12, 3), (12, 21), (3, 12), (21, 12)} <= changed
    assert (12, 12) not in changed


def test_cross_when_the_pointer_leaves_or_the_scene_goes_then_is_gone(
    grounded: Hands, tmp_path: Path
) -> None:
    crosses = grounded.stage.viewports.cross_cursors.crosses
    grounded.move(240, 120)
    QApplication.sendEvent(grounded.canvas(0), QEvent(QEvent.Type.Leave))
    assert crosses == {}
    grounded.move(240, 120)
    assert crosses
    grounded.show(None)
    assert crosses == {}
    grounded.show(make_scene(tmp_path))
    grounded.move(240, 120)
    assert crosses == {}


def test_cross_when_a_linked_region_is_under_the_pointer_then_stands_on_its_other_region(
    hands: Hands,
) -> None:
    hands.move(135, 120)
    second = hands.canvas(1)
    x, y = second.view_point(40.0, 35.0)
    at = hands.stage.viewports.cross_cursors.crosses[second].geometry().center()
    assert at.toTuple() == pytest.approx((x, y), abs=1)
    hands.move(300, 300)
    assert hands.stage.viewports.cross_cursors.crosses == {}


def shown_views(hands: Hands, folder: Path, count: int) -> Hands:
    hands.stage.resize(1200, 700)
    hands.show(make_scene(folder, views=count, marks=Overlay()))
    return hands


def test_layout_when_the_key_is_pressed_then_each_way_looks_different_until_it_begins_anew(
    hands: Hands, tmp_path: Path
) -> None:
    looks = shown_views(hands, tmp_path, 4).stage.viewports
    seen = [tuple(canvas.geometry().getRect() for canvas in hands.stage.canvases)]
    names = [looks.layout]
    for _ in range(5):
        looks.next_layout()
        names.append(looks.layout)
        seen.append(tuple(canvas.geometry().getRect() for canvas in hands.stage.canvases))
    # Two columns are the best for four, so that step is passed over.
    assert names == ["best", "row", "column", "columns-2", "columns-3", "front"]
    assert len(set(seen[:3] + seen[4:])) == 5
    looks.next_layout()
    assert looks.layout == "best"


def test_layout_when_chosen_then_is_remembered_for_so_many_views(hands: Hands, tmp_path: Path) -> None:
    settings = Settings(tmp_path / "window.ini")
    looks = shown_views(hands, tmp_path, 3).stage.viewports
    looks.remember_in(settings)
    looks.next_layout()
    chosen = looks.layout
    assert chosen != "best"
    shown_views(hands, tmp_path, 2)
    assert looks.layout == "best"
    shown_views(hands, tmp_path, 3)
    assert looks.layout == chosen
    assert Settings(tmp_path / "window.ini").text("stage/layout_3") == chosen


def test_layout_when_chosen_on_a_page_of_the_window_then_is_kept_in_its_settings(
    bridge: Bridge,
    media: MediaLoader,
    registry: ActionRegistry,
    settings: Settings,
    qtbot: PatientBot,
    tmp_path: Path,
) -> None:
    pictures = StageImages(bridge, media=media)
    page = StagePage(pictures, registry=registry, bridge=bridge, settings=settings)
    qtbot.addWidget(page)
    page.show_scene(make_scene(tmp_path))
    qtbot.settle(page.is_settled)
    page.stage.viewports.next_layout()
    assert settings.text("stage/layout_2") == page.stage.viewports.layout != "best"
    page.show_scene(None)
    pictures.close()


def test_layout_when_what_is_remembered_is_none_then_is_the_best(hands: Hands, tmp_path: Path) -> None:
    settings = Settings(tmp_path / "window.ini")
    settings.keep("stage/layout_2", "columns-3")
    hands.stage.viewports.remember_in(settings)
    assert hands.stage.viewports.layout == "best"


def test_layout_when_one_view_is_in_front_then_it_is_that_with_the_keyboard_and_a_double_click_swaps(
    hands: Hands, tmp_path: Path
) -> None:
    stage = shown_views(hands, tmp_path, 3).stage
    stage.activateWindow()
    stage.canvases[1].setFocus()
    hands.qtbot.waitUntil(lambda: stage.front is stage.canvases[1])
    while stage.viewports.layout != "front":
        stage.viewports.next_layout()
    areas = [canvas.width() * canvas.height() for canvas in stage.canvases]
    assert areas.index(max(areas)) == 1
    QTest.mouseDClick(stage.canvases[2], Qt.MouseButton.LeftButton, pos=hands.point(600, 350, view=2))
    areas = [canvas.width() * canvas.height() for canvas in stage.canvases]
    assert areas.index(max(areas)) == 2
    assert stage.large is None
    QTest.mouseDClick(stage.canvases[2], Qt.MouseButton.LeftButton, pos=hands.point(600, 350, view=2))
    assert stage.large is stage.canvases[2]
    stage.viewports.next_layout()
    assert stage.large is None


def test_view_when_the_screen_has_another_scale_then_fits_its_pixels(
    hands: Hands, monkeypatch: pytest.MonkeyPatch
) -> None:
    canvas = hands.canvas(0)
    before = canvas.transform
    monkeypatch.setattr(type(canvas), "ratio", lambda _: 2.0)
    QApplication.sendEvent(hands.stage, QEvent(QEvent.Type.DevicePixelRatioChange))
    assert (canvas.transform.width, canvas.transform.height) == (2 * before.width, 2 * before.height)
    assert canvas.transform.zoom == pytest.approx(2 * before.zoom)
    np.testing.assert_allclose(canvas.view_point(WIDTH / 2, HEIGHT / 2), (before.width, before.height))


def test_next_view_when_asked_for_then_has_the_keyboard_and_is_the_large_one(
    hands: Hands, tmp_path: Path
) -> None:
    stage = shown_views(hands, tmp_path, 3).stage
    stage.activateWindow()
    stage.focus_view()
    for step, index in (("1", 1), ("1", 2), ("1", 0), ("-1", 2)):
        stage.viewports.step_view(step)
        assert stage.front is stage.canvases[index]
        hands.qtbot.waitUntil(stage.canvases[index].hasFocus)
    stage.toggle_large()
    stage.viewports.step_view("1")
    assert stage.large is stage.front is stage.canvases[0]
    assert [canvas.isVisible() for canvas in stage.canvases] == [True, False, False]
