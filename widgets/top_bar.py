"""The top bar: menu, project and record, search, runs and user name."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFrame, QPushButton, QSizePolicy, QToolButton, QWidget

from widgets import icons, run_text
from widgets.action_registry import ActionRegistry
from widgets.box_layout import row_layout
from widgets.labels import ElidedLabel, label
from widgets.runs.run_status import RunRow
from widgets.translation import tr

HEIGHT_PX = 45
PANEL_ACTIONS = ("view.filters", "view.inspector")


class TopBar(QFrame):
    """The top bar of the window."""

    def __init__(self, registry: ActionRegistry) -> None:
        super().__init__()
        self.setObjectName("top_bar")
        self.setFixedHeight(HEIGHT_PX)
        self._registry = registry
        self._menu = registry.button("help.menu", token="text")
        self.project = ElidedLabel(role="body")
        self.record = ElidedLabel(role="mono", mode=Qt.TextElideMode.ElideMiddle)
        self._arrow = label("▸", role="label")
        self.search = self._make_search()
        self.running = self._make_running()
        self.unread = self._make_unread()
        self.person = self._make_person()
        self.panels = [self._make_panel_button(action_id) for action_id in PANEL_ACTIONS]
        row = row_layout(self, margins_px=(10, 0, 8, 0), spacing_px=8)
        row.addWidget(self._menu)
        row.addWidget(self._make_path(), 1)
        row.addWidget(self.search)
        # The same stretch on both sides keeps the search field centred.
        row.addWidget(self._right(), 1)
        registry.keys_changed.connect(self._show_keys)
        self.show_location("", "")

    def show_location(self, project: str, record: str) -> None:
        """Show the open project and the current record, "" for none."""
        self.project.setText(project or tr("No project"))
        self.record.setText(record)
        self._arrow.setVisible(bool(record))
        self.record.setVisible(bool(record))

    def show_person(self, name: str) -> None:
        """Show the user name that is recorded with changes; "" hides it."""
        self.person.setText(f"{name}")
        self.person.setVisible(bool(name))

    def show_runs(self, rows: Sequence[RunRow]) -> None:
        """Show the state of the unfinished runs; hidden without any."""
        conditions = [row.condition for row in rows]
        needs_person = not {"waiting", "limited", "stopped"}.isdisjoint(conditions)
        self.running.setText(run_text.summary_text(conditions))
        self.running.setIcon(icons.icon("progress", "warn" if needs_person else "accent"))
        self.running.setVisible(bool(rows))

    def open_menu(self) -> None:
        """Open the menu of all actions."""
        # Created on demand: the start of the window does not need the menu.
        menu = self._registry.menu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self._menu.mapToGlobal(QPoint(0, self._menu.height() + 4)))

    def _make_path(self) -> QWidget:
        made = QWidget()
        row = row_layout(made, margins_px=(4, 0, 16, 0), spacing_px=8)
        row.addWidget(self.project)
        row.addWidget(self._arrow)
        row.addWidget(self.record)
        row.addStretch()
        return made

    def _make_search(self) -> QPushButton:
        made = QPushButton()
        made.setProperty("kind", "field")
        made.setIcon(icons.icon("search"))
        made.setFixedWidth(320)
        made.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        made.clicked.connect(partial(self._registry.run, "help.palette"))
        self.search = made
        self._show_keys()
        return made

    def _make_person(self) -> QToolButton:
        made = QToolButton()
        made.setIcon(icons.icon("person"))
        made.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        made.setToolTip(tr("Person whose changes are recorded: click to change person or name"))
        made.clicked.connect(partial(self._registry.run, "app.person"))
        return made

    def _make_panel_button(self, action_id: str) -> QToolButton:
        """Return a button that shows or hides a side panel; hidden in workspaces without one."""
        made = self._registry.button(action_id)
        action = self._registry.action(action_id)
        made.setVisible(action.isEnabled())
        action.enabledChanged.connect(made.setVisible)
        return made

    def _make_running(self) -> QToolButton:
        made = QToolButton()
        made.setIcon(icons.icon("progress", "accent"))
        made.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        made.setToolTip(tr("Unfinished runs: show runs"))
        made.clicked.connect(partial(self._registry.run, "go.runs"))
        made.hide()
        return made

    def _make_unread(self) -> QToolButton:
        """Return the button with the number of unread comments; hidden without any."""
        made = self._registry.button("comments.next_unread", token="accent")
        made.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        action = self._registry.action("comments.next_unread")
        made.setVisible(action.isEnabled())
        action.enabledChanged.connect(made.setVisible)
        action.changed.connect(self._on_unread_action_changed)
        return made

    def _on_unread_action_changed(self) -> None:
        self.unread.setText(self._registry.action("comments.next_unread").iconText())

    def _right(self) -> QWidget:
        made = QWidget()
        row = row_layout(made, margins_px=0)
        row.addStretch()
        for part in (self.running, self.unread, *self.panels, self.person):
            row.addWidget(part)
        return made

    def _show_keys(self) -> None:
        self.search.setText(
            f"{tr('Search or run a command')}   {self._registry.key('help.palette')}".rstrip()
        )
