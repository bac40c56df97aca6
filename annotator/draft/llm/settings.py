"""The settings of a drafting run."""

from __future__ import annotations

from typing import Any

import msgspec

from annotator.draft.llm.prompts import PromptTemplate

# As AirCopBench's own pipeline.
MOST_ATTEMPTS = 3


class DraftingSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of a drafting run.

    Attributes:
        task_set: Id of the task set.
        tasks: Ids of its tasks, empty for all that a model can draft.
        scenes: Ids of scenes, empty for all that suit the task set.
        most_scenes: Maximum number of these, 0 for all.
        attempts: Maximum number of attempts of a step.
        seed: Seed of the order of options.
        prompts: A team's own prompts by their names, as of the start of the run.
    """

    task_set: str
    tasks: tuple[str, ...] = ()
    scenes: tuple[str, ...] = ()
    most_scenes: int = 0
    attempts: int = MOST_ATTEMPTS
    seed: int = 0
    prompts: dict[str, PromptTemplate] = {}

    def to_json(self) -> dict[str, Any]:
        """Return the settings as a ``RunOrder`` takes them."""
        plain: dict[str, Any] = msgspec.to_builtins(self)
        return plain
