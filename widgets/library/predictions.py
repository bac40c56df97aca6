"""Predictions of models for an item, over all runs."""

from __future__ import annotations

from dataclasses import dataclass

from annotator.domain import answers
from annotator.domain.item import Item
from annotator.domain.run import Prediction, Run
from annotator.quality.probe_predictions import probe_predictions_on
from annotator.queries.reader import Reader


@dataclass(frozen=True, kw_only=True)
class PredictionEvidence:
    """One prediction for an item.

    Attributes:
        prediction: The prediction.
        run: Its run, None if unknown.
        is_right: Whether the answer matches the current answer key, None where that cannot be decided.
    """

    prediction: Prediction
    run: Run | None
    is_right: bool | None

    @property
    def model(self) -> str:
        """Name of the model."""
        return str(self.prediction.model.get("name", ""))


def read_evidence(reader: Reader, item: Item) -> tuple[PredictionEvidence, ...]:
    """Return the predictions of models for an item, the oldest first."""
    # Run ids increase with time, so that the predictions of a run are adjacent.
    predictions = sorted(
        [*reader.runs.predictions_on(item.id), *probe_predictions_on(reader, item)],
        key=lambda prediction: prediction.run,
    )
    runs = {run: reader.runs.get(run) for run in {prediction.run for prediction in predictions}}
    return tuple(
        PredictionEvidence(
            prediction=prediction, run=runs[prediction.run], is_right=is_right(item, prediction)
        )
        for prediction in predictions
    )


def is_right(item: Item | None, prediction: Prediction | None) -> bool | None:
    """Return whether an answer matches an item's answer key, None where that cannot be decided."""
    if item is None or prediction is None or prediction.kind != "answer":
        return None
    # Imported items can have unknown formats. They get no predictions, but their format may have
    # been changed after a prediction.
    if not answers.is_known(item.answer_format):
        return None
    context = answers.AnswerContext(options=item.options)
    score = answers.get(item.answer_format).score(prediction.answer, item.answer_key, context=context)
    return score.is_correct if score.is_key_parsed and score.is_parsed else None
