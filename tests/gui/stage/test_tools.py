from __future__ import annotations

from pathlib import Path as FilePath

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest

from annotator.commands.links import LinkRegions
from annotator.commands.paths import AddPath
from annotator.commands.regions import AddRegion, MoveRegions
from annotator.domain.region import Box
from annotator.media.render import Overlay
from tests.gui.stage.hands import HEIGHT, LEFT, MARKS, WIDTH, Hands, make_region, make_scene
from widgets.shortcut_help import FIXED_KEYS
from widgets.stage.tools.link import LinkTool
from widgets.stage.tools.path import PathTool

SHIFT, CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier


def box(x1: float, y1: float, x2: float, y2: float) -> Box:
    return Box(x1=x1, y1=y1, x2=x2, y2=y2)


def test_box_when_pulled_and_released_then_is_one_command(hands: Hands) -> None:
    hands.stage.choose_tool("box")
    hands.pull((300, 50), (250, 90))
    assert hands.commands == []
    QTest.mouseRelease(hands.canvas(), LEFT, pos=hands.point(250, 90))
    (command,) = hands.commands
    assert isinstance(command, AddRegion)
    assert (command.medium, command.box) == ("m1", box(250, 50, 300, 90))
    assert hands.stage.selected == (command.id,)


def test_box_when_it_leaves_the_picture_then_ends_at_its_edge(hands: Hands) -> None:
    hands.stage.choose_tool("box")
    hands.drag((600, 340), (WIDTH + 5, HEIGHT + 3), view=1)
    (command,) = hands.commands
    assert isinstance(command, AddRegion)
    assert (command.medium, command.box) == ("m2", box(600, 340, WIDTH, HEIGHT))


def test_box_when_the_hand_slips_or_gives_up_then_is_no_command(hands: Hands) -> None:
    hands.stage.choose_tool("box")
    hands.drag((300, 50), (301, 90))
    hands.pull((300, 50), (350, 90))
    hands.stage.give_up()
    QTest.mouseRelease(hands.canvas(), LEFT, pos=hands.point(350, 90))
    assert hands.commands == []


def test_click_when_regions_lie_in_each_other_then_chooses_the_smallest(hands: Hands) -> None:
    hands.click(130, 120)
    assert hands.stage.selected == ("a1",)
    hands.click(180, 150)
    assert hands.stage.selected == ("a0",)
    hands.click(130, 120, keys=SHIFT)
    assert hands.stage.selected == ("a0", "a1")
    hands.click(130, 120, keys=SHIFT)
    assert hands.stage.selected == ("a0",)
    hands.click(500, 300)
    assert hands.stage.selected == ()


def test_path_when_clicked_then_is_chosen(hands: Hands) -> None:
    hands.click(500, 300, view=1)
    assert hands.stage.selected == ("p",)


def test_band_when_pulled_then_chooses_what_lies_wholly_in_it(hands: Hands) -> None:
    hands.drag((90, 90), (199, 200))
    assert hands.stage.selected == ("a1",)
    hands.drag((90, 90), (210, 200))
    assert hands.stage.selected == ("a0", "a1")


def test_region_when_dragged_then_moves_in_one_command(hands: Hands) -> None:
    hands.click(180, 150)
    hands.drag((180, 150), (190, 145))
    assert hands.commands == [MoveRegions(boxes={"a0": box(110, 95, 210, 155)})]


def test_regions_when_several_are_dragged_to_the_edge_then_stop_there_together(hands: Hands) -> None:
    hands.stage.select(["a0", "a1"])
    hands.drag((180, 150), (20, 150))
    assert hands.commands == [MoveRegions(boxes={"a0": box(0, 100, 100, 160), "a1": box(20, 110, 50, 130)})]
    assert hands.stage.selected == ("a0", "a1")


def test_click_when_several_are_chosen_then_chooses_one_of_them_alone(hands: Hands) -> None:
    hands.stage.select(["a0", "a1"])
    hands.click(180, 150)
    assert hands.stage.selected == ("a0",)


def test_region_when_a_handle_is_dragged_then_is_resized_and_never_inside_out(hands: Hands) -> None:
    hands.click(180, 150)
    hands.drag((201, 161), (220, 180))
    hands.stage.settle()
    # The middle of the left edge, pulled far overlays the right one.
    hands.drag((99, 130), (400, 130))
    assert hands.commands == [
        MoveRegions(boxes={"a0": box(100, 100, 220, 180)}),
        MoveRegions(boxes={"a0": box(199, 100, 200, 160)}),
    ]


def test_draft_when_the_project_has_it_then_is_gone(hands: Hands, tmp_path: FilePath) -> None:
    hands.click(180, 150)
    hands.drag((180, 150), (190, 145))
    assert hands.canvas().hidden == {"a0"}
    hands.show(make_scene(tmp_path))
    assert hands.canvas().hidden == frozenset()
    assert hands.stage.selected == ("a0",)


