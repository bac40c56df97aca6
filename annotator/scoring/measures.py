"""What a column of a table of results shows: measures of single predictions, which a table averages."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from annotator.scoring.navigation import FlightScore
from annotator.scoring.score_tables import PERCENT
from annotator.scoring.scorer import ScoredPrediction

RANK = "rank"
"""Place of a model among the models, which no single prediction has."""


class Measure(msgspec.Struct, frozen=True, kw_only=True):
    """One measure.

    Attributes:
        id: Value of ``--measure``.
        title: Heading of a column that shows nothing else.
        meaning: What it is, for the notes below a table.
        value_of: Its value for a prediction, None for one that it leaves out.
        decimals: Digits after the point in tables for readers.
        is_lower_better: Whether the least value is the best.
    """

    id: str
    title: str
    meaning: str
    value_of: Callable[[ScoredPrediction], float | None]
    decimals: int = 1
    is_lower_better: bool = False


def _score(one: ScoredPrediction) -> float | None:
    return PERCENT * one.score if one.is_counted else None


def _exact(one: ScoredPrediction) -> float | None:
    return PERCENT * one.is_correct if one.is_counted else None


def _format_correct(one: ScoredPrediction) -> float | None:
    return None if one.is_missing else PERCENT * one.is_readable


def _of_flight(value_of: Callable[[FlightScore], float | None]) -> Callable[[ScoredPrediction], float | None]:
    """Return the measure of a prediction by the one of its flight; None without a flight that counts."""

    def value(one: ScoredPrediction) -> float | None:
        return None if one.flight is None or not one.flight.is_counted else value_of(one.flight)

    return value


def _percent(value: float | None) -> float | None:
    return None if value is None else PERCENT * value


_ALL = (
    Measure(
        id="score",
        title="Score",
        meaning="mean score under the metric of the answer format, in percent",
        value_of=_score,
    ),
    Measure(id="exact", title="Exact", meaning="share of right answers, in percent", value_of=_exact),
    Measure(
        id="format",
        title="Format",
        meaning="share of replies that an answer can be read from, in percent",
        value_of=_format_correct,
    ),
    Measure(
        id="ne",
        title="NE (m)",
        meaning="mean distance of the ends in metres, lower is better",
        value_of=_of_flight(lambda flight: flight.ne_m),
        decimals=2,
        is_lower_better=True,
    ),
    Measure(
        id="sr",
        title="SR",
        meaning="flights that end near the goal, in percent",
        value_of=_of_flight(lambda flight: _percent(flight.is_success)),
    ),
    Measure(
        id="osr",
        title="OSR",
        meaning="flights that come near the goal, in percent",
        value_of=_of_flight(lambda flight: _percent(flight.is_near)),
    ),
    Measure(
        id="ndtw",
        title="nDTW",
        meaning="similarity to the recorded flight, in percent",
        value_of=_of_flight(lambda flight: _percent(flight.ndtw)),
    ),
)
MEASURES: Mapping[str, Measure] = {measure.id: measure for measure in _ALL}
"""Every measure by its id."""
