"""Coefficients of agreement, with 95 % bootstrap intervals over the units.

Above ``MAX_BLOCKS`` units, random blocks of them are resampled in place of single ones: the spread is the
same, and the time is bounded.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from annotator.domain.answers.base import Scale
from annotator.domain.record import ValueObject
from annotator.quality.agreement.distances import Floats, set_distances
from annotator.quality.agreement.ratings import Codes, Ratings
from annotator.quality.agreement.statistics import (
    CircularAlpha,
    CohensKappa,
    FleissKappa,
    IntervalAlpha,
    NominalAlpha,
    OrdinalAlpha,
    PercentAgreement,
    Statistic,
    TableAlpha,
)

RESAMPLES = 1_000
MAX_BLOCKS = 500
MIN_BLOCKS = 50
MAX_SUMS = 1_000_000
"""Cells of the matrix of sums: with thousands of distinct answers there are fewer blocks."""
MAX_TABLE = 3_000
"""Distinct sets, or ranks, up to which their distances fit into a table of 72 MB."""
MIN_DEFINED = 0.9
"""Share of resampled sets of units whose coefficient must be defined for an interval."""
CACHED_WEIGHTS = 4
QUANTILES = (0.025, 0.975)
NO_UNITS = "No unit has answers of two people."
CONSTANT = "All answers are equal: agreement beyond chance is not defined."
TOO_MANY = f"There are more than {MAX_TABLE:,} distinct answers."


class Coefficient(ValueObject, frozen=True, kw_only=True):
    """One coefficient.

    Attributes:
        value: At most 1.0; None where it is not defined.
        low: Lower end of the 95 % interval, None where too few resampled sets define it.
        high: Upper end.
        units: Number of units that it is computed from.
        reason: Why it is not defined, "" if it is.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    units: int = 0
    reason: str = ""


def percent_agreement(ratings: Ratings, *, seed: int = 0) -> Coefficient:
    """Return the mean share of equal pairs of answers about a unit."""
    return _measured(ratings.pairable(), PercentAgreement(), seed=seed)


def cohens_kappa(ratings: Ratings, *, seed: int = 0) -> Coefficient:
    """Return the agreement of two people beyond chance, each with an own distribution of answers.

    Raises:
        ValueError: The ratings are not those of two people; ``Ratings.between`` gives them.

    Source: Cohen, Educational and Psychological Measurement 20 (1960) 37.
    """
    if len(ratings.people) != 2:
        raise ValueError("Cohen's kappa compares two people")
    return _measured(ratings.pairable(), CohensKappa(len(ratings.values)), seed=seed)


def fleiss_kappa(ratings: Ratings, *, seed: int = 0) -> Coefficient:
    """Return the agreement of any number of people beyond chance, with one common distribution of answers.

    Units may have different numbers of answers; the agreement about each is then that of its own pairs.

    Source: Fleiss, Psychological Bulletin 76 (1971) 378.
    """
    return _measured(ratings.pairable(), FleissKappa(len(ratings.values)), seed=seed)


def krippendorffs_alpha(ratings: Ratings, *, scale: Scale = "nominal", seed: int = 0) -> Coefficient:
    """Return the agreement of any number of people beyond chance on a scale; answers may be missing.

    Args:
        ratings: Numbers for ``interval``, degrees for ``circular``, frozen sets for ``set``, values that sort
            for ``ordinal``.
        scale: What the distance of two answers is; see ``Scale``.
        seed: Of the resampling.

    Source: Krippendorff, Computing Krippendorff's alpha-reliability (2011); for sets the MASI distance.
    """
    used = ratings.pairable().with_used_values()
    size = len(used.values)
    if scale in {"ordinal", "set"} and size > MAX_TABLE:
        return Coefficient(value=None, units=used.units, reason=TOO_MANY)
    cells = size * size if scale == "ordinal" else size
    return _measured(used, _alpha_statistic(used, scale), seed=seed, cells=cells)


