from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from annotator.domain import answers
from annotator.domain.answers.pair_list import RegionPair
from annotator.media.render import UNLINKED, Overlay
from tests.guards_qt import PatientBot
from tests.gui.answers.answerer import Answerer, item_of
from tests.gui.stage.hands import LEFT, Hands, make_region, make_scene
from widgets.answers.picked_answer import PickedAnswer
from widgets.region_colours import region_colour
from widgets.stage.canvas import StageCanvas

CTRL = Qt.KeyboardModifier.ControlModifier
A0, A1, B0, B1 = (180, 150), (130, 120), (330, 220), (40, 40)
"""Points in the regions of tests/gui/stage/hands.py, by view and number."""


class Picker(Answerer):
    """An answer that is picked on a stage."""

    def __init__(self, hands: Hands, answer_format: str, key: str = "", **values: object) -> None:
        is_blind = bool(values.pop("is_blind", False))
        super().__init__(
            hands.qtbot, item_of(answer_format, key, **values), shown=hands.stage.shown, is_blind=is_blind
        )
        self.hands = hands
        self.widget.attach(hands.stage)

    @property
    def answer(self) -> PickedAnswer[object]:
        assert isinstance(self.widget, PickedAnswer)
        return self.widget

    def chips(self) -> list[str]:
        return [button.text().removesuffix("  ×").strip() for button in self.answer.chips.buttons]

    def canvas(self, view: int) -> StageCanvas:
        return self.hands.canvas(view)


def test_region_set_when_clicked_on_the_stage_then_toggles_and_commits(hands: Hands) -> None:
    person = Picker(hands, "region_set")
    hands.click(*A1)
    hands.click(*B0, view=1)
    assert person.committed == ["Region 1", "Region 0, 1"]
    assert person.chips() == ["0", "1"]
    hands.click(*A1)
    assert person.committed[-1] == "Region 0"
    assert answers.get("region_set").parse(person.committed[-1]).value == frozenset({0})
    assert [one.number for one in person.answer.picked_in(person.canvas(0))] == [0]


def test_region_label_when_one_is_clicked_then_it_is_the_answer_in_one_action(hands: Hands) -> None:
    person = Picker(hands, "region_label", "Region 0")
    hands.click(*B1, view=1)
    assert person.committed == ["Region 1"]
    hands.click(*A0, keys=CTRL)
    assert answers.get("region_label").parse(person.committed[-1]).value == (1, 0)
    assert person.chips() == ["1", "0"]
    hands.click(*B1, view=1)
    assert person.committed[-1] == "Region 1"


def test_region_label_when_a_blind_person_types_on_the_stage_then_it_is_the_number(hands: Hands) -> None:
    person = Picker(hands, "region_label", "Region 0", is_blind=True)
    hands.key(Qt.Key.Key_1)
    assert person.answer.line.text() == "1"
    person.press(Qt.Key.Key_Return)
    assert (person.committed, person.chips()) == (["Region 1"], ["1"])


def test_digit_when_typed_on_the_stage_of_an_editor_then_is_left_to_it(hands: Hands) -> None:
    person = Picker(hands, "region_label", "Region 0")
    hands.key(Qt.Key.Key_1)
    assert (person.answer.line.text(), person.answer.line.isModified()) == ("Region 0", False)


def test_region_set_when_numbers_are_typed_then_are_added_and_known_ones_removed(hands: Hands) -> None:
    person = Picker(hands, "region_set", "Region 0")
    person.type("0, 1")
    person.press(Qt.Key.Key_Return)
    assert (person.committed, person.chips(), person.answer.line.text()) == (["Region 1"], ["1"], "")
    person.press(Qt.Key.Key_Backspace)
    assert (person.committed[-1], person.chips()) == ("", [])


def test_region_set_when_a_region_does_not_exist_then_says_so_and_keeps_the_answer(hands: Hands) -> None:
    person = Picker(hands, "region_set", "Region 0")
    person.type("7")
    person.press(Qt.Key.Key_Return)
    assert "7" in person.widget.problem()
    assert person.widget.problem_line.isVisible()
    assert (person.committed, person.chips(), person.answer.line.text()) == ([], ["0"], "7")


def test_regions_when_the_stored_key_is_unreadable_then_it_is_in_the_line_with_its_problem(
    hands: Hands,
) -> None:
    person = Picker(hands, "region_set", "somewhere")
    assert (person.answer.line.text(), person.chips()) == ("somewhere", [])
    assert person.widget.problem()
    hands.click(*A1)
    assert (person.committed, person.answer.line.text(), person.widget.problem()) == (["Region 1"], "", "")


def test_chip_when_clicked_then_its_region_leaves_the_answer(hands: Hands) -> None:
    person = Picker(hands, "region_set", "Region 0, 1")
    QTest.mouseClick(person.answer.chips.buttons[0], LEFT)
    hands.qtbot.wait_until(lambda: person.committed == ["Region 1"])
    assert person.chips() == ["1"]


def test_chips_when_the_stage_shows_links_then_have_its_colours_but_not_for_the_blind(hands: Hands) -> None:
    person = Picker(hands, "region_set", "Region 1")
    blind = Picker(hands, "region_set", is_blind=True)
    region = hands.canvas().marks.region("a1")
    assert region is not None
    assert hands.stage.shown is not None
    linked = region_colour(hands.stage.shown.link_colours["a1"])
    assert linked != region_colour(1)
    assert (person.answer.colour_of(region), blind.answer.colour_of(region)) == (linked, region_colour(1))
    alone = hands.canvas().marks.region("a0")
    assert person.answer.colour_of(alone) == region_colour(UNLINKED)
    hands.stage.choose_rendering("detected")
    assert person.answer.colour_of(region) == region_colour(1)


