from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from shiboken6 import isValid

from annotator.commands.region_mentions import RenumberRegion
from annotator.commands.regions import RemoveRegions
from annotator.domain.item import Item
from annotator.domain.medium import Medium
from tests.gui.annotate.annotate_person import AnnotatePerson
from tests.unit.store.making import created, write
from widgets.annotate.candidate_dialog import CandidateDialog
from widgets.annotate.new_item_form import ANSWER, NewItemForm

pytestmark = pytest.mark.allow_messages("does not support raise", "does not support grabbing")


@pytest.fixture
def marked(person: AnnotatePerson) -> AnnotatePerson:
    """Give a scene with two regions in the first view and one in the second, and the form open."""
    person.press("B")
    person.hands.drag((100, 100), (200, 160))
    person.settle()
    person.press("Esc")
    person.hands.drag((300, 100), (400, 160))
    person.settle()
    person.press("Esc")
    person.hands.drag((100, 100), (200, 160), view=1)
    person.settle()
    person.press("Esc")
    person.press("V")
    person.press("Esc")
    person.press("Shift+Q")
    person.qtbot.waitUntil(form_of(person).isVisible)
    return person


def form_of(person: AnnotatePerson) -> NewItemForm:
    return person.annotate.items.form


def choose(person: AnnotatePerson, task: str, template: str = "") -> None:
    form = form_of(person)
    form.task_set.setCurrentIndex(form.task_set.findData("spatialuav"))
    form.task.setCurrentIndex(form.task.findData(task))
    if template:
        form.template.setCurrentIndex(form.template.findData(template))


def items(person: AnnotatePerson) -> list[Item]:
    return list(person.session.reader.records(Item))


def test_new_item_when_a_region_is_clicked_then_it_fills_the_slot_and_the_item_is_created(
    marked: AnnotatePerson,
) -> None:
    form = form_of(marked)
    choose(marked, "direction_recognition")
    assert not form.create_button.isEnabled()
    marked.hands.click(350, 130)
    assert form.fields["region"].text() == "Region 1"
    assert "does Region 1 lie" in form.preview.text()
    form.fields[ANSWER].setText("4 o'clock")
    QTest.mouseClick(form.create_button, Qt.MouseButton.LeftButton)
    marked.settle()
    (item,) = items(marked)
    assert (item.question, item.answer_key) == (
        "In which o'clock direction from the drone does Region 1 lie?",
        "4 o'clock",
    )
    assert item.provenance.labels == (marked.regions()[1].id,)
    assert item.name in form.note.text()
    assert form.fields["region"].text() == ""
    marked.annotate.stage.focus_view()
    marked.press("Ctrl+Z")
    assert items(marked) == []


def test_region_when_an_item_names_it_then_its_removal_and_its_number_are_undone_without_a_question(
    marked: AnnotatePerson,
) -> None:
    form = form_of(marked)
    choose(marked, "direction_recognition")
    marked.hands.click(350, 130)
    form.fields[ANSWER].setText("4 o'clock")
    QTest.mouseClick(form.create_button, Qt.MouseButton.LeftButton)
    marked.settle()
    region = marked.regions()[1]
    stage = marked.annotate.stage
    for command in (RemoveRegions(regions=(region.id,)), RenumberRegion(region=region.id, number=7)):
        stage.send(command)
        marked.settle()
        assert region not in marked.regions()
        stage.focus_view()
        marked.press("Ctrl+Z")
        assert region in marked.regions()


def test_new_item_when_an_answer_is_a_region_of_the_other_image_then_it_is_picked_there(
    marked: AnnotatePerson,
) -> None:
    form = form_of(marked)
    choose(marked, "object_matching", "region")
    marked.hands.click(150, 130, view=1)
    assert form.views == ("UAV2", "UAV1")
    marked.hands.click(350, 130)
    QTest.mouseClick(form.create_button, Qt.MouseButton.LeftButton)
    marked.settle()
    (item,) = items(marked)
    second = marked.regions()[2]
    assert f"the same object as Region {second.number} of image 1" in item.question
    assert item.answer_key == "Region 1"
    assert item.media == tuple(view.medium for view in reversed(marked.annotate.stage.shown.scene.views))


