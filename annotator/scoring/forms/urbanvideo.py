"""UrbanVideo-Bench's ``<model>_output.csv``.

Source: UrbanVideo-Bench, run.py, which adds the column ``Output`` to the table of questions; a fork of it
writes ``output_text``.
"""

from __future__ import annotations

from annotator.scoring.prediction_form import PredictionForm


class UrbanVideoPredictions(PredictionForm):
    """The table of questions with a column for the reply."""

    id = "urbanvideo"
    title = "UrbanVideo-Bench outputs (CSV)"
    files = "`<model>_output.csv`: the columns of the questions, and `Output` (or `output_text`)"
    id_fields = ("Question_id",)
    text_fields = ("Output", "output_text")
    name_ending = "_output"
