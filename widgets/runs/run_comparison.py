"""Comparison of two runs: their agreement, and the items with different predictions."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from annotator.domain.answer_groups import is_same
from annotator.domain.query import qualified_task
from annotator.domain.run import Run
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.quality.predictions import ItemPrediction, ItemPredictions, collect_predictions
from annotator.queries.reader import Reader


@dataclass(frozen=True, kw_only=True)
class ModelConsensus:
    """Most frequent prediction of the models of a run for an item.

    Attributes:
        answer: Canonical form, "" for no prediction.
        is_right: Whether it matches the answer key, None if that is undefined.
        same: Number of predictions with this answer.
        asked: Number of requests.
    """

    answer: str
    is_right: bool | None
    same: int
    asked: int


@dataclass(frozen=True, kw_only=True)
class Change:
    """An item with different predictions in two runs; its task is ``set/task``."""

    name: str
    task: str
    key: str
    before: ModelConsensus
    after: ModelConsensus


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Result of the comparison of two runs.

    Attributes:
        one: The first run.
        other: The second run.
        both: Number of items with predictions in both runs.
        only_one: Number of items with predictions in the first run only.
        only_other: Number of items with predictions in the second run only.
        table: Number of items by outcome in the first and the second run: ``right``, ``wrong`` or
            ``unknown``.
        changes: Items with different predictions.
    """

    one: Run
    other: Run
    both: int
    only_one: int
    only_other: int
    table: dict[tuple[str, str], int]
    changes: tuple[Change, ...]


def compare(reader: Reader, *, one: str, other: str, progress: Progress) -> Comparison:
    """Compare two runs.

    Raises:
        UserError: A run does not exist any more. Select another one.
        Cancelled: The user cancelled the comparison.
    """
    runs = [_run(reader, run) for run in (one, other)]
    # Matched by item, not by job: the runs may differ in option order and models.
    first, second = (
        {
            item_predictions.item.id: item_predictions
            for item_predictions in collect_predictions(reader, run, progress=progress)
        }
        for run in runs
    )
    table: Counter[tuple[str, str]] = Counter()
    changes = []
    counts = {"both": 0, "only_one": 0, "only_other": 0}
    # A dictionary, not a set, so that the order of the changes is reproducible.
    for item in {**first, **second}:
        before, after = opinion(first.get(item)), opinion(second.get(item))
        if before.answer and after.answer:
            counts["both"] += 1
            table[outcome(before), outcome(after)] += 1
            record = first[item].item
            # Compared as answers to the item: different texts can have the same meaning.
            if not is_same(before.answer, after.answer, item=record):
                changes.append(
                    Change(
                        name=record.name,
                        task=qualified_task(record.task_set, record.task),
                        key=record.answer_key,
                        before=before,
                        after=after,
                    )
                )
        else:
            counts["only_one"] += bool(before.answer)
            counts["only_other"] += bool(after.answer)
    return Comparison(one=runs[0], other=runs[1], table=dict(table), changes=tuple(changes), **counts)


def opinion(item_predictions: ItemPredictions | None) -> ModelConsensus:
    """Return the most frequent prediction of a run for an item."""
    predictions = item_predictions.predictions if item_predictions is not None else ()
    groups: defaultdict[str, list[ItemPrediction]] = defaultdict(list)
    for prediction in predictions:
        if prediction.kind == "answer":
            groups[prediction.answer].append(prediction)
    # The first prediction wins a tie: dictionaries keep their order, so that both runs follow the same rule.
    most: list[ItemPrediction] = max(groups.values(), key=len, default=[])
    first = most[0] if most else None
    return ModelConsensus(
        answer=first.answer if first is not None else "",
        is_right=first.is_right if first is not None else None,
        same=len(most),
        asked=len(predictions),
    )


def outcome(consensus: ModelConsensus) -> str:
    """Return the outcome of a prediction: ``right``, ``wrong`` or ``unknown``."""
    if consensus.is_right is None:
        return "unknown"
    return "right" if consensus.is_right else "wrong"


def _run(reader: Reader, run_id: str) -> Run:
    run = reader.runs.get(run_id)
    if run is None:
        raise UserError("The run no longer exists.")
    return run
