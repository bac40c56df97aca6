from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu

from annotator.command_summary import CommandSummary
from annotator.commands.region_copies import PasteRegions
from annotator.commands.region_values import LockRegions, MarkAbnormal
from annotator.commands.regions import AddRegion
from annotator.domain.region import Box
from tests.gui.annotate.annotate_person import AnnotatePerson
from widgets import display_text
from widgets.translation import set_language

pytestmark = pytest.mark.allow_messages("does not support raise", "does not support grabbing")

BOX = Box(x1=100.0, y1=100.0, x2=200.0, y2=160.0)


@pytest.fixture
def drawn(person: AnnotatePerson) -> AnnotatePerson:
    """Give a scene in which one box was drawn and is selected, with the select tool in hand."""
    person.press("B")
    person.hands.drag((100, 100), (200, 160))
    person.settle()
    person.press("Esc")
    person.press("V")
    return person


def menu_texts(person: AnnotatePerson) -> list[str]:
    """Return the texts of the menu that is open, with their keys; disabled ones in brackets."""
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    found = []
    for action in menu.actions():
        text = f"{action.text()} {action.shortcut().toString()}".strip() if not action.isSeparator() else "-"
        found.append(text if action.isEnabled() or text == "-" else f"({text})")
    menu.close()
    return found


def ask_menu(person: AnnotatePerson, x: float, y: float) -> None:
    """Click with the right button on a place of the first view."""
    person.hands.move(x, y)
    canvas, at = person.hands.canvas(), person.hands.point(x, y)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, canvas.mapToGlobal(at))
    QApplication.sendEvent(canvas, event)


def test_region_when_copied_and_pasted_then_is_beside_itself_and_selected(drawn: AnnotatePerson) -> None:
    drawn.press("Ctrl+C")
    drawn.press("Ctrl+V")
    drawn.press("Ctrl+V")
    boxes = [region.box.x1 for region in drawn.regions()]
    assert boxes == [100, 112, 124]
    assert drawn.annotate.stage.selected == (drawn.regions()[-1].id,)
    drawn.press("Ctrl+Z")
    assert len(drawn.regions()) == 2


def test_region_when_pasted_in_another_view_and_scene_then_has_the_same_place(drawn: AnnotatePerson) -> None:
    drawn.press("Ctrl+C")
    drawn.press("E")
    drawn.press("Ctrl+V")
    drawn.press("PgDown")
    drawn.annotate.stage.focus_view()
    drawn.press("Ctrl+V")
    regions = drawn.regions()
    assert [region.box for region in regions] == [BOX, BOX, BOX]
    assert len({region.medium for region in regions}) == 3


def test_region_when_duplicated_then_what_was_copied_stays(drawn: AnnotatePerson) -> None:
    drawn.press("Shift+D")
    assert [region.box.x1 for region in drawn.regions()] == [100, 112]
    assert drawn.annotate.selection.copied == ()
    assert drawn.annotate.stage.selected == (drawn.regions()[-1].id,)


def test_region_when_locked_then_mouse_and_keys_leave_it_where_it_is(drawn: AnnotatePerson) -> None:
    drawn.press("Shift+K")
    assert drawn.regions()[0].is_locked
    assert drawn.rows() == ["UAV1  1", "Region 0  locked"]
    assert drawn.annotate.annotation_panel.details.title.text() == "Region 0 · UAV1 · locked"
    assert drawn.annotate.annotation_panel.details.position_fields.fields["x"].isReadOnly()
    drawn.hands.drag((150, 130), (180, 150))
    drawn.hands.drag((200, 160), (220, 180))
    drawn.settle()
    drawn.press("Right")
    assert drawn.regions()[0].box == BOX
    drawn.press("Del")
    assert len(drawn.regions()) == 1
    assert "locked" in drawn.window.banner.headline.text()
    drawn.press("Shift+K")
    drawn.press("Right")
    assert drawn.regions()[0].box.x1 == 101


def test_region_when_hidden_then_is_not_seen_and_the_list_and_the_line_say_so(drawn: AnnotatePerson) -> None:
    canvas, stage = drawn.hands.canvas(), drawn.annotate.stage
    before = canvas.grab().toImage()
    drawn.press("Shift+H")
    assert stage.selected == ()
    assert canvas.grab().toImage() != before
    drawn.hands.click(150, 130)
    assert stage.selected == ()
    rows = drawn.annotate.annotation_panel.list.marks
    assert [rows.index(at, 0).data() for at in range(2)] == ["UAV1  1", "Region 0  hidden"]
    assert "1 region  Ctrl+Shift+H" in drawn.annotate.page.status_line.hidden.text()
    drawn.press("N")
    drawn.press("Ctrl+A")
    assert stage.selected == ()
    drawn.press("Ctrl+Shift+H")
    assert drawn.annotate.page.status_line.hidden.text() == ""
    drawn.hands.click(150, 130)
    assert len(stage.selected) == 1
    assert drawn.regions()[0].box == BOX


