"""Shortcuts of actions: the default of the table or the setting of the user."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence

from widgets.action import ActionSpec
from widgets.action_table import ActionTable
from widgets.settings import Settings

_KEYS = Qt.Key
MOVING = frozenset(
    {
        *(_KEYS.Key_Up, _KEYS.Key_Down, _KEYS.Key_Left, _KEYS.Key_Right),
        *(_KEYS.Key_Home, _KEYS.Key_End, _KEYS.Key_PageUp, _KEYS.Key_PageDown),
        *(_KEYS.Key_Return, _KEYS.Key_Enter, _KEYS.Key_Escape, _KEYS.Key_Tab, _KEYS.Key_Backtab),
        *(_KEYS.Key_Space, _KEYS.Key_Delete, _KEYS.Key_Backspace),
    }
)
"""Keys that lists, fields and buttons use for navigation and selection."""


def chosen_keys(settings: Settings, *, table: ActionTable) -> dict[str, str]:
    """Return the shortcut of every action by its id, "" for none."""
    keys = {action.id: action.key for action in table.actions}
    for name in settings.names("keys"):
        # Another version may have stored a shortcut of an action that this one lacks.
        if name in keys:
            keys[name] = settings.text(f"keys/{name}")
    return keys


def keep_keys(settings: Settings, keys: Mapping[str, str], *, table: ActionTable) -> None:
    """Store the shortcuts that differ from the defaults."""
    settings.forget("keys")
    for name, key in keys.items():
        # An unchanged shortcut follows the default of later versions.
        if key != table.by_id[name].key:
            settings.keep(f"keys/{name}", key)


@cache
def sequence(key: str) -> QKeySequence:
    """Return the keys of a shortcut, none for ""."""
    # As it is stored, whatever the language: Qt would ask its translators for each name of a key.
    return QKeySequence(key, QKeySequence.SequenceFormat.PortableText)


def collisions(keys: Mapping[str, str], *, table: ActionTable) -> list[tuple[ActionSpec, ActionSpec]]:
    """Return pairs of actions that have the same shortcut in overlapping places."""
    used = [(table.by_id[name], sequence(key)) for name, key in keys.items() if key]
    return [
        (one, other)
        for at, (one, key) in enumerate(used)
        for other, other_key in used[at + 1 :]
        if key == other_key and table.overlap(one, other)
    ]


def shown(key: str) -> str:
    """Return a shortcut in the notation of the system, "" for none."""
    # Keyboards and the texts of buttons call the key Enter; Qt keeps that name for the one of the keypad.
    return sequence(key).toString(QKeySequence.SequenceFormat.NativeText).replace("Return", "Enter")


def is_moving_key(key: str) -> bool:
    """Return whether a shortcut uses a key that lists, fields and buttons need; "" does not."""
    # Qt's stubs do not declare the index operator of QKeySequence.
    return bool(key) and sequence(key)[0].key() in MOVING  # type: ignore[index]
