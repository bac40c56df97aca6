"""The flags of a record as cards: reason, location, and a decision with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from annotator.domain.flag import Flag
from widgets import display_text
from widgets.action_registry import ActionRegistry
from widgets.box_layout import column_layout, row_layout
from widgets.field_titles import field_title
from widgets.focus import holds_keyboard
from widgets.labels import chip, label
from widgets.library.flag_history import FlagStep, flag_steps
from widgets.library.record_details import RecordDetail, SceneDetail
from widgets.library.record_form import RecordForm
from widgets.locator_text import locator_text
from widgets.message_text import message_text
from widgets.read_only import disable_edits
from widgets.translation import join_texts, tr, trn

SHOWN = 40
TONES = {"error": "bad", "warning": "warn", "note": "plain"}
NAMED_TARGETS = 3
"""Maximum number of record names on a card; further records are counted."""


class FlagCard(QFrame):
    """One flag, or several with the same text on different records; takes the keyboard focus for shortcuts.

    Signals:
        decided: Emitted on a decision; carries the ids of the flags, their new state and the reason.
    """

    decided = Signal(object, str, str)

    def __init__(self, flags: tuple[Flag, ...], *, about: str, steps: Sequence[FlagStep] = ()) -> None:
        super().__init__()
        flag = flags[0]
        self.setObjectName("flag_card")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.setAccessibleName(f"{display_text.flag_kind_title(flag.kind)}. {message_text(flag.message)}")
        self.flag = flag
        self.ids = tuple(same.id for same in flags)
        self.reason = QLineEdit()
        self.confirm = QPushButton()
        self.buttons = QWidget()
        self.asking = QWidget()
        self._state = ""
        column = column_layout(self, margins_px=(12, 8, 12, 8), spacing_px=4)
        column.addLayout(self._head())
        column.addWidget(label(message_text(flag.message), wrap=True, selectable=True))
        if about:
            column.addWidget(label(about, role="label", wrap=True))
        if flag.resolution:
            column.addWidget(
                label(tr("Reason: {reason}", reason=message_text(flag.resolution)), role="dim", wrap=True)
            )
        for step in steps:
            column.addWidget(label(step.signature, role="label", wrap=True))
        self._add_buttons(column)

    def ask(self, state: str) -> None:
        """Ask for the reason of a decision inside the card."""
        self._state = state
        self.buttons.hide()
        self.asking.show()
        texts = {
            "resolved": (tr("What was corrected?"), tr("Resolve")),
            "dismissed": (tr("Why is the record correct as it is?"), tr("Dismiss")),
        }
        placeholder, button = texts[state]
        self.reason.setPlaceholderText(placeholder)
        self.reason.setAccessibleName(placeholder)
        self.confirm.setText(button)
        # A card that was just created is shown in the next event loop turn, and cannot take the focus before.
        QTimer.singleShot(0, self.reason, self.reason.setFocus)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close the question when Escape is pressed."""
        # Handled here, so that Escape does not also close the page or clear the search.
        if event.key() == Qt.Key.Key_Escape and self.asking.isVisible():
            self.asking.hide()
            self.buttons.show()
            self.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            super().keyPressEvent(event)

    def _head(self) -> QHBoxLayout:
        row = row_layout(spacing_px=8)
        is_open = self.flag.state == "open"
        severity = tr(display_text.SEVERITIES[self.flag.severity])
        row.addWidget(label(display_text.flag_kind_title(self.flag.kind), role="strong"))
        # The tab, the filter of a list and undo count flags, not cards: the card shows their number.
        if len(self.ids) > 1:
            row.addWidget(label(trn("{n} flag", "{n} flags", n=len(self.ids)), role="dim"))
        row.addStretch()
        tone = TONES[self.flag.severity] if is_open else "good"
        row.addWidget(chip(severity if is_open else tr(display_text.FLAG_STATES[self.flag.state]), tone=tone))
        return row

    def _add_buttons(self, column: QVBoxLayout) -> None:
        row = row_layout(self.buttons, margins_px=(0, 4, 0, 0), spacing_px=8)
        if self.flag.state == "open":
            for state, text in (("resolved", tr("Resolve…")), ("dismissed", tr("Dismiss…"))):
                row.addWidget(self._button(text, partial(self.ask, state)))
        else:
            row.addWidget(self._button(tr("Reopen"), partial(self.decided.emit, self.ids, "open", "")))
        row.addStretch()
        answer = row_layout(self.asking, margins_px=(0, 4, 0, 0))
        answer.addWidget(self.reason, 1)
        answer.addWidget(self.confirm)
        self.confirm.setProperty("kind", "main")
        # A decision needs a reason: it is the only record of why a flag was closed.
        self.confirm.setEnabled(False)
        self.confirm.clicked.connect(self._on_confirm_clicked)
        self.reason.textChanged.connect(self._on_reason_text_changed)
        self.reason.returnPressed.connect(self.confirm.click)
        self.asking.hide()
        column.addWidget(self.buttons)
        column.addWidget(self.asking)

    def _button(self, text: str, call: partial[None]) -> QPushButton:
        made = QPushButton(text)
        made.setProperty("kind", "pill")
        made.clicked.connect(call)
        return made

    def _on_reason_text_changed(self, text: str) -> None:
        self.confirm.setEnabled(bool(text.strip()))

    def _on_confirm_clicked(self) -> None:
        self.decided.emit(self.ids, self._state, self.reason.text().strip())