def test_chips_when_only_the_pointer_moves_then_are_not_made_again(
    hands: Hands, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = Picker(hands, "region_set", "Region 0, 1")
    before = person.answer.chips.buttons
    asked: list[object] = []
    monkeypatch.setattr(type(person.answer), "chip_of", lambda _self, part: asked.append(part))
    for x in range(10, 200, 10):
        hands.move(x, 50)
    assert (asked, person.answer.chips.buttons) == ([], before)


def test_regions_when_a_number_is_on_several_frames_then_those_of_the_shown_frame_are_marked(
    hands: Hands, tmp_path: Path
) -> None:
    frames = [
        msgspec.structs.replace(make_region(f"f{n}", "m1", 4, (40, 40, 90, 90)), frame=n) for n in (3, 9)
    ]
    still = make_region("still", "m1", 4, (100, 40, 150, 90))
    hands.show(make_scene(tmp_path, marks=Overlay(regions=(*frames, still))))
    person = Picker(hands, "region_set", "Region 4")
    assert [one.id for one in person.answer.picked_in(person.canvas(0))] == ["still"]


def test_picking_when_regions_are_hidden_or_of_another_item_then_does_nothing(hands: Hands) -> None:
    person = Picker(hands, "region_set", media=("m1",))
    hands.click(*B0, view=1)
    hands.stage.choose_rendering("clean")
    hands.click(*A0)
    assert person.committed == []
    assert hands.stage.tool.hint == "Display the regions to pick one"


def test_stage_when_the_answer_is_detached_then_has_its_tool_back(hands: Hands) -> None:
    person = Picker(hands, "region_set")
    assert hands.stage.tool.id == "answer"
    person.widget.detach()
    assert hands.stage.tool.id == "select"
    hands.click(*A0)
    assert (person.committed, hands.stage.selected) == ([], ("a0",))


def test_stage_when_another_tool_was_chosen_then_detaching_leaves_it(hands: Hands) -> None:
    person = Picker(hands, "region_set")
    hands.stage.choose_tool("measure")
    person.widget.detach()
    assert hands.stage.tool.id == "measure"
    person.widget.attach(hands.stage)
    hands.stage.choose_tool("box")
    person.widget.pick()
    hands.click(*A0)
    assert person.committed == ["Region 0"]


def test_stage_when_dragged_while_picking_then_pans(hands: Hands) -> None:
    person = Picker(hands, "region_set")
    hands.stage.viewports.zoom_in()
    before = hands.canvas().transform
    hands.drag(A0, (300, 250))
    assert hands.canvas().transform != before
    assert person.committed == []


def test_pair_when_picked_in_either_order_then_names_the_first_view_first(hands: Hands) -> None:
    person = Picker(hands, "pair_list")
    hands.click(*B0, view=1)
    assert person.committed == []
    hands.click(*A1)
    hands.click(*A0)
    hands.click(*B1, view=1)
    assert person.committed == ["1-0", "0-1, 1-0"]
    value = answers.get("pair_list").parse(person.committed[-1]).value
    assert value == frozenset({RegionPair(0, 1), RegionPair(1, 0)})
    assert person.chips() == ["0-1", "1-0"]


def test_pair_when_typed_then_is_added_and_typed_again_then_is_removed(hands: Hands) -> None:
    person = Picker(hands, "pair_list", "0-0")
    for _ in range(2):
        person.type("1-1")
        person.press(Qt.Key.Key_Return)
    assert person.committed == ["0-0, 1-1", "0-0"]


@pytest.mark.parametrize("typed", ["1-9", "1-", "1-1-0"])
def test_pair_when_typed_wrongly_then_says_why_and_keeps_the_pairs(hands: Hands, typed: str) -> None:
    person = Picker(hands, "pair_list", "0-0")
    person.type(typed)
    person.press(Qt.Key.Key_Return)
    assert person.widget.problem()
    assert (person.committed, person.chips(), person.answer.line.text()) == ([], ["0-0"], typed)


def test_pair_when_the_same_view_is_clicked_again_or_escape_is_pressed_then_begins_anew(hands: Hands) -> None:
    person = Picker(hands, "pair_list")
    hands.click(*A0)
    hands.click(*A1)
    assert "UAV1 1" in person.hands.stage.tool.hint
    hands.stage.give_up()
    hands.click(*B1, view=1)
    hands.click(*A0)
    assert person.committed == ["0-1"]


def test_six_pairs_when_picked_then_take_twelve_actions(hands: Hands, tmp_path: Path) -> None:
    regions = tuple(
        make_region(f"{medium}-{number}", medium, number, (40 + 90 * number, 40, 90 + 90 * number, 90))
        for medium in ("m1", "m2")
        for number in range(6)
    )
    hands.show(make_scene(tmp_path, marks=Overlay(regions=regions)))
    person = Picker(hands, "pair_list")
    for number in range(6):
        hands.click(60 + 90 * number, 60)
        hands.click(60 + 90 * number, 60, view=1)
    assert person.committed[-1] == "0-0, 1-1, 2-2, 3-3, 4-4, 5-5"


def test_picked_answer_when_blind_then_starts_empty_and_is_answered(qtbot: PatientBot, hands: Hands) -> None:
    person = Picker(hands, "pair_list", "0-0", is_blind=True)
    assert (person.widget.text(), person.chips(), list(person.answer.picked_in(person.canvas(0)))) == (
        "",
        [],
        [],
    )
    hands.click(*A1)
    hands.click(*B1, view=1)
    assert person.committed == ["1-1"]
