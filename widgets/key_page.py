"""The page of keys (F1): what the keyboard does in the place where one is."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from widgets.action_board import ActionBoard
from widgets.actions import ACTIONS, MENUS, Action
from widgets.labels import caption, label
from widgets.sheet import Sheet
from widgets.translation import mark as _
from widgets.translation import tr

LIST_KEYS = (
    (_("Row before or after"), "↑ ↓"),
    (_("Page, start, end"), "PgUp PgDn Home End"),
    (_("Add rows to the selection"), "Shift+↑ Shift+↓"),
    (_("Search"), _("just type")),
)
"""Keys of every list that Qt itself gives, so that no action stands for them."""


ROUND_PX = 200
"""Height that the window keeps for itself and for the edges of the sheet."""


class KeyPage(Sheet):
    """Lists the keys of all actions with a key, by menu; what cannot be done now is dim."""

    def __init__(self, window: QWidget, *, board: ActionBoard, place: str) -> None:
        """Prepare the page.

        Args:
            window: What it lies on.
            board: The actions and their keys.
            place: Name of the place where one is.
        """
        super().__init__(window, width=1000, title=tr("Keys in {place}", place=place), is_light=True)
        self._board = board
        columns = QHBoxLayout()
        columns.setSpacing(40)
        for titles in (MENUS[:3], MENUS[3:4], MENUS[4:]):
            columns.addLayout(self._column(titles), 1)
        inner = QWidget()
        inner.setLayout(columns)
        columns.setContentsMargins(0, 0, 12, 0)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(inner)
        area.setMinimumHeight(min(640, window.height() - ROUND_PX, inner.sizeHint().height() + 8))
        area.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.area = area
        self.body.addWidget(area)
        self.body.addWidget(label(tr("Every key can be changed: Help ▸ Change keys…"), role="label"))

    def _column(self, titles: tuple[str, ...]) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(8)
        for title in titles:
            column.addWidget(caption(tr(title)))
            column.addLayout(self._rows([a for a in ACTIONS if a.menu == title and self._board.key(a.id)]))
            column.addSpacing(8)
        if MENUS[-1] in titles:
            column.addWidget(caption(tr("Lists")))
            column.addLayout(self._grid([(tr(words), tr(key), True) for words, key in LIST_KEYS]))
        column.addStretch()
        return column

    def _rows(self, actions: list[Action]) -> QGridLayout:
        board = self._board
        return self._grid(
            [(board.action(a.id).text(), board.key(a.id), board.can_run(a.id)) for a in actions]
        )

    def _grid(self, rows: list[tuple[str, str, bool]]) -> QGridLayout:
        grid = QGridLayout()
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(0, 1)
        for at, (words, key, is_possible) in enumerate(rows):
            grid.addWidget(label(words, role="body" if is_possible else "dim"), at, 0)
            grid.addWidget(label(key, role="mono_dim"), at, 1, Qt.AlignmentFlag.AlignRight)
        return grid
