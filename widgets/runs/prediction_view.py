"""Details of one prediction: the request, the parsed prediction, its correctness and the raw reply."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton

from annotator.domain.work import Attempt
from widgets import run_text
from widgets.library.record_form import FoldButton, RecordForm
from widgets.message_text import message_text
from widgets.runs.prediction_rows import PredictionDetail, PredictionRow
from widgets.translation import mark as _
from widgets.translation import tr

ATTEMPT_STATES = {
    "answered": _("answered"),
    "claimed": _("in progress"),
    "sent": _("in progress"),
    "lost": _("not sent"),
    "late": _("answered too late"),
    "unsure": _("result unknown"),
    "failed": _("failed"),
}
"""English texts of the states of an attempt without a failure."""


class PredictionView(RecordForm):
    """Shows all data of one job.

    Signals:
        opened: Emitted when the user opens the job's record in the Library; carries its row.
    """

    opened = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Details of the prediction"))
        self.detail: PredictionDetail | None = None

    def show_detail(self, detail: PredictionDetail | None) -> None:
        """Show a job, or the placeholder for None."""
        if detail == self.detail and detail is not None:
            return
        before, self.detail = self.detail, detail
        # A run in progress answers the current job while it is shown: the widgets are kept.
        self.begin()
        if detail is None:
            self.add_text(tr("No prediction is selected."), role="dim")
        else:
            self._show(detail)
        self.end()
        if _number(detail) != _number(before):
            self.verticalScrollBar().setValue(0)

    def _show(self, detail: PredictionDetail) -> None:
        row = detail.row
        self.add_heading(tr("Prediction"))
        # Names of items are long and contain no break opportunity.
        self.add_text(row.job.name or tr("All items of the run"), role="mono")
        if row.record_query() is not None:
            self.next_part("open", self._open_button)
        self.add_fields(_fields(row))
        self._add_reply(row)
        if row.item is not None:
            self.add_heading(tr("Question"))
            self.add_text(row.item.question)
            self.add_fields([(option.letter, option.text, "body") for option in row.item.options])
        self._add_exchange(detail)
        if detail.attempts:
            self.add_heading(tr("Attempts"))
            self.add_fields([(_time(one.began_at), _attempt(one), "body") for one in detail.attempts])

    def _add_reply(self, row: PredictionRow) -> None:
        prediction = row.job.prediction
        if prediction is None:
            return
        if message := message_text(prediction.message):
            # The parse error or failure comes before the raw reply that it explains.
            self.add_heading(tr("Message"))
            self.add_text(message)
        if prediction.text:
            self.add_heading(tr("Model output"))
            self.add_text(prediction.text)

    def _add_exchange(self, detail: PredictionDetail) -> None:
        self.add_fields(_asked(detail.row.job.spec))
        if detail.request:
            self._add_raw(tr("Full request"), detail.request)
        if detail.reply:
            self._add_raw(tr("Raw reply (truncated)") if detail.is_cut else tr("Raw reply"), detail.reply)

    def _add_raw(self, title: str, raw: bytes) -> None:
        self.next_part("json", FoldButton).show_record(title, _as_json(raw))

    def _open_button(self) -> QPushButton:
        made = QPushButton(tr("Show in Library (Enter)"))
        made.setProperty("kind", "pill")
        made.clicked.connect(self._on_open_clicked)
        return made

    def _on_open_clicked(self) -> None:
        if self.detail is not None:
            self.opened.emit(self.detail.row)


def _number(detail: PredictionDetail | None) -> int:
    return detail.row.job.number if detail is not None else 0


def _fields(row: PredictionRow) -> list[tuple[str, str, str]]:
    job, prediction = row.job, row.job.prediction
    fields = [(tr("Model"), job.model, "body"), (tr("Status"), run_text.kind_label(row.kind), "body")]
    if prediction is None:
        return fields
    scores = "  ".join(f"{score:.2f}" for score in prediction.scores)
    tokens = f"{prediction.prompt_tokens:,} + {prediction.completion_tokens:,}"
    return [
        *fields,
        (tr("Prediction"), run_text.answer_text(row.item, prediction), "mono"),
        (tr("Answer key"), row.item.answer_key if row.item is not None else "", "mono"),
        (tr("Right"), run_text.correctness_text(row.is_right), "good" if row.is_right else "warn"),
        (tr("Scores"), scores, "mono"),
        (tr("Tokens"), tokens if prediction.prompt_tokens else "", "body"),
        (tr("Cost"), run_text.money(prediction.cost_micro) if prediction.cost_micro else "", "body"),
    ]


def _asked(spec: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return what was requested for the record."""
    named = (
        (tr("Option order"), spec.get("order", "")),
        (tr("Rotation"), spec.get("rotation", "")),
        (tr("Shuffle"), spec.get("sample", "")),
        (tr("Frame"), spec.get("frame", "")),
        (tr("Attempt"), spec.get("attempt", "")),
    )
    return [(title, str(value), "body") for title, value in named if value not in {"", None}]


def _attempt(attempt: Attempt) -> str:
    if not attempt.kind:
        return tr(ATTEMPT_STATES[attempt.state])
    status = f" {attempt.status}" if attempt.status else ""
    return f"{run_text.failure_kind_title(attempt.kind)}{status}: {message_text(attempt.message)}"


def _time(moment: float) -> str:
    return datetime.fromtimestamp(moment).astimezone().strftime("%H:%M:%S")


def _as_json(raw: bytes) -> bytes:
    try:
        msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        # The reply of a server is untrusted: it is shown as plain text, never as rich text.
        return msgspec.json.encode(raw.decode("utf-8", "replace"))
    return raw
