"""Decides by a policy of the blind filter whether an item counts as guessed, and how often chance does so.

Every policy is monotonic: more correct answers never change the decision from 'guessed' to 'kept'. Unknown
answers, such as errors, can therefore be taken as all wrong and then as all correct: if both give the same
decision the item is decided, otherwise it is undecided.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from annotator.domain.record import ValueObject
from annotator.quality.chance_level import at_least
from annotator.quality.policy import Decision, Policy

ROUNDING = 1e-9


class PolicyTrial(ValueObject, frozen=True, kw_only=True):
    """One request to one model.

    Attributes:
        model: Name of its profile.
        is_right: Whether its answer matches the answer key, None if unknown.
        chance: Probability of a correct guess, 0 to 1.
    """

    model: str
    is_right: bool | None
    chance: float


def decide(policy: Policy, trials: Sequence[PolicyTrial]) -> Decision:
    """Return the decision about an item's trials; undecided if the unknown ones could change it."""
    if not trials:
        return "undecided"
    # Two evaluations suffice for any number of unknown answers, because policies are monotonic. A new policy
    # has to be monotonic too (see the module's docstring).
    at_worst = _is_guessed(policy, trials, unknown=False)
    if at_worst == _is_guessed(policy, trials, unknown=True):
        return "guessed" if at_worst else "kept"
    return "undecided"


def guessing_loss(policy: Policy, trials: Sequence[PolicyTrial]) -> float:
    """Return the probability that an item without a shortcut is classified as guessed, 0 to 1.

    Assumes that models guess independently in each request; their answers are not used. The calibrated policy
    has the loss that it permits.
    """
    if not trials:
        return 0.0
    if policy.kind == "calibrated":
        return policy.alpha
    chances = [trial.chance for trial in trials]
    if policy.kind == "mean":
        return at_least(chances, _needed_by_mean(policy, chances))
    if policy.kind == "significance":
        return at_least(chances, _needed_by_significance(policy, chances))
    rights = [_right_by_chance(policy, own) for own in _by_model(trials)]
    return at_least(rights, _models_needed(policy, len(rights)))


def stuck_loss(policy: Policy, trials: Sequence[PolicyTrial]) -> float:
    """Return the same for models that repeat one guess for all orders of the options, 0 to 1.

    A model that decides by the text of an option behaves like this: it is correct in all rotations or in
    none. With one request per model it equals ``guessing_loss``; real models lie between the two.
    """
    if not trials:
        return 0.0
    if policy.kind == "calibrated":
        return policy.alpha
    chances = [trial.chance for trial in trials]
    if policy.kind == "mean":
        return _stuck_at_least(trials, _needed_by_mean(policy, chances))
    if policy.kind == "significance":
        return _stuck_at_least(trials, _needed_by_significance(policy, chances))
    models = [_mean_chance(own) for own in _by_model(trials)]
    return at_least(models, _models_needed(policy, len(models)))


def trials_of_design(*, models: int, attempts: int, options: int) -> list[PolicyTrial]:
    """Return the trials of an item without answers, to compute the loss by guessing.

    Args:
        models: Number of models.
        attempts: Number of requests of each model about an item: rotations times shuffles.
        options: Number of options; the chance is 1 of them.
    """
    return [
        PolicyTrial(model=str(model), is_right=None, chance=1.0 / options)
        for model in range(models)
        for _ in range(attempts)
    ]


def p_value(trials: Sequence[PolicyTrial]) -> float | None:
    """Return the probability of at least as many correct answers by guessing; None without a known answer."""
    known = [trial for trial in trials if trial.is_right is not None]
    if not known:
        return None
    return at_least([trial.chance for trial in known], sum(bool(trial.is_right) for trial in known))


def _is_guessed(policy: Policy, trials: Sequence[PolicyTrial], *, unknown: bool) -> bool:
    rights = [unknown if trial.is_right is None else trial.is_right for trial in trials]
    chances = [trial.chance for trial in trials]
    if policy.kind == "mean":
        return sum(rights) >= _needed_by_mean(policy, chances)
    if policy.kind in {"significance", "calibrated"}:
        return _is_unlikely(chances, sum(rights), policy)
    votes = [
        PolicyTrial(model=trial.model, is_right=is_right, chance=trial.chance)
        for trial, is_right in zip(trials, rights, strict=True)
    ]
    models = _by_model(votes)
    right = sum(
        sum(bool(trial.is_right) for trial in own) >= _tries_needed(policy, len(own)) for own in models
    )
    return right >= _models_needed(policy, len(models))


def _by_model(trials: Sequence[PolicyTrial]) -> list[list[PolicyTrial]]:
    models: dict[str, list[PolicyTrial]] = {}
    for trial in trials:
        models.setdefault(trial.model, []).append(trial)
    return list(models.values())


def _right_by_chance(policy: Policy, trials: Sequence[PolicyTrial]) -> float:
    return at_least([trial.chance for trial in trials], _tries_needed(policy, len(trials)))


def _tries_needed(policy: Policy, tries: int) -> int:
    # More than half: a tie gives no answer.
    return tries if policy.kind == "every_rotation" else tries // 2 + 1


def _models_needed(policy: Policy, models: int) -> int:
    if policy.kind == "all":
        return models
    return 1 if policy.kind == "any" else policy.models


def _needed_by_mean(policy: Policy, chances: Sequence[float]) -> int:
    """Return the smallest number of correct answers whose share is more than the margin above chance."""
    # Sums of binary fractions can be slightly less than the exact number, which would accept one correct
    # answer too few.
    bound = sum(chances) + policy.margin * len(chances)
    return int(bound + ROUNDING) + 1


def _needed_by_significance(policy: Policy, chances: Sequence[float]) -> int:
    counts = range(len(chances) + 1)
    return next((count for count in counts if _is_unlikely(chances, count, policy)), len(chances) + 1)


def _is_unlikely(chances: Sequence[float], count: int, policy: Policy) -> bool:
    # 0.1 times 0.1 is more than 0.01 in binary fractions.
    return at_least(chances, count) <= policy.alpha + ROUNDING


def _stuck_at_least(trials: Sequence[PolicyTrial], count: int) -> float:
    """Return the probability of at least this many correct trials if each model has all correct or none."""
    counts = np.ones(1)
    for own in _by_model(trials):
        one = np.zeros(len(own) + 1)
        chance = _mean_chance(own)
        one[0], one[-1] = 1.0 - chance, chance
        counts = np.convolve(counts, one)
    return min(1.0, float(counts[max(0, count) :].sum()))


def _mean_chance(trials: Sequence[PolicyTrial]) -> float:
    return sum(trial.chance for trial in trials) / len(trials)
