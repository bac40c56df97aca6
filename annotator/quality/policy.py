"""Policies of the blind filter: pure functions that decide whether an item counts as guessed.

Every policy is monotonic: more correct answers never change the decision from 'guessed' to 'kept'. Unknown
answers, such as errors, can therefore be taken as all wrong and then as all correct: if both give the same
decision the item is decided, otherwise it is undecided.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

import numpy as np

from annotator.domain.record import ValueObject
from annotator.errors import UserError
from annotator.quality.chance_level import at_least

PolicyKind = Literal["all", "any", "at_least", "mean", "every_rotation", "significance", "calibrated"]
Decision = Literal["guessed", "kept", "undecided"]
POLICY_VERSION = 6
"""Increased when equal answers lead to other decisions. Since 2 the chance of sets of regions, pairs and
options is the probability of the full score instead of their mean score. Since 3 the calibrated policy sees
pools across tasks and plans its threshold with 98 % confidence; since 4 it keeps its loss with mixed numbers
of options; since 5 it averages over draws of folds, sees options that the question repeats and plans
with 99 %; since 6 a larger loss never finds fewer items."""
DEFAULT_MARGIN, DEFAULT_ALPHA, DEFAULT_LOSS = 0.2, 0.05, 0.02
ROUNDING = 1e-9
_NUMBER = r"(\d+(?:\.\d+)?|\.\d+)"
_FORMS: tuple[tuple[str, PolicyKind], ...] = (
    (r"all", "all"),
    (r"any", "any"),
    (r"at[- _]?least\s*(\d+)|(?:k\s*=\s*)?(\d+)(?:\s*of\s*n)?", "at_least"),
    (rf"mean(?:\s*[>:=]\s*{_NUMBER})?", "mean"),
    (r"every[- _]rotation(?:\s*[>:=]\s*(\d+))?", "every_rotation"),
    (rf"significance(?:\s*[<:=]\s*{_NUMBER})?", "significance"),
    (rf"calibrated(?:\s*[<:=]\s*{_NUMBER})?", "calibrated"),
)


class Policy(ValueObject, frozen=True, kw_only=True):
    """The rule by which an item counts as guessed.

    A model with several requests about an item (rotations, shuffles) is correct if more than half of its
    answers are correct.

    Attributes:
        kind: ``all``: every model is correct (UrbanVideo-Bench, AirCopBench). ``any``: at least one model is
            (SpatialUAV). ``at_least``: at least ``models`` are. ``mean``: the share of correct answers, over
            all models and shuffles, is more than ``margin`` above chance. ``every_rotation``: at least
            ``models`` are correct in every rotation (MMBench, CircularEval). ``significance``: the
            probability of this number of correct answers by guessing is at most ``alpha``. ``calibrated``:
            the text points more strongly at the answer key than it does at wrong options, with a threshold
            that removes at most ``alpha`` of the items without a shortcut (``quality.calibrated``); items
            without options as text are decided like ``significance``.
        models: For ``at_least`` and ``every_rotation``: number of models.
        margin: For ``mean``: share above chance, 0 to 1.
        alpha: For ``significance`` and ``calibrated``: 0 to 1.
        counts_unread: Whether an empty or unreadable reply counts as a wrong answer; by default it counts as
            unknown.
        version: Version of the rules.

    Source: UrbanVideo-Bench 3.3 and AirCopBench, blind filtering; SpatialUAV, validation; MMBench
    (arXiv 2307.06281) 4.1.
    """

    kind: PolicyKind
    models: int = 1
    margin: float = DEFAULT_MARGIN
    alpha: float = DEFAULT_ALPHA
    counts_unread: bool = False
    version: int = POLICY_VERSION

    @property
    def text(self) -> str:
        """The policy in the form that ``read_policy`` accepts."""
        return {
            "all": "all",
            "any": "any",
            "at_least": f"at least {self.models}",
            "mean": f"mean>{self.margin:g}",
            "every_rotation": f"every-rotation:{self.models}",
            "significance": f"significance<{self.alpha:g}",
            "calibrated": f"calibrated<{self.alpha:g}",
        }[self.kind]

    @property
    def number(self) -> str:
        """The parameter of the policy as text, "" if it has none."""
        return {
            "at_least": str(self.models),
            "mean": f"{self.margin:g}",
            "every_rotation": str(self.models),
            "significance": f"{self.alpha:g}",
            "calibrated": f"{self.alpha:g}",
        }.get(self.kind, "")

    @property
    def title(self) -> str:
        """The policy in English words: "at least 2 models are right"."""
        return {
            "all": "every model is right",
            "any": "at least one model is right",
            "at_least": f"at least {self.models} models are right",
            "mean": f"the mean of all answers exceeds chance by {self.margin:g}",
            "every_rotation": f"at least {self.models} models are right in every rotation",
            "significance": f"the p-value of random guessing is at most {self.alpha:g}",
            "calibrated": (
                f"the text points at the answer key, with at most {100 * self.alpha:g} % of good items lost"
            ),
        }[self.kind]


DEFAULT_POLICY = Policy(kind="calibrated", alpha=DEFAULT_LOSS)
UNNAMED_POLICY = Policy(kind="all")
"""Policy of stored runs that name none: it was the default when they were started."""
USUAL_POLICIES = (
    DEFAULT_POLICY,
    Policy(kind="all"),
    Policy(kind="any"),
    Policy(kind="at_least", models=2),
    Policy(kind="mean"),
    Policy(kind="every_rotation"),
    Policy(kind="significance"),
)
"""One policy of each kind, for comparison."""
POLICY_HELP = "calibrated<0.02, all, any, 'at least 2', mean>0.2, every-rotation, significance<0.05"


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


def read_policy(text: str, *, counts_unread: bool = False) -> Policy:
    """Return the policy that a text describes.

    Raises:
        UserError: The policy does not exist, or its parameter is out of range.
    """
    name = text.strip().lower()
    for form, kind in _FORMS:
        if found := re.fullmatch(form, name):
            number = next((group for group in found.groups() if group is not None), None)
            return _policy(kind, number, counts_unread=counts_unread)
    raise UserError(f"Unknown policy {text!r}.", hint=f"Use one of: {POLICY_HELP}.")


def stored_policy(text: str) -> Policy:
    """Return the policy in the settings of a stored run, "" where they name none."""
    return read_policy(text) if text else UNNAMED_POLICY


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


def _policy(kind: PolicyKind, number: str | None, *, counts_unread: bool) -> Policy:
    if number is None:
        alpha = DEFAULT_LOSS if kind == "calibrated" else DEFAULT_ALPHA
        return Policy(kind=kind, alpha=alpha, counts_unread=counts_unread)
    if kind in {"at_least", "every_rotation"}:
        if int(number) < 1:
            raise UserError("The number of correct models must be at least 1.")
        return Policy(kind=kind, models=int(number), counts_unread=counts_unread)
    if not 0 <= float(number) < 1:
        raise UserError(f"{number} is not a valid share. Use a number from 0 to 1.")
    if kind == "mean":
        return Policy(kind=kind, margin=float(number), counts_unread=counts_unread)
    return Policy(kind=kind, alpha=float(number), counts_unread=counts_unread)


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
