"""Texts of the steps of a recipe."""

from __future__ import annotations

from annotator.domain.image_recipe import RULES, ImageRecipe, RecipeStep, StepKind
from widgets.translation import join_texts, mark, tr

KINDS: dict[StepKind, str] = {
    "gaussian_noise": mark("Gaussian noise"),
    "salt_pepper": mark("Salt and pepper"),
    "block_loss": mark("Missing blocks"),
    "row_loss": mark("Missing rows"),
    "gaussian_blur": mark("Gaussian blur"),
    "motion_blur": mark("Motion blur"),
}
"""English titles of the kinds of steps."""
AMOUNTS = {
    "sigma": mark("Sigma (of 255)"),
    "share": mark("Share (0 to 1)"),
    "radius": mark("Radius (px)"),
}
"""English titles of the amounts."""


def recipe_text(recipe: ImageRecipe | None) -> str:
    """Return a recipe as text: its steps and the seed; "" for none."""
    if recipe is None:
        return ""
    steps = join_texts(step_text(step) for step in recipe.steps)
    return f"{steps} · {tr('seed {n}', n=recipe.seed)}"


def step_text(step: RecipeStep) -> str:
    """Return a step as text: 'Motion blur 8 px, 45°'."""
    rule = RULES[step.kind]
    amount = {
        "sigma": f"σ {step.amount:g}",
        "share": f"{step.amount:.1%}",
        "radius": f"{step.amount:g} px",
    }[rule.amount]
    angle = f", {step.angle_deg:g}°" if rule.has_angle else ""
    size = f", {step.size_px} px" if rule.size_px else ""
    return f"{tr(KINDS[step.kind])} {amount}{angle}{size}"
