"""States of regions, hidden places and direction arrows, made in the window."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from PySide6.QtTest import QTest

from annotator.commands.drafts import DraftItems
from annotator.domain.item import Item
from annotator.domain.link import Link
from annotator.domain.region import Region
from annotator.domain.scene import Scene
from tests.gui.annotate.annotate_person import AnnotatePerson
from tests.gui.stage.test_painting import pixels_of
from tests.unit.store.making import changed, created, write

pytestmark = pytest.mark.allow_messages("does not support raise", "does not support grabbing")

IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
SHIFTED = (1.0, 0.0, -100.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@pytest.fixture
def drawn(person: AnnotatePerson) -> AnnotatePerson:
    """Give a scene with a box in each view; that of the second view is selected."""
    for view in (0, 1):
        person.press("B")
        person.hands.drag((100, 100), (200, 160), view=view)
        person.settle()
        person.press("Esc")
    person.press("V")
    person.press("Esc")
    person.hands.click(150, 130, view=1)
    return person


def align(person: AnnotatePerson) -> None:
    """Make the first view show the ground 100 px to the left of where the second one shows it."""
    scene = next(one for one in person.session.reader.records(Scene) if one.name == "0001")
    views = tuple(
        msgspec.structs.replace(view, to_ground=numbers)
        for view, numbers in zip(scene.views, (IDENTITY, SHIFTED), strict=True)
    )
    write(person.session, *changed("scene", scene.id, views=views))
    person.settle()


def hidden_of(person: AnnotatePerson) -> Region:
    (found,) = [region for region in person.regions() if region.state == "occluded"]
    return found


def test_hidden_place_when_drawn_in_the_other_view_then_is_occluded_and_linked(drawn: AnnotatePerson) -> None:
    shown = drawn.regions()[1]
    drawn.press("Shift+S")
    assert "is hidden in UAV1" in drawn.annotate.page.status_line.chosen.text()
    drawn.hands.drag((300, 200), (360, 260))
    drawn.settle()
    region = hidden_of(drawn)
    assert (region.box.x1, region.box.y2, region.medium) == (300, 260, drawn.hands.canvas().medium)
    assert drawn.links() == [(shown.id, region.id)]
    assert drawn.annotate.stage.selected == (region.id,)
    assert drawn.annotate.stage.tool.id == "select"
    assert "Region 1  occluded" in drawn.rows()
    drawn.press("Ctrl+Z")
    assert len(drawn.regions()) == 2
    assert drawn.links() == []


def test_hidden_place_when_the_views_are_aligned_then_enter_accepts_the_proposed_one(
    drawn: AnnotatePerson,
) -> None:
    align(drawn)
    drawn.hands.click(150, 130, view=1)
    drawn.press("Shift+S")
    assert "Enter: accept place" in drawn.annotate.page.status_line.chosen.text()
    drawn.press("Return")
    assert hidden_of(drawn).box.x1 == 0
    assert hidden_of(drawn).box.x2 == 100


def test_hidden_place_when_only_keys_are_used_then_arrows_and_enter_place_it(drawn: AnnotatePerson) -> None:
    drawn.press("Shift+S")
    drawn.press("Right")
    drawn.press("Shift+Ctrl+Down")
    drawn.press("Return")
    box = hidden_of(drawn).box
    assert (box.x2 - box.x1, box.y2 - box.y1) == (100, 70)


def test_hidden_place_when_the_view_has_the_object_already_then_says_so_and_draws_nothing(
    drawn: AnnotatePerson,
) -> None:
    first, second = drawn.regions()
    scene = drawn.annotate.stage.scene
    link = Link(id="f" * 32, scene=scene, regions=(first.id, second.id))
    write(drawn.session, created("link", link))
    drawn.settle()
    drawn.hands.click(150, 130, view=1)
    drawn.press("Shift+S")
    drawn.hands.click(300, 200)
    drawn.settle()
    tool = drawn.annotate.stage.tool
    assert tool.notice == "UAV1 already has region 0 of this object"  # type: ignore[attr-defined]
    assert len(drawn.regions()) == 2
    drawn.press("Esc")
    assert drawn.links() == [(first.id, second.id)]


@pytest.mark.parametrize(
    ("key", "state", "text"),
    [("8", "occluded", "occluded"), ("9", "out_of_view", "out of view")],
)
def test_state_when_its_key_is_pressed_then_the_region_is_dashed_and_the_list_says_so(
    drawn: AnnotatePerson, key: str, state: str, text: str
) -> None:
    drawn.press("Esc")
    drawn.hands.move(500, 300, view=1)
    canvas = drawn.hands.canvas(1)
    solid = pixels_of(canvas.grab().toImage())
    drawn.hands.click(150, 130, view=1)
    drawn.press(key)
    assert drawn.regions()[1].state == state
    assert f"Region 0  {text}" in drawn.rows()
    assert text in drawn.annotate.annotation_panel.details.title.text()
    drawn.press("Shift+A")
    assert drawn.regions()[1].is_abnormal
    drawn.press("Esc")
    drawn.hands.move(500, 300, view=1)
    assert not np.array_equal(pixels_of(canvas.grab().toImage()), solid)
    drawn.press("Ctrl+Z")
    drawn.hands.click(150, 130, view=1)
    drawn.press("7")
    assert drawn.regions()[1].state == "visible"


def test_hidden_place_when_only_detected_regions_are_shown_then_is_counted_and_cannot_be_clicked(
    drawn: AnnotatePerson,
) -> None:
    drawn.press("8")
    drawn.press("Esc")
    drawn.press("D")
    assert drawn.annotate.page.status_line.hidden.text().startswith("Hidden: 1 region")
    drawn.hands.click(150, 130, view=1)
    assert drawn.annotate.stage.selected == ()


def test_direction_arrows_when_drawn_then_are_six_and_a_second_time_is_refused(drawn: AnnotatePerson) -> None:
    drawn.press("Shift+P")
    paths = drawn.paths()
    assert [path.label for path in paths] == [f"Direction {n}" for n in range(1, 7)]
    assert drawn.annotate.stage.selected == tuple(path.id for path in paths)
    drawn.press("Shift+P")
    assert len(drawn.paths()) == 6
    assert "already has direction arrows" in drawn.window.banner.headline.text()
    drawn.press("Ctrl+Z")
    assert drawn.paths() == []


def test_path_when_its_label_is_entered_then_it_has_it_and_undo_takes_it_back(person: AnnotatePerson) -> None:
    person.press("P")
    person.hands.click(100, 100)
    person.hands.click(300, 200)
    person.press("Return")
    person.press("V")
    person.hands.click(200, 150)
    assert person.annotate.stage.selected == (person.paths()[0].id,)
    person.press("F4")
    field = person.annotate.annotation_panel.details.path.field
    assert field.hasFocus()
    QTest.keyClicks(field, "Direction  3")
    person.press("Return")
    assert person.paths()[0].label == "Direction 3"
    assert any(row.startswith("Direction 3") for row in person.rows())
    person.press("Esc")
    person.press("Ctrl+Z")
    assert person.paths()[0].label == ""


def test_hidden_place_when_the_drag_is_too_short_then_says_so_and_the_object_stays_chosen(
    drawn: AnnotatePerson,
) -> None:
    drawn.press("Shift+S")
    drawn.hands.click(300, 200)
    tool = drawn.annotate.stage.tool
    assert "corner" in tool.notice  # type: ignore[attr-defined]
    drawn.hands.drag((300, 200), (360, 260))
    drawn.settle()
    assert hidden_of(drawn).box.x1 == 300


def test_hidden_place_when_a_region_covers_it_then_occlusion_removal_is_drafted_from_three_actions(
    drawn: AnnotatePerson,
) -> None:
    drawn.press("B")
    drawn.hands.drag((400, 100), (500, 200))
    drawn.settle()
    drawn.press("Esc")
    drawn.press("V")
    # Three actions: a click, a key, a drag.
    drawn.hands.click(150, 130, view=1)
    drawn.press("Shift+S")
    drawn.hands.drag((410, 110), (490, 190))
    drawn.settle()
    drawn.session.execute(DraftItems(task_set="spatialuav", tasks=("occlusion_removal",))).result()
    (item,) = drawn.session.reader.records(Item)
    shown, hidden_in = drawn.hands.canvas(1).medium, drawn.hands.canvas(0).medium
    assert item.media == (shown, hidden_in)
    assert "hides the object" in item.question or "hides it" in item.question
    assert item.answer_key == "Region 1"
