"""What models answered to one item without its images, in one line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable

from annotator.domain import answers
from annotator.domain.answers import AnswerContext
from annotator.domain.eval_settings import prompt_digest
from annotator.domain.item import Item
from annotator.domain.record import ValueObject
from annotator.domain.run import Prediction
from annotator.quality.chance_level import ChanceLevels
from annotator.quality.context import CheckContext
from annotator.quality.probe_predictions import probe_predictions_on
from annotator.queries.reader import Reader


class BlindSummary(ValueObject, frozen=True, kw_only=True):
    """The answers of blind runs to an item as it is now.

    Attributes:
        models: Models with an answer.
        right_models: Models that are right in more than half of their answers.
        answers: Answers, one for each order of the options that a model was asked in.
        right: Right answers.
        chance: What guessing gets right, 0 to 1.
        outdated: Answers to an earlier form of the item, which are not counted.
    """

    models: int
    right_models: int
    answers: int
    right: int
    chance: float
    outdated: int = 0

    @property
    def share(self) -> float:
        """Share of right answers, 0 to 1."""
        return self.right / self.answers if self.answers else 0.0

    @property
    def is_guessed(self) -> bool:
        """Whether a model finds the answer without the images."""
        return self.right_models > 0 and self.share > self.chance


def summarize_blind(reader: Reader, item: Item) -> BlindSummary | None:
    """Return what blind runs brought about an item, None where none was asked or the format is unknown."""
    if not answers.is_known(item.answer_format):
        return None
    blind = {run.id for run in reader.runs.all() if run.kind == "blind"}
    predictions = _of_runs(reader.runs.predictions_on(item.id), blind)
    asked = [found for found in predictions if found.kind == "answer"]
    shown = prompt_digest(item)
    current = [found for found in asked if found.spec.get("shown") == shown]
    # A probe's answers to an earlier form are left out by the query itself.
    probed = _of_runs(probe_predictions_on(reader, item), blind)
    if not asked and not probed:
        return None
    return _summary(item, [*current, *probed], outdated=len(asked) - len(current), reader=reader)


def _of_runs(predictions: Iterable[Prediction], runs: Collection[str]) -> list[Prediction]:
    return [found for found in predictions if found.run in runs]


def _summary(item: Item, found: list[Prediction], *, outdated: int, reader: Reader) -> BlindSummary:
    by_model: defaultdict[str, list[bool]] = defaultdict(list)
    context = AnswerContext(options=item.options)
    answer_format = answers.get(item.answer_format)
    for prediction in found:
        score = answer_format.score(prediction.answer, item.answer_key, context=context)
        by_model[str(prediction.model.get("name", ""))].append(score.is_correct)
    return BlindSummary(
        models=len(by_model),
        right_models=sum(sum(right) * 2 > len(right) for right in by_model.values()),
        answers=sum(map(len, by_model.values())),
        right=sum(map(sum, by_model.values())),
        chance=ChanceLevels([item], context=CheckContext.of(reader)).of(item),
        outdated=outdated,
    )
