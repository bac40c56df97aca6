"""Two runs beside each other: where they agree, and what changed from one to the other."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from annotator.domain.query import qualified_task
from annotator.domain.run import Run
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.quality.consensus import is_same
from annotator.quality.predictions import ItemPrediction, ItemPredictions, collect_predictions
from annotator.session import Reader


@dataclass(frozen=True, kw_only=True)
class ModelConsensus:
    """What the models of a run say about an item: what they say most often.

    Attributes:
        answer: In canonical form, "" for no answer.
        is_right: Whether it meets the key, None where that cannot be told.
        same: Answers that say so.
        asked: Questions put.
    """

    answer: str
    is_right: bool | None
    same: int
    asked: int


@dataclass(frozen=True, kw_only=True)
class Change:
    """An item about which two runs say different things; its task as ``set/task``."""

    name: str
    task: str
    key: str
    before: ModelConsensus
    after: ModelConsensus


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two runs beside each other.

    Attributes:
        one: The first run.
        other: The second one.
        both: Items that both have an answer about.
        only_one: Items that only the first has an answer about.
        only_other: Items that only the second has an answer about.
        table: Number of items by how the first and the second run came out: ``right``, ``wrong`` or
            ``unknown``.
        changes: Items about which they say different things.
    """

    one: Run
    other: Run
    both: int
    only_one: int
    only_other: int
    table: dict[tuple[str, str], int]
    changes: tuple[Change, ...]


def compare(reader: Reader, *, one: str, other: str, progress: Progress) -> Comparison:
    """Set two runs beside each other.

    Raises:
        UserError: One of them is gone.
        Cancelled: The user stopped it.
    """
    runs = [_run(reader, run) for run in (one, other)]
    # By the item and not by the job: the runs may have asked in other orders of the options, or other models.
    first, second = (
        {heard.item.id: heard for heard in collect_predictions(reader, run, progress=progress)}
        for run in runs
    )
    table: Counter[tuple[str, str]] = Counter()
    changes = []
    told = {"both": 0, "only_one": 0, "only_other": 0}
    for item in {**first, **second}:
        before, after = opinion(first.get(item)), opinion(second.get(item))
        if before.answer and after.answer:
            told["both"] += 1
            table[outcome(before), outcome(after)] += 1
            record = first[item].item
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
            told["only_one"] += bool(before.answer)
            told["only_other"] += bool(after.answer)
    return Comparison(one=runs[0], other=runs[1], table=dict(table), changes=tuple(changes), **told)


def opinion(heard: ItemPredictions | None) -> ModelConsensus:
    """Return what the models of a run say most often about an item."""
    hearings = heard.hearings if heard is not None else ()
    groups: defaultdict[str, list[ItemPrediction]] = defaultdict(list)
    for hearing in hearings:
        if hearing.kind == "answer":
            groups[hearing.answer].append(hearing)
    # Of a tie the answer that was given first: dictionaries keep their order, so both runs are judged alike.
    most: list[ItemPrediction] = max(groups.values(), key=len, default=[])
    first = most[0] if most else None
    return ModelConsensus(
        answer=first.answer if first is not None else "",
        is_right=first.is_right if first is not None else None,
        same=len(most),
        asked=len(hearings),
    )


def outcome(told: ModelConsensus) -> str:
    """Return how an opinion came out: ``right``, ``wrong`` or ``unknown``."""
    if told.is_right is None:
        return "unknown"
    return "right" if told.is_right else "wrong"


def _run(reader: Reader, run_id: str) -> Run:
    run = reader.run(run_id)
    if run is None:
        raise UserError("The run no longer exists.")
    return run
