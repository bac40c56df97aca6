"""The board of actions: makes Qt actions of the table, gives them their keys and calls their handlers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import get_args

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QToolButton, QWidget
from shiboken6 import isValid

from widgets import icons
from widgets.actions import ACTIONS, BY_ID, MENUS, ActionContext, ActionNeed, ActionSpec
from widgets.key_bindings import shown
from widgets.translation import tr

_CONTEXT = {
    "window": Qt.ShortcutContext.WindowShortcut,
    "list": Qt.ShortcutContext.WidgetWithChildrenShortcut,
    "stage": Qt.ShortcutContext.WidgetWithChildrenShortcut,
    "runs": Qt.ShortcutContext.WidgetWithChildrenShortcut,
}


class ActionRegistry(QObject):
    """Every action of the table as one ``QAction``, so that menu, key, button and palette are the same thing.

    Signals:
        keys_changed: The keys are others now; tool tips that name them are made anew.
    """

    keys_changed = Signal()

    def __init__(self, keys: Mapping[str, str], *, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._owners: dict[str, object] = {}
        self._buttons: list[tuple[QToolButton, str]] = []
        self._missing: set[str] = set(get_args(ActionNeed)) - {""}
        self._actions = {action.id: self._make(action) for action in ACTIONS}
        self.set_keys(keys)
        self._show_needs()

    def connect_owner(self, name: str, owner: object) -> None:
        """Name an object whose methods actions call: ``library`` for ``library.ask_import``."""
        self._owners[name] = owner

    def forget_owners(self, *, but: frozenset[str]) -> None:
        """Refer to no owner any more but to these: the others are being deleted."""
        self._owners = {name: owner for name, owner in self._owners.items() if name in but}

    def owner(self, name: str) -> object | None:
        """Return the object that has a name now, None where nobody has."""
        return self._owners.get(name)

    def handler(self, action: ActionSpec) -> Callable[..., object]:
        """Return the method that does an action.

        Raises:
            KeyError: Nobody has taken the owner's name.
        """
        owner, _, method = action.handler.partition(".")
        found: Callable[..., object] = getattr(self._owners[owner], method)
        return found

    def run(self, action_id: str) -> None:
        """Do an action, unless what it needs is missing."""
        action = BY_ID[action_id]
        if self.can_run(action_id):
            handler = self.handler(action)
            handler() if action.choice is None else handler(action.choice)

    def can_run(self, action_id: str) -> bool:
        """Tell whether an action makes sense now."""
        return BY_ID[action_id].needs not in self._missing

    def action(self, action_id: str) -> QAction:
        """Return the Qt action of an id."""
        return self._actions[action_id]

    def key(self, action_id: str) -> str:
        """Return an action's key as people read it, "" for none."""
        return shown(self._keys[action_id])

    def set_keys(self, keys: Mapping[str, str]) -> None:
        """Give every action its key."""
        self._keys = dict(keys)
        for action_id, made in self._actions.items():
            made.setShortcut(QKeySequence(keys[action_id]))
        self._show_tips()
        self.keys_changed.emit()

    def set_there(self, need: ActionNeed, is_there: bool) -> None:
        """Say whether what some actions need is there."""
        self._missing = self._missing - {need} if is_there else self._missing | {need}
        self._show_needs()

    def set_text(self, action_id: str, text: str) -> None:
        """Give an action other words, such as 'Undo: Reject 3 items'."""
        self._actions[action_id].setText(text)
        self._show_tips()

    def show_on(self, action_id: str, is_on: bool) -> None:
        """Show in menus whether what an action turns is on."""
        made = self._actions[action_id]
        made.setCheckable(True)
        made.setChecked(is_on)

    def place(self, place: ActionContext, widget: QWidget) -> None:
        """Let the keys of a place work while the keyboard is in a widget."""
        # A QAction works as a key only where it has been added to a widget.
        widget.addActions([self._actions[action.id] for action in ACTIONS if action.place == place])

    def button(self, action_id: str, *, token: str = "text_dim") -> QToolButton:
        """Return a button with the action's icon; its tool tip names the key."""
        made = QToolButton()
        made.setIcon(icons.icon(BY_ID[action_id].icon, token))
        made.setIconSize(icons.LARGE)
        made.setAccessibleName(tr(BY_ID[action_id].text))
        made.clicked.connect(partial(self.run, action_id))
        self._buttons.append((made, action_id))
        self._show_tips()
        return made

    def menu(self, parent: QWidget) -> QMenu:
        """Return the whole menu, one sub-menu per title."""
        menu = QMenu(parent)
        for title in MENUS:
            part = menu.addMenu(tr(title))
            part.addActions([self._actions[action.id] for action in ACTIONS if action.menu == title])
        return menu

    def pick(self, parent: QWidget, action_ids: list[str]) -> QMenu:
        """Return a menu of a few actions, for the right mouse button; "" divides."""
        menu = QMenu(parent)
        for action_id in action_ids:
            menu.addAction(self._actions[action_id]) if action_id else menu.addSeparator()
        return menu

    def _make(self, action: ActionSpec) -> QAction:
        made = QAction(tr(action.text), self)
        made.setObjectName(action.id)
        if action.icon:
            made.setIcon(icons.icon(action.icon))
        made.setShortcutContext(_CONTEXT[action.place])
        made.triggered.connect(partial(self._on_action_triggered, action.id))
        return made

    def _on_action_triggered(self, action_id: str, _checked: bool = False) -> None:
        self.run(action_id)

    def _show_needs(self) -> None:
        for action_id, made in self._actions.items():
            made.setEnabled(self.can_run(action_id))

    def _show_tips(self) -> None:
        # Places of the window go, and their buttons with them.
        self._buttons = [known for known in self._buttons if isValid(known[0])]
        for button, action_id in self._buttons:
            key = self.key(action_id)
            words = self._actions[action_id].text().rstrip("…")
            button.setToolTip(f"{words}  {key}".strip())
