"""Rooms and heights of objects on top-view maps, by key, check box and number."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from annotator.commands.region_values import SetCategory
from annotator.commands.regions import MoveRegions
from annotator.domain.region import Box, Region
from tests.gui.annotate.annotate_person import AnnotatePerson
from tests.unit.store.making import changed, write
from widgets.annotate.map_fields import MapFields

pytestmark = pytest.mark.allow_messages("does not support raise", "does not support grabbing")


@pytest.fixture
def drawn(person: AnnotatePerson) -> AnnotatePerson:
    """Give a map on which one box was drawn and is selected."""
    canvas = person.annotate.stage.canvases[0]
    write(person.session, *changed("medium", canvas.medium, media_type="map"))
    person.qtbot.waitUntil(lambda: canvas.medium in person.annotate.stage.shown.maps)
    person.press("B")
    person.hands.drag((100, 100), (200, 160))
    person.settle()
    person.press("Esc")
    person.press("V")
    return person


def fields(person: AnnotatePerson) -> MapFields:
    return person.annotate.annotation_panel.details.map_part


def region(person: AnnotatePerson) -> Region:
    (only,) = person.regions()
    return only


def test_region_when_the_key_is_pressed_then_it_is_a_room_and_again_an_object(drawn: AnnotatePerson) -> None:
    assert not fields(drawn).room.isChecked()
    drawn.press("Shift+R")
    drawn.settle()
    assert region(drawn).is_room
    assert fields(drawn).room.isChecked()
    assert any(row.endswith("room") for row in drawn.rows())
    # A room has no height.
    assert not fields(drawn).height_field.isVisible()
    drawn.press("Shift+R")
    drawn.settle()
    assert not region(drawn).is_room
    drawn.press("Ctrl+Z")
    drawn.settle()
    assert region(drawn).is_room


def test_menu_when_a_region_of_a_map_is_clicked_then_it_offers_rooms(drawn: AnnotatePerson) -> None:
    names = drawn.annotate.selection._menu()
    assert "stage.room" in names
    write(drawn.session, *changed("medium", region(drawn).medium, media_type="image"))
    drawn.qtbot.waitUntil(lambda: not drawn.annotate.stage.shown.maps)
    assert "stage.room" not in drawn.annotate.selection._menu()


def test_region_when_the_box_is_ticked_then_it_is_a_room(drawn: AnnotatePerson) -> None:
    box = fields(drawn).room
    QTest.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(8, box.height() // 2))
    drawn.settle()
    assert region(drawn).is_room


def test_height_when_entered_then_it_is_kept_and_cleared_by_an_empty_field(drawn: AnnotatePerson) -> None:
    target = fields(drawn).height_field
    for text, height_m in (("0,75", 0.75), ("", None), ("2", 2.0)):
        target.setFocus()
        target.selectAll()
        drawn.qtbot.keyClicks(target, text) if text else target.clear()
        if not text:
            target.textEdited.emit("")
        drawn.press("Return")
        drawn.settle()
        assert region(drawn).height_m == height_m
    # A room loses the height of the object that it was taken for.
    drawn.annotate.stage.focus_view()
    drawn.press("Shift+R")
    drawn.settle()
    assert region(drawn).height_m is None


def test_fields_when_the_image_is_no_map_then_they_are_not_shown(drawn: AnnotatePerson) -> None:
    assert fields(drawn).isVisible()
    drawn.press("Ctrl+C")
    drawn.press("E")
    drawn.press("Ctrl+V")
    drawn.settle()
    assert not fields(drawn).isVisible()


def test_details_when_a_semantic_map_leaves_the_object_out_then_they_say_why(drawn: AnnotatePerson) -> None:
    def facts() -> str:
        details = drawn.annotate.annotation_panel.details
        return " | ".join(part.text() for part in details.findChildren(QLabel) if part.isVisible())

    assert "left out: no category" in facts()
    drawn.session.execute(SetCategory(regions=(region(drawn).id,), category="door")).result()
    drawn.qtbot.waitUntil(lambda: "left out: part of the building" in facts())
    drawn.session.execute(SetCategory(regions=(region(drawn).id,), category="bed")).result()
    drawn.qtbot.waitUntil(lambda: "left out" not in facts())
    box = Box(x1=100, y1=100, x2=107, y2=160)
    drawn.session.execute(MoveRegions(boxes={region(drawn).id: box})).result()
    drawn.qtbot.waitUntil(lambda: "left out: side under 8 px or area under 0.05 %" in facts())
    drawn.annotate.stage.focus_view()
    drawn.press("Shift+R")
    assert "left out" not in facts()
