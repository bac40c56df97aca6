from __future__ import annotations

from collections.abc import Sequence

import pytest
from PySide6.QtWidgets import QApplication

from annotator.commands.projects import ChooseTaskSet
from annotator.commands.region_values import SetCategory
from annotator.commands.regions import AddRegion
from annotator.domain.region import Box
from annotator.domain.task_set import TaskSet
from tests.gui.annotate.annotate_person import AnnotatePerson
from widgets import display_text
from widgets.annotate.categories import KnownCategories, category_choices
from widgets.annotate.category_chooser import CategoryChooser
from widgets.translation import set_language

KNOWN = KnownCategories(used=("red car", "tram", "car"), suggested=("pedestrian", "car"))


def names(typed: str = "", *, recent: Sequence[str] = (), can_remove: bool = False) -> list[str]:
    choices = category_choices(KNOWN, recent=recent, typed=typed, can_remove=can_remove)
    return [choice.category for choice in choices]


def chooser(person: AnnotatePerson) -> CategoryChooser:
    return person.annotate.categories.chooser


def draw(
    person: AnnotatePerson, begin: tuple[int, int] = (100, 100), end: tuple[int, int] = (200, 160)
) -> None:
    person.press("B")
    person.hands.drag(begin, end)
    person.settle()


def has_stage_keyboard(person: AnnotatePerson) -> bool:
    return QApplication.focusWidget() in person.annotate.stage.canvases


def test_choices_when_listed_then_the_last_used_come_first_and_each_once() -> None:
    assert names(recent=["tram"]) == ["tram", "red car", "car", "pedestrian"]


def test_choices_when_letters_are_typed_then_those_that_begin_so_come_first() -> None:
    assert names("car") == ["car", "red car"]


def test_choices_when_nothing_is_called_so_then_the_text_is_a_new_category() -> None:
    assert names("  big   van ") == ["big van"]
    assert names("CAR") == ["car", "red car"]


def test_choices_when_regions_have_a_category_then_it_can_be_removed() -> None:
    assert names(can_remove=True)[-1] == ""
    assert "" not in names("car", can_remove=True)


def test_box_when_drawn_then_a_number_key_sets_its_category(person: AnnotatePerson) -> None:
    medium = person.annotate.stage.canvases[0].medium
    for name in ("van", "tram"):
        person.session.execute(AddRegion(medium=medium, box=Box(x1=1, y1=1, x2=9, y2=9), category=name))
    person.qtbot.waitUntil(lambda: len(person.rows()) == 3)
    draw(person)
    assert chooser(person).isVisible()
    assert [choice.category for choice in chooser(person).choices] == ["tram", "van"]
    person.press("2")
    assert person.regions()[-1].category == "van"
    assert not chooser(person).isVisible()
    assert has_stage_keyboard(person)
    draw(person, (300, 100), (360, 160))
    assert chooser(person).choices[0].category == "van"
    person.press("Return")
    assert person.regions()[-1].category == "van"
    person.press("Ctrl+Z")
    assert person.regions()[-1].category == ""


@pytest.mark.parametrize("key", ["1", "Esc"])
def test_category_when_chosen_in_the_second_view_then_that_view_keeps_the_keyboard(
    person: AnnotatePerson, key: str
) -> None:
    first, second = person.annotate.stage.canvases
    person.session.execute(AddRegion(medium=first.medium, box=Box(x1=1, y1=1, x2=9, y2=9), category="van"))
    person.qtbot.waitUntil(lambda: len(person.rows()) == 2)
    person.press("E")
    person.press("Shift+B")
    person.press("Return")
    assert chooser(person).isVisible()
    person.press(key)
    assert not chooser(person).isVisible()
    assert QApplication.focusWidget() is second
    assert person.annotate.stage.front is second


def test_box_when_drawn_then_a_new_category_is_typed_and_is_in_the_list(person: AnnotatePerson) -> None:
    draw(person)
    person.qtbot.keyClicks(chooser(person).field, "Bus 2")
    person.press("Return")
    assert person.regions()[0].category == "Bus 2"
    assert person.rows() == ["UAV1  1", "Region 0  Bus 2"]


