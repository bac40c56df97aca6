"""Answer sets with planted wrong keys, and how many of the most probable errors are real."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from annotator.quality.key_errors.estimate import (
    Answered,
    Confidence,
    Vote,
    estimate_key_errors,
)

OPTIONS = 4
ERRORS = 0.05
ACCURACY = (0.7, 0.7, 0.7)
TOP = 50


def planted_errors(
    items: int, *, seed: int, accuracy: Sequence[float] = ACCURACY, requests: int = 1, copies: float = 0.0
) -> tuple[list[Answered], frozenset[str]]:
    """Return answers of independent models to items of four options, and the ids of those with a wrong key.

    Args:
        items: Number of items; one key in twenty is another option than the right one.
        seed: Of all draws.
        accuracy: Share of right answers of each model; a wrong one is any other option.
        requests: Requests per model and item, as rotations are; their mistakes are independent.
        copies: Share of the items on which every further model says what the first one says.
    """
    chance = random.Random(seed)
    answered, wrong = [], set()
    for number in range(items):
        item = f"{number:06}"
        # Option 0 is the key.
        truth = chance.randrange(1, OPTIONS) if chance.random() < ERRORS else 0
        if truth:
            wrong.add(item)
        given: list[list[int]] = []
        for share in accuracy:
            if given and chance.random() < copies:
                given.append(given[0])
            else:
                given.append([_answer(truth, share, chance) for _ in range(requests)])
        groups: dict[int, int] = {0: 0}
        votes = []
        for model, texts in enumerate(given):
            (top, most), *others = Counter(texts).most_common()
            if others and others[0][1] == most:
                continue
            group = groups.setdefault(top, len(groups))
            votes.append(
                Vote(respondent=f"model {model}", group=group, confidence=_confidence(most, requests))
            )
        if votes:
            answered.append(
                Answered(item=item, groups=len(groups), chance=1 / (OPTIONS - 1), votes=tuple(votes))
            )
    return answered, frozenset(wrong)


def precision_at(
    answered: Sequence[Answered], wrong: frozenset[str], *, top: int = TOP
) -> tuple[float, float]:
    """Return the share of wrong keys among the most probable errors, and the share that was expected."""
    found = estimate_key_errors(answered).probabilities[:top]
    real = sum(error.item in wrong for error in found) / len(found)
    return real, sum(error.probability for error in found) / len(found)


def _answer(truth: int, accuracy: float, chance: random.Random) -> int:
    if chance.random() < accuracy:
        return truth
    return chance.choice([option for option in range(OPTIONS) if option != truth])


def _confidence(most: int, requests: int) -> Confidence:
    if requests == 1:
        return "single"
    if most == requests:
        return "unanimous"
    return "most" if 3 * most >= 2 * requests else "split"
