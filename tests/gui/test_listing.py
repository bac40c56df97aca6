from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from annotator.commands.item_states import ChangeState
from annotator.commands.records import DecideFlags
from annotator.domain.flag import Flag
from annotator.domain.item import Item
from annotator.domain.query import ItemQuery
from annotator.session import Session
from tests.guards_qt import PatientBot
from tests.unit.store.making import changed, write
from tests.windows import make_item, make_project
from widgets.bridge import Bridge
from widgets.library.facets import ANY, FEW
from widgets.library.record_list import RecordList
from widgets.library.record_types import ITEMS, RECORD_TYPES, SCENES, toggled
from widgets.library.row_model import RowRole
from widgets.paged_model import KEPT_PAGES, PAGE
from widgets.settings import Settings

COLUMNS = [column.id for column in ITEMS.columns]
TASK, QUESTION, FLAGS = (COLUMNS.index(column) for column in ("task", "question", "flags"))


class Bench:
    """A listing on the screen, and a way to wait until it shows what was asked for."""

    def __init__(self, listing: RecordList, session: Session, qtbot: PatientBot, *, bridge: Bridge) -> None:
        self.listing, self.session, self.qtbot, self.bridge = listing, session, qtbot, bridge
        self.table, self.model, self.facets = listing.table, listing.model, listing.facet_model

    def settle(self) -> None:
        self.qtbot.settle(self.listing.is_settled)

    def names(self) -> list[str]:
        for index in range(self.model.rowCount()):
            self.model.row(index)
        self.settle()
        rows = [self.model.row(index) for index in range(self.model.rowCount())]
        return [row.name for row in rows if row is not None]

    def facet(self, facet: str) -> dict[str, int]:
        rows = [row for row in self.facets.rows if row.facet.id == facet and row.part == "value"]
        return {row.text: row.count for row in rows}


@pytest.fixture
def bench(session: Session, bridge: Bridge, settings: Settings, qtbot: PatientBot) -> Iterator[Bench]:
    yield from make_bench("item", session=session, bridge=bridge, settings=settings, qtbot=qtbot)


@pytest.fixture
def scenes(session: Session, bridge: Bridge, settings: Settings, qtbot: PatientBot) -> Iterator[Bench]:
    yield from make_bench("scene", session=session, bridge=bridge, settings=settings, qtbot=qtbot)


def make_bench(
    kind: str, *, session: Session, bridge: Bridge, settings: Settings, qtbot: PatientBot
) -> Iterator[Bench]:
    listing = RecordList(RECORD_TYPES[kind], session=session, bridge=bridge, settings=settings)
    listing.table.resize(1000, 400)
    listing.table.show()
    listing.facets.show()
    listing.find(listing.query)
    made = Bench(listing, session, qtbot, bridge=bridge)
    made.settle()
    yield made
    qtbot.settle(listing.model.is_settled)
    # The listing first: rows that arrive later must not reach a table that is gone.
    for part in (listing, listing.table, listing.facets):
        part.deleteLater()


