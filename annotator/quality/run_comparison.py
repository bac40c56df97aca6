"""Compares two runs: the common items with different answers, and the share of correct answers of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotator.domain.answer_groups import is_same
from annotator.domain.record import ValueObject
from annotator.quality.consensus import model_votes
from annotator.quality.predictions import ItemPredictions


class Change(ValueObject, frozen=True, kw_only=True):
    """An item with different answers in two runs.

    Attributes:
        item: Id of the item.
        name: Public id of the item.
        task: Id of its task.
        one: Answers of the first run, by model.
        other: Answers of the second run, by model.
        right_one: Share of correct answers of the first run, None without an answer.
        right_other: The same of the second run.
    """

    item: str
    name: str
    task: str
    one: dict[str, str]
    other: dict[str, str]
    right_one: float | None
    right_other: float | None


class RunComparison(ValueObject, frozen=True, kw_only=True):
    """The differences between two runs.

    Attributes:
        only_one: Number of items of the first run only.
        only_other: Number of items of the second run only.
        common: Number of items of both runs.
        right_one: Share of correct answers of the first run on these, None without an answer.
        right_other: The same of the second run.
        changes: Items with different answers.
    """

    only_one: int
    only_other: int
    common: int
    right_one: float | None
    right_other: float | None
    changes: tuple[Change, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as the object that ``runs compare --json`` prints."""
        plain = {name: getattr(self, name) for name in self.__struct_fields__ if name != "changes"}
        return plain | {
            "changes": [{n: getattr(change, n) for n in Change.__struct_fields__} for change in self.changes]
        }


def compare_runs(one: Sequence[ItemPredictions], other: Sequence[ItemPredictions]) -> RunComparison:
    """Return the differences between the answers of two runs.

    A model of both runs is compared with itself; if the runs have no common model, all answers of one run are
    compared with all of the other.
    """
    others = {second.item.id: second for second in other}
    pairs = [(first, others[first.item.id]) for first in one if first.item.id in others]
    changes = [change for first, second in pairs if (change := _change(first, second)) is not None]
    return RunComparison(
        only_one=len(one) - len(pairs),
        only_other=len(other) - len(pairs),
        common=len(pairs),
        right_one=_share([first for first, _ in pairs]),
        right_other=_share([second for _, second in pairs]),
        changes=tuple(changes),
    )


def _pairs(answers: Mapping[str, str], others: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return what is compared: both answers of the models that gave two, otherwise each with each."""
    if shared := sorted(answers.keys() & others.keys()):
        return [(answers[model], others[model]) for model in shared]
    return [(first, second) for first in answers.values() for second in others.values()]


def _change(one: ItemPredictions, other: ItemPredictions) -> Change | None:
    answers, other_answers = _answers(one), _answers(other)
    if all(is_same(first, second, item=one.item) for first, second in _pairs(answers, other_answers)):
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
        prediction.is_right
        for item in item_predictions
        for prediction in item.predictions
        if prediction.is_right is not None
    ]
    return sum(known) / len(known) if known else None
