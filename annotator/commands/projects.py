"""Commands on the project's own record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.event import Edit
from annotator.progress import Progress
from annotator.store.reader import Reader


@dataclass(frozen=True, kw_only=True)
class ChooseTaskSet(Command):
    """Choose the task set of a project.

    Attributes:
        task_set: Id of a task set.
    """

    task_set: str

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("choose_task_set", name=self.task_set)

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the edit, or nothing if the task set is already chosen."""
        progress.begin(self.summary, total=1)
        project = reader.project
        if project.task_set != self.task_set:
            yield Edit(entity="project", entity_id=project.id, field="task_set", value=self.task_set)