@pytest.fixture(scope="module")
def large_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a project of 12,000 items, every third accepted."""
    items = [make_item(n, state="accepted" if n % 3 == 0 else "drafted") for n in range(12_000)]
    return make_project(tmp_path_factory.mktemp("large") / "large.vantage", list(items))


@pytest.fixture
def large(large_file: Path, tmp_path: Path, settings: Settings, qtbot: PatientBot) -> Iterator[Bench]:
    with Session.open(Path(shutil.copy(large_file, tmp_path))) as session:
        bridge = Bridge()
        bridge.connect_session(session)
        stop = session.subscribe(bridge.post_changes)
        yield from make_bench("item", session=session, bridge=bridge, settings=settings, qtbot=qtbot)
        stop()
        bridge.close()


def test_list_when_opened_then_shows_what_the_project_holds(bench: Bench) -> None:
    assert bench.names() == ["item_00001", "item_00002", "item_00003"]
    answer = bench.listing.answer
    assert answer is not None
    assert answer.total == bench.session.reader.items.count(ItemQuery()) == 3


def test_list_when_opened_then_the_keyboard_is_at_the_first_row(bench: Bench) -> None:
    row = bench.listing.current_row()
    assert row is not None
    assert row.name == "item_00001"


def test_row_when_asked_for_then_comes_later_and_is_told(large: Bench) -> None:
    assert large.model.row(6000) is None
    with large.qtbot.waitSignal(large.model.dataChanged):
        pass
    row = large.model.row(6000)
    assert row is not None
    assert row.name == "item_06000"
    assert large.model.data(large.model.index(6000, 0), RowRole) is row


def test_rows_when_scrolled_through_then_only_some_pages_stay_in_memory(large: Bench) -> None:
    for index in range(0, large.model.rowCount(), PAGE):
        large.model.row(index)
        large.settle()
    assert large.model.rowCount() > KEPT_PAGES * PAGE
    assert len(large.model._pages) == KEPT_PAGES


def test_columns_when_fitted_then_only_rows_visible_are_measured(
    large: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured: set[int] = set()
    row = large.model.row

    def note(index: int) -> object:
        measured.add(index)
        return row(index)

    monkeypatch.setattr(large.model, "row", note)
    large.table.columns.fit()
    assert 0 in measured
    assert max(measured) <= large.table.rowAt(large.table.viewport().height() - 1) + 1


def test_end_key_when_pressed_then_the_last_row_is_shown(large: Bench) -> None:
    large.qtbot.keyClick(large.table, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    large.settle()
    row = large.listing.current_row()
    assert row is not None
    assert row.name == "item_11999"


def test_page_keys_when_pressed_then_move_by_a_screen(large: Bench) -> None:
    large.qtbot.keyClick(large.table, Qt.Key.Key_PageDown)
    down = large.table.current_position()
    assert 5 < down < 30
    large.qtbot.keyClick(large.table, Qt.Key.Key_PageUp)
    assert large.table.current_position() == 0


def test_select_all_when_the_list_is_long_then_all_numbers_are_selected(large: Bench) -> None:
    large.table.selectAll()
    assert large.table.selected_count() == 12_000
    assert np.array_equal(large.table.selected_numbers(), large.model.numbers)


def test_selection_when_the_filter_leaves_it_in_then_stays(large: Bench) -> None:
    large.table.choose_row(3)
    large.qtbot.keyClick(large.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    large.listing.find(ItemQuery(states=("accepted",)))
    large.settle()
    assert large.model.rowCount() == 4000
    assert [row.name for row in map(large.model.row, [large.table.current_position()]) if row] == [
        "item_00003"
    ]
    assert large.table.selected_count() == 1


def test_letter_when_typed_in_the_list_then_is_handed_to_the_search(bench: Bench) -> None:
    with bench.qtbot.waitSignal(bench.table.typed) as typed:
        bench.qtbot.keyClick(bench.table, "w")
    assert typed.args == ["w"]


def test_words_when_searched_then_the_list_shows_what_has_them(bench: Bench) -> None:
    bench.listing.find_text("停车场")
    bench.settle()
    assert bench.names() == ["item_00003"]
    bench.listing.find_text("nothing at all")
    bench.settle()
    assert bench.names() == []
    assert bench.listing.current_row() is None


def test_facets_when_shown_then_count_what_the_database_counts(bench: Bench) -> None:
    facets = bench.session.reader.items.facets(ItemQuery())
    assert bench.facet("state") == {"Drafted": 2, "Accepted": 1}
    assert sorted(bench.facet("task_set").values()) == sorted(count.count for count in facets["task_set"])
    assert bench.facet("flag") == {"Any open flag": 2, "Duplicate options": 1, "Missing media": 1}
    assert bench.facet("source") == {"Created in Vantage": 2, "questions.json": 1}


def test_facet_when_clicked_then_filters_and_clicked_again_lets_go(bench: Bench) -> None:
    index = next(at for at, row in enumerate(bench.facets.rows) if row.value == "accepted")
    view = bench.listing.facets
    rect = view.visualRect(bench.facets.index(index))
    bench.qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())
    bench.settle()
    assert bench.names() == ["item_00002"]
    assert bench.facets.rows[index].is_chosen
    assert bench.facet("state") == {"Drafted": 2, "Accepted": 1}
    assert sum(bench.facet("task_set").values()) == 1
    bench.qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())
    bench.settle()
    assert len(bench.names()) == 3


def test_facet_when_the_space_bar_is_pressed_then_filters(bench: Bench) -> None:
    index = next(at for at, row in enumerate(bench.facets.rows) if row.value == ANY)
    view = bench.listing.facets
    view.setFocus()
    view.setCurrentIndex(bench.facets.index(index))
    bench.qtbot.keyClick(view, Qt.Key.Key_Space)
    bench.settle()
    assert bench.names() == ["item_00001", "item_00002"]


def test_facet_value_when_other_filters_leave_nothing_of_it_then_stays_visible(bench: Bench) -> None:
    bench.listing.find(ItemQuery(states=("accepted",), task_sets=("spatialuav",)))
    bench.settle()
    assert bench.facet("state") == {"Drafted": 1, "Accepted": 0}


def test_facet_head_when_clicked_then_folds_and_is_remembered(bench: Bench, settings: Settings) -> None:
    head = next(row for row in bench.facets.rows if row.part == "head" and row.facet.id == "task")
    before = len(bench.facets.rows)
    bench.facets.fold(head.facet)
    assert len(bench.facets.rows) < before
    assert settings.switch("folded/item.task", False)
    bench.facets.fold(head.facet)
    assert len(bench.facets.rows) == before


def test_facet_when_it_has_many_values_then_shows_the_most_frequent_until_asked(
    tmp_path: Path, settings: Settings, qtbot: PatientBot
) -> None:
    records = [make_item(n, task_set="own", task=f"task_{n % 12:02}") for n in range(24)]
    with Session.open(make_project(tmp_path / "many.vantage", list(records))) as session:
        bridge = Bridge()
        bridge.connect_session(session)
        for bench in make_bench("item", session=session, bridge=bridge, settings=settings, qtbot=qtbot):
            assert len(bench.facet("task")) == FEW
            more = next(row for row in bench.facets.rows if row.part == "more")
            assert more.text == "Show 4 more"
            bench.facets.unfold(more.facet)
            assert len(bench.facet("task")) == 12
        bridge.close()


def test_list_when_an_item_is_rejected_elsewhere_then_row_and_counts_follow(bench: Bench) -> None:
    item = next(bench.session.reader.find(Item, name="item_00001"))
    bench.session.execute(ChangeState(items=(item.id,), state="rejected", reason="two keys")).result()
    bench.qtbot.waitUntil(lambda: bench.facet("state") == {"Drafted": 1, "Accepted": 1, "Rejected": 1})
    bench.settle()
    states = [getattr(bench.model.row(index), "state", "") for index in range(3)]
    assert states == ["rejected", "accepted", "drafted"]


def test_list_when_an_item_changes_then_only_its_row_and_its_counts_are_painted_again(large: Bench) -> None:
    def reject(index: int) -> None:
        before = large.model.row(index)
        large.session.execute(ChangeState(items=(before.id,), state="rejected", reason="two keys")).result()
        large.qtbot.waitUntil(lambda: large.model.row(index) != before)
        large.settle()

    large.model.row(0)
    large.settle()
    # The first one adds a line to the filters.
    reject(1)
    rows: list[tuple[int, int]] = []
    lines: list[str] = []
    large.model.dataChanged.connect(lambda first, last: rows.append((first.row(), last.row())))
    large.facets.dataChanged.connect(
        lambda first, last: lines.extend(
            large.facets.rows[at].value for at in range(first.row(), last.row() + 1)
        )
    )
    reject(2)
    # First all of them, so that those on the screen are read again, and then the one that differs.
    assert rows[-1] == (2, 2)
    assert {"drafted", "rejected"} <= set(lines)
    assert "accepted" not in lines


def test_list_when_a_field_that_it_does_not_show_changes_then_asks_for_nothing(bench: Bench) -> None:
    asked: list[object] = []
    bench.listing.found.connect(asked.append)
    item = next(bench.session.reader.records(Item))
    flag = next(bench.session.reader.records(Flag))
    for entity, record, field, value in (
        ("item", item, "answer_key", "A"),
        ("flag", flag, "resolution", "seen"),
    ):
        before = bench.listing.answer
        with bench.qtbot.waitSignal(bench.bridge.changed):
            write(bench.session, *changed(entity, record.id, **{field: value}))
        assert bench.listing.is_settled()
        assert bench.listing.answer is before
    with bench.qtbot.waitSignal(bench.listing.found):
        write(bench.session, *changed("item", item.id, name="renamed"))
    assert len(asked) == 1


def test_list_when_its_screen_is_hidden_then_asks_once_when_that_is_shown(
    session: Session, bridge: Bridge, settings: Settings, qtbot: PatientBot
) -> None:
    screen = QWidget()
    qtbot.addWidget(screen)
    listing = RecordList(ITEMS, session=session, bridge=bridge, settings=settings, screen=screen)
    qtbot.addWidget(listing.table)
    qtbot.addWidget(listing.facets)
    found: list[object] = []
    listing.found.connect(found.append)
    item = next(session.reader.records(Item))
    for state in ("rejected", "drafted", "rejected"):
        with qtbot.waitSignal(bridge.changed):
            write(session, *changed("item", item.id, state=state))
    assert found == []
    assert not bridge.is_waiting()
    with qtbot.waitSignal(listing.found):
        screen.show()
    qtbot.settle(listing.is_settled)
    assert len(found) == 1
    listing.leave()


def test_list_when_its_order_is_not_that_of_the_numbers_then_rows_and_selection_follow_it(
    bench: Bench,
) -> None:
    numbers, names = bench.model.numbers, bench.names()
    order = np.array([2, 0, *range(len(numbers) - 1, 2, -1), 1])
    bench.model.show_numbers(numbers[order])
    assert bench.names() == [names[position] for position in order]
    assert [bench.model.index_of(int(number)) for number in numbers[order]] == list(range(len(order)))
    assert bench.model.index_of(int(numbers.max()) + 1) == bench.model.index_of(-1) == -1
    bench.table.select_numbers(numbers[[0, 1]], current=int(numbers[1]))
    assert bench.table.current_position() == len(order) - 1
    assert bench.table.selected_numbers().tolist() == sorted(numbers[[0, 1]].tolist())


def test_list_when_a_row_leaves_it_then_the_keyboard_is_at_the_row_in_its_place(bench: Bench) -> None:
    bench.listing.find(ItemQuery(flags=(ANY,)))
    bench.settle()
    flag = next(bench.session.reader.find(Flag, kind="duplicate_options"))
    bench.session.execute(DecideFlags(flags=(flag.id,), state="resolved", resolution="mended")).result()
    bench.qtbot.waitUntil(lambda: bench.model.rowCount() == 1)
    bench.settle()
    row = bench.listing.current_row()
    assert row is not None
    assert row.name == "item_00002"


def test_scenes_when_listed_then_tell_views_labels_items_and_flags(scenes: Bench) -> None:
    assert scenes.names() == ["0001", "0002"]
    texts = [column.text(scenes.model.row(0)) for column in SCENES.columns]
    assert texts == [
        "0001",
        "Real_2_UAVs",
        "2",
        "1 / 2",
        "0 / 1",
        "",
        "Count is not a number, Duplicate options",
        texts[-1],
    ]
    assert texts[-1]
    assert scenes.facet("dataset") == {"Real_2_UAVs": 1, "Sim_3_UAVs": 1}


def test_columns_when_resized_then_another_start_has_the_width(
    bench: Bench, session: Session, bridge: Bridge, settings: Settings, qtbot: PatientBot
) -> None:
    bench.table.horizontalHeader().resizeSection(0, 333)
    for again in make_bench("item", session=session, bridge=bridge, settings=settings, qtbot=qtbot):
        assert again.table.columnWidth(0) == 333


def test_columns_when_the_list_is_narrow_then_the_task_gives_way(bench: Bench) -> None:
    bench.table.resize(500, 400)
    assert bench.table.isColumnHidden(TASK)
    bench.table.resize(1000, 400)
    assert not bench.table.isColumnHidden(TASK)


def test_row_when_painted_then_its_name_is_the_accessible_text(bench: Bench) -> None:
    role = Qt.ItemDataRole.AccessibleTextRole
    assert bench.model.data(bench.model.index(1, 0), role) == "item_00002"
    assert bench.model.data(bench.model.index(1, QUESTION), role) == "How good is <b>the picture</b>?"


def test_list_when_painted_then_rows_that_came_are_drawn(bench: Bench, qapp: QApplication) -> None:
    before = bench.table.viewport().grab().toImage()
    bench.listing.find_text("停车场")
    bench.settle()
    after = bench.table.viewport().grab().toImage()
    assert before != after


def test_toggled_when_a_value_is_chosen_twice_then_is_out_again() -> None:
    query = toggled(ITEMS.everything, field="states", value="drafted")
    assert query == ItemQuery(states=("drafted",))
    assert toggled(query, field="states", value="drafted") == ItemQuery()
