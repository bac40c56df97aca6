"""Two runs beside one another: on which of their common items they differ, and how often each is right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotator.domain.record import ValueObject
from annotator.quality.consensus import is_same, model_votes
from annotator.quality.predictions import ItemPredictions


class Change(ValueObject, frozen=True, kw_only=True):
    """An item that the models of two runs answer differently.

    Attributes:
        item: Its id.
        name: Its public id.
        task: Id of its task.
        one: Answers of the first run, by model.
        other: Answers of the second run, by model.
        right_one: Share of the first run's answers that are right, None without an answer.
        right_other: Share of the second run's.
    """

    item: str
    name: str
    task: str
    one: dict[str, str]
    other: dict[str, str]
    right_one: float | None
    right_other: float | None


class RunComparison(ValueObject, frozen=True, kw_only=True):
    """What differs between two runs.

    Attributes:
        only_one: Items that the first run alone asked about.
        only_other: Items that the second run alone asked about.
        common: Items that both asked about.
        right_one: Share of right answers of the first run on these, None without an answer.
        right_other: Share of right answers of the second run.
        changes: Items whose answers are not the same.
    """

    only_one: int
    only_other: int
    common: int
    right_one: float | None
    right_other: float | None
    changes: tuple[Change, ...]

    def to_json(self) -> dict[str, Any]:
        """Return it as the object that ``runs compare --json`` prints."""
        plain = {name: getattr(self, name) for name in self.__struct_fields__ if name != "changes"}
        return plain | {
            "changes": [{n: getattr(one, n) for n in Change.__struct_fields__} for one in self.changes]
        }


def compare_runs(one: Sequence[ItemPredictions], other: Sequence[ItemPredictions]) -> RunComparison:
    """Return what differs between the answers of two runs.

    A model that both runs asked is compared with itself; where they asked different models, all answers of
    one run are compared with all of the other.
    """
    others = {item_predictions.item.id: item_predictions for item_predictions in other}
    pairs = [
        (item_predictions, others[item_predictions.item.id])
        for item_predictions in one
        if item_predictions.item.id in others
    ]
    changes = [change for first, second in pairs if (change := _change(first, second)) is not None]
    return RunComparison(
        only_one=len(one) - len(pairs),
        only_other=len(other) - len(pairs),
        common=len(pairs),
        right_one=_share([first for first, _ in pairs]),
        right_other=_share([second for _, second in pairs]),
        changes=tuple(changes),
    )


def _change(one: ItemPredictions, other: ItemPredictions) -> Change | None:
    answers, other_answers = _answers(one), _answers(other)
    shared = answers.keys() & other_answers.keys()
    pairs = (
        [(answers[model], other_answers[model]) for model in sorted(shared)]
        if shared
        else [(first, second) for first in answers.values() for second in other_answers.values()]
    )
    if all(is_same(first, second, item=one.item) for first, second in pairs):
        return None
    return Change(
        item=one.item.id,
        name=one.item.name,
        task=one.item.task,
        one=answers,
        other=other_answers,
        right_one=_share([one]),
        right_other=_share([other]),
    )


def _answers(item_predictions: ItemPredictions) -> dict[str, str]:
    return {vote.model: vote.answer for vote in model_votes(item_predictions)}


def _share(item_predictions: Sequence[ItemPredictions]) -> float | None:
    known = [
        one.is_right for item in item_predictions for one in item.predictions if one.is_right is not None
    ]
    return sum(known) / len(known) if known else None
