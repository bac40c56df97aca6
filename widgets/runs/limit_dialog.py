"""The dialogs for cost limits and for the cancellation of a run."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFormLayout, QLabel, QWidget

from annotator.domain.run_condition import models_without_price
from widgets import run_text
from widgets.amount_field import AmountField
from widgets.dialog import FormDialog
from widgets.form_layout import field_label, form_layout
from widgets.labels import label
from widgets.runs.run_status import RunRow, RunStatuses
from widgets.translation import tr, trn


class LimitDialog(FormDialog):
    """Form for the cost limit of one run.

    Signals:
        submitted: Emitted on acceptance; carries the limit in millionths, None for none.
    """

    submitted = Signal(object)

    def __init__(self, window: QWidget, *, row: RunRow) -> None:
        super().__init__(window, width=520, title=tr("Cost limit of the run"))
        self.limit = AmountField(tr("Cost limit"), amount_micro=row.run.limit_micro)
        spent = tr("Cost so far: {spent}.", spent=run_text.money(row.progress.spent_micro))
        text = tr(
            "The maximum cost of a call is reserved before the call, so the limit is never exceeded. "
            "A run that stopped at its limit continues when the limit is raised. With a limit of 0, "
            "only free models are used."
        )
        self.body.addLayout(_form([(tr("Cost limit"), self.limit)]))
        self.body.addWidget(label(f"{spent} {text}", role="dim", wrap=True))
        self.price = _warning([row])
        self.body.addWidget(self.price)
        self.main = self.add_buttons(tr("Set limit"))
        self.main.clicked.connect(self._on_main_clicked)
        self.limit.textChanged.connect(self._on_limit_text_changed)

    def _on_limit_text_changed(self, _text: str) -> None:
        self.main.setEnabled(self.limit.is_sound)

    def _on_main_clicked(self) -> None:
        limit = self.limit.amount_micro
        self.accept()
        self.submitted.emit(limit)


class AllLimitsDialog(FormDialog):
    """Form for the cost limits of all runs together.

    Signals:
        submitted: Emitted on acceptance; carries the limits per day and per project in millionths.
    """

    submitted = Signal(object, object)

    def __init__(self, window: QWidget, *, statuses: RunStatuses) -> None:
        super().__init__(window, width=520, title=tr("Cost limits"))
        self.day = AmountField(tr("All runs per day"), amount_micro=statuses.limits.get("day"))
        self.project = AmountField(tr("All runs of the project"), amount_micro=statuses.limits.get("project"))
        self.body.addLayout(
            _form([(tr("All runs per day"), self.day), (tr("All runs of the project"), self.project)])
        )
        spent = tr(
            "Cost today (UTC): {today}. Total cost: {total}. Requests that would exceed a limit are "
            "not sent.",
            today=run_text.money(statuses.spent_today),
            total=run_text.money(statuses.spent),
        )
        self.body.addWidget(label(spent, role="dim", wrap=True))
        self.price = _warning(statuses.unfinished)
        self.body.addWidget(self.price)
        self.main = self.add_buttons(tr("Set limits"))
        self.main.clicked.connect(self._on_main_clicked)
        for field in (self.day, self.project):
            field.textChanged.connect(self._on_field_text_changed)

    def _on_field_text_changed(self, _text: str) -> None:
        self.main.setEnabled(self.day.is_sound and self.project.is_sound)

    def _on_main_clicked(self) -> None:
        day, project = self.day.amount_micro, self.project.amount_micro
        self.accept()
        self.submitted.emit(day, project)


class CancelDialog(FormDialog):
    """Asks for confirmation before a run is cancelled.

    Signals:
        submitted: Emitted when the user confirms.
    """

    submitted = Signal()

    def __init__(self, window: QWidget, *, row: RunRow) -> None:
        super().__init__(window, width=520, title=tr("Cancel the run?"))
        left = trn(
            "{n} waiting request is discarded.",
            "{n} waiting requests are discarded.",
            n=row.progress.waiting,
        )
        text = tr(
            "Completed answers are kept, and later runs do not repeat them. Requests in progress are "
            "still recorded. To stop the run temporarily, pause it instead."
        )
        self.body.addWidget(label(f"{left} {text}", role="dim", wrap=True))
        self.main = self.add_warning_buttons(tr("Keep running"), act=tr("Cancel run"))
        self.main.clicked.connect(self._on_main_clicked)

    def _on_main_clicked(self) -> None:
        self.accept()
        self.submitted.emit()


def _warning(rows: Sequence[RunRow]) -> QLabel:
    """Return which runs the limits do not cover: those with models that have no price."""
    models = dict.fromkeys(name for row in rows for name in models_without_price(row.run))
    made = label(run_text.price_warning(models), role="warn", wrap=True)
    made.setVisible(bool(models))
    return made


def _form(fields: list[tuple[str, QWidget]]) -> QFormLayout:
    made = form_layout()
    for name, field in fields:
        made.addRow(field_label(name), field)
    return made
