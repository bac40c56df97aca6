from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QRect, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QMenu, QToolTip

from annotator.commands.item_states import ChangeState
from annotator.domain.item import Item
from annotator.domain.query import ItemQuery, SortOrder
from annotator.session import Session
from tests.e2e.conftest import Open, Person
from tests.windows import make_flag, make_item, make_project
from widgets.library.saved_filters import SaveFilterDialog
from widgets.settings import Settings

# What Qt's offscreen platform says about every menu and tool tip.
pytestmark = pytest.mark.allow_messages("does not support raise", "does not support grabbing")

LONG = "How many vehicles " + "and pedestrians " * 30 + "are there?"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a project of items whose names, states, tasks and flags are in different orders."""
    rows = (("c", "accepted", 0), ("a", "drafted", 2), ("d", "rejected", 1), ("b", "drafted", 0))
    items = [make_item(n, name=name, state=state, question=LONG) for n, (name, state, _) in enumerate(rows)]
    flags = [
        make_flag("item", item.id, kind)
        for item, (_, _, count) in zip(items, rows, strict=True)
        for kind in ("duplicate_options", "missing_media")[:count]
    ]
    return make_project(tmp_path_factory.mktemp("lists") / "lists.vantage", [*items, *flags])


def click_heading(person: Person, column: str) -> None:
    """Click the heading of a column."""
    listing = person.library.listing()
    at = [known.id for known in listing.kind.columns].index(column)
    header = listing.table.horizontalHeader()
    middle = QPoint(header.sectionViewportPosition(at) + 20, header.height() // 2)
    person.qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=middle)
    person.settle()


def menu_of(person: Person) -> QMenu:
    """Return the menu that is open."""
    person.qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def choose(menu: QMenu, *texts: str) -> None:
    """Choose an entry of a menu, or of a menu in it."""
    for text in texts:
        action = next(action for action in menu.actions() if text in action.text())
        if (inner := action.menu()) is not None:
            menu = inner  # type: ignore[assignment]
        else:
            action.trigger()
    menu.close()


def test_headings_when_clicked_then_sort_forth_back_and_not_at_all(made: Path, open_window: Open) -> None:
    person = open_window(made)
    assert person.names() == ["c", "a", "d", "b"]
    click_heading(person, "name")
    assert person.names() == ["a", "b", "c", "d"]
    click_heading(person, "name")
    assert person.names() == ["d", "c", "b", "a"]
    click_heading(person, "name")
    assert person.names() == ["c", "a", "d", "b"]
    assert person.library.listing().table.selected_count() == 1
    click_heading(person, "flags")
    click_heading(person, "flags")
    assert person.names()[:2] == ["a", "d"]
    click_heading(person, "question")
    assert person.library.listing().order == SortOrder(column="flags", is_descending=True)


def test_sorted_list_when_filtered_and_changed_then_stays_sorted_and_keeps_the_record(
    tmp_path: Path, made: Path, open_window: Open
) -> None:
    path = tmp_path / "copy.vantage"
    path.write_bytes(made.read_bytes())
    person = open_window(path)
    listing = person.library.listing()
    listing.table.choose_row(2)
    person.settle()
    click_heading(person, "name")
    row = listing.current_row()
    assert row is not None
    assert row.name == "d"
    person.toggle("state", "drafted")
    assert person.names() == ["a", "b"]
    person.library.clear_filters()
    person.settle()
    session = person.window.controller.session
    assert isinstance(session, Session)
    item = next(session.reader.find(Item, name="b"))
    session.execute(ChangeState(items=(item.id,), state="rejected", reason="two keys")).result()
    person.settle()
    assert person.names() == ["a", "b", "c", "d"]


def test_columns_when_chosen_and_sorted_by_keyboard_menu_then_the_next_start_has_them(
    made: Path, open_window: Open, settings: Settings
) -> None:
    person = open_window(made)
    table = person.library.listing().table
    columns = [column.id for column in person.library.listing().kind.columns]
    person.press("Ctrl+Shift+C")
    choose(menu_of(person), "Last change")
    assert not table.isColumnHidden(columns.index("changed"))
    person.press("Ctrl+Shift+C")
    choose(menu_of(person), "Task")
    assert table.isColumnHidden(columns.index("task"))
    person.press("Ctrl+Shift+C")
    choose(menu_of(person), "Sort by", "State")
    person.settle()
    assert person.names() == ["a", "b", "c", "d"]
    table.horizontalHeader().resizeSection(columns.index("changed"), 222)
    settings.sync()

    again = open_window(made)
    table = again.library.listing().table
    assert again.names() == ["a", "b", "c", "d"]
    assert table.isColumnHidden(columns.index("task"))
    assert table.columnWidth(columns.index("changed")) == 222
    again.press("Ctrl+Shift+C")
    choose(menu_of(again), "Reset columns")
    assert table.isColumnHidden(columns.index("changed"))
    assert not table.isColumnHidden(columns.index("task"))


@pytest.mark.parametrize("size", [(1280, 720), (1600, 1000), (2400, 1200)])
def test_columns_when_the_list_is_shown_then_fit_and_leave_room_to_the_question(
    made: Path, open_window: Open, size: tuple[int, int]
) -> None:
    person = open_window(made, size=size)
    table = person.library.listing().table
    person.qtbot.waitUntil(lambda: table._is_fitted)
    shown = [at for at in range(table.model().columnCount()) if not table.isColumnHidden(at)]
    assert sum(table.columnWidth(at) for at in shown) <= table.viewport().width()
    # A name of one letter needs no more than its heading.
    assert table.columnWidth(0) < 120
    question = [column.id for column in person.library.listing().kind.columns].index("question")
    assert table.columnWidth(question) >= 160


def test_cell_when_its_text_is_cut_then_the_tool_tip_has_all_of_it(made: Path, open_window: Open) -> None:
    person = open_window(made)
    listing = person.library.listing()
    columns = [column.id for column in listing.kind.columns]
    shown: dict[str, str] = {}
    for column in ("name", "question"):
        index = listing.model.index(0, columns.index(column))
        rect: QRect = listing.table.visualRect(index)
        event = QHelpEvent(
            QEvent.Type.ToolTip, rect.center(), listing.table.viewport().mapToGlobal(rect.center())
        )
        QApplication.sendEvent(listing.table.viewport(), event)
        shown[column] = QToolTip.text()
        QToolTip.hideText()
    assert shown == {"name": "", "question": LONG}


def test_filter_when_saved_by_keyboard_then_is_chosen_again_by_its_number(
    made: Path, open_window: Open
) -> None:
    person = open_window(made)
    person.toggle("state", "drafted")
    click_heading(person, "name")
    person.press("Ctrl+Shift+S")
    choose(menu_of(person), "Save filter…")
    person.qtbot.waitUntil(lambda: person.window.findChild(SaveFilterDialog) is not None)
    person.write("My drafts")
    person.press("Return")
    person.qtbot.waitUntil(lambda: person.window.findChild(SaveFilterDialog) is None)
    person.library.clear_filters()
    person.library.listing().sort(SortOrder())
    person.settle()
    assert len(person.names()) == 4

    person.press("Ctrl+Shift+S")
    menu = menu_of(person)
    person.qtbot.keyClick(menu, Qt.Key.Key_1)
    person.settle()
    assert person.library.listing().query == ItemQuery(states=("drafted",))
    assert person.names() == ["a", "b"]
    assert person.library.filters.count.text() == "2 of 4"


def test_saved_filters_when_of_another_project_or_list_then_are_not_offered(
    tmp_path: Path, made: Path, open_window: Open
) -> None:
    person = open_window(made)
    for name, is_for_all in (("here", False), ("everywhere", True)):
        person.library.saved_filters.store().save(ItemQuery(text=name), SortOrder(), name, is_for_all)
    other = open_window(make_project(tmp_path / "other.vantage"))
    saved = other.library.saved_filters
    assert [one.name for one in saved.store().filters()] == ["everywhere"]
    saved.store().remove(saved.store().filters()[0])
    assert [one.name for one in person.library.saved_filters.store().filters()] == ["here"]
    other.press("Alt+S")
    other.settle()
    assert saved.store().filters() == []


def test_columns_when_a_search_takes_the_scroll_bar_away_then_still_fit_their_content(
    tmp_path: Path, open_window: Open
) -> None:
    items = [make_item(n, name=f"Object_matching_{n:05}", question=LONG) for n in range(40)]
    person = open_window(make_project(tmp_path / "names.vantage", items), size=(1280, 720))
    table = person.library.listing().table
    person.qtbot.waitUntil(lambda: table._is_fitted)
    assert table.verticalScrollBar().isVisible()
    for query, rows in ((ItemQuery(text="matching_00007"), 1), (ItemQuery(), 40)):
        person.library.show_query(query)
        person.qtbot.waitUntil(lambda rows=rows: table.model().rowCount() == rows)
        person.settle()
        assert table.columnWidth(0) >= table.sizeHintForColumn(0) > 150
