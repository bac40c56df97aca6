"""What people score on the human reference of a project, in the form of the other scores."""

from __future__ import annotations

from annotator.progress import Progress
from annotator.quality.human_reference.report import ALL_TASKS, TaskReference, measure_reference
from annotator.scoring.score_tables import PERCENT, ScoreTotal
from annotator.store.reader import Reader

OVERALL = "overall"
"""Key of the score over all tasks."""


def human_scores(reader: Reader, *, seed: int, progress: Progress) -> dict[str, ScoreTotal]:
    """Return the scores of people by task as ``set/task``, ``overall`` for all of them.

    Args:
        reader: The project.
        seed: Of the intervals.
        progress: Counts the items; may cancel.
    """
    found = measure_reference(reader, seed=seed, progress=progress)
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
