"""Predictions about TopViewRS: its records with the model's answer.

The benchmark publishes records and measures, and no file of predictions: the records themselves are
taken, with a field more.
"""

from __future__ import annotations

import re
from typing import Any

from annotator.scoring.prediction_form import PredictionForm

_MAP_TYPE = re.compile(r"realistic|semantic")


class TopViewRsPredictions(PredictionForm):
    """TopViewRS's records with a prediction in each."""

    id = "topviewrs"
    title = "TopViewRS records with predictions (JSON)"
    files = "the benchmark's records with a field more: `index`, `labels`, `choices`, `prediction`"
    id_fields = ("index",)
    text_fields = ("prediction", "pred", "response")
    marks = ("labels", "choices", "choice_type", "question_ability", "map_path")

    def _dataset(self, row: dict[str, Any], /) -> str:
        # An index occurs once for realistic and once for semantic maps.
        found = _MAP_TYPE.search(str(row.get("map_path")))
        return found[0] if found else ""
