"""The page of progress: items by state per task, scenes by stage per dataset; the numbers of the filters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec
from PySide6.QtCore import Signal

from annotator.domain.changes import Changes
from annotator.domain.query import ItemQuery, SceneQuery
from annotator.domain.rows import DatasetProgress, TaskProgress
from annotator.session import Reader, Session
from widgets import words
from widgets.bridge import Bridge
from widgets.labels import label
from widgets.library.page import LibraryPage
from widgets.library.share_table import Part, Share, ShareTable
from widgets.translation import tr

STATE_TOKENS = {"refined": "accent", "accepted": "good", "flagged": "warn", "rejected": "text_dim"}
STAGE_TOKENS = {"labelling": "warn", "labelled": "accent", "in_work": "accent", "done": "good"}

Choose = Callable[[ItemQuery | SceneQuery], object]


@dataclass(frozen=True, kw_only=True)
class Progress:
    """What the page shows, from one state of the project."""

    tasks: list[TaskProgress]
    datasets: list[DatasetProgress]


class ProgressPage(LibraryPage):
    """Shows how far the project is.

    Signals:
        query_chosen: A list is wanted; carries the ``ItemQuery`` or ``SceneQuery``.
    """

    query_chosen = Signal(object)

    def __init__(self, *, session: Session, bridge: Bridge) -> None:
        super().__init__(title=tr("Progress"), session=session, bridge=bridge)
        self.progress: Progress | None = None
        self.tables: list[ShareTable] = []
        bridge.changed.connect(self._on_bridge_changed)

    def refresh(self) -> None:
        """Ask how far the project is."""
        self._bridge.ask(self._session, read_progress, done=self._on_progress, channel=(id(self), "progress"))

    def _on_progress(self, progress: Progress) -> None:
        # A change that moves no number leaves the tables, and the keyboard in them, as they are.
        if progress == self.progress:
            return
        self.progress = progress
        self.clear()
        hint = tr("Enter or a double click on a number opens the list of what it counts.")
        self.column.addWidget(label(hint, role="dim"))
        self.add_heading(tr("Items by task"))
        self.tables = []
        self._add(_task_shares(progress.tasks, self.query_chosen.emit), _state_parts(), whole=tr("Items"))
        self.add_heading(tr("Scenes by dataset"))
        self._add(
            _dataset_shares(progress.datasets, self.query_chosen.emit), _stage_parts(), whole=tr("Scenes")
        )
        self.column.addStretch(1)
        # What is shown for the first time takes the keyboard where the page itself has it.
        if self.hasFocus() and self.tables:
            self.tables[0].setFocus()

    def _add(self, shares: list[Share], parts: list[Part], *, whole: str) -> None:
        if not shares:
            self.column.addWidget(label(tr("Nothing yet"), role="dim"))
            return
        head = tr("Task") if not self.tables else tr("Dataset")
        table = ShareTable(shares, parts=parts, head=head, whole=whole)
        self.tables.append(table)
        self.column.addWidget(table)

    def _on_bridge_changed(self, _changes: Changes) -> None:
        # Out of sight it costs nothing; opening it asks anew.
        if self.isVisible():
            self.refresh()


def read_progress(reader: Reader) -> Progress:
    """Read how far a project is; on the reading thread."""
    with reader.snapshot():
        tasks = reader.task_progress()
        words.learn_sets((task.task_set for task in tasks), project=reader.path)
        return Progress(tasks=tasks, datasets=reader.dataset_progress())


def _state_parts() -> list[Part]:
    return [Part(title=words.state_word(state), token=STATE_TOKENS.get(state, "")) for state in words.STATES]


def _stage_parts() -> list[Part]:
    parts = [Part(title=words.stage_word(stage), token=STAGE_TOKENS.get(stage, "")) for stage in words.STAGES]
    return [*parts, Part(title=tr("Views labelled")), Part(title=tr("Views"))]


def _task_shares(tasks: list[TaskProgress], choose: Choose) -> list[Share]:
    shares = []
    for task in tasks:
        query = ItemQuery(task_sets=(task.task_set,), tasks=(task.task,))
        name = words.task_word(task.task, task.task_set)
        shares.append(_task_share(name, task.states, query, choose))
    if len(tasks) > 1:
        total = {state: sum(task.states.get(state, 0) for task in tasks) for state in words.STATES}
        shares.append(_task_share(tr("All tasks"), total, ItemQuery(), choose, is_sum=True))
    return shares


def _task_share(
    name: str, states: dict[str, int], query: ItemQuery, choose: Choose, *, is_sum: bool = False
) -> Share:
    def open_row(part: int) -> None:
        chosen = (list(words.STATES)[part],) if part >= 0 else ()
        choose(msgspec.structs.replace(query, states=chosen))

    return Share(
        name=name,
        total=sum(states.values()),
        parts=tuple(states.get(state, 0) for state in words.STATES),
        open_row=open_row,
        is_sum=is_sum,
    )


def _dataset_shares(datasets: list[DatasetProgress], choose: Choose) -> list[Share]:
    return [_dataset_share(dataset, choose) for dataset in datasets]


def _dataset_share(dataset: DatasetProgress, choose: Choose) -> Share:
    def open_row(part: int) -> None:
        stages = (list(words.STAGES)[part],) if 0 <= part < len(words.STAGES) else ()
        choose(SceneQuery(datasets=(dataset.dataset,), stages=stages))

    return Share(
        name=dataset.dataset or words.no_dataset(),
        total=sum(dataset.stages.values()),
        parts=(
            *(dataset.stages.get(stage, 0) for stage in words.STAGES),
            dataset.labelled,
            dataset.views,
        ),
        open_row=open_row,
    )
