"""Which benchmark's tasks a file's questions belong to, told from the names of their tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from annotator.domain.task_set import Task, TaskSet
from annotator.domain.task_set_catalogue import TaskSetCatalogue
from annotator.importers.record_fields import RecordFields

OWN = "own"
"""Task set of questions that belong to none that is known."""


def guess_task_set(names: Iterable[str], *, among: TaskSetCatalogue, usual: str = "") -> TaskSet | None:
    """Return the task set that contains most of the names, None if none contains any.

    Args:
        names: Names of tasks in a file.
        among: The available task sets.
        usual: Id of the preferred set if several contain equally many.
    """
    counted = Counter(name for name in names if name.strip())
    sets = [among.get(task_set) for task_set in among.ids]
    known = {each.id: sum(n for name, n in counted.items() if each.find(name)) for each in sets}
    # Of two that know as many the usual one: names such as counting are in several.
    best = max(sets, key=lambda each: (known[each.id], each.id == usual))
    return best if known[best.id] else None


class TaskNames:
    """Finds the tasks of one file's records by the names that it gives them."""

    def __init__(self, task_set: TaskSet | None) -> None:
        self.task_set = task_set
        self._found: dict[str, Task | None] = {}

    @property
    def task_set_id(self) -> str:
        """Id of the set, ``own`` where there is none."""
        return self.task_set.id if self.task_set else OWN

    def find(self, text: str, *, fields: RecordFields) -> Task | None:
        """Return the task of a name, with a note where the set calls it otherwise."""
        if text not in self._found:
            self._found[text] = self.task_set.find(text) if self.task_set else None
        task = self._found[text]
        if task is not None and text != task.title.en:
            fields.note("task", original=text, value=task.id, reason="another name of the task")
        return task
