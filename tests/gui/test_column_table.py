from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QModelIndex
from PySide6.QtGui import QHelpEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from widgets.column_table import CellContent, CellDelegate, ColumnTable, TableColumn

LONG = "a text that does not fit into its narrow column <b>at all</b>"


class Delegate(CellDelegate):
    """Paints the text of the model."""

    def cell(self, index: QModelIndex) -> CellContent | None:  # type: ignore[override]
        return CellContent(text=str(index.data()))


@pytest.mark.allow_messages("does not support raise")
@pytest.mark.parametrize(("text", "tip"), [(LONG, "does not fit"), ("short", "")])
def test_cell_when_pointed_at_then_the_tool_tip_has_what_is_cut(qtbot: QtBot, text: str, tip: str) -> None:
    model = QStandardItemModel()
    model.appendRow([QStandardItem(text), QStandardItem("x")])
    columns = (TableColumn(title="Name", width_px=80), TableColumn(title="Rest"))
    table = ColumnTable(model, columns=columns, painter=Delegate(), name="table")
    model.setParent(table)
    qtbot.addWidget(table)
    table.resize(300, 100)
    table.show()
    position = table.visualRect(model.index(0, 0)).center()
    event = QHelpEvent(QEvent.Type.ToolTip, position, table.viewport().mapToGlobal(position))
    QApplication.sendEvent(table.viewport(), event)
    assert tip in QToolTip.text()
    assert bool(QToolTip.text()) == bool(tip)
    # Text of others is shown as it is, never as markup.
    assert ("&lt;b&gt;" in QToolTip.text()) == bool(tip)
    QToolTip.hideText()
