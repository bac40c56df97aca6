"""Computes the probability of correct answers by guessing: per item, and for many trials."""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from annotator.domain import answers
from annotator.domain.answers import AnswerContext
from annotator.domain.item import Item
from annotator.quality.context import CheckContext, answer_context

EXACT_UP_TO = 20_000
"""For more trials than this a normal distribution is used: the exact one has quadratic cost, and for 20,000
trials of chance 0.25 the two differ by less than 0.001 (measured in the tests)."""
FEW, REMEMBERED = 64, 16_384
GRADED = frozenset({"region_set", "pair_list", "span_set"})
"""Formats with graded scores: their random baseline is a mean score, not the share of correct answers."""
Distribution = npt.NDArray[np.float64]


def right_counts(chances: Iterable[float]) -> Distribution:
    """Return the distribution of the number of correct answers of independent trials with individual chances.

    float64 (tries + 1,), summing to 1: the Poisson-binomial distribution. Trials of one chance are binomial,
    and many trials have few different chances: their distributions are convolved.

    Args:
        chances: Chance of each trial, 0 to 1.
    """
    counts = np.ones(1)
    # Sorted: the last digits depend on the order, and a quoted p must not depend on the order of items.
    for chance, tries in sorted(Counter(chances).items()):
        counts = np.convolve(counts, _binomial(tries, chance))
    return counts


def _binomial(tries: int, chance: float) -> Distribution:
    """Return the probabilities of 0 to ``tries`` correct answers; uses logarithms, as factorials overflow."""
    counts = np.zeros(tries + 1)
    if not 0.0 < chance < 1.0:
        counts[tries if chance >= 1.0 else 0] = 1.0
        return counts
    right = np.arange(tries + 1)
    factorial = np.concatenate(([0.0], np.cumsum(np.log(right[1:]))))
    ways = factorial[tries] - factorial - factorial[::-1]
    likely: Distribution = np.exp(ways + right * math.log(chance) + right[::-1] * math.log1p(-chance))
    return likely


def at_least(chances: Sequence[float], count: int) -> float:
    """Return the probability of at least this number of correct answers by guessing."""
    if count <= 0:
        return 1.0
    if count > len(chances):
        return 0.0
    if len(chances) > EXACT_UP_TO:
        return _nearly_at_least(chances, count)
    # Thousands of items have equal chances: results for few trials are cached.
    return _few_at_least(tuple(chances), count) if len(chances) <= FEW else _exactly_at_least(chances, count)


def _exactly_at_least(chances: Iterable[float], count: int) -> float:
    return min(1.0, float(right_counts(chances)[count:].sum()))


_few_at_least = functools.lru_cache(REMEMBERED)(_exactly_at_least)


def _nearly_at_least(chances: Sequence[float], count: int) -> float:
    """Return the same by the normal distribution of equal mean and variance, with continuity correction."""
    mean = sum(chances)
    variance = sum(chance * (1.0 - chance) for chance in chances)
    if not variance:
        return float(count <= mean)
    return 0.5 * math.erfc((count - 0.5 - mean) / math.sqrt(2.0 * variance))


class ChanceLevels:
    """The probability that a random guess is correct, for the items of one project.

    The guesser is that of the format's random baseline (``docs/answers.md``): it knows the form of the answer
    key (number of regions, pairs or options) and chooses the rest at random. For formats with correct and
    wrong answers only, the probability is the baseline: 1 of the options, 1 of 12 hours, 20 of 360 degrees,
    the share of random boxes that pass. For graded scores (sets of regions, pairs, options) the baseline is
    the mean score, but only the full score counts as correct: 1 of all choices of this size. For an angle
    with a distance of unknown limits only the angle counts, which is not less. Without a baseline (texts,
    media without regions, boxes in images of unknown size) the guesser draws from the distribution of the
    task's answer keys: it is correct with the sum of their squared frequencies.

    Args:
        items: All items that are judged together.
        context: Media, regions and settings of the items.
    """

    def __init__(self, items: Iterable[Item], *, context: CheckContext) -> None:
        self._context = context
        self._keys: dict[tuple[str, str, str], Counter[str]] = {}
        self._repeats: dict[tuple[str, str, str], float] = {}
        for item in items:
            self._keys.setdefault(_similar_items(item), Counter())[item.answer_key] += 1

    def of(self, item: Item) -> float:
        """Return the probability of a correct guess for an item, 0 to 1."""
        chance = _chance(item, answer_context(item, self._context))
        if chance is not None and math.isfinite(chance):
            return min(1.0, max(0.0, chance))
        return self._repeated(_similar_items(item))

    def _repeated(self, kin: tuple[str, str, str]) -> float:
        if kin not in self._repeats:
            counts = self._keys.get(kin, Counter())
            total = counts.total()
            self._repeats[kin] = sum((count / total) ** 2 for count in counts.values()) if total else 0.0
        return self._repeats[kin]


def _chance(item: Item, context: AnswerContext) -> float | None:
    """Return the probability that a random answer of the key's form is correct, None if unknown."""
    # An item can have received an unknown format after its requests.
    if not answers.is_known(item.answer_format):
        return None
    return answers.get(item.answer_format).guess_chance(item.answer_key, context=context)


def _similar_items(item: Item) -> tuple[str, str, str]:
    return item.task_set, item.task, item.answer_format
