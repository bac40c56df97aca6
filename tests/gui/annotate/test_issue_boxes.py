"""Boxes of event labels, moved, resized, relabelled and removed on the stage of the real window."""

from __future__ import annotations

import pytest

from annotator.domain.event_label import EventLabel, PercentBox
from annotator.domain.record import new_id
from tests.gui.annotate.annotate_person import AnnotatePerson
from tests.gui.stage.hands import HEIGHT, WIDTH
from tests.unit.store.making import created, write
from widgets.stage.tools.select import SelectTool

LARGE = PercentBox(x=10.0, y=10.0, width=60.0, height=60.0, labels=("occluded",))
SMALL = PercentBox(x=20.0, y=20.0, width=20.0, height=20.0, labels=("too_small",))
TURNED = PercentBox(x=80.0, y=80.0, width=10.0, height=10.0, rotation=20.0, labels=("occluded",))


@pytest.fixture
def boxed(person: AnnotatePerson) -> AnnotatePerson:
    """Give a view with a label of three boxes, and the select tool."""
    shown = person.annotate.stage.shown
    assert shown is not None
    label = EventLabel(
        id=new_id(),
        scene=shown.scene.id,
        view="UAV1",
        medium=person.annotate.stage.canvases[0].medium,
        issue_boxes=(LARGE, SMALL, TURNED),
    )
    write(person.session, created("event_label", label))
    person.qtbot.waitUntil(lambda: bool(person.annotate.stage.shown and person.annotate.stage.shown.labels))
    person.annotate.stage.focus_view()
    person.press("V")
    return person


def at(x: float, y: float) -> tuple[float, float]:
    """Return the pixels of a place in percent."""
    return x * WIDTH / 100, y * HEIGHT / 100


def boxes(person: AnnotatePerson) -> tuple[PercentBox, ...]:
    return next(person.session.reader.records(EventLabel)).issue_boxes or ()


def box_sides(person: AnnotatePerson, index: int) -> list[float]:
    box = boxes(person)[index]
    return [round(value, 1) for value in (box.x, box.y, box.width, box.height)]


def tool(person: AnnotatePerson) -> SelectTool:
    found = person.annotate.stage.tool
    assert isinstance(found, SelectTool)
    return found


def test_box_when_dragged_then_the_smallest_one_there_moves_and_undo_takes_it_back(
    boxed: AnnotatePerson,
) -> None:
    boxed.hands.drag(at(30, 30), at(40, 50))
    boxed.qtbot.waitUntil(lambda: box_sides(boxed, 1) == [30.0, 40.0, 20.0, 20.0])
    boxed.settle()
    assert boxes(boxed)[0] == LARGE
    assert boxes(boxed)[1].labels == ("too_small",)
    assert boxed.regions() == []
    boxed.press("Ctrl+Z")
    boxed.qtbot.waitUntil(lambda: boxes(boxed)[1] == SMALL)


def test_box_when_its_corner_is_dragged_then_is_resized(boxed: AnnotatePerson) -> None:
    boxed.hands.click(*at(30, 30))
    canvas = boxed.annotate.stage.canvases[0]
    box = tool(boxed).issues.box_in(canvas)
    assert box is not None
    away = 4 * canvas.ratio() / canvas.transform.zoom
    boxed.hands.drag((box.x2 + away, box.y2 + away), at(60, 50))
    boxed.qtbot.waitUntil(lambda: box_sides(boxed, 1)[2:] == [40.0, 30.0])
    assert box_sides(boxed, 1)[:2] == [20.0, 20.0]


def test_box_when_a_digit_is_pressed_then_has_its_label(boxed: AnnotatePerson) -> None:
    boxed.hands.click(*at(30, 30))
    hint = tool(boxed).issues.keys_text
    assert "1 Occluded" in hint
    assert "Del" in hint
    boxed.press("4")
    boxed.qtbot.waitUntil(lambda: boxes(boxed)[1].labels == ("under_shadow",))
    boxed.settle()
    # Without a box, the digit is the shortcut that it was before.
    boxed.press("Esc")
    zoom = boxed.annotate.stage.canvases[0].transform.zoom
    boxed.press("1")
    assert boxed.annotate.stage.canvases[0].transform.zoom != zoom
    assert boxes(boxed)[1].labels == ("under_shadow",)


def test_box_when_del_is_pressed_then_is_removed_and_a_turned_one_as_well(boxed: AnnotatePerson) -> None:
    boxed.hands.click(*at(30, 30))
    boxed.press("Del")
    boxed.qtbot.waitUntil(lambda: boxes(boxed) == (LARGE, TURNED))
    boxed.settle()
    boxed.hands.click(*at(84, 87))
    boxed.press("Del")
    boxed.qtbot.waitUntil(lambda: boxes(boxed) == (LARGE,))


def test_box_when_arrow_keys_are_pressed_then_moves_as_one_step(boxed: AnnotatePerson) -> None:
    boxed.hands.click(*at(30, 30))
    for _press in range(3):
        boxed.press("Right")
    boxed.qtbot.waitUntil(lambda: boxes(boxed)[1].x > SMALL.x)
    boxed.settle()
    assert boxes(boxed)[1].x == pytest.approx(SMALL.x + 3 * 100 / WIDTH)
    boxed.press("Ctrl+Z")
    boxed.qtbot.waitUntil(lambda: boxes(boxed)[1] == SMALL)


def test_box_when_a_region_lies_there_or_the_boxes_are_hidden_then_it_is_not_taken(
    boxed: AnnotatePerson,
) -> None:
    boxed.press("C")
    boxed.hands.drag(at(30, 30), at(40, 50))
    boxed.press("A")
    boxed.settle()
    assert boxes(boxed) == (LARGE, SMALL, TURNED)
    boxed.press("B")
    boxed.hands.drag(at(22, 22), at(38, 38))
    boxed.settle()
    boxed.press("Esc")
    boxed.press("V")
    boxed.hands.drag(at(30, 30), at(32, 32))
    boxed.settle()
    assert boxes(boxed) == (LARGE, SMALL, TURNED)
    assert len(boxed.regions()) == 1
