"""What stands over the input of a model: nothing; and marks that are not drawn are told."""

from __future__ import annotations

import numpy as np
import pytest

from annotator.media.render import Rendering, render
from tests.gui.stage.hands import HEIGHT, MARKS, WIDTH, Hands
from tests.gui.stage.test_painting import pixels_of
from widgets.stage.hidden_marks import hidden_marks
from widgets.stage.region_navigator import RegionNavigator
from widgets.stage.tools.draft_boxes import handle_rects


def shown_in(hands: Hands, view: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Return what a view shows of its picture at a pixel for a pixel, with all that stands over it."""
    canvas = hands.canvas(view)
    left, top = canvas.transform.left, canvas.transform.top
    return pixels_of(canvas.grab().toImage())[top : top + HEIGHT, left : left + WIDTH]


def expected_in(
    hands: Hands, view: int, rendering: Rendering
) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    canvas = hands.canvas(view)
    assert canvas.picture is not None
    return render(canvas.picture.pixels, marks=MARKS.of(canvas.medium), rendering=rendering)


@pytest.mark.parametrize("tool", ["select", "box", "link"])
def test_model_view_when_regions_are_selected_and_pointed_at_then_nothing_stands_over_it(
    hands: Hands, tool: str
) -> None:
    stage = hands.stage
    stage.resize(2 * WIDTH + 40, 2 * HEIGHT)
    stage.choose_tool(tool)
    stage.toggle_model()
    hands.settle()
    stage.viewports.show_pixels()
    stage.focus_view()
    stage.select(["a1", "b1"])
    hands.move(130, 120)
    for view in (0, 1):
        assert np.array_equal(shown_in(hands, view), expected_in(hands, view, "annotated"))
    assert stage.viewports.cross_cursors.crosses == {}
    hands.stage.toggle_model()
    hands.move(130, 121)
    for view in (0, 1):
        assert not np.array_equal(shown_in(hands, view), expected_in(hands, view, "annotated"))
    assert list(stage.viewports.cross_cursors.crosses) == [hands.canvas(1)]


def test_model_view_when_it_has_the_keyboard_then_its_frame_leaves_the_picture_free(hands: Hands) -> None:
    hands.stage.toggle_model()
    hands.settle()
    hands.stage.focus_view()
    canvas = hands.canvas()
    with_keyboard = pixels_of(canvas.grab().toImage())
    hands.canvas(1).setFocus()
    # The picture fills the view: there is no room beside it for a frame.
    assert np.array_equal(with_keyboard, pixels_of(canvas.grab().toImage()))
    canvas.setFocus()
    hands.stage.viewports.zoom_out()
    with_keyboard = pixels_of(canvas.grab().toImage())
    hands.canvas(1).setFocus()
    assert not np.array_equal(with_keyboard, pixels_of(canvas.grab().toImage()))


def test_model_view_when_dragged_then_moves_the_picture_and_changes_no_mark(hands: Hands) -> None:
    hands.stage.toggle_model()
    hands.settle()
    hands.stage.viewports.show_pixels()
    hands.stage.viewports.zoom_in()
    hands.stage.viewports.zoom_in()
    before = hands.canvas().transform
    hands.drag((150, 130), (170, 140))
    assert hands.commands == []
    assert hands.stage.selected == ()
    assert hands.canvas().transform != before


def test_model_view_when_a_tool_is_chosen_then_marks_are_shown_again(hands: Hands) -> None:
    hands.stage.toggle_model()
    hands.settle()
    hands.stage.choose_tool("box")
    assert not hands.stage.is_model
    assert all(not canvas.is_model_input for canvas in hands.stage.canvases)
    hands.stage.toggle_model()
    RegionNavigator(hands.stage).step_region("1")
    assert not hands.stage.is_model


@pytest.mark.parametrize(
    ("rendering", "off", "hidden"),
    [
        ("annotated", (), []),
        ("detected", (), [("paths", 1, "stage.annotated")]),
        ("clean", (), [("regions", 4, "stage.annotated"), ("paths", 1, "stage.annotated")]),
        ("annotated", ("regions",), [("regions", 4, "stage.show_regions")]),
        ("annotated", ("paths",), [("paths", 1, "stage.show_paths")]),
    ],
)
def test_marks_when_not_drawn_then_are_counted_with_the_action_that_shows_them(
    hands: Hands, rendering: Rendering, off: tuple[str, ...], hidden: list[tuple[str, int, str]]
) -> None:
    hands.stage.choose_rendering(rendering)
    for kind in off:
        hands.stage.overlays.toggle(kind)  # type: ignore[arg-type]
    found = [(one.kind, one.count, one.action) for one in hidden_marks(hands.stage)]
    assert found == hidden
    hands.stage.toggle_model()
    in_model = [one.kind for one in hidden_marks(hands.stage)]
    assert in_model == ([] if off else [kind for kind, _, _ in hidden])


def test_small_region_when_selected_then_its_target_and_its_own_colour_stay_as_they_are(
    hands: Hands,
) -> None:
    hands.stage.choose_rendering("detected")
    canvas = hands.canvas()
    canvas.change_transform(canvas.transform.zoomed(0.4))
    hands.move(5, 5)
    before = pixels_of(canvas.grab().toImage())
    x1, y1 = (round(one) for one in canvas.view_point(120, 110))
    x2, y2 = (round(one) for one in canvas.view_point(150, 130))
    assert y2 - y1 < 32
    hands.stage.select(["a1"])
    after = pixels_of(canvas.grab().toImage())
    # Its line and what it surrounds.
    assert np.array_equal(after[y1:y2, x1:x2], before[y1:y2, x1:x2])
    assert not np.array_equal(
        after[y1 - 8 : y2 + 8, x1 - 8 : x2 + 8], before[y1 - 8 : y2 + 8, x1 - 8 : x2 + 8]
    )
    region = canvas.marks.region("a1")
    assert region is not None
    assert set(handle_rects(canvas, region.box)) == {"nw", "ne", "se", "sw"}
