"""Vantage's own forms: a short table, and the answers of a run."""

from __future__ import annotations

from typing import Any

from annotator.scoring.prediction_form import PredictionForm


class OwnPredictions(PredictionForm):
    """Two columns or fields: the item and the reply."""

    id = "vantage"
    title = "Vantage predictions (JSON lines, CSV)"
    files = "`item` (the public id) and `prediction`; optional `dataset`, `model`, `error`, `settled`"
    id_fields = ("item",)
    text_fields = ("prediction",)
    dataset_field = "dataset"
    model_field = "model"
    error_field = "error"
    settled_field = "settled"


class RunPredictions(PredictionForm):
    """The answers of a run, as ``vantage runs predictions`` writes them."""

    id = "vantage-run"
    title = "Answers of a Vantage run (JSON lines)"
    files = "the output of `vantage runs predictions`: `target`, `kind`, `answer`, `text`, `model`"
    id_fields = ("target",)
    text_fields = ("answer", "text")
    marks = ("request_key",)
    model_field = "model"

    def _error(self, row: dict[str, Any], /) -> str:
        # An unparsed answer has a message, too; only the kind tells that there was none.
        return str(row.get("message", "")) if row.get("kind") == "error" else ""