def open_candidates(person: AnnotatePerson) -> CandidateDialog:
    QTest.mouseClick(form_of(person).candidates.button, Qt.MouseButton.LeftButton)

    def dialogs() -> list[CandidateDialog]:
        return person.window.findChildren(CandidateDialog)

    person.qtbot.waitUntil(lambda: bool(dialogs()) and dialogs()[0].listing.is_settled())
    return dialogs()[0]


def names_in(dialog: CandidateDialog) -> list[str]:
    rows = (dialog.listing.model.row(index) for index in range(dialog.listing.model.rowCount()))
    return [row.name for row in rows if row is not None]


def pick(person: AnnotatePerson, dialog: CandidateDialog, text: str) -> None:
    """Search for an image, and pick the first one with Enter."""
    dialog.search.clear()
    QTest.keyClicks(dialog.search, text)
    person.qtbot.waitUntil(lambda: dialog.listing.is_settled() and len(names_in(dialog)) == 1)
    dialog.grid.setFocus()
    QTest.keyClick(dialog.grid, Qt.Key.Key_Home)
    QTest.keyClick(dialog.grid, Qt.Key.Key_Return)


def test_new_item_when_the_task_needs_other_scenes_then_their_images_are_searched_and_picked(
    marked: AnnotatePerson,
) -> None:
    extra = Medium(id="e" * 32, name="0009-UAV1.png", media_type="image", width_px=8, height_px=8)
    write(marked.session, created("medium", extra))
    form = form_of(marked)
    choose(marked, "a2a_collaboration_recognition")
    assert ANSWER not in form.fields
    assert not form.create_button.isEnabled()
    dialog = open_candidates(marked)
    # A row is read when it is asked for.
    marked.qtbot.waitUntil(lambda: len(names_in(dialog)) == 5)
    pick(marked, dialog, "0001-UAV1")
    assert "shows the scene itself" in dialog.names.text()
    for name in ("0002-UAV1", "0002-UAV2", "0009"):
        assert not dialog.main.isEnabled()
        pick(marked, dialog, name)
    assert dialog.main.hasFocus()
    QTest.keyClick(dialog.main, Qt.Key.Key_Return)
    marked.qtbot.waitUntil(form.create_button.isEnabled)
    assert "0009-UAV1.png" in form.candidates.names.text()
    scene, views = marked.annotate.stage.shown.scene, form.views
    QTest.mouseClick(form.create_button, Qt.MouseButton.LeftButton)
    marked.settle()
    (item,) = items(marked)
    right = "ABCD".index(item.answer_key)
    assert (item.media[0], item.media[1 + right]) == tuple(scene.medium_of(view) for view in views)
    assert extra.id in item.media
    assert form.candidates.chosen == ()
    choose(marked, "anomaly_detection")
    assert form.candidates.isHidden()
    assert form.create_button.isEnabled()


def test_candidates_when_an_image_is_picked_again_then_it_is_left_out(marked: AnnotatePerson) -> None:
    choose(marked, "a2a_collaboration_recognition")
    dialog = open_candidates(marked)
    pick(marked, dialog, "0002-UAV1")
    assert [one.name for one in dialog.chosen] == ["0002-UAV1.png"]
    pick(marked, dialog, "0002-UAV1")
    assert dialog.chosen == []
    pick(marked, dialog, "0002-UAV2")
    QTest.mouseClick(dialog.clear_button, Qt.MouseButton.LeftButton)
    assert dialog.chosen == []
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    marked.qtbot.waitUntil(lambda: not isValid(dialog))
    assert form_of(marked).candidates.chosen == ()


def test_new_item_when_another_scene_is_shown_then_nothing_picked_is_left(marked: AnnotatePerson) -> None:
    form = form_of(marked)
    choose(marked, "direction_recognition")
    marked.hands.click(350, 130)
    marked.annotate.queue.step_scene("1")
    marked.settle()
    assert form.fields["region"].text() == ""
    assert form.isVisible()
    QTest.keyClick(form.fields["region"], Qt.Key.Key_Escape)
    assert not form.isVisible()
