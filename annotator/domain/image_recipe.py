"""How a degraded image is made from a clean one: steps of noise, loss and blur, and a seed."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from annotator.domain.record import ValueObject
from annotator.errors import UserError

StepKind = Literal["gaussian_noise", "salt_pepper", "block_loss", "row_loss", "gaussian_blur", "motion_blur"]
Label = Literal["noise", "loss", "blur"]
MOST_STEPS = 8
MOST_SEED = 2**31 - 1
_STEP = re.compile(r"([a-z_]+)(?:=([^@/]+))?(?:@([^@/]+))?(?:/([^@/]+))?")


@dataclass(frozen=True, kw_only=True)
class StepRule:
    """The values of a kind of step.

    Attributes:
        label: Word for it in names of images, as AirCopBench writes it.
        amount: What the amount is: ``sigma`` in grey levels of 255, ``share`` of the image, or ``radius`` in
            pixels.
        least: Lowest amount.
        most: Highest amount.
        usual: Amount of a new step.
        has_angle: Whether it has a direction.
        size_px: Usual side of a block or height of a band in pixels, 0 if it has none.
    """

    label: Label
    amount: Literal["sigma", "share", "radius"]
    least: float
    most: float
    usual: float
    has_angle: bool = False
    size_px: int = 0


# Sigma 25 and 5 % salt and pepper: AirCopBench's noise. Its loss and blur are published without figures.
RULES: Mapping[StepKind, StepRule] = {
    "gaussian_noise": StepRule(label="noise", amount="sigma", least=0.5, most=128.0, usual=25.0),
    "salt_pepper": StepRule(label="noise", amount="share", least=0.001, most=1.0, usual=0.05),
    "block_loss": StepRule(label="loss", amount="share", least=0.001, most=1.0, usual=0.2, size_px=64),
    "row_loss": StepRule(label="loss", amount="share", least=0.001, most=1.0, usual=0.2, size_px=16),
    "gaussian_blur": StepRule(label="blur", amount="radius", least=0.5, most=100.0, usual=4.0),
    "motion_blur": StepRule(label="blur", amount="radius", least=1.0, most=100.0, usual=8.0, has_angle=True),
}
LARGEST_SIZE_PX = 4096


class RecipeStep(ValueObject, frozen=True, kw_only=True):
    """One step of a recipe.

    Attributes:
        kind: What it does.
        amount: How much, see ``RULES``.
        angle_deg: Direction of a motion blur, degrees anticlockwise from the right, 0..180.
        size_px: Side of a lost block or height of a lost band, pixels; 0 for other kinds.
    """

    kind: StepKind
    amount: float
    angle_deg: float = 0.0
    size_px: int = 0

    @classmethod
    def usual(cls, kind: StepKind) -> RecipeStep:
        """Return a step with the usual values."""
        return cls(kind=kind, amount=RULES[kind].usual, size_px=RULES[kind].size_px)


class ImageRecipe(ValueObject, frozen=True, kw_only=True):
    """How a degraded image is made. The same recipe and source give the same pixels on every machine.

    Attributes:
        steps: The steps in order.
        seed: Seed of all random draws; each image gets draws of its own from it.
    """

    steps: tuple[RecipeStep, ...]
    seed: int = 0

    @property
    def label(self) -> str:
        """Word for the names of images: ``noise``, ``noise-blur``."""
        return "-".join(dict.fromkeys(RULES[step.kind].label for step in self.steps))

    def require_valid(self) -> None:
        """Check the values.

        Raises:
            UserError: A value is out of range, or there is no step.
        """
        if not 1 <= len(self.steps) <= MOST_STEPS:
            raise UserError(f"A recipe has 1 to {MOST_STEPS} steps.", hint="Add or remove steps.")
        if not 0 <= self.seed <= MOST_SEED:
            raise UserError(f"The seed must be between 0 and {MOST_SEED}.", hint="Enter another seed.")
        for step in self.steps:
            _require_valid(step)


AIRCOP_NOISE = (
    RecipeStep(kind="gaussian_noise", amount=25.0),
    RecipeStep(kind="salt_pepper", amount=0.05),
)
"""AirCopBench's noise; its enlargement to 3840 x 2160 is left out, which moves boxes in pixels."""


def read_step(text: str) -> RecipeStep:
    """Return the step that a text describes.

    Args:
        text: A kind, ``=`` and the amount; then ``@`` and an angle, or ``/`` and a size in pixels:
            ``gaussian_noise=25``, ``motion_blur=8@45``, ``block_loss=0.2/32``. What is missing has its usual
            value.

    Raises:
        UserError: It is not such a text, or a value is out of range.
    """
    found = _STEP.fullmatch(text.strip())
    if found is None or found[1] not in RULES:
        raise UserError(f"'{text}' is not a step of a recipe.", hint=f"Kinds: {', '.join(RULES)}.")
    kind = next(kind for kind in RULES if kind == found[1])
    rule = RULES[kind]
    step = RecipeStep(
        kind=kind,
        amount=_number(found[2], text, usual=rule.usual),
        angle_deg=_number(found[3], text, usual=0.0),
        size_px=int(_number(found[4], text, usual=rule.size_px)),
    )
    _require_valid(step)
    return step


def _require_valid(step: RecipeStep) -> None:
    rule = RULES[step.kind]
    if not rule.least <= step.amount <= rule.most:
        raise UserError(f"The {rule.amount} of {step.kind} must be between {rule.least:g} and {rule.most:g}.")
    if step.angle_deg and not (rule.has_angle and 0 <= step.angle_deg <= 180):
        raise UserError(f"{step.kind} has no angle of {step.angle_deg:g} degrees.", hint="Enter 0 to 180.")
    if (step.size_px > 0) != (rule.size_px > 0) or not 0 <= step.size_px <= LARGEST_SIZE_PX:
        raise UserError(f"{step.kind} has no size of {step.size_px} pixels.", hint="Enter 1 to 4096.")


def _number(text: str | None, step: str, *, usual: float) -> float:
    if text is None:
        return usual
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise UserError(f"'{text}' in '{step}' is not a number.", hint="For example: gaussian_noise=25.")
    return number
