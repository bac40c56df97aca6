"""What people score on the human reference of a project, in the form of the other scores."""

from __future__ import annotations

from annotator.domain.item import Item
from annotator.domain.query import qualified_task
from annotator.progress import Progress
from annotator.quality.human_reference.report import ALL_TASKS, TaskReference, measure_reference
from annotator.queries.reader import Reader
from annotator.scoring.released_items import ReleasedItems
from annotator.scoring.score_tables import PERCENT, ScoreTotal

OVERALL = "overall"
"""Key of the score over all tasks."""


def human_scores(
    reader: Reader, released: ReleasedItems, *, seed: int, progress: Progress
) -> dict[str, ScoreTotal]:
    """Return the scores of people by task as ``set/task``, ``overall`` for all of them.

    Args:
        reader: The project.
        released: The release: items of the human reference that it does not have do not count.
        seed: Of the intervals.
        progress: Counts the items; may cancel.
    """
    names = {(one.task, one.item.name) for one in released.items}

    def is_released(item: Item) -> bool:
        return (qualified_task(item.task_set, item.task), item.name) in names

    found = measure_reference(reader, is_chosen=is_released, seed=seed, progress=progress)
    scores = {one.task or OVERALL: _human_score(one) for one in found if one.people.items}
    # The reference of a single task has no sum.
    if len(found) == 1 and found[0].task != ALL_TASKS and scores:
        scores[OVERALL] = scores[found[0].task]
    return scores


def _human_score(found: TaskReference) -> ScoreTotal:
    score, exact = found.people.score.value, found.people.exact.value
    return ScoreTotal(
        total=found.people.items,
        score_pct=None if score is None else PERCENT * score,
        exact_pct=None if exact is None else PERCENT * exact,
    )
