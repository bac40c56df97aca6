"""The registry of recipes. A new one is a module with a ``RECIPE``, named here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from annotator.draft.chain import aircop, indooruav, urbanvideo
from annotator.draft.chain.recipe import Recipe
from annotator.errors import UserError

RECIPES: Mapping[str, Recipe] = MappingProxyType(
    {module.RECIPE.task_set_id: module.RECIPE for module in (urbanvideo, aircop, indooruav)}
)
"""Every recipe by its task set."""


def recipe_of(task_set: str) -> Recipe:
    """Return the recipe of a task set.

    Raises:
        UserError: No model drafts items of this task set.
    """
    if task_set not in RECIPES:
        raise UserError(f"No model drafts items of {task_set!r}.", hint=f"There are: {', '.join(RECIPES)}.")
    return RECIPES[task_set]