class FlagsView(RecordForm):
    """Shows all flags of a record, open ones first.

    Signals:
        decided: Emitted on a decision; carries the same values as ``FlagCard.decided``.
    """

    decided = Signal(object, str, str)

    def __init__(self, *, registry: ActionRegistry) -> None:
        super().__init__()
        self._registry = registry
        self.cards: list[FlagCard] = []

    def show_detail(self, detail: RecordDetail) -> None:
        """Show the flags of a record and of its dependent records."""
        self.clear()
        groups = grouped(detail.flags)
        self.cards = [
            FlagCard(flags, about=_about(flags, detail), steps=flag_steps(detail, flags[:1]))
            for flags in groups[:SHOWN]
        ]
        self.column.setSpacing(8)
        if not self.cards:
            self.add_heading(tr("Flags"))
            self.add_text(tr("No flags. No decision is required."), role="dim")
        for card in self.cards:
            card.decided.connect(self.decided)
            disable_edits(self._registry.refusal("flag.resolve"), card.buttons)
            self.add(card)
        if rest := sum(len(flags) for flags in groups[SHOWN:]):
            self.add_text(trn("{n} more flag", "{n} more flags", n=rest), role="dim")
        self.end()

    def card_at_hand(self) -> FlagCard | None:
        """Return the card with the keyboard focus, or the first open one."""
        open_cards = [card for card in self.cards if card.flag.state == "open"]
        return next(
            (card for card in open_cards if holds_keyboard(card)), open_cards[0] if open_cards else None
        )


def flag_tab_text(title: str, detail: RecordDetail | None) -> tuple[str, str]:
    """Return the text and the tool tip of the tab with the flags of a record.

    The flags of a scene are counted apart from those of its media, labels, links and items, which are other
    cases of Review.

    Args:
        title: Title of the tab.
        detail: The record, None for none.
    """
    flags = [flag for flag in detail.flags if flag.state == "open"] if detail is not None else []
    own = sum(detail is not None and flag.target == detail.id for flag in flags)
    others = len(flags) - own
    if not others:
        return f"{title} {own:,}" if own else title, ""
    count = f"{own:,} + {others:,}" if own else f"{others:,}"
    return f"{title} {count}", tr(
        "Open flags: {own} of this record, {others} of its media, labels, links and items",
        own=f"{own:,}",
        others=f"{others:,}",
    )


def grouped(flags: tuple[Flag, ...]) -> list[tuple[Flag, ...]]:
    """Group flags by text and state: open ones first, then by descending severity."""
    # A check raises the same flag for thirty regions of one image: one card closes all thirty.
    groups: dict[tuple[str, ...], list[Flag]] = {}
    for flag in flags:
        same = (
            flag.kind,
            message_text(flag.message),
            flag.field,
            flag.severity,
            flag.state,
            flag.resolution,
            flag.raised_by,
        )
        groups.setdefault(same, []).append(flag)
    severities = list(display_text.SEVERITIES)
    ordered = sorted(groups.values(), key=lambda g: (g[0].state != "open", severities.index(g[0].severity)))
    return [tuple(group) for group in ordered]


def _about(flags: tuple[Flag, ...], detail: RecordDetail) -> str:
    """Return the target of flags as text: 'label of UAV1 (record 17) · field count'."""
    flag = flags[0]
    names = [name for same in flags if (name := _target(same, detail))]
    parts = [join_texts(names[:NAMED_TARGETS])]
    if len(names) > NAMED_TARGETS:
        parts.append(tr("and {n} more", n=len(names) - NAMED_TARGETS))
    if flag.field:
        parts.append(tr("field {field}", field=field_title(flag.field)))
    parts.append(display_text.origin_title(flag.raised_by))
    return " · ".join(filter(None, parts))


def _target(flag: Flag, detail: RecordDetail) -> str:
    if flag.target == detail.id or not isinstance(detail, SceneDetail):
        return ""
    for record in detail.labels:
        if record.id == flag.target:
            location = f" ({locator_text(record.locator)})" if record.locator else ""
            return tr("label of {view}", view=record.view or tr("No view")) + location
    names = {shown.medium.id: shown.view or shown.medium.name for shown in detail.media}
    names |= {item.id: item.name for item in detail.items}
    return names.get(flag.target, "")
