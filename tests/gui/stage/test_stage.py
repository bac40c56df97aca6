from __future__ import annotations

from dataclasses import replace
from pathlib import Path as FilePath

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from annotator.domain.medium import Medium
from annotator.media.render import Overlay, Rendering, render
from tests.gui.stage.hands import HEIGHT, LEFT, MARKS, WIDTH, Hands, make_region, make_scene
from tests.gui.stage.test_painting import pixels_of
from widgets.medium_view import MediumView
from widgets.stage.loupe import Loupe
from widgets.stage.region_navigator import RegionNavigator


def wheel(hands: Hands, x: float, y: float, notches: int, *, view: int = 0) -> None:
    canvas, at = hands.canvas(view), QPointF(hands.point(x, y, view=view))
    event = QWheelEvent(
        at,
        canvas.mapToGlobal(at),
        QPoint(),
        QPoint(0, 120 * notches),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(canvas, event)


def test_pictures_when_they_have_come_then_fit_their_views(hands: Hands) -> None:
    assert [canvas.transform.zoom for canvas in hands.stage.canvases] == [2.0, 2.0]
    assert [canvas.size().toTuple() for canvas in hands.stage.canvases] == [(2 * WIDTH, 2 * HEIGHT)] * 2


def test_wheel_when_views_are_together_then_all_zoom_at_the_pointer(hands: Hands) -> None:
    before = hands.point(500, 100)
    wheel(hands, 500, 100, 4)
    one, other = (canvas.transform for canvas in hands.stage.canvases)
    assert one.zoom == pytest.approx(2 * 1.2**4)
    assert other == one
    assert (hands.point(500, 100) - before).manhattanLength() <= 2
    hands.stage.viewports.toggle_together()
    wheel(hands, 500, 100, -1)
    assert hands.canvas(1).transform == one
    hands.stage.viewports.toggle_together()
    assert hands.canvas(1).transform == hands.canvas(0).transform


def test_middle_button_when_dragged_then_pans(hands: Hands) -> None:
    wheel(hands, 320, 180, 3)
    canvas, begin = hands.canvas(), hands.point(320, 180)
    QTest.mousePress(canvas, Qt.MouseButton.MiddleButton, pos=begin)
    hands.move(350, 200, is_down=False)
    QTest.mouseRelease(canvas, Qt.MouseButton.MiddleButton, pos=begin)
    assert hands.point(320, 180) != begin
    assert (canvas.transform.x, canvas.transform.y) == pytest.approx((290, 160), abs=1)
    hands.stage.viewports.fit()
    assert canvas.transform.is_fit


def test_looks_when_keys_ask_then_show_pixels_and_what_is_selected(hands: Hands) -> None:
    hands.stage.viewports.show_pixels()
    assert hands.canvas().transform.zoom == 1.0
    hands.stage.viewports.zoom_in()
    assert hands.canvas().transform.zoom == 1.25
    hands.stage.select(["a1"])
    hands.stage.viewports.show_selected()
    # The region itself, and in the other view the one that it is linked with.
    assert [(canvas.transform.x, canvas.transform.y) for canvas in hands.stage.canvases] == [
        (135, 120),
        (40, 35),
    ]


def test_double_click_when_no_tool_takes_it_then_one_view_is_large_and_all_again(hands: Hands) -> None:
    QTest.mouseDClick(hands.canvas(1), LEFT, pos=hands.point(500, 50, view=1))
    assert [canvas.isVisible() for canvas in hands.stage.canvases] == [False, True]
    assert hands.canvas(1).size() == hands.stage.size()
    hands.stage.give_up()
    assert [canvas.isVisible() for canvas in hands.stage.canvases] == [True, True]


@pytest.mark.parametrize("rendering", ["clean", "detected", "annotated"])
def test_model_view_when_shown_pixel_for_pixel_then_is_what_the_renderer_makes(
    hands: Hands, rendering: Rendering
) -> None:
    hands.stage.resize(2 * WIDTH + 40, 2 * HEIGHT)
    hands.stage.choose_rendering(rendering)
    hands.stage.toggle_model()
    hands.settle()
    hands.stage.viewports.show_pixels()
    for canvas in hands.stage.canvases:
        assert canvas.picture is not None
        expected = render(canvas.picture.pixels, marks=MARKS.of(canvas.medium), rendering=rendering)
        shown = pixels_of(canvas.ground())
        left, top = canvas.transform.left, canvas.transform.top
        assert left >= 0
        assert top >= 0
        assert np.array_equal(shown[top : top + HEIGHT, left : left + WIDTH], expected)
        assert np.array_equal(expected, canvas.picture.pixels) == (rendering == "clean")


def test_model_view_when_the_marks_change_then_is_made_anew(hands: Hands, tmp_path: FilePath) -> None:
    hands.stage.toggle_model()
    hands.settle()
    before = hands.canvas().model
    hands.show(make_scene(tmp_path, marks=Overlay(regions=(make_region("a0", "m1", 0, (5, 5, 90, 90)),))))
    assert before is not None
    after = hands.canvas().model
    assert after is not None
    assert not np.array_equal(after.pixels, before.pixels)
    hands.stage.toggle_model()
    assert hands.canvas().model is None


def test_renderings_when_chosen_then_show_other_marks(hands: Hands) -> None:
    shown = {}
    for rendering in ("clean", "detected", "annotated"):
        hands.stage.choose_rendering(rendering)
        shown[rendering] = pixels_of(hands.canvas().ground())
    assert hands.canvas().picture is not None
    clean = shown["clean"][::2, ::2]
    assert np.array_equal(clean, hands.canvas().picture.pixels)  # type: ignore[union-attr]
    assert not np.array_equal(shown["detected"], shown["clean"])
    assert not np.array_equal(shown["annotated"], shown["detected"])


def test_linked_regions_when_annotated_then_have_one_colour_in_all_views(hands: Hands) -> None:
    colours = [canvas.marks.colours("annotated") for canvas in hands.stage.canvases]
    assert colours[0][1] == colours[1][1]
    assert colours[0][0] == colours[1][0] == 0xFFFFFFFF != colours[0][1]


def test_loupe_when_held_then_shows_the_corresponding_place_of_every_view(hands: Hands) -> None:
    hands.move(500, 300)
    hands.stage.viewports.show_loupe()
    points = {canvas: loupe.point for canvas, loupe in hands.stage.viewports.loupes.loupes.items()}
    assert points[hands.canvas(0)] == pytest.approx(points[hands.canvas(1)])
    assert points[hands.canvas(0)] == pytest.approx((500, 300), abs=0.5)
    # Over a linked region the other view shows the region that it is linked with.
    hands.move(130, 120)
    assert hands.stage.viewports.loupes.loupes[hands.canvas(1)].point == (40, 35)
    QTest.keyRelease(hands.canvas(), Qt.Key.Key_Z)
    assert hands.stage.viewports.loupes.loupes == {}


def test_loupe_when_painted_then_its_middle_is_the_pixel_pointed_at(hands: Hands) -> None:
    hands.move(500.25, 300.25)
    hands.stage.viewports.show_loupe()
    loupe: Loupe = hands.stage.viewports.loupes.loupes[hands.canvas()]
    image, zoom = loupe.grab().toImage(), loupe.zoom()
    picture = hands.canvas().picture
    assert picture is not None
    # Three pixels right and below of the cross, which covers the middle.
    at = round(image.width() / 2 + 3 * zoom)
    shown = image.pixelColor(at, at)
    expected = picture.pixels[303, 503].tolist()
    assert [shown.red(), shown.green(), shown.blue()] == expected


def test_regions_when_stepped_through_then_come_in_turn_through_all_views(hands: Hands) -> None:
    hands.canvas(1).setFocus()
    regions = RegionNavigator(hands.stage)
    for expected, view in (("b0", 1), ("b1", 1), ("a0", 0), ("a1", 0), ("b0", 1)):
        regions.step_region("1")
        assert hands.stage.selected == (expected,)
        assert hands.stage.front is hands.canvas(view)
        assert hands.canvas(view).hasFocus()
    regions.step_region("-1")
    assert hands.stage.selected == ("a1",)
    hands.stage.select([])
    regions.step_region("-1")
    assert hands.stage.selected == ("a1",)


def test_region_when_stepped_to_and_hidden_then_is_brought_to_the_middle(hands: Hands) -> None:
    hands.stage.viewports.toggle_together()
    canvas = hands.canvas(1)
    canvas.setFocus()
    canvas.change_transform(replace(canvas.transform, zoom=8.0, x=600.0, y=340.0))
    RegionNavigator(hands.stage).step_region("1")
    assert (canvas.transform.x, canvas.transform.y, canvas.transform.zoom) == (330.0, 220.0, 8.0)
    RegionNavigator(hands.stage).step_region("-1")
    RegionNavigator(hands.stage).step_region("1")
    assert (canvas.transform.x, canvas.transform.y) == (330.0, 220.0)


def test_region_when_the_next_view_has_it_and_one_is_large_then_that_is_large(hands: Hands) -> None:
    hands.stage.select(["a1"])
    hands.stage.make_large(hands.canvas())
    RegionNavigator(hands.stage).step_region("1")
    assert hands.stage.selected == ("b0",)
    assert hands.stage.large is hands.canvas(1)


def test_region_when_the_pointer_is_on_it_then_is_hovered(hands: Hands) -> None:
    hands.move(130, 120)
    assert hands.canvas().hovered == MARKS.regions[1]
    hands.stage.choose_rendering("clean")
    hands.move(131, 121)
    assert hands.canvas().hovered is None


def test_scene_when_a_selected_region_is_gone_then_it_is_no_longer_selected(
    hands: Hands, tmp_path: FilePath
) -> None:
    hands.stage.select(["a0", "b0"])
    hands.show(make_scene(tmp_path, marks=Overlay(regions=(MARKS.regions[0],))))
    assert hands.stage.selected == ("a0",)


def test_picture_when_missing_or_damaged_then_says_why(hands: Hands, tmp_path: FilePath) -> None:
    scene = make_scene(tmp_path)
    bad = tmp_path / "bad.jpg"
    bad.write_bytes(b"\xff\xd8\xff nothing more")
    media = tuple(
        MediumView(view=name, medium=Medium(id=name, name=name, media_type=kind), file=file)
        for name, kind, file in (
            ("absent", "image", tmp_path / "absent.jpg"),
            ("bad", "image", bad),
            ("flight", "trajectory", tmp_path / "1.png"),
            ("outside", "image", None),
        )
    )
    hands.show(replace(scene, media=media))
    problems = [canvas.problem for canvas in hands.stage.canvases]
    assert problems[0] == "Media file missing"
    assert problems[2] == "No preview for this media type"
    assert problems[3] == "File is outside the media folder"
    assert problems[1]
    assert all(canvas.picture is None for canvas in hands.stage.canvases)


@pytest.mark.parametrize("views", [1, 3, 6])
def test_views_when_shown_then_fill_the_stage(hands: Hands, tmp_path: FilePath, views: int) -> None:
    hands.show(make_scene(tmp_path, views=views))
    assert len(hands.stage.canvases) == views
    assert all(canvas.transform.is_fit for canvas in hands.stage.canvases)
    hands.show(None)
    assert hands.stage.canvases == ()
