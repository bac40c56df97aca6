"""The policy of a blind filter; each policy shows its loss to guessing and the number of items it removes."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDoubleValidator, QIntValidator
from PySide6.QtWidgets import QButtonGroup, QGridLayout, QLineEdit, QRadioButton, QWidget

from annotator.quality.policy import (
    DEFAULT_ALPHA,
    DEFAULT_LOSS,
    DEFAULT_MARGIN,
    DEFAULT_POLICY,
    Policy,
    PolicyKind,
)
from widgets import run_text
from widgets.labels import label
from widgets.runs.outcome import GuessingLoss
from widgets.translation import mark as _
from widgets.translation import tr

POLICIES: tuple[tuple[PolicyKind, str], ...] = (
    ("calibrated", _("the text gives it away, good items lost at most:")),
    ("all", _("every model is right")),
    ("any", _("at least one model is right")),
    ("at_least", _("at least this many models are right:")),
    ("mean", _("the mean of all answers exceeds chance by:")),
    ("every_rotation", _("at least this many models are right in every rotation:")),
    ("significance", _("the p-value of random guessing is at most:")),
)
"""Kinds of policies with their English titles, the default one first."""
FIELD_PX = 64
USUAL = {
    "at_least": "2",
    "mean": f"{DEFAULT_MARGIN:g}",
    "every_rotation": "1",
    "significance": f"{DEFAULT_ALPHA:g}",
    "calibrated": f"{DEFAULT_LOSS:g}",
}
"""Text of the field of a policy when the dialog opens; the others have no field."""


def loss_text(loss: GuessingLoss) -> str:
    """Return the loss to guessing as text: one share, or a range: "0.4 – 25.0 %"."""
    ends = sorted({run_text.share(loss.guessed_anew), run_text.share(loss.guessed_once)}, key=_percent)
    return " – ".join((*(end.removesuffix(" %") for end in ends[:-1]), ends[-1]))


def _percent(share: str) -> float:
    return float(share.removesuffix(" %"))


def _loss_tip(loss: GuessingLoss) -> str:
    return tr(
        "{anew} if each answer is an independent guess; {once} if a model guesses once per item "
        "and gives the same answer in every option order. The actual value is between these two "
        "values.",
        anew=run_text.share(loss.guessed_anew),
        once=run_text.share(loss.guessed_once),
    )


class PolicyChoice(QWidget):
    """One row per policy, with a number field where the policy has a parameter.

    Signals:
        changed: Emitted when another policy is selected or its number changes.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.buttons: dict[PolicyKind, QRadioButton] = {}
        self.fields: dict[PolicyKind, QLineEdit] = {}
        self.losses = {kind: label(role="dim") for kind, _text in POLICIES}
        self.effects = {kind: label(role="dim") for kind, _text in POLICIES}
        self._group = QButtonGroup(self)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(0, 1)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        self._loss_head = label(tr("good items lost by guessing"), role="label")
        self._effect_head = label(tr("removed"), role="label")
        self._grid.addWidget(label(tr("An item counts as guessed if"), role="label"), 0, 0)
        self._grid.addWidget(self._loss_head, 0, 2, right)
        self._grid.addWidget(self._effect_head, 0, 3, right)
        for index, (kind, text) in enumerate(POLICIES, start=1):
            self._add(index, kind, tr(text))
            self._grid.addWidget(self.losses[kind], index, 2, right)
            self._grid.addWidget(self.effects[kind], index, 3, right)
        self.note = label(role="warn", wrap=True)
        self.note.hide()
        self._grid.addWidget(self.note, len(POLICIES) + 1, 0, 1, 4)
        self._effect_head.hide()
        self.buttons[DEFAULT_POLICY.kind].setChecked(True)

    def policy(self, kind: PolicyKind | None = None) -> Policy:
        """Return the selected policy, or the policy of a kind with the number in its row."""
        chosen = self._chosen() if kind is None else kind
        return Policy(
            kind=chosen,
            # Only these kinds have a number of models as their parameter.
            models=self._whole(chosen) if chosen in {"at_least", "every_rotation"} else 1,
            margin=self._share("mean", DEFAULT_MARGIN),
            alpha=self._alpha(chosen),
        )

    def policies(self) -> dict[PolicyKind, Policy]:
        """Return all policies with their current numbers, by kind."""
        return {kind: self.policy(kind) for kind, _text in POLICIES}

    def choose(self, policy: Policy) -> None:
        """Select a policy and set its number."""
        self.buttons[policy.kind].setChecked(True)
        if policy.kind in self.fields:
            self.fields[policy.kind].setText(policy.number)

    def show_losses(self, losses: Mapping[PolicyKind, GuessingLoss]) -> None:
        """Show the share of valid items that each policy loses to guessing; without models, nothing."""
        self._loss_head.setVisible(bool(losses))
        for kind, shown in self.losses.items():
            loss = losses.get(kind)
            shown.setText(loss_text(loss) if loss is not None else "")
            shown.setToolTip(_loss_tip(loss) if loss is not None else "")

    def show_effects(self, effects: Mapping[PolicyKind, int], *, total: int) -> None:
        """Show how many items each policy removes."""
        self._effect_head.show()
        for kind, count in effects.items():
            self.effects[kind].setText(tr("{n} of {total}", n=f"{count:,}", total=f"{total:,}"))

    def _chosen(self) -> PolicyKind:
        return next(name for name, button in self.buttons.items() if button.isChecked())

    def _add(self, index: int, kind: PolicyKind, text: str) -> None:
        button = self.buttons[kind] = QRadioButton(text)
        button.toggled.connect(self._on_button_toggled)
        self._group.addButton(button)
        self._grid.addWidget(button, index, 0)
        if kind in USUAL:
            field = self.fields[kind] = QLineEdit(USUAL[kind])
            field.setAccessibleName(text)
            field.setFixedWidth(FIELD_PX)
            is_count = kind in {"at_least", "every_rotation"}
            field.setValidator(
                QIntValidator(1, 99, field) if is_count else QDoubleValidator(0.0, 0.999, 4, field)
            )
            field.textChanged.connect(self._on_field_text_changed)
            self._grid.addWidget(field, index, 1)

    def _whole(self, kind: PolicyKind) -> int:
        text = self.fields[kind].text()
        return max(1, int(text)) if text.isdigit() else 1

    def _alpha(self, kind: PolicyKind) -> float:
        if kind == "calibrated":
            return self._share(kind, DEFAULT_LOSS)
        return self._share("significance", DEFAULT_ALPHA)

    def _share(self, kind: PolicyKind, usual: float) -> float:
        field = self.fields[kind]
        return float(field.text().replace(",", ".")) if field.hasAcceptableInput() else usual

    def _emit_changed(self) -> None:
        field = self.fields.get(self._chosen())
        is_refused = field is not None and not field.hasAcceptableInput()
        if field is not None and is_refused:
            self.note.setText(
                tr(
                    "The policy uses {number}, because “{typed}” is not a permitted number. {permitted}",
                    number=self.policy().number,
                    typed=field.text(),
                    permitted=(
                        tr("Enter a whole number from 1 to 99.")
                        if isinstance(field.validator(), QIntValidator)
                        else tr("Enter a share from 0 to 0.999; 0.02 is 2 %.")
                    ),
                )
            )
        self.note.setVisible(is_refused)
        self.changed.emit()

    def _on_button_toggled(self, is_on: bool) -> None:
        if is_on:
            self._emit_changed()

    def _on_field_text_changed(self, _text: str) -> None:
        self._emit_changed()
