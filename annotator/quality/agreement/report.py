"""How far people agree: per task, per pair of people, and per field of the event form."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import combinations, permutations
from typing import Any

import numpy as np

from annotator.domain.answers.base import Scale, Score
from annotator.domain.record import ValueObject
from annotator.quality.agreement.coefficients import (
    Coefficient,
    cohens_kappa,
    fleiss_kappa,
    krippendorffs_alpha,
    mean_coefficient,
    percent_agreement,
)
from annotator.quality.agreement.ratings import Ratings

PairScore = Callable[[str, str], Score]
REMEMBERED = 200_000
"""Scores of pairs of answers that are kept: most pairs of letters, hours or regions occur often."""


class Answer(ValueObject, frozen=True, kw_only=True):
    """One person's answer about one unit.

    Attributes:
        unit: What it is about: an item in the form that the person saw, or a view of a scene.
        person: Id or name of the person.
        text: The answer as text, for the score against another one; "" where there is none.
        value: The answer on its scale.
    """

    unit: Hashable
    person: str
    text: str
    value: Any


class PairAgreement(ValueObject, frozen=True, kw_only=True):
    """The agreement of two people.

    Attributes:
        people: Both, in alphabetical order.
        percent: Share of equal answers.
        kappa: Cohen's kappa.
        score: Mean score of one's answers against the other's, None for answers without one.
    """

    people: tuple[str, str]
    percent: Coefficient
    kappa: Coefficient
    score: Coefficient | None = None


class SubjectAgreement(ValueObject, frozen=True, kw_only=True):
    """The agreement about one task, or about one field of the event form.

    Attributes:
        subject: ``aircop/object_counting``, or ``event form: quality``.
        scale: The scale of alpha, None where answers have none.
        people: Number of people with answers.
        answers: Number of answers.
        units: Number of units with answers of at least two people.
        percent: Mean share of equal pairs of answers.
        fleiss: Fleiss' kappa.
        alpha: Krippendorff's alpha.
        score: Mean score of a person's answers against another's (F1 of pairs, IoU of boxes, …).
        differences: Means of the parts of that score, for instance ``angle_error_deg``.
        pairs: Each pair of people with common units.
    """

    subject: str
    scale: Scale | None
    people: int
    answers: int
    units: int
    percent: Coefficient
    fleiss: Coefficient
    alpha: Coefficient
    score: Coefficient | None = None
    differences: Mapping[str, float] = {}
    pairs: tuple[PairAgreement, ...] = ()


NO_SCALE = Coefficient(value=None, reason="Answers of this format are compared by their score.")


def measure_agreement(
    subject: str,
    answers: Iterable[Answer],
    *,
    scale: Scale | None,
    score: PairScore | None = None,
    seed: int = 0,
) -> SubjectAgreement:
    """Return how far people agree about one task or field.

    Args:
        subject: Its name.
        answers: All answers, in order of time: of several answers of a person about a unit, the first counts.
        scale: Scale of the values, None for answers that only have a score.
        score: Scores one answer's text against another's, None for none.
        seed: Of the intervals.
    """
    first: dict[tuple[Hashable, str], Answer] = {}
    for answer in answers:
        first.setdefault((answer.unit, answer.person), answer)
    ratings = Ratings.of((one.unit, one.person, one.value) for one in first.values())
    compared = _Comparison(first, score=score)
    shared = ratings.pairable()
    scores = compared.all_scores()
    return SubjectAgreement(
        subject=subject,
        scale=scale,
        people=len(ratings.people),
        answers=len(first),
        units=len(shared.units),
        percent=percent_agreement(shared, seed=seed),
        fleiss=fleiss_kappa(shared, seed=seed) if scale else NO_SCALE,
        alpha=krippendorffs_alpha(shared, scale=scale, seed=seed) if scale else NO_SCALE,
        score=compared.mean(scores, seed=seed),
        differences=_differences(scores),
        pairs=tuple(_pairs(shared, compared, has_scale=scale is not None, seed=seed)),
    )


class _Comparison:
    """The scores of the answers of people against each other."""

    def __init__(self, answers: Mapping[tuple[Hashable, str], Answer], *, score: PairScore | None) -> None:
        self._score = lru_cache(REMEMBERED)(score) if score is not None else None
        self._by_unit: dict[Hashable, list[Answer]] = defaultdict(list)
        for answer in answers.values():
            self._by_unit[answer.unit].append(answer)

    def all_scores(self) -> list[tuple[Score, ...]]:
        """Return the scores of the pairs of answers about each unit, each answer once as the key.

        Empty without a format. Not every metric is symmetric.
        """
        if self._score is None:
            return []
        score = self._score
        shared = (answers for answers in self._by_unit.values() if len(answers) > 1)
        return [
            tuple(score(one.text, other.text) for one, other in permutations(answers, 2))
            for answers in shared
        ]

    def pair_scores(self, people: tuple[str, str]) -> list[tuple[Score, ...]]:
        """Return the scores of the answers of two people against each other."""
        if self._score is None:
            return []
        score = self._score
        pairs = ([one for one in answers if one.person in people] for answers in self._by_unit.values())
        return [
            (score(pair[0].text, pair[1].text), score(pair[1].text, pair[0].text))
            for pair in pairs
            if len(pair) == 2
        ]

    def mean(self, scores: list[tuple[Score, ...]], *, seed: int) -> Coefficient | None:
        """Return the mean score over units, None without a format."""
        if self._score is None:
            return None
        means = [sum(one.score for one in unit) / len(unit) for unit in scores]
        return mean_coefficient(np.asarray(means, dtype=float), seed=seed)


def _differences(scores: list[tuple[Score, ...]]) -> dict[str, float]:
    """Return the mean of each part of the scores."""
    parts: dict[str, list[float]] = defaultdict(list)
    for unit in scores:
        for one in unit:
            for name, value in one.details.items():
                parts[name].append(value)
    return {name: sum(values) / len(values) for name, values in parts.items()}


def _pairs(ratings: Ratings, compared: _Comparison, *, has_scale: bool, seed: int) -> Iterator[PairAgreement]:
    for one, other in combinations(ratings.people, 2):
        both = ratings.between(one, other)
        if both.units:
            yield PairAgreement(
                people=(one, other),
                percent=percent_agreement(both, seed=seed),
                kappa=cohens_kappa(both, seed=seed) if has_scale else NO_SCALE,
                score=compared.mean(compared.pair_scores((one, other)), seed=seed),
            )
