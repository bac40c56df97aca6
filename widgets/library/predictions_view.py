"""The predictions for an item by run, and whether they are correct."""

from __future__ import annotations

from itertools import groupby

from annotator.domain.run import Run
from widgets import run_text
from widgets.labels import cut, label
from widgets.library.predictions import PredictionEvidence
from widgets.library.record_details import ItemDetail, RecordDetail
from widgets.library.record_form import RecordForm
from widgets.message_text import message_text
from widgets.translation import tr, trn

SHOWN = 200
MOST_TEXT_SHOWN = 600


class PredictionsView(RecordForm):
    """Shows the predictions for an item."""

    def show_detail(self, detail: RecordDetail) -> None:
        """Show the predictions for a record; only items have predictions."""
        self.clear()
        evidence = detail.evidence if isinstance(detail, ItemDetail) else ()
        if not evidence:
            self.add_heading(tr("Evidence"))
            self.add_text(
                tr("No predictions. Start a blind filter or a consensus run to create predictions (Ctrl+5)."),
                role="dim",
            )
        for run, predictions in groupby(evidence[-SHOWN:], key=_run):
            self._add_run(run, list(predictions))
        if (rest := len(evidence) - SHOWN) > 0:
            self.add_text(trn("{n} older prediction", "{n} older predictions", n=rest), role="dim")
        self.end()

    def _add_run(self, run: Run | None, predictions: list[PredictionEvidence]) -> None:
        self.add_heading(run_text.title_of(run) if run is not None else tr("Unknown run"))
        known = [prediction for prediction in predictions if prediction.is_right is not None]
        if known:
            right = sum(bool(one.is_right) for one in known)
            self.add_text(
                tr("{right} of {known} answers are correct", right=right, known=len(known)), role="dim"
            )
        for prediction in predictions:
            self._add(prediction)

    def _add(self, evidence: PredictionEvidence) -> None:
        prediction = evidence.prediction
        answer_text = (
            prediction.answer if prediction.kind == "answer" else run_text.kind_label(prediction.kind)
        )
        answered = f"{answer_text}   {run_text.correctness_text(evidence.is_right)}".strip()
        order = str(prediction.spec.get("order", ""))
        self.add_fields(
            [
                (tr("Model"), evidence.model, "strong"),
                (tr("Prediction"), answered, _role(evidence)),
                (tr("Option order"), order, "mono"),
            ]
        )
        text = (prediction.text or message_text(prediction.message)).strip()
        if text and text != prediction.answer:
            self.add(label(cut(text[:MOST_TEXT_SHOWN]), role="dim", wrap=True, selectable=True))
        self.column.addSpacing(8)


def _run(evidence: PredictionEvidence) -> Run | None:
    return evidence.run


def _role(evidence: PredictionEvidence) -> str:
    if evidence.is_right is None:
        return "warn"
    return "good" if evidence.is_right else "body"