def test_arrows_when_pressed_then_move_and_size_and_a_run_of_them_is_one_change(hands: Hands) -> None:
    hands.click(180, 150)
    hands.key(Qt.Key.Key_Right)
    hands.key(Qt.Key.Key_Right, CONTROL)
    hands.key(Qt.Key.Key_Down, SHIFT)
    hands.key(Qt.Key.Key_Left, SHIFT | CONTROL)
    assert hands.commands == []
    assert not hands.stage.is_settled()
    hands.settle()
    assert hands.commands == [MoveRegions(boxes={"a0": box(111, 100, 201, 161)})]


def test_nudge_when_the_one_before_is_on_its_way_then_goes_on_from_there(hands: Hands) -> None:
    hands.click(180, 150)
    hands.key(Qt.Key.Key_Right)
    hands.stage.tool.send_pending()
    hands.key(Qt.Key.Key_Right, CONTROL)
    hands.stage.tool.send_pending()
    assert hands.commands == [
        MoveRegions(boxes={"a0": box(101, 100, 201, 160)}),
        MoveRegions(boxes={"a0": box(111, 100, 211, 160)}),
    ]


@pytest.mark.parametrize("gesture", ["select", "tool", "press", "focus", "scene", "esc"])
def test_nudge_when_another_gesture_begins_then_is_sent_before(
    hands: Hands, tmp_path: FilePath, gesture: str
) -> None:
    hands.click(180, 150)
    hands.canvas().setFocus()
    hands.key(Qt.Key.Key_Right)
    assert hands.commands == []
    if gesture == "select":
        hands.stage.select(["b0"])
    elif gesture == "tool":
        hands.stage.choose_tool("box")
    elif gesture == "press":
        hands.click(400, 300)
    elif gesture == "focus":
        hands.canvas(1).setFocus()
    elif gesture == "scene":
        hands.stage.show_scene(make_scene(tmp_path, views=1))
    else:
        hands.stage.give_up()
    assert hands.commands == [MoveRegions(boxes={"a0": box(101, 100, 201, 160)})]
    hands.settle()
    assert len(hands.commands) == 1


def test_size_when_made_smaller_than_a_pixel_or_larger_than_the_picture_then_stops_there(
    hands: Hands,
) -> None:
    hands.click(130, 120)
    for _ in range(5):
        hands.key(Qt.Key.Key_Left, SHIFT | CONTROL)
    for _ in range(30):
        hands.key(Qt.Key.Key_Down, SHIFT | CONTROL)
    hands.stage.tool.send_pending()
    assert hands.commands == [MoveRegions(boxes={"a1": box(120, 110, 121, HEIGHT)})]


@pytest.mark.parametrize(
    ("text", "moved"),
    [
        ("Move selection by 1 pixel", box(121, 110, 151, 130)),
        ("Move selection by 10 pixels", box(130, 110, 160, 130)),
        ("Resize selection by 1 pixel", box(120, 110, 151, 130)),
        ("Resize selection by 10 pixels", box(120, 110, 160, 130)),
    ],
)
def test_arrows_when_the_shortcut_help_names_them_then_do_what_it_says(
    hands: Hands, text: str, moved: Box
) -> None:
    keys = dict(FIXED_KEYS["Stage"])[text].removesuffix("←↑→↓")
    pressed = QKeySequence(f"{keys}Right")[0]
    hands.click(130, 120)
    hands.key(pressed.key(), pressed.keyboardModifiers())
    hands.stage.tool.send_pending()
    assert hands.commands == [MoveRegions(boxes={"a1": moved})]


def test_arrows_with_control_when_nothing_is_selected_then_are_left_to_others(hands: Hands) -> None:
    before = hands.canvas().transform
    hands.key(Qt.Key.Key_Down, CONTROL)
    assert hands.canvas().transform == before


def test_arrow_when_nothing_is_selected_then_pans(hands: Hands) -> None:
    hands.canvas().change_transform(hands.canvas().transform.zoomed(4))
    before = hands.canvas().transform
    hands.key(Qt.Key.Key_Right)
    assert hands.canvas().transform.x > before.x
    assert hands.canvas().transform.y == before.y


def test_points_when_selected_then_move_without_handles(hands: Hands, tmp_path: FilePath) -> None:
    spot = make_region("p0", "m1", 4, (300.5, 50.2, 300.5, 50.2))
    hands.show(make_scene(tmp_path, marks=Overlay(regions=(*MARKS.regions, spot))))
    hands.click(300, 50)
    assert hands.stage.selected == ("p0",)
    hands.drag((300, 50), (310, 55))
    assert hands.commands == [MoveRegions(boxes={"p0": box(310.5, 55.2, 310.5, 55.2)})]


def test_move_when_given_up_then_nothing_happened(hands: Hands) -> None:
    hands.click(180, 150)
    hands.pull((180, 150), (190, 145))
    hands.stage.give_up()
    QTest.mouseRelease(hands.canvas(), LEFT, pos=hands.point(190, 145))
    assert hands.commands == []
    assert hands.canvas().hidden == frozenset()


