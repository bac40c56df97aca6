"""Scores single predictions, in the mode that was chosen."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import msgspec

from annotator.domain import answers
from annotator.domain.answers import AnswerContext, LetterRules, Mode, ParsedAnswer, Score
from annotator.domain.item import Item
from annotator.domain.task_set_rules import TRAJECTORY
from annotator.scoring.navigation import FlightScore, FlightScorer
from annotator.scoring.prediction_form import Prediction
from annotator.scoring.released_items import ReleasedItem

KEPT, LONGEST_KEPT = 16_384, 64
"""Number of texts whose reading is kept, and characters of the longest of them."""
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
        position: Position of the item in the release.
        prediction: What was scored.
        score: 0.0 to 1.0.
        is_correct: Whether it counts as right.
        is_parsed: Whether an answer could be read from it.
        is_key_parsed: Whether the answer key could be read.
        is_readable: Whether an answer can be read strictly, whatever the mode.
        is_counted: False where the published script leaves the row out.
        is_missing: Whether there is no reply at all, and the item scores 0.
        reason: Why it could not be read, "" if it was.
        flight: The measures of a flight, None for an answer that is text.
    """

    position: int
    prediction: Prediction
    score: float
    is_correct: bool
    is_parsed: bool
    is_key_parsed: bool
    is_readable: bool
    is_counted: bool
    is_missing: bool = False
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
        # Short answers recur: there are 12 clock directions and 6 labels of paths.
        self._read = lru_cache(KEPT)(_read_strictly)

    def score(self, index: int, released: ReleasedItem, prediction: Prediction) -> ScoredPrediction:
        """Return the score of one prediction."""
        item, flight, is_readable = released.item, None, None
        if item.answer_format == TRAJECTORY:
            flight = self._flights.score(prediction, item)
            found = flight.as_score
        else:
            found = self._text_score(prediction.text, released)
            if mode_of(item, self._mode) is Mode.COMPATIBLE:
                form = answers.get(item.answer_format)
                is_readable = form.parse(prediction.text, context=released.context).is_parsed
        return ScoredPrediction(
            position=index,
            prediction=prediction,
            score=found.score,
            is_correct=found.is_correct,
            is_parsed=found.is_parsed,
            is_key_parsed=found.is_key_parsed,
            is_readable=found.is_parsed if is_readable is None else is_readable,
            is_counted=found.is_counted,
            reason=found.reason,
            flight=flight,
        )

    def score_missing(self, index: int, released: ReleasedItem) -> ScoredPrediction:
        """Return the score of an item that the model left out: 0, whatever a published script makes of it."""
        found = self.score(index, released, Prediction(item=released.item.name, text=""))
        return msgspec.structs.replace(
            found,
            score=0.0,
            is_correct=False,
            is_parsed=False,
            is_readable=False,
            is_counted=True,
            is_missing=True,
            reason="There is no prediction." if found.is_key_parsed else found.reason,
        )

    def _text_score(self, text: str, released: ReleasedItem) -> Score:
        item, form = released.item, answers.get(released.item.answer_format)
        if mode_of(item, self._mode) is Mode.COMPATIBLE:
            context = _with_letter_rules(released.context, item)
            return form.score(text, item.answer_key, context=context, mode=Mode.COMPATIBLE)
        # The context of an item with options is its own, so that its readings would push out those that
        # recur.
        if form.has_options or max(len(text), len(item.answer_key)) > LONGEST_KEPT:
            return form.score(text, item.answer_key, context=released.context)
        parsed = [self._read(form.id, answer, released.context) for answer in (text, item.answer_key)]
        return form.score_parsed(*parsed)


def _read_strictly(format_id: str, text: str, context: AnswerContext) -> ParsedAnswer[Any]:
    return answers.get(format_id).parse(text, context=context)


def read_answer(one: ScoredPrediction, released: ReleasedItem, *, mode: Mode) -> str:
    """Return the answer that was scored in its canonical form, "" where none could be read.

    Args:
        one: The scored prediction.
        released: Its item.
        mode: The rules by which it was scored.
    """
    if one.flight is not None or not one.is_parsed:
        return ""
    item, form = released.item, answers.get(released.item.answer_format)
    context, rules = released.context, mode_of(released.item, mode)
    if rules is Mode.COMPATIBLE:
        context = _with_letter_rules(context, item)
    value = form.parse(one.prediction.text, context=context, mode=rules).value
    return "" if value is None else form.render(value)


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
    # A set without a rule has no letters that are read by one; the default leaves its context as it is.
    rules = LETTER_RULES.get(item.task_set, LetterRules.SPATIALUAV)
    return context if context.letter_rules is rules else msgspec.structs.replace(context, letter_rules=rules)
