"""Creates a QAction for each action of the table, assigns its shortcut and calls its handler."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QToolButton, QWidget
from shiboken6 import isValid

from widgets import icons
from widgets.action import ActionContext, ActionNeed, ActionSpec
from widgets.action_buttons import ActionButtons
from widgets.action_table import ActionTable
from widgets.key_bindings import is_moving_key, sequence, shown
from widgets.translation import tr

PAGE_SCOPED = frozenset(
    {"stage", "video", "marking", "item_shown", "case_shown", "answering", "key_shown", "run_page"}
)
"""Preconditions that describe a context, not its selection."""


class ActionRegistry(QObject):
    """Creates one ``QAction`` per action, shared by menus, shortcuts, buttons and the command palette.

    Attributes:
        table: All actions, and where they work.

    Signals:
        keys_changed: Emitted when shortcuts were changed; tool tips that contain them are rebuilt.
        about_to_run: Emitted before an action is executed, to send pending edits first; carries its id.
        refused: Emitted instead of executing an action that would change a project which is open for reading
            only; carries the reason.
    """

    keys_changed = Signal()
    about_to_run = Signal(str)
    refused = Signal(str)

    def __init__(self, table: ActionTable, keys: Mapping[str, str], *, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.table = table
        self._owners: dict[str, object] = {}
        self._extensions: dict[str, Callable[[QMenu], object]] = {}
        self._read_only_reason = ""
        self._contexts: list[tuple[ActionContext, QWidget]] = []
        self._beside: list[tuple[ActionContext, QWidget]] = []
        self._workspace = ""
        self._missing: set[str] = set(table.needs)
        self._needing = {
            need: [action.id for action in table.actions if action.needs == need] for need in table.needs
        }
        self._actions = {action.id: self._make(action) for action in table.actions}
        # Kept beside Qt: to ask or tell each of 300 actions takes 2 ms of every change of the workspace.
        self._enabled = dict.fromkeys(self._actions, True)
        self._buttons = ActionButtons(self._actions, key=self.key, refusal=self.refusal)
        self.set_keys(keys)
        self._show_needs(self._actions)

    @property
    def workspace(self) -> str:
        """Id of the current workspace, "" before one is shown."""
        return self._workspace

    def connect_owner(self, name: str, owner: object) -> None:
        """Register an object whose methods actions call: ``library`` for ``library.ask_import``."""
        self._owners[name] = owner

    def forget_owners(self, *, kept: frozenset[str]) -> None:
        """Keep only these owners before the others are deleted."""
        self._owners = {name: owner for name, owner in self._owners.items() if name in kept}
        # These lists refer to widgets that are being deleted.
        self._contexts, self._beside = [], []

    def owner(self, name: str) -> object | None:
        """Return the object registered under a name, None if there is none."""
        return self._owners.get(name)

    def show_workspace(self, workspace: str, *, handler: object = None) -> None:
        """Set the current workspace, which the actions act on.

        Args:
            workspace: Its id.
            handler: Object whose methods execute the actions of ``navigation``, None for an empty workspace.
        """
        self._workspace = workspace
        self.connect_owner("navigation", handler)
        self._show_needs(self._actions)

    def handler(self, action: ActionSpec) -> Callable[..., object]:
        """Return the method that executes an action.

        Raises:
            KeyError: No owner is registered under the name.
        """
        owner, _, method = action.handler.partition(".")
        found: Callable[..., object] = getattr(self._owners[owner], method)
        return found

    def run(self, action_id: str) -> None:
        """Execute an action if its precondition is met."""
        action = self.table.by_id[action_id]
        if reason := self.refusal(action_id):
            self.refused.emit(reason)
            return
        # Before the check: sending a pending edit can change the preconditions.
        self.about_to_run.emit(action_id)
        if self.can_run(action_id):
            if action.opens and action.opens != self._workspace:
                self.run(f"go.{action.opens}")
            handler = self.handler(action)
            handler() if action.choice is None else handler(action.choice)

    def can_run(self, action_id: str) -> bool:
        """Return whether an action works in the workspace that is shown and its precondition is met."""
        return (
            self._is_here(self.table.by_id[action_id])
            and self.table.by_id[action_id].needs not in self._missing
            and not self.refusal(action_id)
        )

    def refusal(self, action_id: str) -> str:
        """Return why an action is refused because it would change the project, "" where it is not."""
        return self._read_only_reason if self.table.by_id[action_id].writes else ""

    def set_read_only(self, reason: str) -> None:
        """Disable all actions that change the project.

        Args:
            reason: Why it cannot be changed, as a sentence for the user; "" for one that can.
        """
        if reason != self._read_only_reason:
            self._read_only_reason = reason
            self._show_needs(self._actions)
            self._buttons.show_refusals()

    def is_in_reach(self, action_id: str) -> bool:
        """Return whether an action is available in the current view; its precondition may not be met."""
        action = self.table.by_id[action_id]
        if action.context == "window" or not self._is_here(action):
            return self._is_here(action)
        if action.needs in PAGE_SCOPED and action.needs in self._missing:
            return False
        return any(context == action.context and _is_seen(widget) for context, widget in self._contexts)

    def action(self, action_id: str) -> QAction:
        """Return the Qt action of an id."""
        return self._actions[action_id]

    def key(self, action_id: str) -> str:
        """Return an action's shortcut in the notation of the system, "" for none."""
        return shown(self._keys[action_id])

    def set_keys(self, keys: Mapping[str, str]) -> None:
        """Assign the shortcut of every action."""
        self._keys = dict(keys)
        for action_id, made in self._actions.items():
            made.setShortcut(sequence(keys[action_id]))
        for context, widget in self._beside:
            self._put_beside(context, widget)
        self._buttons.refresh()
        self.keys_changed.emit()

    def set_there(self, need: ActionNeed, is_there: bool) -> None:
        """Set whether a precondition is met, and enable or disable its actions.

        Raises:
            ValueError: No action has this precondition.
        """
        if need not in self.table.needs:
            raise ValueError(f"No action needs {need!r}.")
        if (need in self._missing) == is_there:
            self._missing ^= {need}
            self._show_needs(self._needing[need])

    def set_text(self, action_id: str, text: str) -> None:
        """Change the text of an action, for example to 'Undo: Reject 3 items'."""
        if self._actions[action_id].text() != text:
            self._actions[action_id].setText(text)
            self._buttons.refresh()

    def show_on(self, action_id: str, is_on: bool) -> None:
        """Set whether the menus show an action as checked."""
        made = self._actions[action_id]
        made.setCheckable(True)
        made.setChecked(is_on)

    def add_shortcuts(self, context: ActionContext, widget: QWidget) -> None:
        """Enable the shortcuts of a context while a widget or one of its children has the keyboard focus."""
        self._contexts.append((context, widget))
        # A QAction reacts to its shortcut only on widgets that it was added to.
        widget.addActions(
            [self._actions[action.id] for action in self.table.actions if action.context == context]
        )

    def add_shortcuts_beside(self, context: ActionContext, widget: QWidget) -> None:
        """Enable the shortcuts of a context on a neighbouring widget, such as a list beside the stage.

        Keys that lists and fields need for navigation are left out.
        """
        self._beside.append((context, widget))
        self._put_beside(context, widget)

    def button(self, action_id: str, *, token: str = "text_dim") -> QToolButton:
        """Return a button with the action's icon; its tool tip contains the shortcut."""
        made = QToolButton()
        made.setIcon(icons.icon(self.table.by_id[action_id].icon, token))
        made.setIconSize(icons.LARGE)
        made.setAccessibleName(tr(self.table.by_id[action_id].text))
        made.clicked.connect(partial(self.run, action_id))
        self._buttons.add(made, action_id)
        return made

    def menu(self, parent: QWidget) -> QMenu:
        """Return the main menu, one sub-menu per title."""
        menu = QMenu(parent)
        for title in self.table.menus:
            part = menu.addMenu(tr(title))
            part.setToolTipsVisible(bool(self._read_only_reason))
            part.addActions(
                [self._actions[action.id] for action in self.table.actions if action.menu == title]
            )
            if title in self._extensions:
                self._extensions[title](part)
        return menu

    def extend_menu(self, title: str, fill: Callable[[QMenu], object]) -> None:
        """Set a function that adds dynamic entries, such as recent projects, each time a menu is opened."""
        self._extensions[title] = fill

    def pick(self, parent: QWidget, action_ids: Sequence[str]) -> QMenu:
        """Return a context menu of some actions; "" adds a separator."""
        menu = QMenu(parent)
        menu.setToolTipsVisible(bool(self._read_only_reason))
        for action_id in action_ids:
            menu.addAction(self._actions[action_id]) if action_id else menu.addSeparator()
        return menu

    def _is_here(self, action: ActionSpec) -> bool:
        scope = self.table.scope(action)
        return not self._workspace or not scope or self._workspace in scope

    def _put_beside(self, context: ActionContext, widget: QWidget) -> None:
        for action in self.table.actions:
            if action.context == context:
                made = self._actions[action.id]
                # Removed first: the new shortcut can be a navigation key.
                widget.removeAction(made)
                if not is_moving_key(self._keys[action.id]):
                    widget.addAction(made)

    def _make(self, action: ActionSpec) -> QAction:
        made = QAction(tr(action.text), self)
        made.setObjectName(action.id)
        if action.icon:
            made.setIcon(icons.icon(action.icon))
        is_everywhere = action.context == "window"
        context = Qt.ShortcutContext
        made.setShortcutContext(
            context.WindowShortcut if is_everywhere else context.WidgetWithChildrenShortcut
        )
        made.setAutoRepeat(action.repeats)
        made.triggered.connect(partial(self._on_action_triggered, action.id))
        return made

    def _on_action_triggered(self, action_id: str, _checked: bool = False) -> None:
        self.run(action_id)

    def _show_needs(self, action_ids: Iterable[str]) -> None:
        for action_id in action_ids:
            if (can_run := self.can_run(action_id)) != self._enabled[action_id]:
                self._enabled[action_id] = can_run
                self._actions[action_id].setEnabled(can_run)


def _is_seen(widget: QWidget) -> bool:
    # The large view of an image adds its stage, and is deleted when it is closed.
    return isValid(widget) and widget.isVisible()
