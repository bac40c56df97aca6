"""How far a project is: items by state per task, scenes by stage per dataset. Equal to the lists' counts."""

from __future__ import annotations

from collections import Counter, defaultdict

from annotator.domain.rows import DatasetProgress, TaskProgress
from annotator.queries.facet_combinations import FacetCombinations
from annotator.store.connection import Connection

TASKS = (
    "SELECT task_set, task, state, sum(items) FROM item_facet WHERE items>0 GROUP BY 1, 2, 3 ORDER BY 1, 2"
)
STATES = """
SELECT f.state, count(*) FROM item i JOIN item_facet f ON f.id=i.facet
WHERE i.scene=? AND i.facet>0 GROUP BY f.state
"""
VIEWS = """
SELECT dataset, sum(views), sum(labelled), sum(items), sum(settled)
FROM scene WHERE removed=0 GROUP BY dataset
"""


class ProgressQueries:
    """The part of a reader that counts progress by task and dataset."""

    def __init__(self, connection: Connection, *, scenes: FacetCombinations) -> None:
        self._connection, self._scenes = connection, scenes

    def tasks(self) -> list[TaskProgress]:
        """Return the number of items per state of every task, tasks in order of their ids."""
        states: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
        for task_set, task, state, items in self._connection.execute(TASKS):
            states[task_set, task][state] = items
        return [
            TaskProgress(task_set=task_set, task=task, states=found)
            for (task_set, task), found in states.items()
        ]

    def datasets(self) -> list[DatasetProgress]:
        """Return the number of scenes per stage, and of views and items, of every dataset."""
        stages: dict[str, Counter[str]] = defaultdict(Counter)
        annotations: dict[str, Counter[str]] = defaultdict(Counter)
        for one in self._scenes.all():
            annotations[one.values["dataset"][0]][one.values["annotation"][0]] += one.totals[0]
            stages[one.values["dataset"][0]][one.values["stage"][0]] += one.totals[0]
        sums = {dataset: values for dataset, *values in self._connection.execute(VIEWS)}
        return [
            DatasetProgress(
                dataset=dataset,
                stages=dict(stages[dataset]),
                annotations=dict(annotations[dataset]),
                views=views,
                labelled=labelled,
                items=items,
                settled=settled,
            )
            for dataset, (views, labelled, items, settled) in sorted(sums.items())
        ]

    def scene_states(self, scene: str) -> dict[str, int]:
        """Return the number of items of one scene per state."""
        return dict(self._connection.execute(STATES, (scene,)).fetchall())
