from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from annotator.domain import answers
from annotator.domain.region import Box
from tests.gui.answers.answerer import Answerer, item_of
from tests.gui.stage.hands import LEFT, Hands
from widgets.answers.box_answer import BoxAnswer

KEY = "[300, 200, 360, 240]"


class Drawer(Answerer):
    """A box that is drawn on a stage; it belongs to the second view."""

    def __init__(self, hands: Hands, key: str = "") -> None:
        super().__init__(hands.qtbot, item_of("bbox", key), shown=hands.stage.shown)
        self.hands = hands
        self.widget.attach(hands.stage)

    @property
    def answer(self) -> BoxAnswer:
        assert isinstance(self.widget, BoxAnswer)
        return self.widget

    def texts(self) -> list[str]:
        return [field.text() for field in self.answer.fields.values()]


def boxed(text: str) -> Box:
    value = answers.get("bbox").parse(text).value
    assert isinstance(value, Box)
    return value


def test_box_when_an_item_is_shown_then_its_corners_are_in_the_fields(hands: Hands) -> None:
    person = Drawer(hands, KEY)
    assert person.texts() == ["300", "200", "360", "240"]
    assert person.answer.box == Box(x1=300, y1=200, x2=360, y2=240)


def test_box_when_drawn_in_its_view_then_is_committed_and_in_the_fields(hands: Hands) -> None:
    person = Drawer(hands)
    hands.drag((420, 90), (400, 60), view=1)
    assert person.committed == ["[400, 60, 420, 90]"]
    assert boxed(person.committed[0]) == Box(x1=400, y1=60, x2=420, y2=90)
    assert person.texts() == ["400", "60", "420", "90"]


def test_box_when_drawn_in_another_view_then_says_where_it_belongs(hands: Hands) -> None:
    person = Drawer(hands)
    hands.pull((400, 60), (420, 90))
    assert "UAV2" in getattr(hands.stage.tool, "notice", "")
    QTest.mouseRelease(hands.canvas(), LEFT, pos=hands.point(420, 90))
    assert person.committed == []


def test_box_when_dragged_or_pulled_at_a_corner_then_changes(hands: Hands) -> None:
    person = Drawer(hands, KEY)
    hands.drag((330, 220), (340, 230), view=1)
    assert person.committed == ["[310, 210, 370, 250]"]
    hands.drag((371, 251), (380, 260), view=1)
    assert boxed(person.committed[-1]) == Box(x1=310, y1=210, x2=380, y2=260)
    hands.drag((330, 220), (350, 240), view=1)
    hands.click(40, 40, view=1)
    assert boxed(person.committed[-1]) == Box(x1=20, y1=20, x2=60, y2=50)


def test_box_when_control_is_held_then_a_new_one_is_drawn_inside(hands: Hands) -> None:
    person = Drawer(hands, KEY)
    canvas, ctrl = hands.canvas(1), Qt.KeyboardModifier.ControlModifier
    QTest.mousePress(canvas, LEFT, ctrl, hands.point(310, 210, view=1))
    hands.move(330, 230, view=1, is_down=True, keys=ctrl)
    QTest.mouseRelease(canvas, LEFT, ctrl, hands.point(330, 230, view=1))
    assert person.committed == ["[310, 210, 330, 230]"]


def test_box_when_moved_by_keys_then_a_run_of_them_is_one_change(hands: Hands) -> None:
    person = Drawer(hands, KEY)
    for _ in range(3):
        hands.key(Qt.Key.Key_Right, view=1)
    assert person.committed == []
    assert hands.stage.tool.is_pending
    hands.qtbot.wait_until(lambda: person.committed == ["[303, 200, 363, 240]"])
    hands.key(Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier, view=1)
    assert person.widget.apply()
    assert person.committed[-1] == "[303, 200, 363, 241]"


def test_box_when_the_drag_is_given_up_then_is_as_before(hands: Hands) -> None:
    person = Drawer(hands, KEY)
    hands.pull((330, 220), (350, 240), view=1)
    hands.stage.give_up()
    QTest.mouseRelease(hands.canvas(1), LEFT, pos=hands.point(350, 240, view=1))
    assert (person.committed, person.answer.box) == ([], Box(x1=300, y1=200, x2=360, y2=240))


def test_box_when_numbers_are_entered_then_waits_for_all_four(hands: Hands) -> None:
    person = Drawer(hands)
    for text in ("10", "20", "30"):
        person.type(text)
        person.press(Qt.Key.Key_Return)
        person.press(Qt.Key.Key_Tab)
    assert "Lower edge" in person.widget.problem()
    person.type("40")
    person.press(Qt.Key.Key_Return)
    assert (person.committed, person.widget.problem()) == (["[10, 20, 30, 40]"], "")


@pytest.mark.parametrize(("typed", "word"), [("641", "640"), ("left", "number")])
def test_box_when_a_number_is_wrong_then_says_what_is_right(hands: Hands, typed: str, word: str) -> None:
    person = Drawer(hands, KEY)
    person.answer.fields["x1"].selectAll()
    person.type(typed)
    person.press(Qt.Key.Key_Return)
    assert word in person.widget.problem()
    assert person.widget.problem_line.isVisible()
    person.press(Qt.Key.Key_Escape)
    assert (person.widget.problem(), person.committed) == ("", [])


def test_box_when_the_stored_key_is_unreadable_then_its_problem_quotes_it(hands: Hands) -> None:
    person = Drawer(hands, "[0.1, 0.2, 0.3, 0.4]")
    assert "“[0.1, 0.2, 0.3, 0.4]”" in person.widget.problem()
    assert person.texts() == ["", "", "", ""]
    assert person.widget.text() == "[0.1, 0.2, 0.3, 0.4]"
