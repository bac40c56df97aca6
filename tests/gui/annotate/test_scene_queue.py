"""The queue of scenes in the real window: states, chips, unfinished scenes, and the end of work on one."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication, QMenu

from annotator.commands.assignments import AssignRecords
from annotator.commands.links import UnlinkRegions
from annotator.commands.projects import ChooseTaskSet
from annotator.commands.scene_states import FinishScene
from annotator.domain.actor import Actor
from annotator.domain.assignment import Assignment
from annotator.domain.flag import Flag
from annotator.domain.link import Link
from annotator.domain.query import SceneQuery
from annotator.domain.record import new_id
from annotator.domain.region import Box, Region
from annotator.domain.rows import SceneRow
from annotator.domain.scene import Scene
from annotator.edits.people import named_person
from tests.gui.annotate.annotate_person import AnnotatePerson
from tests.unit.store.making import created, write
from widgets.annotate.scene_finish import SceneFinish
from widgets.annotate.scene_queue import SceneQueue
from widgets.text_prompt import LinePrompt

pytestmark = pytest.mark.allow_messages("does not support raise", "does not support grabbing")


@pytest.fixture
def queue(person: AnnotatePerson) -> SceneQueue:
    return person.annotate.queue


@pytest.fixture
def finish(person: AnnotatePerson) -> SceneFinish:
    person.annotate.stage.focus_view()
    return person.annotate.finish


def states(person: AnnotatePerson) -> list[str]:
    return [row.annotation for row in person.session.reader.scenes.page(SceneQuery())]


def shown(person: AnnotatePerson) -> str:
    scene = person.annotate.stage.shown
    return scene.scene.name if scene is not None else ""


def names(queue: SceneQueue) -> list[str]:
    rows = [queue.listing.model.row(index) for index in range(queue.listing.model.rowCount())]
    return [row.name for row in rows if row is not None]


def end_scene(person: AnnotatePerson, name: str) -> None:
    scene = next(one for one in person.session.reader.records(Scene) if one.name == name)
    changes = person.session.execute(FinishScene(scene=scene.id))
    changes.result()
    person.qtbot.waitUntil(person.annotate.queue.listing.is_settled)
    person.settle()


def test_queue_when_nothing_is_annotated_then_all_scenes_are_to_do(
    person: AnnotatePerson, queue: SceneQueue
) -> None:
    assert states(person) == ["to_do", "to_do", "to_do"]
    assert queue.count.text() == "0 of 3 finished"
    assert [chip.text() for chip in queue.chips.values()] == ["Unfinished 3", "Mine 0", "All"]


def test_key_when_nothing_is_missing_then_finishes_the_scene_and_the_same_key_reopens_it(
    person: AnnotatePerson, queue: SceneQueue, finish: SceneFinish
) -> None:
    person.press("Ctrl+E")
    person.qtbot.waitUntil(lambda: queue.count.text() == "1 of 3 finished")
    assert states(person)[0] == "finished"
    row = queue.listing.current_row()
    assert isinstance(row, SceneRow)
    person.qtbot.waitUntil(lambda: "Reopen scene" in finish.button.text())
    person.press("Ctrl+E")
    person.qtbot.waitUntil(lambda: queue.count.text() == "0 of 3 finished")
    person.press("Ctrl+Z")
    person.qtbot.waitUntil(lambda: queue.count.text() == "1 of 3 finished")
    person.press("Ctrl+Z")
    person.qtbot.waitUntil(lambda: queue.count.text() == "0 of 3 finished")
    assert states(person)[0] == "to_do"


def test_key_when_labels_are_missing_then_lists_them_and_opens_the_form_of_the_first(
    person: AnnotatePerson, finish: SceneFinish
) -> None:
    person.session.execute(ChooseTaskSet(task_set="aircop")).result()
    person.press("E")
    person.press("Ctrl+E")
    person.qtbot.waitUntil(lambda: finish.list.count() == 2)
    person.settle()
    assert finish.list.item(0).text() == "UAV1: The event label is missing."
    form = person.annotate.annotation_panel.form
    assert form.isVisible()
    assert form.hasFocus()
    assert "UAV1" in form.title.text()
    assert states(person)[0] == "to_do"
    for key in "Q3U1T1C3":
        person.press(key)
    person.qtbot.waitUntil(lambda: finish.list.item(0).text().startswith("UAV1, When"))
    assert states(person)[0] == "open"


def test_problem_when_it_is_clicked_then_the_field_or_the_region_is_shown(
    person: AnnotatePerson, finish: SceneFinish
) -> None:
    regions = list_a_problem(person, finish)
    assert list(person.annotate.stage.selected) == regions[:1]
    assert states(person)[0] == "open"


def test_unfinished_when_scenes_are_finished_then_the_keys_step_over_them(
    person: AnnotatePerson, queue: SceneQueue, finish: SceneFinish
) -> None:
    assert shown(person) == "0001"
    end_scene(person, "0002")
    person.press("Shift+PgDown")
    person.qtbot.waitUntil(lambda: queue.listing.table.current_position() == 2)
    person.press("Shift+PgUp")
    person.qtbot.waitUntil(lambda: shown(person) == "0001")
    end_scene(person, "0003")
    person.press("Shift+PgDown")
    person.qtbot.waitUntil(lambda: queue.count.text() == "No other scene of this list is unfinished")
    assert shown(person) == "0001"


def test_chip_when_unfinished_is_chosen_then_a_finished_scene_leaves_the_list(
    person: AnnotatePerson, queue: SceneQueue, finish: SceneFinish
) -> None:
    queue.chips["unfinished"].click()
    person.settle()
    person.press("Ctrl+E")
    person.qtbot.waitUntil(lambda: names(queue) == ["0002", "0003"])
    for name in ("0002", "0003"):
        end_scene(person, name)
    person.qtbot.waitUntil(person.annotate.reasons["all_finished"].isVisible)


def test_chip_when_mine_is_chosen_then_only_scenes_assigned_to_this_person_are_listed(
    person: AnnotatePerson, queue: SceneQueue
) -> None:
    queue.chips["mine"].click()
    person.qtbot.waitUntil(person.annotate.reasons["none_assigned"].isVisible)
    scenes = list(person.session.reader.records(Scene))
    actor = person.session.actor.id
    for scene, whose in ((scenes[1], actor), (scenes[2], "b" * 32)):
        assigned = Assignment(id=new_id(), entity="scene", target=scene.id, person=whose, role="annotate")
        write(person.session, created("assignment", assigned))
    person.qtbot.waitUntil(lambda: names(queue) == ["0002"])
    assert queue.chips["mine"].text() == "Mine 1"
    assert queue.count.text() == "0 of 1 finished"


def test_record_of_the_library_when_the_chip_hides_its_scene_then_all_scenes_are_listed(
    person: AnnotatePerson, queue: SceneQueue, finish: SceneFinish
) -> None:
    queue.chips["unfinished"].click()
    person.settle()
    person.press("Ctrl+E")
    person.qtbot.waitUntil(lambda: names(queue) == ["0002", "0003"])
    person.window.show_workspace("library")
    person.settle()
    library = person.window.library
    library.show_list("scene")
    library.listing().table.choose_row(0)
    person.settle()
    person.window.show_workspace("annotate")
    person.settle()
    assert shown(person) == "0001"
    assert queue.chips["all"].isChecked()


def menu_texts(menu: QMenu) -> list[str]:
    return [action.text() for action in menu.actions() if not action.isSeparator()]


def test_menu_when_scenes_are_selected_then_assigns_them_to_a_person_and_undo_takes_it_back(
    person: AnnotatePerson, queue: SceneQueue
) -> None:
    write(person.session, created("actor", Actor(id="b" * 32, name="Ben & Co")))
    queue.listing.table.selectAll()
    person.window.registry.run("annotate.assign")
    menu = shown_menu(person)
    assert menu_texts(menu) == [
        "Assign to me",
        "Assign to Ada",
        "Assign to Ben && Co",
        "Assign to a new person…",
        "Remove assignments",
    ]
    menu.actions()[0].trigger()
    menu.close()
    person.qtbot.waitUntil(lambda: queue.chips["mine"].text() == "Mine 3")
    person.press("Ctrl+Z")
    person.qtbot.waitUntil(lambda: queue.chips["mine"].text() == "Mine 0")


def test_menu_when_assignments_are_removed_then_the_scenes_are_nobodys(
    person: AnnotatePerson, queue: SceneQueue
) -> None:
    scene, actor = next(person.session.reader.records(Scene)), person.session.actor.id
    person.session.execute(
        AssignRecords(entity="scene", role="annotate", pairs=((scene.id, actor),))
    ).result()
    person.qtbot.waitUntil(lambda: queue.chips["mine"].text() == "Mine 1")
    person.window.registry.run("annotate.assign")
    menu = shown_menu(person)
    menu.actions()[-1].trigger()
    menu.close()
    person.qtbot.waitUntil(lambda: queue.chips["mine"].text() == "Mine 0")


def test_menu_when_a_new_person_is_entered_then_is_added_with_the_scenes(
    person: AnnotatePerson, queue: SceneQueue
) -> None:
    person.window.registry.run("annotate.assign")
    menu = shown_menu(person)
    menu.actions()[-3].trigger()
    menu.close()
    [prompt] = person.window.findChildren(LinePrompt)
    prompt.field.setText("Cleo")
    prompt.main.click()
    person.qtbot.waitUntil(lambda: len(list(person.session.reader.records(Assignment))) == 1)
    (cleo,) = (actor for actor in person.session.reader.records(Actor) if actor.name == "Cleo")
    assert cleo.id == named_person("Cleo", project=person.session.reader.project.id).id


def shown_menu(person: AnnotatePerson) -> QMenu:
    person.qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def test_finished_scene_when_a_gesture_unlinks_in_it_then_is_open_in_the_list_and_undo_asks_nothing(
    person: AnnotatePerson, queue: SceneQueue, finish: SceneFinish
) -> None:
    regions = linked_regions(person)
    person.press("Ctrl+E")
    person.qtbot.waitUntil(lambda: queue.count.text() == "1 of 3 finished")
    person.qtbot.waitUntil(lambda: "Reopen scene" in finish.button.text())
    person.annotate.stage.select(regions)
    person.annotate.commands.unlink_selected()
    person.qtbot.waitUntil(lambda: queue.count.text() == "0 of 3 finished")
    person.settle()
    assert "Finish scene" in finish.button.text()
    person.annotate.stage.focus_view()
    person.press("Ctrl+Z")
    person.qtbot.waitUntil(lambda: queue.count.text() == "1 of 3 finished")
    assert len(person.links()) == 1


def linked_regions(person: AnnotatePerson) -> list[str]:
    """Write a link between the views of the first scene, and wait until it is displayed."""
    scene = next(person.session.reader.records(Scene))
    box = Box(x1=5.0, y1=5.0, x2=25.0, y2=25.0)
    regions = [Region(id=new_id(), medium=view.medium, number=0, box=box) for view in scene.views]
    link = Link(id=new_id(), scene=scene.id, regions=tuple(region.id for region in regions))
    write(person.session, *(created("region", region) for region in regions), created("link", link))
    person.qtbot.waitUntil(lambda: len(person.rows()) > 0)
    person.settle()
    return [region.id for region in regions]


def list_a_problem(person: AnnotatePerson, finish: SceneFinish) -> list[str]:
    """Try to finish a scene whose link has a flag; return the regions of the link."""
    regions = linked_regions(person)
    (link,) = person.session.reader.records(Link)
    flag = Flag(id=new_id(), entity="link", target=link.id, kind="link_mismatch", message="Too far.")
    write(person.session, created("flag", flag))
    person.settle()
    person.press("Ctrl+E")
    person.qtbot.waitUntil(lambda: finish.list.count() == 1)
    person.settle()
    return regions


def test_problem_when_a_gesture_of_the_stage_solves_it_then_leaves_the_list(
    person: AnnotatePerson, finish: SceneFinish
) -> None:
    person.annotate.stage.select(list_a_problem(person, finish))
    person.annotate.commands.unlink_selected()
    person.qtbot.waitUntil(lambda: finish.list.count() == 0)
    person.settle()
    assert finish.title.isHidden()


def test_key_when_a_change_is_checked_at_the_same_time_then_finishes_the_scene_all_the_same(
    person: AnnotatePerson, finish: SceneFinish
) -> None:
    regions = list_a_problem(person, finish)
    scene = person.annotate.stage.scene
    person.session.execute(UnlinkRegions(scene=scene, regions=tuple(regions))).result()
    finish.finish_or_reopen()
    finish.refresh()
    person.settle()
    assert states(person)[0] == "finished"
