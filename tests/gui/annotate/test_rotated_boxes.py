from __future__ import annotations

import math

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from annotator.commands.region_shapes import ChangeRotatedBox
from annotator.commands.region_values import LockRegions
from annotator.commands.regions import AddRegion
from annotator.domain.region import Box
from annotator.domain.rotated_box import RotatedBox, rotated_box_of
from tests.gui.annotate.annotate_person import AnnotatePerson
from widgets.stage.tools.rotation_editor import AROUND_PX, STEM_PX

BOX = Box(x1=200.0, y1=150.0, x2=300.0, y2=210.0)
TURNED = RotatedBox(x=250, y=180, width=100, height=60, angle_deg=30)


@pytest.fixture
def boxed(person: AnnotatePerson) -> AnnotatePerson:
    """Give a scene with one box, which is selected."""
    command = AddRegion(medium=person.hands.canvas().medium, box=BOX)
    person.session.execute(command)
    person.qtbot.waitUntil(lambda: person.hands.canvas().marks.region(command.id) is not None)
    person.annotate.stage.select([command.id])
    person.annotate.stage.focus_view()
    return person


def turn(person: AnnotatePerson, shape: RotatedBox = TURNED) -> None:
    """Have the box turned."""
    person.annotate.stage.send(ChangeRotatedBox(region=person.regions()[0].id, shape=shape))
    person.settle()


def shape_of(person: AnnotatePerson) -> tuple[float, ...]:
    found = rotated_box_of(person.regions()[0])
    assert found is not None
    return found.x, found.y, found.width, found.height, found.angle_deg


def handle(person: AnnotatePerson, across: float, along: float) -> QPoint:
    """Return the place of a handle in the view by its side; -2 along is the handle that turns."""
    canvas = person.hands.canvas()
    x, y, width, height, angle = shape_of(person)
    zoom = canvas.transform.zoom / canvas.ratio()
    out = AROUND_PX + (STEM_PX if along == -2 else 0)
    down = math.copysign(height * zoom / 2 + out, along) if along else 0
    middle = RotatedBox(
        x=canvas.view_point(x, y)[0] / canvas.ratio(),
        y=canvas.view_point(x, y)[1] / canvas.ratio(),
        width=1,
        height=1,
        angle_deg=angle,
    )
    at = middle.to_image((across * (width * zoom / 2 + AROUND_PX), down))
    return QPoint(round(at[0]), round(at[1]))


def pull(
    person: AnnotatePerson,
    begin: QPoint,
    end: tuple[float, float],
    *,
    keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
) -> None:
    """Pull a handle to a point of the image without letting go."""
    QTest.mousePress(person.hands.canvas(), Qt.MouseButton.LeftButton, keys, begin)
    person.hands.move(*end, keys=keys, is_down=True)


def let_go(person: AnnotatePerson, at: tuple[float, float]) -> None:
    QTest.mouseRelease(person.hands.canvas(), Qt.MouseButton.LeftButton, pos=person.hands.point(*at))
    person.settle()


def test_box_when_its_round_handle_is_pulled_then_turns_about_its_middle(boxed: AnnotatePerson) -> None:
    fields = boxed.annotate.annotation_panel.details.position_fields.fields
    pull(boxed, handle(boxed, 0, -2), (350, 180))
    assert fields["a"].text() in {"89", "90", "91"}
    let_go(boxed, (350, 180))
    assert len(boxed.regions()) == 1
    pull(boxed, handle(boxed, 0, -2), (320, 110), keys=Qt.KeyboardModifier.ShiftModifier)
    let_go(boxed, (320, 110))
    x, y, *_, angle = shape_of(boxed)
    assert (x, y) == pytest.approx((250, 180))
    assert angle == pytest.approx(45)
    assert fields["a"].text() == "45"
    boxed.press("Ctrl+Z")
    boxed.press("Ctrl+Z")
    assert (boxed.regions()[0].box, boxed.regions()[0].polygon) == (BOX, ())
    assert fields["a"].text() == "0"


def test_rotated_box_when_a_side_is_pulled_then_the_opposite_one_stays(boxed: AnnotatePerson) -> None:
    turn(boxed)
    opposite = TURNED.to_image((-50, 0))
    target = TURNED.to_image((80, 0))
    pull(boxed, handle(boxed, 1, 0), target)
    let_go(boxed, target)
    x, y, width, height, angle = shape_of(boxed)
    assert (width, height, angle) == pytest.approx((130, 60, 30), abs=2)
    after = RotatedBox(x=x, y=y, width=width, height=height, angle_deg=angle)
    assert after.to_image((-width / 2, 0)) == pytest.approx(opposite, abs=1e-6)


def test_rotated_box_when_moved_by_mouse_and_keys_then_keeps_its_angle(boxed: AnnotatePerson) -> None:
    turn(boxed)
    boxed.hands.drag((250, 180), (290, 200))
    boxed.settle()
    boxed.press("Right")
    x, y, *rest = shape_of(boxed)
    assert (x, y) == pytest.approx((291, 200), abs=2)
    assert rest == pytest.approx([100, 60, 30])


def test_rotated_box_when_selected_then_has_no_corners_to_pull_apart(boxed: AnnotatePerson) -> None:
    turn(boxed)
    corner = TURNED.corners()[2]
    boxed.hands.drag(corner, (400, 300))
    boxed.settle()
    assert shape_of(boxed)[4] == pytest.approx(30)


def test_angle_when_entered_then_turns_the_box_and_0_makes_it_plain(boxed: AnnotatePerson) -> None:
    fields = boxed.annotate.annotation_panel.details.position_fields.fields
    for text in ("30", "0"):
        fields["a"].setFocus()
        fields["a"].selectAll()
        boxed.qtbot.keyClicks(fields["a"], text)
        boxed.press("Return")
        assert shape_of(boxed)[4] == pytest.approx(float(text))
    assert (boxed.regions()[0].box, boxed.regions()[0].polygon) == (BOX, ())


def test_numbers_of_a_rotated_box_when_entered_then_keep_the_others(boxed: AnnotatePerson) -> None:
    turn(boxed)
    fields = boxed.annotate.annotation_panel.details.position_fields.fields
    corner = TURNED.corners()[0]
    assert [float(fields[name].text()) for name in "xywha"] == pytest.approx([*corner, 100, 60, 30], abs=0.01)
    fields["w"].setFocus()
    fields["w"].selectAll()
    boxed.qtbot.keyClicks(fields["w"], "120")
    boxed.press("Return")
    assert [float(fields[name].text()) for name in "xywha"] == pytest.approx([*corner, 120, 60, 30], abs=0.01)


def test_box_when_locked_then_cannot_be_turned(boxed: AnnotatePerson) -> None:
    begin = handle(boxed, 0, -2)
    boxed.annotate.stage.send(LockRegions(regions=(boxed.regions()[0].id,), is_locked=True))
    boxed.settle()
    pull(boxed, begin, (350, 180))
    let_go(boxed, (350, 180))
    assert (boxed.regions()[0].box, boxed.regions()[0].polygon) == (BOX, ())


def test_rotated_box_when_drawn_then_its_outline_is_turned_in_every_rendering(boxed: AnnotatePerson) -> None:
    stage, canvas = boxed.annotate.stage, boxed.hands.canvas()
    turn(boxed)
    stage.select([])
    at = boxed.hands.point(*TURNED.to_image((0, -30)))
    seen = {}
    for key in ("C", "D", "A"):
        boxed.press(key)
        seen[stage.rendering] = canvas.grab().toImage().pixelColor(at)
    assert seen["detected"] != seen["clean"]
    assert seen["annotated"] != seen["clean"]
