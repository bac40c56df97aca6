"""How far people agree: per task, per pair of people, and per field of the event form."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import Any

import msgspec

from annotator.domain.answers.base import Scale
from annotator.domain.record import ValueObject
from annotator.quality.agreement.coefficients import (
    Coefficient,
    cohens_kappa,
    fleiss_kappa,
    krippendorffs_alpha,
    percent_agreement,
)
from annotator.quality.agreement.pair_scores import PairScore, PairScores
from annotator.quality.agreement.ratings import Ratings

NO_SCALE = "Answers of this format are compared by their score."


class PairAgreement(ValueObject, frozen=True, kw_only=True):
    """The agreement of two people.

    Attributes:
        people: Ids of both, or their names in alphabetical order.
        percent: Share of equal answers; not defined where answers have no scale.
        kappa: Cohen's kappa.
        score: Mean score of one's answers against the other's, None for answers without one.
        differences: Means of the parts of that score, for instance ``angle_error_deg``.
    """

    people: tuple[str, str]
    percent: Coefficient
    kappa: Coefficient
    score: Coefficient | None = None
    differences: Mapping[str, Coefficient] = {}


class SubjectAgreement(ValueObject, frozen=True, kw_only=True):
    """The agreement about one task, or about one field of the event form.

    Attributes:
        subject: ``aircop/object_counting``, or ``event form: quality``.
        scale: The scale of alpha, None where answers have none.
        people: Number of people with answers.
        answers: Number of answers.
        unread: Number of answers without a value on the scale, which alpha leaves out.
        units: Number of units with answers of at least two people.
        percent: Mean share of equal pairs of answers; not defined where answers have no scale.
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
    unread: int
    units: int
    percent: Coefficient
    fleiss: Coefficient
    alpha: Coefficient
    score: Coefficient | None = None
    differences: Mapping[str, Coefficient] = {}
    pairs: tuple[PairAgreement, ...] = ()

    def with_names(self, names: Mapping[str, str]) -> SubjectAgreement:
        """Return the same with the names of people in place of their ids, in alphabetical order.

        Args:
            names: Names by the ids of actors; an unknown id is shown as it is.
        """
        pairs = []
        for pair in self.pairs:
            one, other = sorted(names.get(person, person) for person in pair.people)
            pairs.append(msgspec.structs.replace(pair, people=(one, other)))
        return msgspec.structs.replace(self, pairs=tuple(sorted(pairs, key=lambda pair: pair.people)))


def measure_agreement(
    subject: str,
    ratings: Ratings,
    *,
    scale: Scale | None,
    on_scale: Callable[[Any], Any] | None = None,
    score: PairScore | None = None,
    seed: int = 0,
) -> SubjectAgreement:
    """Return how far people agree about one task or field.

    Only alpha compares values on the scale: answers that are equal there can differ otherwise, such as equal
    angles with different distances.

    Args:
        subject: Its name.
        ratings: The answers; equal answers have equal texts or values.
        scale: The scale of their values, None for answers that only have a score.
        on_scale: Returns the value of an answer on that scale, None to leave it out; by default the answer.
        score: Scores one answer against another as the key, None for no score.
        seed: Of the intervals.
    """
    valued = ratings.mapped(on_scale) if on_scale is not None else ratings
    shared = ratings.pairable()
    scores = PairScores(shared, score) if score is not None else None
    return SubjectAgreement(
        subject=subject,
        scale=scale,
        people=len(ratings.people),
        answers=ratings.answers,
        unread=ratings.answers - valued.answers,
        units=shared.units,
        percent=percent_agreement(shared, seed=seed) if scale else _without_scale(shared),
        fleiss=fleiss_kappa(shared, seed=seed) if scale else _without_scale(shared),
        alpha=krippendorffs_alpha(valued, scale=scale, seed=seed) if scale else _without_scale(shared),
        score=scores.mean(seed=seed) if scores is not None else None,
        differences=scores.differences(seed=seed) if scores is not None else {},
        pairs=tuple(_pairs(shared, has_scale=scale is not None, scores=scores, seed=seed)),
    )


def _pairs(
    shared: Ratings, *, has_scale: bool, scores: PairScores | None, seed: int
) -> Iterator[PairAgreement]:
    for one, other in combinations(shared.people, 2):
        both = shared.between(one, other)
        if both.units:
            people = (one, other)
            yield PairAgreement(
                people=people,
                percent=percent_agreement(both, seed=seed) if has_scale else _without_scale(both),
                kappa=cohens_kappa(both, seed=seed) if has_scale else _without_scale(both),
                score=scores.mean(people, seed=seed) if scores is not None else None,
                differences=scores.differences(people, seed=seed) if scores is not None else {},
            )


def _without_scale(ratings: Ratings) -> Coefficient:
    return Coefficient(value=None, units=ratings.units, reason=NO_SCALE)
