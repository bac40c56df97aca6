"""The buttons of the second look: hand in the answer; afterwards keep the key or object to it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from annotator.domain import answers
from widgets.action_registry import ActionRegistry
from widgets.box_layout import column_layout, row_layout
from widgets.labels import label, set_role
from widgets.second_look.blind_view import BlindView
from widgets.translation import tr

HAND_IN, HAND_IN_TEXT, KEEP, OBJECT, NEXT = (
    "second_look.hand_in",
    "second_look.hand_in_text",
    "second_look.keep",
    "second_look.object",
    "second_look.next",
)


class SecondLookBar(QWidget):
    """Shows the actions of the present phase, each with its key."""

    def __init__(self, *, registry: ActionRegistry) -> None:
        super().__init__()
        self._registry = registry
        self._view: BlindView | None = None
        self._shows_key = True
        self.note = label(role="label", wrap=True)
        self.buttons = {name: _button() for name in (HAND_IN, KEEP, OBJECT, NEXT)}
        for name, made in self.buttons.items():
            made.clicked.connect(partial(registry.run, name))
        row = row_layout(spacing_px=8)
        for made in self.buttons.values():
            row.addWidget(made)
        column = column_layout(self, margins_px=(16, 8, 16, 12), spacing_px=8)
        column.addWidget(self.note)
        column.addLayout(row)
        registry.keys_changed.connect(self._show_texts)
        self.show_view(None)

    def use_queue(self, *, shows_key: bool) -> None:
        """Set whether the key is shown after the answer."""
        self._shows_key = shows_key
        self._show_texts()

    def show_view(self, view: BlindView | None, *, is_read_only: bool = False) -> None:
        """Show what can be done with an item."""
        self._view = view
        phase = view.phase if view is not None else ""
        shown = {"answering": (HAND_IN,), "key_shown": (KEEP, OBJECT)}.get(phase, (NEXT,))
        for name, made in self.buttons.items():
            made.setVisible(name in shown)
            made.setEnabled(view is not None and (name == NEXT or not is_read_only))
        differs = view is not None and view.comparison is not None and not view.comparison.is_equal
        # The likely decision has the colour of the main action, never the only way to tell them apart.
        _set_kind(self.buttons[KEEP], is_main=not differs)
        _set_kind(self.buttons[OBJECT], is_main=differs)
        self._show_texts()
        self.show_message("")

    def show_message(self, text: str) -> None:
        """Show why an action was not taken; "" shows what the next one does."""
        set_role(self.note, "warn" if text else "label")
        self.note.setText(text or self._usual())
        self.note.setVisible(bool(self.note.text()))

    def _usual(self) -> str:
        phase = self._view.phase if self._view is not None else ""
        texts = {
            "answering": tr("The answer cannot be changed once the answer key is shown.")
            if self._shows_key
            else "",
            "handed_in": tr("You have handed in this answer."),
            "key_seen": tr(
                "You have seen the answer key of this item, and cannot answer it independently. Redo brings "
                "a withdrawn answer back."
            ),
        }
        return texts.get(phase, "")

    def _is_prose(self) -> bool:
        """Return whether Enter begins a new line of the answer."""
        answer_format = self._view.item.answer_format if self._view is not None else ""
        return answers.is_known(answer_format) and answers.get(answer_format).is_prose

    def _show_texts(self) -> None:
        hand_in = tr("Hand in · show answer key") if self._shows_key else tr("Hand in · next")
        texts = {HAND_IN: hand_in, KEEP: tr("Keep answer key"), OBJECT: tr("Object"), NEXT: tr("Next item")}
        for name, text in texts.items():
            key = self._registry.key(HAND_IN_TEXT if name == HAND_IN and self._is_prose() else name)
            made = self.buttons[name]
            made.setText(f"{text}   {key}".rstrip())
            made.setAccessibleName(self._registry.action(name).text())
            made.setToolTip(f"{self._registry.action(name).text()}  {key}".rstrip())


def _button() -> QPushButton:
    made = QPushButton()
    # The keyboard stays where the letters of the options work.
    made.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    made.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    made.setProperty("kind", "main")
    return made


def _set_kind(button: QPushButton, *, is_main: bool) -> None:
    kind = "main" if is_main else ""
    if button.property("kind") != kind:
        button.setProperty("kind", kind)
        button.style().polish(button)
