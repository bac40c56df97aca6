"""A row of the recipe form: kind of step, amount, and direction or size where it has one."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QToolButton, QWidget

from annotator.domain.image_recipe import LARGEST_SIZE_PX, RULES, RecipeStep, StepKind
from widgets import icons
from widgets.box_layout import row_layout
from widgets.combo_box import ComboBox
from widgets.focus import mark_wrong
from widgets.labels import label
from widgets.library.recipe_text import AMOUNTS, KINDS
from widgets.number_field import number_text, parse_number
from widgets.translation import tr

FIELD_PX, KIND_PX = 72, 170
TITLE_PX = 104
MOST_ANGLE_DEG = 180


class RecipeStepRow(QWidget):
    """Shows and edits one step.

    Signals:
        changed: Emitted when the user changes the step.
        remove_requested: Emitted when the user wants to remove it.
    """

    changed = Signal()
    remove_requested = Signal()

    def __init__(self, step: RecipeStep) -> None:
        super().__init__()
        self.kind = ComboBox()
        self.kind.setAccessibleName(tr("Kind of step"))
        self.kind.setFixedWidth(KIND_PX)
        for kind, title in KINDS.items():
            self.kind.addItem(tr(title), kind)
        self.amount, self.extra = QLineEdit(), QLineEdit()
        self._amount_title, self._extra_title = label(role="dim"), label(role="dim")
        self._amount_title.setMinimumWidth(TITLE_PX)
        self.remove = QToolButton()
        self.remove.setIcon(icons.icon("close"))
        self.remove.setIconSize(icons.SMALL)
        self.remove.setToolTip(tr("Remove step"))
        self.remove.setAccessibleName(tr("Remove step"))
        row = row_layout(self, margins_px=0, spacing_px=8)
        for part in (self.kind, self._amount_title, self.amount, self._extra_title, self.extra):
            row.addWidget(part)
        row.addStretch()
        row.addWidget(self.remove)
        for field in (self.amount, self.extra):
            field.setFixedWidth(FIELD_PX)
            field.textEdited.connect(self._on_text_edited)
        self.show_step(step)
        self.kind.currentIndexChanged.connect(self._on_kind_changed)
        self.remove.clicked.connect(self.remove_requested)

    def show_step(self, step: RecipeStep) -> None:
        """Show a step."""
        rule = RULES[step.kind]
        self.kind.setCurrentIndex(self.kind.findData(step.kind))
        self._amount_title.setText(tr(AMOUNTS[rule.amount]))
        self.amount.setAccessibleName(tr(AMOUNTS[rule.amount]))
        self.amount.setText(f"{step.amount:g}")
        title = tr("Angle (°)") if rule.has_angle else tr("Size (px)") if rule.size_px else ""
        self._extra_title.setText(title)
        self.extra.setAccessibleName(title)
        self.extra.setVisible(bool(title))
        self.extra.setText(number_text(step.angle_deg if rule.has_angle else step.size_px))
        self._mark()

    def step(self) -> RecipeStep | None:
        """Return the step, None while an input is invalid."""
        return None if self.problem() else self._read()

    def problem(self) -> str:
        """Return what is wrong with the input, "" if it is valid."""
        rule, (amount, extra) = RULES[self._kind], self._numbers()
        title = tr(KINDS[self._kind])
        if amount is None or not rule.least <= amount <= rule.most:
            return tr(
                "{step}: enter {least} to {most}", step=title, least=f"{rule.least:g}", most=f"{rule.most:g}"
            )
        if rule.has_angle and (extra is None or not 0 <= extra <= MOST_ANGLE_DEG):
            return tr("{step}: enter an angle from 0 to {most}", step=title, most=MOST_ANGLE_DEG)
        if rule.size_px and (extra is None or extra != int(extra) or not 1 <= extra <= LARGEST_SIZE_PX):
            return tr("{step}: enter whole pixels from 1 to {most}", step=title, most=LARGEST_SIZE_PX)
        return ""

    @property
    def _kind(self) -> StepKind:
        kind: StepKind = self.kind.currentData()
        return kind

    def _numbers(self) -> tuple[float | None, float | None]:
        return parse_number(self.amount.text()), parse_number(self.extra.text())

    def _read(self) -> RecipeStep:
        rule, (amount, extra) = RULES[self._kind], self._numbers()
        step = msgspec.structs.replace(RecipeStep.usual(self._kind), amount=amount or 0.0)
        if rule.has_angle:
            return msgspec.structs.replace(step, angle_deg=extra or 0.0)
        return msgspec.structs.replace(step, size_px=int(extra or 0)) if rule.size_px else step

    def _mark(self) -> None:
        rule, (amount, _) = RULES[self._kind], self._numbers()
        is_amount_wrong = amount is None or not rule.least <= amount <= rule.most
        mark_wrong(self.amount, is_wrong=is_amount_wrong)
        mark_wrong(self.extra, is_wrong=not is_amount_wrong and bool(self.problem()))

    def _on_kind_changed(self, _at: int) -> None:
        self.show_step(RecipeStep.usual(self._kind))
        self.changed.emit()

    def _on_text_edited(self, _text: str) -> None:
        self._mark()
        self.changed.emit()
