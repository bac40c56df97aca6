"""What pure guessing gets right: per item, and of many tries together."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from annotator.domain import answers
from annotator.domain.answers import AnswerContext
from annotator.domain.item import Item
from annotator.quality.context import Context

EXACT_UP_TO = 2_000
"""Of more tries than this a normal distribution is taken: the exact one costs the square of their number,
and at 2,000 tries of chance 0.25 the two differ by less than 0.002 (measured in the tests)."""
Distribution = npt.NDArray[np.float64]


def right_counts(chances: Iterable[float]) -> Distribution:
    """Return how likely each number of right answers is, of independent tries with chances of their own.

    float64 (tries + 1,), summing to 1: the Poisson-binomial distribution, the binomial one for equal
    chances, built up by one convolution per try.

    Args:
        chances: Of each try, 0 to 1.

    Source: S. X. Chen and J. S. Liu, "Statistical applications of the Poisson-binomial and conditional
    Bernoulli distributions", Statistica Sinica 7 (1997), the recursive formula.
    """
    told = list(chances)
    counts = np.zeros(len(told) + 1)
    counts[0] = 1.0
    for tries, chance in enumerate(told, start=1):
        counts[1 : tries + 1] = counts[1 : tries + 1] * (1.0 - chance) + counts[:tries] * chance
        counts[0] *= 1.0 - chance
    return counts


def at_least(chances: Sequence[float], count: int) -> float:
    """Return how likely it is that guessing gets so many right, or more."""
    if count <= 0:
        return 1.0
    if count > len(chances):
        return 0.0
    if len(chances) > EXACT_UP_TO:
        return _nearly_at_least(chances, count)
    return min(1.0, float(right_counts(chances)[count:].sum()))


def _nearly_at_least(chances: Sequence[float], count: int) -> float:
    """Return the same by the normal distribution of equal mean and variance, corrected for whole numbers."""
    mean = sum(chances)
    variance = sum(chance * (1.0 - chance) for chance in chances)
    if not variance:
        return float(count <= mean)
    return 0.5 * math.erfc((count - 0.5 - mean) / math.sqrt(2.0 * variance))


class Chances:
    """Tells what a guesser gets right of the items of one project.

    A format's random baseline counts where it is defined (``docs/answers.md``): 1 of the options, 1 of 12
    hours. For graded formats that is the expected score, which is no less than the share of full marks.
    Where it is not (texts; regions that nobody drew; boxes in pictures of unknown size), a guesser who
    knows how the keys of the task are spread, and draws from them, is taken: right with the sum of the
    squared shares of the task's keys.

    Args:
        items: All items that are judged together.
        context: Their surroundings.
    """

    def __init__(self, items: Iterable[Item], *, context: Context) -> None:
        self._context = context
        self._keys: dict[tuple[str, str, str], Counter[str]] = {}
        self._repeats: dict[tuple[str, str, str], float] = {}
        for item in items:
            self._keys.setdefault(_kin(item), Counter())[item.key] += 1

    def of(self, item: Item) -> float:
        """Return the chance to guess an item right, 0 to 1."""
        form = answers.get(item.answer_format)
        baseline = form.random_baseline(item.key, context=answer_context(item, self._context))
        if baseline is not None and math.isfinite(baseline):
            return min(1.0, max(0.0, baseline))
        return self._repeated(_kin(item))

    def _repeated(self, kin: tuple[str, str, str]) -> float:
        if kin not in self._repeats:
            counts = self._keys.get(kin, Counter())
            total = counts.total()
            self._repeats[kin] = sum((count / total) ** 2 for count in counts.values()) if total else 0.0
        return self._repeats[kin]


def answer_context(item: Item, context: Context) -> AnswerContext:
    """Return what an item's answers may refer to, as far as the project knows it."""
    media = [context.medium(medium) for medium in item.media]
    shown = media[-1] if media else None
    has_size = shown is not None and shown.width_px and shown.height_px
    return AnswerContext(
        options=item.options,
        region_ids=tuple(context.regions(medium) for medium in item.media),
        # Of a pair, boxes are asked for in the second picture. Source: SpatialUAV, object matching.
        image_size_px=(shown.width_px, shown.height_px) if shown is not None and has_size else None,
    )


def _kin(item: Item) -> tuple[str, str, str]:
    return item.task_set, item.task, item.answer_format
