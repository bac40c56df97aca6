"""The decisions on a case: three big keys, the other decisions below, or the question for the reason."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from widgets.action_registry import ActionRegistry
from widgets.answers.flow_layout import FlowLayout
from widgets.box_layout import column_layout, row_layout
from widgets.labels import label
from widgets.review.case_choices import (
    BIG,
    CHOICES,
    choice_reasons,
    choice_text,
    likely_choices,
    possible_choices,
)
from widgets.review.case_view import CaseView
from widgets.review.decision_commands import acceptance_note, may_accept
from widgets.review.key_button import BigKey
from widgets.review.reason_field import ReasonField
from widgets.translation import mark as _
from widgets.translation import tr

CHANGED = _("The record has changed while it was shown. Read it again, then decide.")


class DecisionBar(QWidget):
    """The lower part of the panel of a case.

    Attributes:
        asked: The decision that a reason is asked for, "" for none.
        answer: The answer that becomes the key with the decision ``change``, "" for that which most gave.

    Signals:
        decided: A decision has its reason; carries the decision and the reason.
        left: The question for the reason was closed without one.
        closed: The question was closed, with a reason or without.
    """

    decided = Signal(str, str)
    left = Signal()
    closed = Signal()

    def __init__(self, *, registry: ActionRegistry) -> None:
        super().__init__()
        self._registry = registry
        self._view: CaseView | None = None
        self.asked = self.answer = ""
        # A changed key is a change by the reviewer, which another person accepts.
        self._accepting = {"keep"}
        # Reasons that were typed and led to no decision yet, by the case.
        self._typed: dict[str, str] = {}
        self.note = label(role="warn", wrap=True)
        self.big = [BigKey() for _ in range(BIG)]
        self.others = {name: self._make_other(name) for name in CHOICES}
        self.reason = ReasonField()
        self._keys = QWidget()
        self._lay_out()
        for at, button in enumerate(self.big):
            button.clicked.connect(partial(self._on_big_clicked, at))
        self.reason.given.connect(self._on_reason_given)
        self.reason.left.connect(self.stop_asking)
        registry.keys_changed.connect(self._show_keys)
        self.show_case(None)

    def show_case(self, view: CaseView | None) -> None:
        """Show the decisions on a case; a question for the reason of the same case stays.

        Where what the question is about has changed, it is asked again.
        """
        before = self._view
        if view is None or before is None or view.key != before.key:
            self._keep_typed()
            self._view = view
            self._close()
            self.show_message("")
        else:
            self._view = view
            self._show_change(before, view)
        self._show_keys()

    def ask(self, choice: str, *, answer: str = "", note: str = "") -> None:
        """Ask for the reason of a decision.

        Args:
            choice: The decision.
            answer: The answer that becomes the key, "" for that which most gave.
            note: What else can be done.
        """
        if self._view is None:
            return
        self.asked, self.answer = choice, answer
        self.show_message("")
        text = choice_text(choice, self._view, answer=answer)
        question = f"{text}.  {tr(CHOICES[choice].question)}"
        self._keys.hide()
        can_accept = may_accept(self._view, choice)
        self.reason.accept.setChecked(can_accept and choice in self._accepting)
        reasons = choice_reasons(choice, self._view)
        typed = self._typed.get(self._view.key, "")
        note = note or acceptance_note(self._view, choice)
        self.reason.ask(question, reasons=reasons, may_accept=can_accept, note=note, typed=typed)

    @property
    def accepts(self) -> bool:
        """Whether the item is accepted with the decision that a reason is asked for."""
        return (
            self._view is not None and may_accept(self._view, self.asked) and self.reason.accept.isChecked()
        )

    def stop_asking(self) -> None:
        """Show the decisions again."""
        if self.asked:
            self._keep_typed()
            self._close()
            self.left.emit()

    def forget_reason(self, key: str) -> None:
        """Forget the typed reason of a case, because the decision was taken."""
        self._typed.pop(key, None)

    def _keep_typed(self) -> None:
        if self.asked and self._view is not None:
            self._typed[self._view.key] = self.reason.line.text().strip()

    def show_message(self, text: str) -> None:
        """Show why a decision was not taken; "" for nothing."""
        self.note.setText(text)
        self.note.setVisible(bool(text))

    def _show_change(self, before: CaseView, view: CaseView) -> None:
        if self.asked and self.asked not in possible_choices(view):
            self._keep_typed()
            self._close()
            self.show_message(tr(CHANGED))
        elif self.asked and view.basis != before.basis:
            self._ask_again()

    def _ask_again(self) -> None:
        """Ask about the present form of the record; to accept that takes a decision of its own."""
        self._keep_typed()
        self.ask(self.asked, answer=self.answer, note=self.reason.note.text())
        # Who is typing goes on typing.
        self.reason.line.end(False)
        self.reason.accept.setChecked(False)
        self.show_message(tr(CHANGED))

    def _close(self) -> None:
        self.asked = self.answer = ""
        self.reason.hide()
        self._keys.show()
        self.closed.emit()

    def _show_keys(self) -> None:
        view = self._view
        likely = likely_choices(view) if view is not None else ("keep", "change", "send_back")
        possible = possible_choices(view) if view is not None else frozenset()
        for at, (button, name) in enumerate(zip(self.big, likely, strict=True)):
            text = choice_text(name, view) if view is not None else tr(CHOICES[name].text)
            button.show_choice(text, key=self._registry.key(f"review.{name}"), is_main=not at)
            refusal = self._registry.refusal(f"review.{name}")
            button.setEnabled(name in possible and not refusal)
            button.setToolTip(refusal)
        for name, other in self.others.items():
            text = choice_text(name, view) if view is not None else tr(CHOICES[name].text)
            other.setText(f"{text}   {self._registry.key(f'review.{name}')}".rstrip())
            refusal = self._registry.refusal(f"review.{name}")
            other.setEnabled(not refusal)
            other.setToolTip(refusal or other.text())
            other.setVisible(name in possible and name not in likely)

    def _lay_out(self) -> None:
        top = row_layout(spacing_px=8)
        for button in self.big:
            top.addWidget(button, 1)
        below = FlowLayout(gap_px=8, is_filling=True)
        for other in self.others.values():
            below.addWidget(other)
        keys = column_layout(self._keys, margins_px=0, spacing_px=8)
        keys.addLayout(top)
        keys.addLayout(below)
        column = column_layout(self, margins_px=(16, 8, 16, 12), spacing_px=8)
        column.addWidget(self.note)
        column.addWidget(self._keys)
        column.addWidget(self.reason)

    def _make_other(self, name: str) -> QPushButton:
        made = QPushButton()
        made.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        made.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        made.clicked.connect(partial(self._registry.run, f"review.{name}"))
        return made

    def _on_big_clicked(self, at: int) -> None:
        if self._view is not None:
            self._registry.run(f"review.{likely_choices(self._view)[at]}")

    def _on_reason_given(self, reason: str) -> None:
        choice = self.asked
        if self._view is not None and may_accept(self._view, choice):
            # The next case begins with what was chosen for the last one.
            (self._accepting.add if self.accepts else self._accepting.discard)(choice)
        # Until the decision is taken: it can be refused.
        self._keep_typed()
        # The answer is read by the receiver, before the question is closed.
        self.decided.emit(choice, reason)
        self._close()
