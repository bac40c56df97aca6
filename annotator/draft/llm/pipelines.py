"""The registry of pipelines. A new one is a module with a ``RECIPE``, registered here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from annotator.draft.llm import aircop, indooruav, urbanvideo
from annotator.draft.llm.pipeline import Pipeline
from annotator.errors import UserError

PIPELINES: Mapping[str, Pipeline] = MappingProxyType(
    {module.RECIPE.task_set_id: module.RECIPE for module in (urbanvideo, aircop, indooruav)}
)
"""Every pipeline by its task set."""


def pipeline_of(task_set: str) -> Pipeline:
    """Return the pipeline of a task set.

    Raises:
        UserError: No model drafts items of this task set.
    """
    if task_set not in PIPELINES:
        raise UserError(
            f"Drafting by model is not available for the task set {task_set!r}.",
            hint=f"Use one of: {', '.join(PIPELINES)}.",
        )
    return PIPELINES[task_set]
