"""Scores single predictions, in the mode that was chosen."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from annotator.domain import answers
from annotator.domain.answers import AnswerContext, LetterRules, Mode
from annotator.domain.item import Item
from annotator.domain.task_set_rules import TRAJECTORY
from annotator.scoring.navigation import FlightScore, FlightScorer
from annotator.scoring.prediction_form import Prediction
from annotator.scoring.released_items import ReleasedItem

LETTER_RULES: Mapping[str, LetterRules] = {
    "spatialuav": LetterRules.SPATIALUAV,
    "aircop": LetterRules.AIRCOP,
    "urbanvideo": LetterRules.URBANVIDEO,
}
"""The published rule of option letters by task set."""
PUBLISHED_FORMATS: Mapping[str, frozenset[str]] = {"topviewrs": frozenset({"span_set"})}
"""Formats with a published measure in task sets that have no published rule of letters."""


class ScoredPrediction(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One prediction with its score.

    Attributes:
        place: Position of the item in the release.
        prediction: What was scored.
        score: 0.0 to 1.0.
        is_correct: Whether it counts as right.
        is_parsed: Whether an answer could be read from it.
        is_key_parsed: Whether the answer key could be read.
        is_counted: False where the published script leaves the row out.
        reason: Why it could not be read, "" if it was.
        flight: The measures of a flight, None for an answer that is text.
    """

    place: int
    prediction: Prediction
    score: float
    is_correct: bool
    is_parsed: bool
    is_key_parsed: bool
    is_counted: bool
    reason: str = ""
    flight: FlightScore | None = None


class Scorer:
    """Scores predictions about the items of a release.

    Args:
        mode: Whose rules apply; task sets without published rules are scored strictly.
        flights: Scores flights.
    """

    def __init__(self, mode: Mode, *, flights: FlightScorer) -> None:
        self._mode = mode
        self._flights = flights

    def score(self, place: int, released: ReleasedItem, prediction: Prediction) -> ScoredPrediction:
        """Return the score of one prediction."""
        item, flight = released.item, None
        if item.answer_format == TRAJECTORY:
            flight = self._flights.score(prediction, item)
            found = flight.as_score
        else:
            mode = mode_of(item, self._mode)
            context = (
                _with_letter_rules(released.context, item) if mode is Mode.COMPATIBLE else released.context
            )
            found = answers.get(item.answer_format).score(
                prediction.text, item.answer_key, context=context, mode=mode
            )
        return ScoredPrediction(
            place=place,
            prediction=prediction,
            score=found.score,
            is_correct=found.is_correct,
            is_parsed=found.is_parsed,
            is_key_parsed=found.is_key_parsed,
            is_counted=found.is_counted,
            reason=found.reason,
            flight=flight,
        )


def is_scorable(item: Item) -> bool:
    """Return whether answers to an item can be scored: its format is known."""
    return item.answer_format == TRAJECTORY or answers.is_known(item.answer_format)


def mode_of(item: Item, mode: Mode) -> Mode:
    """Return whose rules apply to an item: a published script reads only what its benchmark has."""
    if mode is Mode.STRICT or item.task_set in LETTER_RULES:
        return mode
    published = PUBLISHED_FORMATS.get(item.task_set, frozenset())
    return mode if item.answer_format in published else Mode.STRICT


def _with_letter_rules(context: AnswerContext, item: Item) -> AnswerContext:
    rules = LETTER_RULES.get(item.task_set, LetterRules.SPATIALUAV)
    return context if context.letter_rules is rules else msgspec.structs.replace(context, letter_rules=rules)
