"""Links from keys, typed numbers and the table, in the window."""

from __future__ import annotations

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from annotator.commands.regions import AddRegion
from annotator.domain.flag import Flag
from annotator.domain.region import Box
from annotator.domain.scene import Scene
from tests.gui.annotate.annotate_person import AnnotatePerson
from tests.unit.store.making import changed, write
from widgets.annotate.link_page import LinkPage

pytestmark = pytest.mark.allow_messages("does not support raise", "does not support grabbing")

IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
X_PX = (60.0, 200.0, 340.0)
"""Left edges of the regions of each view; those with equal numbers show the same object."""


@pytest.fixture
def marked(person: AnnotatePerson) -> AnnotatePerson:
    """Give a scene of two aligned views with three regions each."""
    scene = next(one for one in person.session.reader.records(Scene) if one.name == "0001")
    views = tuple(msgspec.structs.replace(view, to_ground=IDENTITY) for view in scene.views)
    write(person.session, *changed("scene", scene.id, views=views))
    for view in scene.views:
        for x in X_PX:
            box = Box(x1=x, y1=100.0, x2=x + 60, y2=160.0)
            person.session.execute(AddRegion(medium=view.medium, box=box)).result()
    person.settle()
    person.annotate.stage.focus_view()
    return person


def page_of(person: AnnotatePerson) -> LinkPage:
    return person.annotate.links.page


def type_links(person: AnnotatePerson, text: str) -> None:
    page = page_of(person)
    if not page.isVisible():
        person.press("F3")
    page.field.setFocus()
    page.field.clear()
    QTest.keyClicks(page.field, text)
    person.press("Return")


def cells(person: AnnotatePerson) -> list[tuple[str, ...]]:
    model = page_of(person).table.links
    return [
        tuple(str(model.index(row, column).data()) for column in range(model.columnCount()))
        for row in range(model.rowCount())
    ]


def numbers(person: AnnotatePerson) -> list[tuple[int, ...]]:
    by_id = {region.id: region.number for region in person.regions()}
    return [tuple(by_id[one] for one in link) for link in person.links()]


def test_links_when_numbers_are_typed_then_are_made_and_listed_with_their_mismatch(
    marked: AnnotatePerson,
) -> None:
    type_links(marked, "0-0, 1-2")
    assert numbers(marked) == [(0, 0), (1, 2)]
    assert cells(marked) == [("0", "0", "0 px"), ("1", "2", "140 px")]
    assert page_of(marked).count.text() == "2 links · 1 over the limit"
    assert page_of(marked).field.text() == ""
    (flag,) = marked.session.reader.records(Flag)
    assert flag.message == "UAV1 1 and UAV2 2 are 140 px apart on the ground plane; the limit is 19 px."
    marked.press("Ctrl+Z")
    assert numbers(marked) == []
    assert page_of(marked).empty.isVisible()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("0-7", "UAV2 has no region 7."),
        ("0-1-2", "0-1-2 has 3 numbers, and the scene 2 views."),
        ("3", "UAV1 has no region 3."),
        ("2", "2 names one region; a link needs two."),
        ("0-x", "0-x is not a link."),
        ("", "No link is typed."),
        ("0-1, 0-2", "A region is in two of the links."),
    ],
)
def test_link_when_it_cannot_be_then_words_stand_at_the_field_and_the_text_stays(
    marked: AnnotatePerson, text: str, problem: str
) -> None:
    type_links(marked, text)
    assert page_of(marked).note.text().startswith(problem)
    assert page_of(marked).note.isVisible()
    assert page_of(marked).field.text() == text
    assert marked.links() == []
    QTest.keyClicks(page_of(marked).field, "1")
    assert not page_of(marked).note.isVisible()


def test_link_when_the_project_refuses_it_then_the_typed_text_stays(marked: AnnotatePerson) -> None:
    type_links(marked, "0-1")
    assert page_of(marked).field.text() == ""
    type_links(marked, "0-2")
    assert "both in UAV2" in marked.window.banner.headline.text()
    assert page_of(marked).field.text() == "0-2"
    assert numbers(marked) == [(0, 1)]


