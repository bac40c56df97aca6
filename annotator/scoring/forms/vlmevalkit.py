"""VLMEvalKit's prediction tables.

Source: VLMEvalKit, which adds the column ``prediction`` to the questions and leaves out the images.
"""

from __future__ import annotations

from annotator.scoring.prediction_form import PredictionForm


class VlmEvalKitPredictions(PredictionForm):
    """The table of questions with options in columns, and a column for the reply."""

    id = "vlmevalkit"
    title = "VLMEvalKit predictions (TSV, CSV)"
    files = "`<model>_<dataset>.tsv`: `index` (or `item_id`), `question`, `A` …, `answer`, `prediction`"
    id_fields = ("item_id", "index")
    text_fields = ("prediction",)
    marks = ("A", "category", "l2-category")
