"""What models said about an item: read with the record, whichever run asked."""

from __future__ import annotations

from dataclasses import dataclass

from annotator.domain import answers
from annotator.domain.item import Item
from annotator.domain.run import Prediction, Run
from annotator.session import Reader


@dataclass(frozen=True, kw_only=True)
class PredictionEvidence:
    """One verdict about an item.

    Attributes:
        verdict: What a model said.
        run: The run that asked, None where it is not known.
        is_right: Whether the answer meets the key as it is now, None where that cannot be told.
    """

    verdict: Prediction
    run: Run | None
    is_right: bool | None

    @property
    def model(self) -> str:
        """Name of the model, as it calls itself."""
        return str(self.verdict.model.get("name", ""))


def read_evidence(reader: Reader, item: Item) -> tuple[PredictionEvidence, ...]:
    """Return what models said about an item, the oldest first."""
    verdicts = reader.predictions_on(item.id)
    runs = {run: reader.run(run) for run in {verdict.run for verdict in verdicts}}
    return tuple(
        PredictionEvidence(verdict=verdict, run=runs[verdict.run], is_right=is_right(item, verdict))
        for verdict in verdicts
    )


def is_right(item: Item | None, verdict: Prediction | None) -> bool | None:
    """Tell whether an answer meets an item's key, None where that cannot be told."""
    if item is None or verdict is None or verdict.kind != "answer":
        return None
    # Files bring items of formats that are not known here; nobody asks about them, but their format may have
    # been changed after somebody did.
    if not answers.is_known(item.answer_format):
        return None
    context = answers.AnswerContext(options=item.options)
    score = answers.get(item.answer_format).score(verdict.answer, item.key, context=context)
    return score.is_correct if score.is_key_parsed and score.is_parsed else None
