"""The shortcut help (F1): the shortcuts that are available in the current view."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QScrollArea, QVBoxLayout, QWidget

from widgets.action import ActionSpec
from widgets.action_registry import ActionRegistry
from widgets.box_layout import column_layout, row_layout
from widgets.dialog import FormDialog
from widgets.labels import caption, label
from widgets.translation import mark as _
from widgets.translation import tr

LIST_KEYS = (
    (_("Previous or next row"), "↑ ↓"),
    (_("Page, start, end"), "PgUp PgDn Home End"),
    (_("Add rows to the selection"), "Shift+↑ Shift+↓"),
)
"""Keys that Qt provides in every list, without an action."""
SEARCH_KEY = (_("Search"), _("type text"))
"""Keys of the Library's lists only: beside a stage, letters are shortcuts."""
FIXED_KEYS = {
    "Stage": (
        (_("Move selection by 1 pixel"), "←↑→↓"),
        (_("Move selection by 10 pixels"), "Ctrl+←↑→↓"),
        (_("Resize selection by 1 pixel"), "Shift+←↑→↓"),
        (_("Resize selection by 10 pixels"), "Ctrl+Shift+←↑→↓"),
        (_("Region to link, by number"), "0–9"),
        (_("Remove last point"), "Backspace"),
        (_("Finish drawing or link"), "Return"),
        (_("Add to the selection"), _("Shift+click")),
        (_("Add polygon corner"), _("Alt+click")),
    ),
    "Image": ((_("Pan (hold)"), "Space"),),
    "Video": ((_("Step by frame (no selection)"), "← →"),),
    "Question": (
        (_("Set answer key"), "A–I"),
        (_("Edit option"), "Shift+A–I"),
        (_("Exchange with option"), "Ctrl+Shift+A–I"),
        (_("Set or remove issue class"), "1–4"),
        (_("End input"), "Return"),
        (_("New line in a text"), "Shift+Return"),
    ),
    "Runs": ((_("Open run or apply outcome"), "Return"),),
}
"""Keys that views and tools process without an action, by menu."""
COLUMNS = 3
HEAD_ROWS = 2
"""Height of a menu heading, in rows."""
ROUND_PX = 200
"""Height of the window's title bar and of the dialog's margins, px."""
Row = tuple[str, str, bool]
"""Title of an action, its shortcut, and whether it can be executed now."""
Section = tuple[str, list[Row]]
"""A heading with its rows."""


class ShortcutHelp(FormDialog):
    """Lists the available shortcuts by menu; actions that cannot be executed now are dimmed."""

    def __init__(self, window: QWidget, *, registry: ActionRegistry, workspace: str) -> None:
        """Create the dialog.

        Args:
            window: Parent window.
            registry: The actions and their shortcuts.
            workspace: Title of the current workspace.
        """
        super().__init__(window, width=1080, title=tr("Shortcuts: {place}", place=workspace))
        self._registry = registry
        columns = row_layout(spacing_px=40)
        for sections in self._in_columns(self._sections()):
            columns.addLayout(self._column(sections), 1)
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
        """Return the actions of a menu that have a shortcut and are available in the current view."""
        registry = self._registry
        return [
            action
            for action in registry.table.actions
            if action.menu == title and registry.key(action.id) and registry.is_in_reach(action.id)
        ]

    def _is_elsewhere(self, title: str) -> bool:
        """Return whether a menu has no action that is specific to the current place."""
        return all(action.context == "window" for action in self._actions(title))

    def _sections(self) -> list[Section]:
        """Return headings with their rows; those specific to the current place come first."""
        menus = self._registry.table.menus
        titles = sorted((title for title in menus if self._actions(title)), key=self._is_elsewhere)
        keys = (*LIST_KEYS, SEARCH_KEY) if self._registry.is_in_reach("edit.select_all") else LIST_KEYS
        lists = (tr("Lists"), [(tr(text), tr(key), True) for text, key in keys])
        return [*((tr(title), self._rows(title)) for title in titles), lists]

    def _in_columns(self, sections: list[Section]) -> list[list[Section]]:
        """Return sections in columns of similar height, in their order."""
        height = sum(len(rows) + HEAD_ROWS for _title, rows in sections) / COLUMNS
        columns: list[list[Section]] = [[] for _at in range(COLUMNS)]
        done = 0.0
        for section in sections:
            size = len(section[1]) + HEAD_ROWS
            # By its midpoint: a section goes to the column where most of it would be in one long column.
            columns[min(COLUMNS - 1, int((done + size / 2) / height))].append(section)
            done += size
        return columns

    def _column(self, sections: list[Section]) -> QVBoxLayout:
        column = column_layout(spacing_px=8)
        for title, rows in sections:
            column.addWidget(caption(title))
            column.addLayout(self._grid(rows))
            column.addSpacing(8)
        column.addStretch()
        return column

    def _rows(self, title: str) -> list[Row]:
        registry = self._registry
        rows = [
            (registry.action(a.id).text(), registry.key(a.id), registry.can_run(a.id))
            for a in self._actions(title)
        ]
        fixed = () if self._is_elsewhere(title) else FIXED_KEYS.get(title, ())
        return [*rows, *((tr(text), tr(key), True) for text, key in fixed)]

    def _grid(self, rows: list[Row]) -> QGridLayout:
        grid = QGridLayout()
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(0, 1)
        for at, (text, key, is_possible) in enumerate(rows):
            grid.addWidget(label(text, role="body" if is_possible else "dim"), at, 0)
            grid.addWidget(label(key, role="mono_dim"), at, 1, Qt.AlignmentFlag.AlignRight)
        return grid
