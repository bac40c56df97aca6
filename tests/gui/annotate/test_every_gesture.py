"""Each gesture of Annotate with the pointer, done in the real window, stored, and undone by one step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from annotator.commands.region_shapes import AddPolygon
from annotator.commands.regions import AddRegion
from annotator.domain.region import Box, Region
from tests.gui.annotate.annotate_person import AnnotatePerson
from widgets.stage.tools.measure import MeasureTool
from widgets.stage.tools.rotation_editor import AROUND_PX, STEM_PX
from widgets.stage.tools.tool_sets import TOOLS

pytestmark = pytest.mark.allow_messages("does not support raise", "does not support grabbing")
SEGMENT_TESTS = Path(__file__).with_name("test_segment_tool.py")
BOX = Box(x1=100, y1=80, x2=180, y2=140)
TRIANGLE = ((300.0, 60.0), (380.0, 60.0), (340.0, 140.0))
LEFT, SHIFT = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier


@dataclass(frozen=True, kw_only=True)
class Gesture:
    """A gesture at a scene with a box and a triangle in the first view, and a box in the second.

    Attributes:
        tool: Id of the tool that is active.
        do: Does it.
        seen: What must be so afterwards.
        steps: Undo steps that it makes.
    """

    tool: str
    do: Callable[[AnnotatePerson], object]
    seen: Callable[[AnnotatePerson], bool]
    steps: int = 1


def first(person: AnnotatePerson) -> Region:
    """Return the box of the first view."""
    return person.regions()[0]


def second(person: AnnotatePerson) -> Region:
    """Return the triangle."""
    return person.regions()[1]


def newest(person: AnnotatePerson) -> Region:
    return person.regions()[-1]


def clicks(person: AnnotatePerson, *positions: tuple[float, float]) -> None:
    for x, y in positions:
        person.hands.click(x, y)


def pull(person: AnnotatePerson, begin: QPoint, end: QPoint) -> None:
    """Drag between places of the first view, pixels of the window."""
    canvas = person.hands.canvas()
    QTest.mousePress(canvas, LEFT, Qt.KeyboardModifier.NoModifier, begin)
    x, y = canvas.image_point(end)
    person.hands.move(x, y, is_down=True)
    QTest.mouseRelease(canvas, LEFT, Qt.KeyboardModifier.NoModifier, end)


def measured(person: AnnotatePerson) -> str:
    tool = person.annotate.stage.tool
    assert isinstance(tool, MeasureTool)
    return tool.measured_text(person.hands.canvas(), tool.points)


def nudge(person: AnnotatePerson) -> None:
    """Press arrow keys in quick succession, which are one change."""
    person.hands.click(140, 110)
    person.hands.key(Qt.Key.Key_Right)
    person.hands.key(Qt.Key.Key_Down, Qt.KeyboardModifier.ControlModifier)


def turn(person: AnnotatePerson) -> None:
    """Drag the round handle above the selected box to its right."""
    person.hands.click(140, 110)
    person.settle()
    rect = person.hands.canvas().region_rect(first(person))
    out = AROUND_PX + STEM_PX
    middle = rect.center().toPoint()
    above = QPoint(middle.x(), round(rect.top()) - round(out))
    pull(person, above, middle + QPoint(120, -60))


def double_click_edge(person: AnnotatePerson) -> None:
    person.hands.click(340, 90)
    person.settle()
    QTest.mouseDClick(person.hands.canvas(), LEFT, pos=person.hands.point(340, 60))


def resize(person: AnnotatePerson) -> None:
    person.hands.click(140, 110)
    person.settle()
    rect = person.hands.canvas().region_rect(first(person))
    corner = QPoint(round(rect.right() + AROUND_PX), round(rect.bottom() + AROUND_PX))
    pull(person, corner, corner + QPoint(30, 20))


def remove_corner(person: AnnotatePerson) -> None:
    person.hands.click(340, 90)
    person.settle()
    double_click_edge(person)
    person.settle()
    person.hands.click(*second(person).polygon[1])
    person.press("Del")


def enter_number(person: AnnotatePerson) -> None:
    person.hands.click(140, 110)
    person.settle()
    person.press("F4")
    field = QApplication.focusWidget()
    assert field is not None
    person.press("Ctrl+A")
    person.qtbot.keyClicks(field, "120")
    person.press("Return")


def choose_category(person: AnnotatePerson) -> None:
    person.hands.drag((420, 200), (500, 260))
    person.settle()
    assert person.annotate.categories.chooser.isVisible()
    focus = QApplication.focusWidget()
    assert focus is not None
    person.qtbot.keyClicks(focus, "crane")
    person.press("Return")


def draw_place(person: AnnotatePerson) -> None:
    person.hands.drag((420, 200), (480, 250), view=1)


def hide_place(person: AnnotatePerson) -> None:
    person.hands.click(140, 110)
    person.settle()
    person.press("Shift+S")
    draw_place(person)


def link_by_keys(person: AnnotatePerson) -> None:
    person.annotate.stage.select([])
    for key in ("0", "-", "0", "Return"):
        person.press(key)


GESTURES: dict[str, Gesture] = {
    "a drag with the box tool draws a box": Gesture(
        tool="box",
        do=lambda person: person.hands.drag((420, 200), (500, 260)),
        seen=lambda person: newest(person).box == Box(x1=420, y1=200, x2=500, y2=260),
    ),
    "a box gets its category by name right after drawing": Gesture(
        tool="box", do=choose_category, seen=lambda person: newest(person).category == "crane", steps=2
    ),
    "clicks and Enter draw a polygon": Gesture(
        tool="polygon",
        do=lambda person: (clicks(person, (420, 200), (500, 200), (460, 260)), person.press("Return")),
        seen=lambda person: len(newest(person).polygon) == 3,
    ),
    "a click draws a point": Gesture(
        tool="point",
        do=lambda person: person.hands.click(450, 230),
        seen=lambda person: newest(person).is_point,
    ),
    "two clicks link regions": Gesture(
        tool="link",
        do=lambda person: (person.hands.click(140, 110), person.hands.click(240, 220, view=1)),
        seen=lambda person: len(person.links()) == 1,
    ),
    "typed numbers link regions": Gesture(
        tool="link", do=link_by_keys, seen=lambda person: len(person.links()) == 1
    ),
    "a drag in the other view marks where an object is hidden": Gesture(
        tool="select",
        do=hide_place,
        seen=lambda person: newest(person).state == "occluded" and len(person.links()) == 1,
    ),
    "a click on the object, then a drag, marks where it is hidden": Gesture(
        tool="hidden_place",
        do=lambda person: (person.hands.click(140, 110), person.settle(), draw_place(person)),
        seen=lambda person: newest(person).state == "occluded" and len(person.links()) == 1,
    ),
    "clicks and Enter draw a path": Gesture(
        tool="path",
        do=lambda person: (clicks(person, (420, 200), (500, 200), (460, 260)), person.press("Return")),
        seen=lambda person: [len(path.points) for path in person.paths()] == [3],
    ),
    "a drag measures, and stores nothing": Gesture(
        tool="measure",
        do=lambda person: person.hands.drag((420, 200), (500, 260)),
        seen=lambda person: measured(person) == "100.0 px   -36.9°",
        steps=0,
    ),
    "a click selects": Gesture(
        tool="select",
        do=lambda person: person.hands.click(140, 110),
        seen=lambda person: person.annotate.stage.selected == (first(person).id,),
        steps=0,
    ),
    "Shift and a click add to the selection": Gesture(
        tool="select",
        do=lambda person: (person.hands.click(140, 110), person.hands.click(340, 90, keys=SHIFT)),
        seen=lambda person: len(person.annotate.stage.selected) == 2,
        steps=0,
    ),
    "a drag over an empty area selects what lies in it": Gesture(
        tool="select",
        do=lambda person: person.hands.drag((60, 40), (420, 180)),
        seen=lambda person: len(person.annotate.stage.selected) == 2,
        steps=0,
    ),
    "a drag moves the selection": Gesture(
        tool="select",
        do=lambda person: person.hands.drag((140, 110), (170, 130)),
        seen=lambda person: first(person).box == Box(x1=130, y1=100, x2=210, y2=160),
    ),
    "a drag at a handle resizes": Gesture(
        tool="select",
        do=resize,
        seen=lambda person: first(person).box.x2 > BOX.x2 and first(person).box.x1 == BOX.x1,
    ),
    "a drag at the round handle rotates": Gesture(
        tool="select", do=turn, seen=lambda person: len(first(person).polygon) == 4
    ),
    "arrow keys move by pixels": Gesture(
        tool="select",
        do=nudge,
        seen=lambda person: first(person).box == Box(x1=101, y1=90, x2=181, y2=150),
    ),
    "arrow keys with Shift change the size": Gesture(
        tool="select",
        do=lambda person: (person.hands.click(140, 110), person.press("Shift+Right")),
        seen=lambda person: first(person).box == Box(x1=100, y1=80, x2=181, y2=140),
    ),
    "a drag at a corner of a polygon moves it": Gesture(
        tool="select",
        do=lambda person: (
            person.hands.click(340, 90),
            person.settle(),
            person.hands.drag((340, 140), (350, 170)),
        ),
        seen=lambda person: second(person).polygon[2] == (350.0, 170.0),
    ),
    "a double click at an edge adds a corner": Gesture(
        tool="select", do=double_click_edge, seen=lambda person: len(second(person).polygon) == 4
    ),
    "Del removes a clicked corner": Gesture(
        tool="select", do=remove_corner, seen=lambda person: len(second(person).polygon) == 3, steps=2
    ),
    "a number is entered in the details": Gesture(
        tool="select", do=enter_number, seen=lambda person: first(person).box.x1 == 120
    ),
}


@pytest.fixture
def marked(person: AnnotatePerson) -> AnnotatePerson:
    """Give a scene with three regions."""
    one, two = person.annotate.stage.canvases
    for command in (
        AddRegion(medium=one.medium, box=BOX, category="car"),
        AddPolygon(medium=one.medium, corners=TRIANGLE, category="roof"),
        AddRegion(medium=two.medium, box=Box(x1=200, y1=200, x2=280, y2=240), category="car"),
    ):
        person.session.execute(command).result()
    person.qtbot.waitUntil(lambda: len(one.marks.ids) == 2 and len(two.marks.ids) == 1)
    person.settle()
    return person


def test_gestures_when_listed_then_each_tool_has_one() -> None:
    driven = {gesture.tool for gesture in GESTURES.values()}
    # The segmenter needs models: its clicks and boxes are in a test file of their own.
    assert "Shift+Z" in SEGMENT_TESTS.read_text(encoding="utf-8")
    assert {tool.id for tool in TOOLS} == driven | {"segment"}


@pytest.mark.slow
def test_gesture_when_done_in_the_window_then_it_is_stored_and_undone_by_its_steps(
    marked: AnnotatePerson,
) -> None:
    before = (marked.regions(), marked.links(), marked.paths())
    failed = []
    for name, gesture in GESTURES.items():
        stage = marked.annotate.stage
        stage.select([])
        stage.choose_tool(gesture.tool)
        stage.focus_view()
        gesture.do(marked)
        marked.settle()
        stage.tool.send_pending()
        marked.settle()
        if not gesture.seen(marked):
            failed.append(name)
        marked.annotate.categories.chooser.close_chooser()
        stage.tool.give_up()
        stage.focus_view()
        for _ in range(gesture.steps):
            marked.press("Ctrl+Z")
        if (marked.regions(), marked.links(), marked.paths()) != before:
            failed.append(f"{name}: not undone by {gesture.steps} steps")
            break
    assert not failed, failed
