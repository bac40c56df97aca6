from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from pytestqt.qtbot import QtBot

from widgets import theme
from widgets.library.stacked_bar_table import NAME_PX, WIDEST_NAME_PX, BarPart, BarRow, StackedBarTable

NAME = "Demo_Flights  ·  Top-view map  ·  13.4 MB"


def make_table(qtbot: QtBot, *names: str) -> StackedBarTable:
    shares = [BarRow(name=name, total=4, parts=(3, 1)) for name in names]
    parts = [BarPart(title="Found", token="good"), BarPart(title="Missing", token="warn")]
    table = StackedBarTable(shares, parts=parts, head="Dataset and type", whole="Media")
    qtbot.addWidget(table)
    return table


def test_names_when_longer_than_usual_then_their_column_has_room_for_the_longest(qtbot: QtBot) -> None:
    table = make_table(qtbot, "a", NAME)
    assert table.columnWidth(0) > NAME_PX
    assert table.columnWidth(0) >= QFontMetrics(theme.font("body")).horizontalAdvance(NAME) + 16


def test_names_when_short_or_endless_then_their_column_stays_within_its_limits(qtbot: QtBot) -> None:
    assert make_table(qtbot, "a").columnWidth(0) == NAME_PX
    assert make_table(qtbot, "a" * 400).columnWidth(0) == WIDEST_NAME_PX


def test_row_when_enter_is_pressed_on_a_number_then_that_part_is_opened(qtbot: QtBot) -> None:
    opened: list[int] = []
    share = BarRow(name="a", total=4, parts=(3, 1), open_row=opened.append)
    table = StackedBarTable(
        [share], parts=[BarPart(title="Found"), BarPart(title="Missing")], head="a", whole="b"
    )
    qtbot.addWidget(table)
    for column in (0, 4):
        table.setCurrentIndex(table.model().index(0, column))
        qtbot.keyClick(table, Qt.Key.Key_Return)
    assert opened == [-1, 1]


def test_names_when_room_is_short_then_give_way_before_the_numbers(qtbot: QtBot) -> None:
    table = make_table(qtbot, NAME)
    wanted = table.columnWidth(0)
    numbers = table.horizontalHeader().length() - wanted
    table.show()
    for room, expected in (
        (wanted + numbers + 50, wanted),
        (NAME_PX + numbers + 9, NAME_PX + 9),
        (80, NAME_PX),
    ):
        table.resize(room, 100)
        assert table.columnWidth(0) == expected


def test_bars_when_shown_then_have_a_heading_with_unit_and_their_numbers_as_tool_tip(qtbot: QtBot) -> None:
    table = make_table(qtbot, "a")
    model = table.model()
    assert model.headerData(1, Qt.Orientation.Horizontal) == "Share, 0 to 100 %"
    heading = QFontMetrics(theme.font("label")).horizontalAdvance("Share, 0 to 100 %")
    assert table.columnWidth(1) > heading
    for role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
        assert model.data(model.index(0, 1), role) == "Found 75 %, Missing 25 %"
