"""The registry of prediction forms; the order is that in which a file is compared with them."""

from __future__ import annotations

from collections.abc import Mapping

from annotator.domain.registry import by_id
from annotator.scoring.forms.aircop import AircopPredictions
from annotator.scoring.forms.indooruav import IndoorUavPredictions
from annotator.scoring.forms.own import OwnPredictions, RunPredictions
from annotator.scoring.forms.spatialuav import SpatialUavPredictions
from annotator.scoring.forms.topviewrs import TopViewRsPredictions
from annotator.scoring.forms.urbanvideo import UrbanVideoPredictions
from annotator.scoring.forms.vlmevalkit import VlmEvalKitPredictions
from annotator.scoring.prediction_form import PredictionForm

FORM_CLASSES: tuple[type[PredictionForm], ...] = (
    SpatialUavPredictions,
    AircopPredictions,
    UrbanVideoPredictions,
    VlmEvalKitPredictions,
    TopViewRsPredictions,
    IndoorUavPredictions,
    OwnPredictions,
    RunPredictions,
)
FORMS: Mapping[str, PredictionForm] = by_id(FORM_CLASSES)
"""Every prediction form by its id."""
