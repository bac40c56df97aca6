"""Whether what a later run found may close the flag of an earlier one."""

from __future__ import annotations

from collections.abc import Collection

from annotator.domain.eval_settings import prompt_digest
from annotator.domain.flag import Flag
from annotator.domain.item import Item


def is_superseded(flag: Flag, item: Item, *, run: str, models: Collection[str]) -> bool:
    """Tell whether an earlier finding about an item has to give way to a run that finds nothing.

    It does where that run is the same one, decided anew; where the item's words or its key were changed
    since; and where all the models that it rests on were heard again. That other models say otherwise is no
    reason: what was known to some stays known.

    Args:
        flag: The finding, with its evidence.
        item: The item as it is now.
        run: Id of the run that finds nothing.
        models: Names of the models that gave an answer in it.
    """
    evidence = flag.evidence
    return (
        evidence.get("run") == run
        or evidence.get("key") != item.answer_key
        or evidence.get("shown") != prompt_digest(item)
        or {*evidence.get("models", {})} <= {*models}
    )