def test_table_when_used_by_keys_then_jumps_sorts_and_takes_digits(marked: AnnotatePerson) -> None:
    type_links(marked, "2-2, 0-0, 1-1")
    table = page_of(marked).table
    table.setFocus()
    marked.press("Home")
    QTest.keyClick(table, Qt.Key.Key_Down)
    chosen = {region.id: region.number for region in marked.regions()}
    assert [chosen[one] for one in marked.annotate.stage.selected] == [0, 0]
    QTest.keyClick(table, Qt.Key.Key_Space)
    assert [row[0] for row in cells(marked)] == ["0", "1", "2"]
    QTest.keyClick(table, Qt.Key.Key_Space)
    assert [row[0] for row in cells(marked)] == ["2", "1", "0"]
    current = table.current()
    assert current is not None
    assert current.numbers == ((0,), (0,))
    QTest.keyClick(table, Qt.Key.Key_Return)
    assert marked.annotate.stage.front is not None
    assert marked.annotate.stage.front.hasFocus()
    table.setFocus()
    QTest.keyClicks(table, "1")
    assert page_of(marked).field.hasFocus()
    assert page_of(marked).field.text() == "1"
    marked.press("Esc")
    assert marked.annotate.stage.front.hasFocus()


def test_pane_key_when_the_table_is_shown_then_leads_to_it_and_not_to_the_hidden_list(
    marked: AnnotatePerson,
) -> None:
    type_links(marked, "0-0")
    marked.press("Esc")
    table = page_of(marked).table
    without_keyboard = table.grab().toImage()
    marked.press("F6")
    assert table.hasFocus()
    assert table.grab().toImage() != without_keyboard
    marked.press("F3")
    marked.press("F6")
    assert marked.annotate.annotation_panel.list.hasFocus()


def test_table_when_a_region_is_selected_on_the_stage_then_its_link_is_current(
    marked: AnnotatePerson,
) -> None:
    type_links(marked, "0-0, 1-1")
    marked.hands.click(230, 130)
    current = page_of(marked).table.current()
    assert current is not None
    assert current.numbers == ((1,), (1,))
    marked.press("U")
    assert numbers(marked) == [(0, 0)]
    assert cells(marked) == [("0", "0", "0 px")]


def test_links_when_linked_split_and_merged_by_keys_then_follow(marked: AnnotatePerson) -> None:
    marked.annotate.stage.select([marked.regions()[0].id, marked.regions()[3].id])
    marked.press("Ctrl+U")
    assert numbers(marked) == [(0, 0)]
    marked.annotate.stage.select([marked.regions()[3].id])
    marked.press("Shift+U")
    assert numbers(marked) == []
    marked.press("Ctrl+Z")
    assert numbers(marked) == [(0, 0)]
    marked.annotate.stage.select([one.id for one in marked.regions()[:2]])
    marked.press("Shift+U")
    assert "not in one link" in marked.window.banner.headline.text()
    assert numbers(marked) == [(0, 0)]


def test_limit_when_another_is_entered_then_the_table_counts_by_it(marked: AnnotatePerson) -> None:
    type_links(marked, "1-2")
    page = page_of(marked)
    assert page.count.text() == "1 link · 1 over the limit"
    page.limit.setFocus()
    page.limit.selectAll()
    QTest.keyClicks(page.limit, "30")
    QTest.keyClick(page.limit, Qt.Key.Key_Return)
    marked.settle()
    assert marked.session.reader.project.link_limit == pytest.approx(0.3)
    assert page.count.text() == "1 link"
    page.limit.selectAll()
    QTest.keyClicks(page.limit, "0")
    QTest.keyClick(page.limit, Qt.Key.Key_Return)
    assert "0.1" in page.note.text()
    assert marked.session.reader.project.link_limit == pytest.approx(0.3)