def test_box_when_drawn_then_esc_leaves_it_without_a_category_and_selected(person: AnnotatePerson) -> None:
    draw(person)
    person.press("Esc")
    (region,) = person.regions()
    assert region.category == ""
    assert person.annotate.stage.selected == (region.id,)
    assert has_stage_keyboard(person)


def test_box_when_it_is_undone_then_the_question_goes(person: AnnotatePerson) -> None:
    draw(person)
    person.press("Ctrl+Z")
    assert person.regions() == []
    assert not chooser(person).isVisible()


def test_box_when_the_next_one_is_begun_then_the_question_goes(person: AnnotatePerson) -> None:
    draw(person)
    person.hands.drag((300, 100), (360, 160))
    person.settle()
    assert chooser(person).title.text() == "Category of region 1"


def test_scene_when_another_is_shown_then_the_question_goes(person: AnnotatePerson) -> None:
    draw(person)
    person.press("PgDown")
    assert person.annotate.page.tool_bar.name.text() == "0002"
    assert not chooser(person).isVisible()


def test_regions_when_several_are_selected_then_the_key_sets_the_category_of_all(
    person: AnnotatePerson,
) -> None:
    commands = [
        AddRegion(medium=c.medium, box=Box(x1=1, y1=1, x2=9, y2=9)) for c in person.annotate.stage.canvases
    ]
    for command in commands:
        person.session.execute(command)
    person.qtbot.waitUntil(lambda: len(person.rows()) == 4)
    person.annotate.stage.focus_view()
    person.annotate.stage.select([command.id for command in commands])
    person.press("F2")
    assert chooser(person).title.text() == "Category of 2 regions"
    person.qtbot.keyClicks(chooser(person).field, "bus")
    person.press("Return")
    assert [region.category for region in person.regions()] == ["bus", "bus"]
    person.press("F2")
    assert chooser(person).choices[-1].category == ""
    person.press("Up")
    person.press("Down")
    person.press("2")
    assert [region.category for region in person.regions()] == ["", ""]
    person.press("Ctrl+Z")
    assert [region.category for region in person.regions()] == ["bus", "bus"]


def test_task_set_when_it_has_categories_then_they_are_offered(person: AnnotatePerson) -> None:
    person.session.execute(ChooseTaskSet(task_set="aircop")).result()
    draw(person)
    choices = [(choice.category, choice.text) for choice in chooser(person).choices]
    assert choices[:2] == [("vehicle", "Vehicle"), ("pedestrian", "Pedestrian")]


def test_question_when_it_is_switched_off_then_is_asked_by_its_key_alone(person: AnnotatePerson) -> None:
    person.window.registry.run("stage.ask_category_after_drawing")
    draw(person)
    assert not chooser(person).isVisible()
    assert has_stage_keyboard(person)
    person.press("F2")
    assert chooser(person).isVisible()


def test_chooser_when_the_region_is_at_an_edge_then_is_inside_of_the_stage(person: AnnotatePerson) -> None:
    person.window.resize(1280, 720)
    person.settle()
    for begin, end in (((560, 300), (639, 359)), ((0, 0), (30, 30))):
        draw(person, begin, end)
        assert person.annotate.stage.rect().contains(chooser(person).geometry())
        person.press("Esc")


@pytest.mark.parametrize("category", ["bus", ""])
def test_summary_of_setting_a_category_then_has_chinese(category: str) -> None:
    set_language("zh")
    summary = SetCategory(regions=("a", "b"), category=category).summary
    assert display_text.command_summary_text(summary) != str(summary)


def test_task_set_titles_when_chinese_is_spoken_then_the_stored_value_is_read_as_well() -> None:
    from annotator.domain import task_set_files

    task_set: TaskSet = task_set_files.builtin("aircop")
    display_text.load_task_set_titles_of(task_set)
    set_language("zh")
    known = KnownCategories(suggested=("vehicle",))
    (choice,) = category_choices(known, recent=(), typed="", can_remove=False)
    assert (choice.text, choice.note) == ("车辆", "vehicle")