def test_regions_when_clicked_in_two_views_then_are_linked(hands: Hands) -> None:
    hands.stage.choose_tool("link")
    hands.click(180, 150)
    hands.click(130, 120)
    hands.click(330, 220, view=1)
    assert hands.commands == [LinkRegions(scene="s", regions=("a1", "b0"))]


def test_regions_when_a_line_is_pulled_between_views_then_are_linked(hands: Hands) -> None:
    hands.stage.choose_tool("link")
    QTest.mousePress(hands.canvas(), LEFT, pos=hands.point(180, 150))
    end = hands.canvas(1).mapToGlobal(hands.point(330, 220, view=1))
    QTest.mouseRelease(hands.canvas(), LEFT, pos=hands.canvas().mapFromGlobal(end))
    assert hands.commands == [LinkRegions(scene="s", regions=("a0", "b0"))]


def test_link_when_a_third_view_joins_then_is_linked_with_the_first_region(
    hands: Hands, tmp_path: FilePath
) -> None:
    regions = (*MARKS.regions, make_region("c0", "m3", 0, (400, 200, 400, 200)))
    hands.show(make_scene(tmp_path, views=3, marks=Overlay(regions=regions)))
    hands.stage.choose_tool("link")
    hands.click(180, 150)
    hands.click(330, 220, view=1)
    # A point is hit as far around it as its ring.
    hands.click(401, 199, view=2)
    assert hands.commands == [
        LinkRegions(scene="s", regions=("a0", "b0")),
        LinkRegions(scene="s", regions=("a0", "c0")),
    ]


def test_link_when_it_is_there_already_then_is_shown_and_not_made_again(hands: Hands) -> None:
    hands.stage.choose_tool("link")
    before = hands.canvas(1).grab().toImage()
    hands.click(130, 120)
    tool = hands.stage.tool
    assert isinstance(tool, LinkTool)
    assert tool.linked() == {"b1"}
    hands.canvas(1).leaveEvent(QEvent(QEvent.Type.Leave))
    assert hands.canvas(1).grab().toImage() != before
    hands.click(40, 35, view=1)
    assert hands.commands == []
    assert hands.stage.selected == ("a1", "b1")


def test_link_when_the_ground_is_clicked_then_begins_anew(hands: Hands) -> None:
    hands.stage.choose_tool("link")
    hands.click(180, 150)
    hands.click(500, 300)
    hands.click(330, 220, view=1)
    assert hands.commands == []


def test_path_when_ended_with_enter_then_has_the_points_clicked(hands: Hands) -> None:
    hands.stage.choose_tool("path")
    for point in ((10, 10), (50, 10), (90, 90)):
        hands.click(*point)
    hands.key(Qt.Key.Key_Backspace)
    hands.click(60, 80)
    hands.key(Qt.Key.Key_Return)
    (command,) = hands.commands
    assert isinstance(command, AddPath)
    assert (command.medium, command.points) == ("m1", ((10, 10), (50, 10), (60, 80)))


def test_path_when_ended_with_a_double_click_then_its_last_point_counts_once(hands: Hands) -> None:
    hands.stage.choose_tool("path")
    hands.click(10, 10)
    QTest.mouseClick(hands.canvas(), LEFT, pos=hands.point(50, 10))
    QTest.mouseDClick(hands.canvas(), LEFT, pos=hands.point(50, 10))
    (command,) = hands.commands
    assert isinstance(command, AddPath)
    assert command.points == ((10, 10), (50, 10))
    assert hands.stage.large is None


def test_path_when_it_has_one_point_then_says_so_and_goes_on_from_there(hands: Hands) -> None:
    hands.stage.choose_tool("path")
    hands.click(10, 10)
    hands.key(Qt.Key.Key_Return)
    assert hands.commands == []
    tool = hands.stage.tool
    assert isinstance(tool, PathTool)
    assert tool.notice == "A path needs at least two points"
    hands.move(50, 10)
    assert tool.notice == ""
    hands.click(50, 10)
    hands.key(Qt.Key.Key_Return)
    (command,) = hands.commands
    assert isinstance(command, AddPath)
    assert command.points == ((10, 10), (50, 10))


def test_tool_when_another_is_taken_then_its_draft_is_dropped(hands: Hands) -> None:
    hands.stage.choose_tool("path")
    hands.click(10, 10)
    hands.stage.choose_tool("select")
    hands.stage.choose_tool("path")
    hands.click(20, 20)
    hands.key(Qt.Key.Key_Return)
    assert hands.commands == []


def test_drafts_when_painted_then_are_seen(hands: Hands) -> None:
    for tool, begin, end in (("box", (300, 50), (400, 150)), ("select", (180, 150), (300, 250))):
        hands.stage.choose_tool(tool)
        before = hands.canvas().grab().toImage()
        hands.pull(begin, end)
        assert hands.canvas().grab().toImage() != before
        hands.stage.give_up()
        QTest.mouseRelease(hands.canvas(), LEFT, pos=hands.point(*end))
