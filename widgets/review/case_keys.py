"""Letters and digits of Review: option letters make an answer the key, digits choose a version of a field."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from annotator.domain.item import LETTERS
from widgets.action_registry import ActionRegistry
from widgets.focus import ENTER
from widgets.review.case_choices import likely_choices
from widgets.review.case_decisions import CaseDecisions
from widgets.review.case_panel import CasePanel
from widgets.review.case_view import CaseView
from widgets.translation import tr

_NONE, _KEYPAD = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier


class CaseKeys:
    """Finds what a key means for the case that is shown.

    Args:
        panel: Shows the case.
        decisions: Executes the decisions.
        registry: Knows the shortcuts, and whether the project can be changed.
    """

    def __init__(self, panel: CasePanel, decisions: CaseDecisions, *, registry: ActionRegistry) -> None:
        self._panel, self._decisions, self._registry = panel, decisions, registry

    def call_for(self, event: QKeyEvent) -> Callable[[], object] | None:
        """Return what a key press does, None for nothing."""
        if event.modifiers() & ~_KEYPAD != _NONE or event.key() >= 0x80:
            return None
        return self._call(chr(event.key()))

    def press_text(self, text: str) -> bool:
        """Execute a letter or digit that a list passed on, or say why not; return whether it was one."""
        call = self._call(text.upper()) if text == text.lower() else None
        if call is not None:
            call()
        elif text.isascii() and text.isalnum():
            self._show_reason(text.upper())
        return call is not None

    def explain(self, event: QKeyEvent) -> bool:
        """Say why a key press that nothing has taken does nothing; return whether it was a plain key."""
        is_plain = not event.modifiers() & ~_KEYPAD and (event.key() in ENTER or _is_character(event.key()))
        if is_plain and not event.isAutoRepeat():
            self._show_reason("" if event.key() in ENTER else chr(event.key()))
        return is_plain

    def _call(self, character: str) -> Callable[[], object] | None:
        view = self._panel.view
        if view is None or not character or self._panel.bar.asked:
            return None
        forks = self._panel.form.forks
        if forks is not None and character in "123456789":
            return partial(forks.choose, int(character) - 1)
        if view.differing is not None and forks is not None and character in LETTERS:
            index = LETTERS.index(character)
            has_label = index < len(view.differing.labels)
            return partial(forks.choose_all, index) if has_label else None
        return self._answer_call(view, character)

    def _answer_call(self, view: CaseView, character: str) -> Callable[[], object] | None:
        options = view.item.options if view.item is not None else ()
        is_option = character in LETTERS and any(option.letter == character for option in options)
        if self._registry.refusal("review.change") or not is_option:
            return None
        return partial(self._decisions.choose_answer, character)

    def _show_reason(self, character: str) -> None:
        view = self._panel.view
        if view is not None and not self._panel.bar.asked:
            self._panel.opened.emit()
            self._panel.bar.show_message(self._reason(character, view=view))

    def _reason(self, character: str, *, view: CaseView) -> str:
        """Return why a key does nothing for a case.

        Args:
            character: Of the key, "" for Enter.
            view: The case.
        """
        key, item = self._registry.key, view.item
        if not character:
            keys = ", ".join(key(f"review.{choice}") for choice in likely_choices(view))
            return tr(
                "Enter confirms the reason of a decision. Choose the decision first: {keys}.", keys=keys
            )
        if character in LETTERS and item is not None:
            if refusal := self._registry.refusal("review.change"):
                return refusal
            if not item.options:
                return tr(
                    "This item has no options. {key} opens it in Refine, where the answer key can be "
                    "changed.",
                    key=key("review.edit"),
                )
            return tr("This item has no option {letter}.", letter=character)
        return tr("{key} has no function here. {help} shows all keys.", key=character, help=key("help.keys"))


def _is_character(key: int) -> bool:
    return key < 0x80 and chr(key).isalnum()