def test_region_when_hidden_and_chosen_in_the_list_then_its_key_shows_it(drawn: AnnotatePerson) -> None:
    drawn.press("Shift+H")
    marks = drawn.annotate.annotation_panel.list
    marks.setCurrentIndex(marks.marks.index(1, 0))
    drawn.press("Right")
    drawn.press("Shift+H")
    assert drawn.annotate.stage.hidden_regions.ids == frozenset()
    assert drawn.regions()[0].box == BOX


def test_menu_when_a_region_is_clicked_then_selects_it_and_names_the_keys(drawn: AnnotatePerson) -> None:
    drawn.press("Esc")
    assert drawn.annotate.stage.selected == ()
    ask_menu(drawn, 150, 130)
    assert drawn.annotate.stage.selected == (drawn.regions()[0].id,)
    assert menu_texts(drawn) == [
        "Set category… F2",
        "Edit position and size F4",
        "-",
        "Copy selection Ctrl+C",
        "Duplicate selection Shift+D",
        "-",
        "Mark as abnormal or not Shift+A",
        "Mark as visible 7",
        "Mark as occluded 8",
        "Mark as out of view 9",
        "Lock or unlock selection Shift+K",
        "Hide or show selection Shift+H",
        "-",
        "Zoom to selection R",
        "Mark hidden place Shift+S",
        "Link selection Ctrl+U",
        "Split link at selection Shift+U",
        "Unlink selection U",
        "Delete selection Del",
    ]


def test_menu_when_nothing_is_there_then_offers_what_was_copied(drawn: AnnotatePerson) -> None:
    drawn.press("Ctrl+C")
    drawn.press("Shift+H")
    ask_menu(drawn, 400, 300)
    assert menu_texts(drawn) == [
        "Paste regions Ctrl+V",
        "Select all regions in view Ctrl+A",
        "Show hidden regions Ctrl+Shift+H",
        "-",
        "Fit images to views F",
        "Maximize or restore view Return",
    ]


def test_menu_when_a_row_of_the_list_is_clicked_then_is_that_of_its_region(drawn: AnnotatePerson) -> None:
    marks = drawn.annotate.annotation_panel.list
    marks.setCurrentIndex(marks.marks.index(1, 0))
    at = marks.visualRect(marks.marks.index(1, 0)).center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, marks.viewport().mapToGlobal(at))
    QApplication.sendEvent(marks.viewport(), event)
    assert menu_texts(drawn)[0] == "Set category… F2"


def test_region_when_marked_as_abnormal_by_key_then_list_and_details_say_so_and_the_key_removes_it(
    drawn: AnnotatePerson,
) -> None:
    drawn.press("Shift+A")
    assert [region.is_abnormal for region in drawn.regions()] == [True]
    assert "abnormal" in drawn.annotate.annotation_panel.details.title.text()
    drawn.press("Shift+A")
    assert [region.is_abnormal for region in drawn.regions()] == [False]
    drawn.press("Ctrl+Z")
    assert [region.is_abnormal for region in drawn.regions()] == [True]


def test_menu_when_the_key_for_it_is_pressed_then_opens_in_the_view(drawn: AnnotatePerson) -> None:
    canvas = drawn.hands.canvas()
    event = QContextMenuEvent(
        QContextMenuEvent.Reason.Keyboard, QPoint(0, 0), canvas.mapToGlobal(QPoint(0, 0))
    )
    QApplication.sendEvent(canvas, event)
    assert "Delete selection Del" in menu_texts(drawn)


def test_actions_when_nothing_is_selected_then_those_on_the_selection_cannot_be_run(
    drawn: AnnotatePerson,
) -> None:
    registry = drawn.window.registry
    assert registry.can_run("stage.lock")
    drawn.press("Esc")
    assert not any(
        registry.can_run(one) for one in ("stage.lock", "stage.copy", "stage.remove", "stage.unlink")
    )
    assert registry.can_run("stage.paste")


@pytest.mark.parametrize(
    "summary",
    [
        PasteRegions(regions=(), medium="").summary,
        PasteRegions(regions=(), medium="", is_duplicate=True).summary,
        LockRegions(regions=("a", "b"), is_locked=True).summary,
        LockRegions(regions=("a", "b"), is_locked=False).summary,
        MarkAbnormal(regions=("a", "b"), is_abnormal=True).summary,
        MarkAbnormal(regions=("a", "b"), is_abnormal=False).summary,
    ],
)
def test_summary_of_copies_and_locks_then_has_chinese(summary: CommandSummary) -> None:
    set_language("zh")
    assert display_text.command_summary_text(summary) != str(summary)


def test_list_when_all_regions_of_a_view_are_selected_then_its_selection_is_one_range(
    person: AnnotatePerson,
) -> None:
    canvas = person.annotate.stage.canvases[0]
    for number in range(4):
        x = 40.0 + 60 * number
        command = AddRegion(medium=canvas.medium, box=Box(x1=x, y1=40, x2=x + 30, y2=80))
        person.session.execute(command).result()
    person.qtbot.waitUntil(lambda: len(canvas.marks.ids) == 4)
    person.annotate.stage.focus_view()
    person.press("Ctrl+A")
    # A range for each row would make thousands of regions slow to select.
    selection = person.annotate.annotation_panel.list.selectionModel().selection()
    assert len(selection) == 1
    assert len(selection.indexes()) == 4
    assert len(person.annotate.stage.selected) == 4
