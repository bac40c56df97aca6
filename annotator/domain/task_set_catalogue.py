"""The task sets that a project can use: those of the product, and those beside its file."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path

from annotator.domain import task_set_files
from annotator.domain.own_files import OwnFault, read_once, read_own
from annotator.domain.task_set import TaskSet
from annotator.errors import UserError

ENDING = ".tasksets"
USUAL_FORM = "aircop"
"""Task set whose form is shown in a project whose own set has none."""


class TaskSetCatalogue:
    """Task sets by id.

    Attributes:
        own: Those beside the project.
        faults: Files beside the project that cannot be used.
    """

    def __init__(self, own: Iterable[TaskSet] = (), *, faults: tuple[OwnFault, ...] = ()) -> None:
        self.own = {task_set.id: task_set for task_set in own}
        self.faults = faults

    @classmethod
    def of(cls, project: Path) -> TaskSetCatalogue:
        """Return the task sets of a project file."""
        found, faults = read_own(project, ending=ENDING, read=_read)
        return cls(found.values(), faults=faults)

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of all task sets, sorted."""
        return tuple(sorted({*task_set_files.builtin_ids(), *self.own}))

    def find(self, task_set: str) -> TaskSet | None:
        """Return a task set, None where there is none of that id."""
        if task_set in self.own:
            return self.own[task_set]
        return task_set_files.builtin(task_set) if task_set in task_set_files.builtin_ids() else None

    def form_set(self, task_set: str) -> TaskSet:
        """Return the task set whose event-level form a project uses: its own, or AirCopBench's."""
        found = self.find(task_set)
        return found if found is not None and found.form_fields else task_set_files.builtin(USUAL_FORM)

    def get(self, task_set: str) -> TaskSet:
        """Return a task set.

        Raises:
            UserError: There is none of that id; the hint names those that come near.
        """
        found = self.find(task_set)
        fault = next((fault for fault in self.faults if Path(fault.file).stem == task_set), None)
        if found is None and fault is not None:
            raise UserError(f"The task set {task_set!r} cannot be used: {fault.message}")
        if found is None:
            near = difflib.get_close_matches(task_set.casefold(), self.ids, cutoff=0.5) or self.ids
            raise UserError(f"Unknown task set {task_set!r}.", hint=f"Available: {', '.join(near)}.")
        return found


def _require_own(path: Path) -> TaskSet:
    task_set = task_set_files.load(path)
    if task_set.id != path.stem:
        raise UserError(f"{path.name}, field id: {task_set.id!r} differs from the file name.")
    if task_set.id in task_set_files.builtin_ids():
        raise UserError(f"{path.name}, field id: {task_set.id!r} is the id of a built-in task set.")
    return task_set


_read = read_once(_require_own)
