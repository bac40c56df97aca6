"""The decisions on an item: accept, skip, send back, reject; each button shows its key."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from annotator.domain.item import ItemState
from annotator.domain.item_life import ACCEPTING
from widgets import display_text
from widgets.action_registry import ActionRegistry
from widgets.box_layout import column_layout, row_layout
from widgets.labels import label, set_role
from widgets.translation import mark as _
from widgets.translation import tr

ACCEPT = "refine.accept"
OTHERS = (
    ("refine.skip", _("Skip")),
    ("refine.send_back", _("Send back")),
    ("refine.reject", _("Reject")),
)
"""Actions beside the main one, with short texts for their buttons."""


class DecisionBar(QWidget):
    """The buttons below the editor of an item."""

    def __init__(self, *, registry: ActionRegistry) -> None:
        super().__init__()
        self._registry = registry
        self.note = label(role="label", wrap=True)
        self.main = _button(main=True)
        self.main.clicked.connect(partial(registry.run, ACCEPT))
        self._texts: dict[str, str] = {}
        self._usual = self._message = ""
        self.others = {name: _button() for name, _text in OTHERS}
        for name, made in self.others.items():
            made.clicked.connect(partial(registry.run, name))
        self._lay_out()
        registry.keys_changed.connect(self._show_keys)
        self.show_state(None)

    def show_state(self, state: ItemState | None) -> None:
        """Show what the main button does for an item in a state; None for no item."""
        after = ACCEPTING.get(state) if state is not None else None
        self._texts[ACCEPT] = tr("Accept · next") if after in {"refined", "accepted"} else tr("Next")
        if state == "filtered":
            self._texts[ACCEPT] = tr("Take in · next")
        self._usual = (
            tr(
                "Accept: {before} → {after}",
                before=display_text.item_state_title(state),
                after=display_text.item_state_title(after),
            )
            if state is not None and after is not None
            else ""
        )
        self.show_message(self._message)
        possible = {
            ACCEPT: state is not None,
            "refine.skip": state is not None,
            "refine.send_back": state in {"refined", "flagged", "accepted", "rejected"},
            "refine.reject": state not in {None, "rejected"},
        }
        for name, made in self._buttons():
            made.setEnabled(possible[name] and not self._registry.refusal(name))
        self._show_keys()

    def show_message(self, text: str) -> None:
        """Show why a decision was not taken; "" shows what accepting does."""
        self._message = text
        set_role(self.note, "warn" if text else "label")
        self.note.setText(text or self._usual)
        self.note.setVisible(bool(self.note.text()))

    def _buttons(self) -> tuple[tuple[str, QPushButton], ...]:
        return (ACCEPT, self.main), *self.others.items()

    def _show_keys(self) -> None:
        for name, made in self._buttons():
            key, text = self._registry.key(name), self._texts.get(name) or tr(dict(OTHERS)[name])
            made.setText(f"{text}   {key}".rstrip())
            made.setAccessibleName(self._registry.action(name).text())
            tip = f"{self._registry.action(name).text().rstrip('…')}  {key}".rstrip()
            made.setToolTip(self._registry.refusal(name) or tip)

    def _lay_out(self) -> None:
        row = row_layout(spacing_px=8)
        for made in self.others.values():
            row.addWidget(made)
        column = column_layout(self, margins_px=(16, 8, 16, 12), spacing_px=8)
        column.addWidget(self.note)
        column.addWidget(self.main)
        column.addLayout(row)


def _button(*, main: bool = False) -> QPushButton:
    made = QPushButton()
    # The keyboard stays where the letters of the options work.
    made.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    made.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    if main:
        made.setProperty("kind", "main")
    return made