def mean_coefficient(values: Floats, *, seed: int = 0) -> Coefficient:
    """Return a mean, for instance of the scores of one person's answers against another's.

    Args:
        values: One per unit.
        seed: Of the resampling.
    """
    if not len(values):
        return Coefficient(value=None, reason=NO_UNITS)
    if len(values) == 1:
        # One unit, drawn again and again, has an interval of no width, which says nothing.
        return Coefficient(value=float(values[0]), units=1)
    count = _block_count(len(values), cells=2)
    blocks = _blocks(len(values), count=count, seed=seed)
    sums = np.stack([np.bincount(blocks, weights=values), np.bincount(blocks)], axis=1)
    resampled = _weights(count, seed=seed) @ sums
    low, high = np.quantile(resampled[:, 0] / resampled[:, 1], QUANTILES)
    return Coefficient(value=float(values.mean()), low=float(low), high=float(high), units=len(values))


def mean_score(scores: Floats, *, seed: int = 0) -> Coefficient:
    """Return the mean of the scores of items, without an interval where all are equal.

    Equal scores, drawn again and again, have an interval of no width: 2 of 2 wrong answers would show that a
    model is never right.

    Args:
        scores: One per item.
        seed: Of the resampling.
    """
    if len(scores) and scores.min() == scores.max():
        return Coefficient(value=float(scores[0]), units=len(scores))
    return mean_coefficient(scores, seed=seed)


def _alpha_statistic(ratings: Ratings, scale: Scale) -> Statistic:
    if scale == "interval":
        return IntervalAlpha(np.asarray(ratings.values or (0.0,), dtype=float))
    if scale == "circular":
        return CircularAlpha(np.asarray(ratings.values or (0.0,), dtype=float))
    if scale == "ordinal":
        return OrdinalAlpha(len(ratings.values))
    if scale == "set":
        return TableAlpha(set_distances(ratings.values))
    return NominalAlpha(len(ratings.values))


def _measured(ratings: Ratings, statistic: Statistic, *, seed: int, cells: int = 0) -> Coefficient:
    """Return a coefficient of pairable ratings with its interval.

    Args:
        ratings: Every unit has at least two answers.
        statistic: What is computed.
        seed: Of the blocks and of the resampling.
        cells: Cells of the sums of one block, by default one per distinct answer.
    """
    units = ratings.units
    if not units:
        return Coefficient(value=None, reason=NO_UNITS)
    count = _block_count(units, cells=cells or len(ratings.values))
    blocks = _blocks(units, count=count, seed=seed)
    sums = statistic.sums(ratings.codes, blocks, count=count)
    (value,) = statistic.value(*(one.sum(axis=0, keepdims=True) for one in sums))
    if np.isnan(value):
        return Coefficient(value=None, units=units, reason=CONSTANT)
    if units == 1:
        return Coefficient(value=float(value), units=1)
    weights = _weights(count, seed=seed)
    resampled = statistic.value(*(weights @ one for one in sums))
    low, high = _interval(resampled)
    return Coefficient(value=float(value), low=low, high=high, units=units)


def _blocks(units: int, *, count: int, seed: int) -> Codes:
    """Return the block of each unit."""
    # At random: units lie in the order in which they were answered, and neighbours are alike.
    return np.random.default_rng(seed).permutation(np.arange(units) % count)


@lru_cache(CACHED_WEIGHTS)
def _weights(count: int, *, seed: int) -> Floats:
    """Return how often each block is in each resampled set, (sets, blocks).

    Cached: to draw them takes longer than all else, and the figures of large tasks have equally many blocks.
    """
    drawn = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), size=RESAMPLES)
    return drawn.astype(float)


def _block_count(units: int, *, cells: int) -> int:
    most = int(np.clip(MAX_SUMS // max(1, cells), MIN_BLOCKS, MAX_BLOCKS))
    return min(units, most)


def _interval(resampled: Floats) -> tuple[float | None, float | None]:
    defined = resampled[~np.isnan(resampled)]
    # Where many resampled sets are constant, the quantiles of the others are those of another question.
    if len(defined) < MIN_DEFINED * len(resampled):
        return None, None
    low, high = np.quantile(defined, QUANTILES)
    return float(low), float(high)
