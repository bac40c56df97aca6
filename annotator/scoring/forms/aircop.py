"""AirCopBench's ``…_responses.json``.

Source: AirCopBench, evaluation.py. Ids occur in several of its datasets, so that a row names its dataset.
"""

from __future__ import annotations

from annotator.scoring.prediction_form import PredictionForm


class AircopPredictions(PredictionForm):
    """A list of objects with dataset, id of the question and predicted answer."""

    id = "aircop"
    title = "AirCopBench responses (JSON)"
    files = (
        "`…_responses.json`: `dataset`, `question_id`, `question_type`, `correct_answer`, `predicted_answer`"
    )
    id_fields = ("question_id",)
    text_fields = ("predicted_answer",)
    dataset_field = "dataset"
    name_ending = "_responses"
