"""IndoorUAV's result files.

Source: IndoorUAV-Agent, the files that vla_metric.py and vln_metric.py read: one object per episode, yaw in
radians.
"""

from __future__ import annotations

from typing import Any

import msgspec

from annotator.importers.record_fields import RecordError
from annotator.scoring.prediction_form import PredictionForm


class IndoorUavPredictions(PredictionForm):
    """One object per episode: its key, and the flight of the model."""

    id = "indooruav"
    title = "IndoorUAV results (JSON)"
    files = "a folder with one result per episode, or all as JSON lines: `episode_key`, `trajectory`"
    id_fields = ("episode_key",)
    text_fields = ("trajectory",)

    def _text(self, row: dict[str, Any]) -> str:
        value = row.get("trajectory")
        if not isinstance(value, list):
            raise RecordError("trajectory", "It should be a list of poses.")
        return msgspec.json.encode(value).decode()

    def _termination(self, row: dict[str, Any], /) -> str:
        value = row.get("termination_reason")
        return value if isinstance(value, str) else ""
