"""Letters and digits of Refine: option letters set the answer key, digits the issue classes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from annotator.domain.item import LETTERS
from widgets.refine.editor import ItemEditor
from widgets.refine.issue_class_bar import CLASSES

_MODIFIER = Qt.KeyboardModifier
NONE = _MODIFIER.NoModifier
SHIFT = _MODIFIER.ShiftModifier
SWAP = _MODIFIER.ControlModifier | _MODIFIER.ShiftModifier


class ItemKeys:
    """Finds what a key means for the item that is shown.

    Args:
        editor: Shows the item.
    """

    def __init__(self, editor: ItemEditor) -> None:
        self._editor = editor

    def call_for(self, event: QKeyEvent) -> Callable[[], object] | None:
        """Return what a key press does, None for nothing."""
        modifiers = event.modifiers() & ~_MODIFIER.KeypadModifier
        return self._call(chr(event.key()) if event.key() < 0x80 else "", modifiers)

    def press_text(self, text: str) -> bool:
        """Execute a letter or digit that a list passed on; return whether it means something."""
        call = self._call(text.upper(), SHIFT if text.isupper() else NONE)
        if call is not None:
            call()
        return call is not None

    def _call(self, character: str, modifiers: Qt.KeyboardModifier) -> Callable[[], object] | None:
        form = self._editor.form
        if form.view is None or not character:
            return None
        if modifiers == NONE and character in "1234":
            return partial(form.toggle_class, CLASSES[int(character) - 1])
        if character not in LETTERS or form.options.row(character) is None or form.options.isHidden():
            return None
        calls: dict[Qt.KeyboardModifier, Callable[[str], object]] = {
            NONE: form.set_key,
            SHIFT: self._editor.edit_option,
            SWAP: form.swap_option,
        }
        return partial(calls[modifiers], character) if modifiers in calls else None
