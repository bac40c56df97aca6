"""The shortcut help (F1): the shortcuts that work in what is shown, and no others."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from widgets.action_registry import ActionRegistry
from widgets.actions import ACTIONS, ActionSpec
from widgets.dialog import FormDialog
from widgets.labels import caption, label
from widgets.translation import mark as _
from widgets.translation import tr

LIST_KEYS = (
    (_("Previous or next row"), "↑ ↓"),
    (_("Page, start, end"), "PgUp PgDn Home End"),
    (_("Add rows to the selection"), "Shift+↑ Shift+↓"),
)
"""Keys of every list that Qt itself gives, so that no action stands for them."""
SEARCH_KEY = (_("Search"), _("type text"))
"""Of the lists of the Library: beside a stage letters are shortcuts."""
FIXED_KEYS = {
    "Stage": (
        (_("Move selection by 1 pixel"), "←↑→↓"),
        (_("Move selection by 10 pixels"), "Shift+←↑→↓"),
        (_("Remove last point"), "Backspace"),
        (_("Finish drawing"), "Return"),
        (_("Add to the selection"), _("Shift+click")),
        (_("Add polygon corner"), _("Alt+click")),
    ),
    "Image": ((_("Pan (hold)"), "Space"),),
    "Video": ((_("Step by frame (no selection)"), "← →"),),
    "Runs": ((_("Open run or apply outcome"), "Return"),),
}
"""Keys that views and tools process themselves, by menu."""
COLUMNS = (
    ("Project", "Edit", "Item", "Go"),
    ("Stage", "Image", "Runs"),
    ("Video", "Overlays", "View", "Help"),
)
"""Menus by the columns of the page, about as long as each other."""
ROUND_PX = 200
"""Height that the window keeps for itself and for the edges of the sheet."""


class ShortcutHelp(FormDialog):
    """Lists the shortcuts of a place by menu; actions that cannot be executed now are dimmed."""

    def __init__(self, window: QWidget, *, board: ActionRegistry, place: str) -> None:
        """Prepare the page.

        Args:
            window: Parent window.
            board: The actions and their shortcuts.
            place: Title of the current workspace.
        """
        super().__init__(window, width=1080, title=tr("Shortcuts: {place}", place=place))
        self._board = board
        columns = QHBoxLayout()
        columns.setSpacing(40)
        for titles in COLUMNS:
            shown = [title for title in titles if self._actions(title)]
            if shown:
                # What belongs to the place where one is stands at the top, in sight.
                columns.addLayout(self._column(sorted(shown, key=self._is_elsewhere)), 1)
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
        self.body.addWidget(label(tr("To change a shortcut, choose Help ▸ Change shortcuts…"), role="label"))

    def _actions(self, title: str) -> list[ActionSpec]:
        """Return the actions of a menu that have a shortcut and belong to what is shown."""
        board = self._board
        return [a for a in ACTIONS if a.menu == title and board.key(a.id) and board.is_in_reach(a.id)]

    def _is_elsewhere(self, title: str) -> bool:
        """Tell whether a menu has nothing that only this place can do."""
        return all(action.place == "window" for action in self._actions(title))

    def _column(self, titles: Sequence[str]) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(8)
        for title in titles:
            column.addWidget(caption(tr(title)))
            column.addLayout(self._rows(self._actions(title)))
            if title in FIXED_KEYS and not self._is_elsewhere(title):
                column.addLayout(self._grid([(tr(words), tr(key), True) for words, key in FIXED_KEYS[title]]))
            column.addSpacing(8)
        if "Help" in titles:
            keys = (*LIST_KEYS, SEARCH_KEY) if self._board.is_in_reach("edit.select_all") else LIST_KEYS
            column.addWidget(caption(tr("Lists")))
            column.addLayout(self._grid([(tr(words), tr(key), True) for words, key in keys]))
        column.addStretch()
        return column

    def _rows(self, actions: list[ActionSpec]) -> QGridLayout:
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
