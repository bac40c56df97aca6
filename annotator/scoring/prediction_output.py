"""Writes scored predictions in the form ``vantage``, with what people have decided about their texts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from annotator.domain.settled_text import NO_ANSWER
from annotator.errors import EnvironmentFailure
from annotator.scoring.comparison import Comparison
from annotator.scoring.prediction_form import Prediction
from annotator.scoring.released_items import ReleasedItems


class _Row(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of the file; the fields are those of the form."""

    item: str
    prediction: str
    model: str
    dataset: str = ""
    error: str = ""
    settled: str = ""


def write_predictions(path: Path, comparison: Comparison, released: ReleasedItems) -> int:
    """Write the predictions that were scored, and return their number.

    Flights are left out: people settle no flight, and why it ended is not in the form. Nor are texts that a
    model has read marked: they are read again by the model.

    Raises:
        EnvironmentFailure: The file cannot be written.
    """
    lines = [msgspec.json.encode(row) for row in _rows(comparison, released)]
    try:
        path.write_bytes(b"".join(line + b"\n" for line in lines))
    except OSError as error:
        raise EnvironmentFailure(
            f"{path} cannot be written: {error.strerror}.", hint="Choose another folder, or free disk space."
        ) from error
    return len(lines)


def _rows(comparison: Comparison, released: ReleasedItems) -> Iterator[_Row]:
    for model in comparison.models:
        for one in model.evaluation.scored:
            if one.is_missing or one.flight is not None:
                continue
            item, prediction = released.items[one.position].item, one.prediction
            yield _Row(
                item=item.name or item.id,
                prediction=prediction.reply or prediction.text,
                model=model.model,
                dataset=prediction.dataset,
                error=prediction.error,
                settled=_settled(prediction),
            )


def _settled(prediction: Prediction) -> str:
    if not prediction.reply or prediction.read_by:
        return ""
    # A text that is decided to mean nothing stands for itself.
    return NO_ANSWER if prediction.text == prediction.reply else prediction.text
