"""Where the keyboard is."""

from __future__ import annotations

from typing import cast

from PySide6.QtWidgets import QWidget


def holds_keyboard(part: QWidget) -> bool:
    """Tell whether the keyboard is at a widget, or at one inside it."""
    # Qt's stubs promise a widget, but there is none as long as nothing has the keyboard.
    focus = cast("QWidget | None", part.window().focusWidget())
    return focus is not None and (part is focus or part.isAncestorOf(focus))
