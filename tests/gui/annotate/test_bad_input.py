"""Input that makes no sense is refused in words where it was made, and nothing is lost."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit

from annotator.commands.regions import AddRegion
from annotator.domain.region import Box
from tests.gui.annotate.annotate_person import AnnotatePerson
from widgets.stage.tools.drawing import DrawingTool

pytestmark = pytest.mark.allow_messages("does not support raise", "does not support grabbing")
BOX = Box(x1=100, y1=80, x2=180, y2=140)


@pytest.fixture
def marked(person: AnnotatePerson) -> AnnotatePerson:
    """Give a scene with a box in each view."""
    canvases = person.annotate.stage.canvases
    for canvas in canvases:
        person.session.execute(AddRegion(medium=canvas.medium, box=BOX, category="car")).result()
    person.qtbot.waitUntil(lambda: all(len(canvas.marks.ids) == 1 for canvas in canvases))
    person.settle()
    person.annotate.stage.focus_view()
    return person


def notice(person: AnnotatePerson) -> str:
    """Return the message beside the pointer; it is painted in the view."""
    tool = person.annotate.stage.tool
    assert isinstance(tool, DrawingTool)
    assert not tool.notice or tool.canvas is person.hands.canvas()
    return tool.notice


def texts(person: AnnotatePerson) -> set[str]:
    return {part.text() for part in person.window.findChildren(QLabel) if part.isVisible()}


DRAWN: dict[str, tuple[str, Callable[[AnnotatePerson], object], str]] = {
    "a box without size": ("B", lambda person: person.hands.click(300, 200), "Drag from one corner"),
    "a box outside": ("B", lambda person: person.hands.drag((-90, 100), (-40, 160)), "Draw inside the image"),
    "a point outside": ("X", lambda person: person.hands.click(-90, 100), "Draw inside the image"),
    "a path of one point": (
        "P",
        lambda person: (person.hands.click(300, 200), person.press("Return")),
        "at least two points",
    ),
    "a polygon of two corners": (
        "G",
        lambda person: (
            person.hands.click(300, 200),
            person.hands.click(400, 200),
            person.press("Return"),
        ),
        "at least three corners",
    ),
    "a polygon that crosses itself": (
        "G",
        lambda person: [
            person.hands.click(*position) for position in ((300, 100), (400, 200), (400, 100), (300, 200))
        ],
        "must not cross itself",
    ),
}


@pytest.mark.parametrize("name", DRAWN)
def test_drawing_when_it_makes_no_region_then_says_why_at_the_pointer_and_can_be_corrected(
    marked: AnnotatePerson, name: str
) -> None:
    key, draw, text = DRAWN[name]
    before = marked.regions(), marked.paths()
    marked.press(key)
    draw(marked)
    marked.settle()
    assert text in notice(marked)
    assert (marked.regions(), marked.paths()) == before
    marked.press("Esc")
    assert notice(marked) == ""
    marked.press("B")
    marked.hands.drag((300, 200), (360, 260))
    marked.settle()
    assert marked.regions()[-1].box == Box(x1=300, y1=200, x2=360, y2=260)


def test_refusal_when_the_pointer_goes_on_then_its_words_are_gone(marked: AnnotatePerson) -> None:
    marked.press("B")
    marked.hands.click(300, 200)
    assert notice(marked)
    marked.hands.move(302, 202)
    assert notice(marked)
    marked.hands.move(380, 260)
    assert notice(marked) == ""


@pytest.mark.parametrize(
    ("typed", "message"), [("0-99", "UAV2 has no region 99"), ("99", "UAV1 has no region 99")]
)
def test_pair_when_a_typed_region_does_not_exist_then_says_which_and_links_nothing(
    marked: AnnotatePerson, typed: str, message: str
) -> None:
    marked.press("S")
    for key in (*typed, "Return"):
        marked.press(key)
    assert any(message in text for text in texts(marked))
    assert marked.links() == []
    # The wrong number is corrected in its place.
    for key in ("Backspace", "Backspace", "0", *("-0" if typed == "99" else ""), "Return"):
        marked.press(key)
    assert len(marked.links()) == 1


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("abc", "Enter a number."),
        ("1e400", "Enter a number."),
        ("nan", "Enter a number."),
        ("9999", "Enter a number from 0 to 560."),
        ("-5", "Enter a number from 0 to 560."),
    ],
)
def test_number_when_it_is_none_or_out_of_range_then_says_so_below_and_the_region_stays(
    marked: AnnotatePerson, typed: str, message: str
) -> None:
    marked.hands.click(140, 110)
    marked.settle()
    marked.press("F4")
    field = QApplication.focusWidget()
    assert isinstance(field, QLineEdit)
    marked.press("Ctrl+A")
    marked.qtbot.keyClicks(field, typed)
    marked.press("Return")
    assert message in texts(marked)
    assert (field.text(), field.hasFocus()) == (typed, True)
    assert marked.regions()[0].box == BOX
    marked.press("Esc")
    assert field.text() == "100"
    assert message not in texts(marked)


def test_media_when_they_go_while_they_are_shown_then_what_is_drawn_is_kept(marked: AnnotatePerson) -> None:
    for file in marked.session.media_root.iterdir():
        file.unlink()
    for key in ("B", "PgDown"):
        marked.press(key)
        marked.hands.drag((300, 200), (360, 260))
        marked.settle()
        marked.press("Esc")
    assert [region.box.x1 for region in marked.regions()] == [100, 100, 300, 300]
    marked.press("PgUp")
    assert len(marked.hands.canvas().marks.ids) == 2
