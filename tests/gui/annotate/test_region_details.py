from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton

from annotator.commands.links import LinkRegions
from annotator.commands.region_mentions import RenumberRegion
from annotator.commands.regions import AddRegion, MoveRegions
from annotator.domain.region import Box, Region
from tests.gui.annotate.annotate_person import AnnotatePerson
from widgets.annotate.region_details import RegionDetails
from widgets.number_field import NumberField, number_text, parse_number

BOX = Box(x1=100.0, y1=100.0, x2=200.0, y2=160.0)


def details(person: AnnotatePerson) -> RegionDetails:
    return person.annotate.annotation_panel.details


def field(person: AnnotatePerson, name: str) -> NumberField:
    return details(person).position_fields.fields[name]


def numbers(person: AnnotatePerson) -> list[str]:
    return [field(person, name).text() for name in "xywh"]


def add(person: AnnotatePerson, *, view: int = 0, box: Box = BOX, category: str = "") -> str:
    """Add a region, and wait until the stage shows it selected."""
    canvas = person.annotate.stage.canvases[view]
    command = AddRegion(medium=canvas.medium, box=box, category=category)
    person.session.execute(command)
    person.qtbot.waitUntil(lambda: canvas.marks.region(command.id) is not None)
    person.annotate.stage.select([command.id])
    return command.id


def enter(person: AnnotatePerson, name: str, text: str) -> None:
    """Type a number into a field and apply it."""
    target = field(person, name)
    target.setFocus()
    target.selectAll()
    person.qtbot.keyClicks(target, text)
    person.press("Return")


def shown_facts(person: AnnotatePerson) -> str:
    return "  ".join(one.text() for one in details(person).findChildren(QLabel) if one.isVisible())


@pytest.mark.parametrize(
    ("text", "value"), [("12", 12.0), (" 1,5 ", 1.5), ("", None), ("x", None), ("inf", None)]
)
def test_number_when_parsed_then_takes_point_and_comma(text: str, value: float | None) -> None:
    assert parse_number(text) == value


def test_number_when_shown_then_has_at_most_two_decimals() -> None:
    assert [number_text(value) for value in (12.0, 0.5, 99.996, 100.0)] == ["12", "0.5", "100", "100"]


def test_details_when_nothing_is_selected_then_say_what_to_do(person: AnnotatePerson) -> None:
    assert details(person).hint.isVisible()
    assert not details(person).position_fields.isVisible()
    add(person)
    assert not details(person).hint.isVisible()
    assert details(person).title.text() == "Region 0 · UAV1"


def test_details_when_a_region_moves_then_follow_at_once_and_after_undo(person: AnnotatePerson) -> None:
    add(person)
    assert numbers(person) == ["100", "100", "100", "60"]
    person.hands.pull((150, 130), (170, 140))
    pulled = numbers(person)
    assert [int(text) for text in pulled] == pytest.approx([120, 110, 100, 60], abs=1)
    QTest.mouseRelease(person.hands.canvas(), Qt.MouseButton.LeftButton, pos=person.hands.point(170, 140))
    # On its way to the project the region is not where it was before.
    assert numbers(person) == pulled
    person.settle()
    assert numbers(person) == pulled
    assert person.regions()[0].box.x1 == int(pulled[0])
    person.press("Ctrl+Z")
    assert numbers(person) == ["100", "100", "100", "60"]


def test_details_when_a_key_nudges_then_follow_before_it_is_let_go(person: AnnotatePerson) -> None:
    add(person)
    person.hands.canvas().setFocus()
    QTest.keyPress(person.hands.canvas(), Qt.Key.Key_Right)
    assert numbers(person)[0] == "101"
    QTest.keyRelease(person.hands.canvas(), Qt.Key.Key_Right)
    person.settle()
    assert numbers(person)[0] == "101"


def test_details_when_others_move_the_region_then_follow(person: AnnotatePerson) -> None:
    region = add(person)
    person.session.execute(MoveRegions(boxes={region: Box(x1=1, y1=2, x2=4, y2=6)}))
    person.qtbot.waitUntil(lambda: numbers(person) == ["1", "2", "3", "4"])


def test_place_when_a_number_is_entered_then_the_region_is_there_and_undo_takes_it_back(
    person: AnnotatePerson,
) -> None:
    add(person)
    enter(person, "x", "40")
    enter(person, "w", "33.5")
    assert person.regions()[0].box == Box(x1=40.0, y1=100.0, x2=73.5, y2=160.0)
    assert numbers(person) == ["40", "100", "33.5", "60"]
    details(person).position_fields.fields["w"].clearFocus()
    person.annotate.stage.focus_view()
    person.press("Ctrl+Z")
    assert numbers(person) == ["40", "100", "100", "60"]


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("x", "600", "Enter a number from 0 to 540."),
        ("y", "-1", "Enter a number from 0 to 300."),
        ("w", "0", "Enter a number from 1 to 540."),
        ("h", "ten", "Enter a number."),
        ("h", "", "Enter a number."),
    ],
)
def test_place_when_a_number_is_wrong_then_says_so_at_the_field_and_changes_nothing(
    person: AnnotatePerson, name: str, text: str, reason: str
) -> None:
    add(person)
    field(person, name).setFocus()
    field(person, name).selectAll()
    person.press("Del")
    person.qtbot.keyClicks(field(person, name), text)
    person.press("Return")
    assert details(person).position_fields.problem.isVisible()
    assert details(person).position_fields.problem.text() == reason
    assert field(person, name).text() == text
    assert person.regions()[0].box == BOX
    person.press("Esc")
    assert not details(person).position_fields.problem.isVisible()
    assert numbers(person) == ["100", "100", "100", "60"]


