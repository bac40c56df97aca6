"""Predictions about TopViewRS: its records with the model's answer.

The benchmark publishes records and measures, and no file of predictions: the records themselves are
taken, with a field more.
"""

from __future__ import annotations

from annotator.scoring.prediction_form import PredictionForm


class TopViewRsPredictions(PredictionForm):
    """TopViewRS's records with a prediction in each."""

    id = "topviewrs"
    title = "TopViewRS records with predictions (JSON)"
    files = "the benchmark's records with a field more: `index`, `labels`, `choices`, `prediction`"
    id_fields = ("index",)
    text_fields = ("prediction", "pred", "response")
    marks = ("labels", "choices", "choice_type", "question_ability", "map_path")
