"""Letters and digits of Review: option letters make an answer the key, digits choose a version of a field."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from annotator.domain.item import LETTERS
from widgets.review.case_decisions import CaseDecisions
from widgets.review.case_panel import CasePanel

_NONE, _KEYPAD = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier


class CaseKeys:
    """Finds what a key means for the case that is shown.

    Args:
        panel: Shows the case.
        decisions: Executes the decisions.
    """

    def __init__(self, panel: CasePanel, decisions: CaseDecisions) -> None:
        self._panel, self._decisions = panel, decisions

    def call_for(self, event: QKeyEvent) -> Callable[[], object] | None:
        """Return what a key press does, None for nothing."""
        if event.modifiers() & ~_KEYPAD != _NONE or event.key() >= 0x80:
            return None
        return self._call(chr(event.key()))

    def press_text(self, text: str) -> bool:
        """Execute a letter or digit that a list passed on; return whether it means something."""
        call = self._call(text.upper()) if text == text.lower() else None
        if call is not None:
            call()
        return call is not None

    def _call(self, character: str) -> Callable[[], object] | None:
        view = self._panel.view
        if view is None or not character or self._panel.bar.asked:
            return None
        if self._panel.form.forks is not None and character in "123456789":
            return partial(self._panel.form.forks.choose, int(character) - 1)
        if view.differing is not None and self._panel.form.forks is not None and character in LETTERS:
            index = LETTERS.index(character)
            has_label = index < len(view.differing.labels)
            return partial(self._panel.form.forks.choose_all, index) if has_label else None
        item = view.item
        is_option = item is not None and any(option.letter == character for option in item.options)
        if character in LETTERS and is_option:
            return partial(self._decisions.choose_answer, character)
        return None
