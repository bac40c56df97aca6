"""What a later run may do with the flag of an earlier one: the rule for closing it."""

from __future__ import annotations

from collections.abc import Collection

from annotator.domain.eval_settings import prompt_digest
from annotator.domain.flag import Flag
from annotator.domain.item import Item


def is_superseded(flag: Flag, item: Item, *, run: str, models: Collection[str]) -> bool:
    """Return whether a run without a finding supersedes an earlier finding about the same item.

    It does if it is the same run, decided again; if the text or answer key of the item has changed since; or
    if all models behind the finding have answered again. Answers of other models are no reason: what one
    model could guess remains guessable.

    Args:
        flag: The finding, with its evidence.
        item: The item as it is now.
        run: Id of the run that finds nothing.
        models: Names of the models that gave an answer in it.
    """
    evidence = flag.evidence
    return (
        evidence.get("run") == run
        or evidence.get("answer_key") != item.answer_key
        or evidence.get("shown") != prompt_digest(item)
        or {*evidence.get("models", {})} <= {*models}
    )
