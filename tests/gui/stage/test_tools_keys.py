"""Boxes and links made by keys alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path as FilePath

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from annotator.commands.links import LinkRegions
from annotator.commands.regions import AddRegion
from annotator.domain.link import Link
from annotator.domain.region import Box
from annotator.media.render import Overlay
from tests.gui.stage.hands import HEIGHT, MARKS, WIDTH, Hands, make_region, make_scene
from widgets.stage.region_navigator import RegionNavigator
from widgets.stage.tools.annotation_actions import AnnotationActions
from widgets.stage.tools.link import LinkTool

SHIFT, CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def actions(hands: Hands) -> AnnotationActions:
    hands.canvas().setFocus()
    return AnnotationActions(hands.stage)


def remove_links(hands: Hands) -> None:
    """Show the scene without its link, which makes its regions candidates."""
    shown = hands.stage.shown
    assert shown is not None
    hands.show(replace(shown, marks=replace(shown.marks, links=())))


def test_box_when_placed_then_arrows_move_and_size_it_and_enter_adds_it(
    hands: Hands, actions: AnnotationActions
) -> None:
    actions.place_box()
    for key, modifiers in (
        (Qt.Key.Key_Right, CONTROL),
        (Qt.Key.Key_Down, Qt.KeyboardModifier.NoModifier),
        (Qt.Key.Key_Right, SHIFT | CONTROL),
        (Qt.Key.Key_Up, SHIFT),
    ):
        hands.key(key, modifiers)
    assert hands.commands == []
    assert "Enter: add region" in hands.stage.tool.hint
    hands.key(Qt.Key.Key_Return)
    (command,) = hands.commands
    assert isinstance(command, AddRegion)
    # A square of an eighth of the height in the middle: 45 pixels, to the right by 10 and down by one.
    left, top = WIDTH // 2 - 22 + 10, HEIGHT // 2 - 22 + 1
    assert command.box == Box(x1=left, y1=top, x2=left + 55, y2=top + 44)
    assert hands.stage.selected == (command.id,)
    hands.stage.settle()
    assert hands.stage.tool.id == "select"


def test_box_when_placed_again_then_has_the_size_of_the_last_one_and_lies_at_the_pointer(
    hands: Hands, actions: AnnotationActions
) -> None:
    hands.stage.choose_tool("box")
    hands.drag((10, 10), (40, 30))
    hands.stage.settle()
    hands.move(500, 300)
    actions.place_box()
    hands.key(Qt.Key.Key_Return)
    command = hands.commands[-1]
    assert isinstance(command, AddRegion)
    assert command.box == Box(x1=485, y1=290, x2=515, y2=310)
    hands.stage.settle()
    assert hands.stage.tool.id == "box"


def test_box_when_placed_in_a_part_that_is_seen_then_lies_in_it(
    hands: Hands, actions: AnnotationActions
) -> None:
    canvas = hands.canvas()
    canvas.change_transform(canvas.transform.showing(400, 200, 440, 220, share=0.9))
    actions.place_box()
    hands.key(Qt.Key.Key_Return)
    (command,) = hands.commands
    assert isinstance(command, AddRegion)
    assert command.box.x1 >= 400
    assert command.box.x2 <= 440
    assert command.box.y1 >= 200
    assert command.box.y2 <= 220


def test_box_when_placed_and_given_up_then_nothing_is_made_and_the_tool_before_is_back(
    hands: Hands, actions: AnnotationActions
) -> None:
    actions.place_box()
    hands.stage.give_up()
    assert hands.commands == []
    assert hands.stage.tool.id == "select"
    assert hands.stage.tool.hint == ""
    actions.place_box()
    actions.place_box()
    hands.stage.give_up()
    assert hands.stage.tool.id == "select"


def test_box_when_placed_then_a_change_of_others_leaves_it(
    hands: Hands, actions: AnnotationActions, tmp_path: FilePath
) -> None:
    actions.place_box()
    hands.show(make_scene(tmp_path))
    hands.key(Qt.Key.Key_Return)
    assert len(hands.commands) == 1


def test_link_when_a_region_is_selected_then_keys_take_the_other_end_and_confirm(hands: Hands) -> None:
    stage, regions = hands.stage, RegionNavigator(hands.stage)
    remove_links(hands)
    hands.canvas().setFocus()
    stage.select(["a0"])
    stage.choose_tool("link")
    tool = stage.tool
    assert isinstance(tool, LinkTool)
    regions.step_region("1")
    assert stage.front is hands.canvas(1)
    assert hands.canvas(1).hasFocus()
    assert tool.other is not None
    assert tool.other.id == "b0"
    regions.step_region("1")
    assert tool.other.id == "b1"
    regions.step_region("-1")
    assert "Link UAV1 0 with UAV2 0" in tool.hint
    hands.key(Qt.Key.Key_Return, view=1)
    assert hands.commands == [LinkRegions(scene="s", regions=("a0", "b0"))]
    assert stage.tool.id == "select"
    assert stage.front is hands.canvas()
    assert stage.selected == ("a0", "b0")


def test_link_when_its_numbers_are_typed_then_is_made_with_enter(hands: Hands, tmp_path: FilePath) -> None:
    more = (make_region("a3", "m1", 3, (5, 5, 25, 25)), make_region("b15", "m2", 15, (5, 5, 25, 25)))
    hands.show(make_scene(tmp_path, marks=Overlay(regions=(*MARKS.regions, *more), links=MARKS.links)))
    hands.canvas().setFocus()
    hands.stage.choose_tool("link")
    QTest.keyClicks(hands.canvas(), "3-")
    assert hands.stage.front is hands.canvas(1)
    QTest.keyClicks(hands.canvas(1), "1")
    tool = hands.stage.tool
    assert isinstance(tool, LinkTool)
    assert tool.other is not None
    assert tool.other.number == 1
    QTest.keyClicks(hands.canvas(1), "5")
    assert tool.other.number == 15
    QTest.keyClicks(hands.canvas(1), "5")
    assert tool.other is None
    assert tool.hint == "UAV2 has no region 155"
    hands.key(Qt.Key.Key_Return, view=1)
    assert hands.commands == []
    hands.key(Qt.Key.Key_Backspace, view=1)
    hands.key(Qt.Key.Key_Return, view=1)
    assert hands.commands == [LinkRegions(scene="s", regions=("a3", "b15"))]


def test_link_when_a_third_view_has_regions_then_enter_goes_on_to_it(
    hands: Hands, tmp_path: FilePath
) -> None:
    third = make_region("c4", "m3", 4, (50, 50, 90, 90))
    hands.show(make_scene(tmp_path, views=3, marks=Overlay(regions=(*MARKS.regions, third))))
    hands.canvas().setFocus()
    hands.stage.select(["a0"])
    hands.stage.choose_tool("link")
    QTest.keyClicks(hands.canvas(), "1")
    hands.key(Qt.Key.Key_Return, view=1)
    assert hands.stage.front is hands.canvas(2)
    RegionNavigator(hands.stage).step_region("1")
    hands.key(Qt.Key.Key_Return, view=2)
    assert hands.commands == [
        LinkRegions(scene="s", regions=("a0", "b1")),
        LinkRegions(scene="s", regions=("a0", "c4")),
    ]
    assert hands.stage.tool.id == "select"


def test_link_when_given_up_then_nothing_is_linked_and_the_select_tool_is_back(hands: Hands) -> None:
    hands.stage.select(["a0"])
    hands.stage.choose_tool("link")
    RegionNavigator(hands.stage).step_region("1")
    hands.stage.give_up()
    assert hands.commands == []
    assert hands.stage.tool.id == "select"
    assert hands.stage.selected == ("a0",)


def test_link_when_the_ground_is_known_then_the_nearest_region_is_proposed_first(
    hands: Hands, tmp_path: FilePath
) -> None:
    import msgspec

    shown = make_scene(tmp_path, marks=Overlay(regions=MARKS.regions, links=()))
    shift = (1.0, 0.0, -140.0, 0.0, 1.0, -110.0, 0.0, 0.0, 1.0)
    identity = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    views = tuple(
        msgspec.structs.replace(view, to_ground=ground)
        for view, ground in zip(shown.scene.views, (shift, identity), strict=True)
    )
    hands.show(replace(shown, scene=msgspec.structs.replace(shown.scene, views=views)))
    hands.stage.select(["a0"])
    hands.stage.choose_tool("link")
    tool = hands.stage.tool
    assert isinstance(tool, LinkTool)
    assert tool.other is not None
    assert tool.other.id == "b1"
    RegionNavigator(hands.stage).step_region("1")
    assert tool.other.id == "b0"


def test_link_when_the_other_view_has_a_linked_region_then_proposes_none_and_says_so(hands: Hands) -> None:
    assert MARKS.links == (Link(id="l", scene="s", regions=("a1", "b1")),)
    hands.stage.select(["a1"])
    hands.stage.choose_tool("link")
    tool = hands.stage.tool
    assert isinstance(tool, LinkTool)
    RegionNavigator(hands.stage).step_region("1")
    assert tool.other is None
    assert tool.hint == "UAV1 1 is already linked with UAV2 1 · {stage.unlink}: unlink"
    hands.key(Qt.Key.Key_Return)
    assert hands.commands == []
    hands.stage.select(["a0"])
    hands.stage.choose_tool("link")
    hands.stage.hidden_regions.hide(["b0", "b1"])
    RegionNavigator(hands.stage).step_region("1")
    assert tool.hint == "UAV2 has no region to link with"


def test_link_when_a_region_is_hidden_then_it_is_not_proposed(hands: Hands) -> None:
    remove_links(hands)
    hands.stage.hidden_regions.hide(["b0"])
    hands.stage.select(["a0"])
    hands.stage.choose_tool("link")
    tool = hands.stage.tool
    assert isinstance(tool, LinkTool)
    RegionNavigator(hands.stage).step_region("1")
    assert tool.other is not None
    assert tool.other.id == "b1"
    QTest.keyClicks(hands.canvas(1), "0")
    assert tool.other is None


def test_link_when_given_up_in_the_other_view_then_the_first_view_is_in_front_again(hands: Hands) -> None:
    hands.canvas().setFocus()
    hands.stage.select(["a0"])
    hands.stage.choose_tool("link")
    RegionNavigator(hands.stage).step_region("1")
    assert hands.stage.front is hands.canvas(1)
    hands.stage.give_up()
    assert hands.stage.front is hands.canvas()
    assert hands.canvas().hasFocus()
