"""Policies of the blind filter: the rules by which an item counts as guessed, and how they are written."""

from __future__ import annotations

import re
from typing import Literal

from annotator.domain.record import ValueObject
from annotator.errors import UserError

PolicyKind = Literal["all", "any", "at_least", "mean", "every_rotation", "significance", "calibrated"]
Decision = Literal["guessed", "kept", "undecided"]
POLICY_VERSION = 6
"""Increased when equal answers lead to other decisions. Since 2 the chance of sets of regions, pairs and
options is the probability of the full score instead of their mean score. Since 3 the calibrated policy sees
pools across tasks and plans its threshold with 98 % confidence; since 4 it keeps its loss with mixed numbers
of options; since 5 it averages over draws of folds, sees options that the question repeats and plans
with 99 %; since 6 a larger loss never finds fewer items."""
DEFAULT_MARGIN, DEFAULT_ALPHA, DEFAULT_LOSS = 0.2, 0.05, 0.02
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
