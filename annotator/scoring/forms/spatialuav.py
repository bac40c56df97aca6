"""SpatialUAV's ``predictions.jsonl``.

Source: SpatialUAV, the file that its evaluation script reads: thoughts are removed already, and a failed
request has an empty prediction.
"""

from __future__ import annotations

from annotator.scoring.prediction_form import PredictionForm


class SpatialUavPredictions(PredictionForm):
    """One object per line with the id of the question, the answer key and the answer."""

    id = "spatialuav"
    title = "SpatialUAV predictions (JSON lines)"
    files = "`predictions.jsonl`: `question_id`, `question`, `gt`, `prediction`, `raw_prediction`, `model_id`"
    id_fields = ("question_id",)
    text_fields = ("prediction",)
    marks = ("gt", "raw_prediction", "model_id", "provider")
    model_field = "model_id"
    error_field = "error"