def test_place_when_arrows_are_pressed_then_the_number_steps_and_enter_applies_it(
    person: AnnotatePerson,
) -> None:
    add(person)
    field(person, "y").setFocus()
    person.press("Up")
    person.press("Shift+Down")
    assert field(person, "y").text() == "91"
    assert person.regions()[0].box == BOX
    person.press("Return")
    assert person.regions()[0].box.y1 == 91


def test_place_when_the_keyboard_leaves_then_a_number_is_applied(person: AnnotatePerson) -> None:
    add(person)
    field(person, "x").setFocus()
    field(person, "x").selectAll()
    person.qtbot.keyClicks(field(person, "x"), "7")
    person.press("Tab")
    assert person.regions()[0].box.x1 == 7


def test_place_when_its_key_is_pressed_then_has_the_keyboard_and_esc_gives_it_back(
    person: AnnotatePerson,
) -> None:
    person.window.resize(1280, 720)
    person.settle()
    add(person)
    person.annotate.stage.focus_view()
    person.press("F4")
    assert QApplication.focusWidget() is field(person, "x")
    person.press("Esc")
    assert QApplication.focusWidget() in person.annotate.stage.canvases


def test_place_when_a_point_is_selected_then_only_its_place_can_be_entered(person: AnnotatePerson) -> None:
    add(person, box=Box(x1=10, y1=20, x2=10, y2=20))
    assert not field(person, "w").isEnabled()
    enter(person, "x", "30")
    assert person.regions()[0].box == Box(x1=30, y1=20, x2=30, y2=20)


def test_category_when_clicked_then_is_chosen_and_shown(person: AnnotatePerson) -> None:
    add(person, category="van")
    assert details(person).category.text() == "van"
    details(person).category.click()
    person.settle()
    person.qtbot.keyClicks(person.annotate.categories.chooser.field, "bus")
    person.press("Return")
    assert details(person).category.text() == "bus"


def test_details_when_several_are_selected_then_say_how_many(person: AnnotatePerson) -> None:
    ids = [add(person, category="van"), add(person, view=1, category="bus")]
    person.annotate.stage.select(ids)
    assert details(person).title.text() == "2 regions"
    assert details(person).category.text() == "2 categories"
    assert not details(person).position_fields.isVisible()


def test_link_when_clicked_then_the_other_region_is_shown(person: AnnotatePerson) -> None:
    first, second = add(person), add(person, view=1, category="bus")
    stage = person.annotate.stage
    person.session.execute(LinkRegions(scene=stage.scene, regions=(first, second)))
    person.qtbot.waitUntil(lambda: "Links  1" in person.rows())
    stage.select([first])
    (link,) = (one for one in details(person).findChildren(QPushButton) if one.text().startswith("UAV2"))
    assert link.text() == "UAV2 · Region 0 · bus"
    stage.make_large(stage.canvases[0])
    link.click()
    assert stage.selected == (second,)
    assert stage.front is stage.canvases[1]
    assert stage.canvases[1].isVisible()
    assert details(person).title.text() == "Region 0 · UAV2"


def test_details_when_a_region_is_selected_then_tell_who_made_it(person: AnnotatePerson) -> None:
    add(person)
    person.qtbot.waitUntil(lambda: "Made by  manual" in shown_facts(person))


def test_visible_part_when_entered_then_is_kept_and_an_empty_field_means_unknown(
    person: AnnotatePerson,
) -> None:
    add(person)
    visible = details(person).position_fields.visible
    for text, share in (("40", 0.4), ("", None)):
        visible.setFocus()
        visible.selectAll()
        person.press("Del")
        person.qtbot.keyClicks(visible, text)
        person.press("Return")
        assert person.regions()[0].visible == share
        assert visible.text() == text
    person.qtbot.keyClicks(visible, "140")
    person.press("Return")
    assert details(person).position_fields.problem.text() == "Enter a number from 0 to 100."
    assert person.regions()[0].visible is None


def test_region_number_when_entered_then_the_region_has_it_and_a_taken_one_is_refused(
    person: AnnotatePerson,
) -> None:
    other = add(person)
    person.session.execute(RenumberRegion(region=other, number=17)).result()
    region = add(person, box=Box(x1=300.0, y1=100.0, x2=400.0, y2=160.0))
    number = details(person).position_fields.number
    for text in ("41", "17"):
        number.setFocus()
        number.selectAll()
        person.qtbot.keyClicks(number, text)
        person.press("Return")
        person.qtbot.waitUntil(lambda: number.text() == "41")
        assert person.session.reader.require(Region, region).number == 41
