"""The page of progress: items per task, scenes per dataset, with the filters' counts; the work of people."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec
from PySide6.QtCore import Signal

from annotator.domain.actor import Actor
from annotator.domain.changes import Changes
from annotator.domain.query import ItemQuery, SceneQuery, qualified_task
from annotator.domain.rows import DatasetProgress, TaskProgress
from annotator.quality.workload import Workload, measure_workloads
from annotator.queries.reader import Reader
from annotator.session import Session
from widgets import display_text
from widgets.bridge import Bridge
from widgets.labels import label
from widgets.library.library_page import LibraryPage
from widgets.library.stacked_bar_table import BarPart, BarRow, StackedBarTable
from widgets.report_dialog import ReportSection, ReportTable
from widgets.task import describe_duration
from widgets.translation import tr

STATE_TOKENS = {"refined": "accent", "accepted": "good", "flagged": "warn", "rejected": "text_dim"}
STAGE_TOKENS = {"labelling": "warn", "labelled": "accent", "in_work": "accent", "done": "good"}

Choose = Callable[[ItemQuery | SceneQuery], object]


@dataclass(frozen=True, kw_only=True)
class ProjectProgress:
    """Data of the page, read from one snapshot of the project."""

    tasks: list[TaskProgress]
    datasets: list[DatasetProgress]
    people: list[tuple[str, Workload]]
    """Name and work of each person in each role, by name."""


class ProgressPage(LibraryPage):
    """Shows the progress of the project.

    Signals:
        query_chosen: Emitted when the user opens a list; carries the ``ItemQuery`` or ``SceneQuery``.
    """

    query_chosen = Signal(object)

    def __init__(self, *, session: Session, bridge: Bridge) -> None:
        super().__init__(title=tr("Progress"), session=session, bridge=bridge)
        self.progress: ProjectProgress | None = None
        self.tables: list[StackedBarTable] = []
        self.people: ReportTable | None = None
        bridge.changed.connect(self._on_bridge_changed)

    def refresh(self) -> None:
        """Request the progress of the project."""
        self._bridge.query(
            self._session, read_progress, done=self._on_progress, channel=(id(self), "progress")
        )

    def _on_progress(self, progress: ProjectProgress) -> None:
        # Unchanged figures keep the tables, and with them the keyboard focus.
        if progress == self.progress:
            return
        self.progress = progress
        self.clear()
        hint = tr("Press Enter or double-click a number to list the counted records.")
        self.column.addWidget(label(hint, role="dim"))
        self.add_heading(tr("Items by task"))
        self.tables = []
        self._add(_task_shares(progress.tasks, self.query_chosen.emit), _state_parts(), whole=tr("Items"))
        self.add_heading(tr("Scenes by dataset"))
        self._add(
            _dataset_shares(progress.datasets, self.query_chosen.emit), _stage_parts(), whole=tr("Scenes")
        )
        self._add_people(progress.people)
        self.column.addStretch(1)
        # The first table takes the focus that the empty page had until now.
        if self.hasFocus() and self.tables:
            self.tables[0].setFocus()

    def _add(self, shares: list[BarRow], parts: list[BarPart], *, whole: str) -> None:
        if not shares:
            self.column.addWidget(label(tr("Nothing yet"), role="dim"))
            return
        head = tr("Task") if not self.tables else tr("Dataset")
        table = StackedBarTable(shares, parts=parts, head=head, whole=whole)
        self.tables.append(table)
        self.column.addWidget(table)

    def _add_people(self, people: list[tuple[str, Workload]]) -> None:
        self.people = None
        if people:
            self.add_heading(tr("People"))
            self.people = ReportTable(_people_section(people))
            self.column.addWidget(self.people)
            hint = tr("Active time is without idle time; what is left is estimated, with a 95 % interval.")
            self.column.addWidget(label(hint, role="dim", wrap=True))

    def _on_bridge_changed(self, _changes: Changes) -> None:
        # A hidden page is not updated: it reads the data when it is shown.
        if self.isVisible():
            self.refresh()


def read_progress(reader: Reader) -> ProjectProgress:
    """Read the progress of a project; called on the reading thread."""
    with reader.snapshot():
        tasks = reader.progress.tasks()
        display_text.load_task_set_titles((task.task_set for task in tasks), project=reader.path)
        return ProjectProgress(tasks=tasks, datasets=reader.progress.datasets(), people=_read_people(reader))


def _read_people(reader: Reader) -> list[tuple[str, Workload]]:
    names = {actor.id: actor.name for actor in reader.records(Actor)}
    workloads = measure_workloads(reader.workload.assigned_rows(), reader.workload.time_rows())
    named = [(names.get(one.person, one.person), one) for one in workloads]
    # By name: figures of people are for planning, and no ranking.
    return sorted(named, key=lambda row: (row[0].casefold(), row[1].role))


def _people_section(people: list[tuple[str, Workload]]) -> ReportSection:
    columns = (
        tr("Person"),
        tr("Role"),
        tr("Assigned"),
        tr("Done"),
        tr("Left"),
        tr("Active time"),
        tr("Median of a record"),
        tr("Time left"),
    )
    rows = tuple((name, *_person_cells(one)) for name, one in people)
    return ReportSection(title=tr("People"), columns=columns, rows=rows)


def _person_cells(one: Workload) -> tuple[str, ...]:
    return (
        display_text.role_title(one.role),
        f"{one.assigned:,}",
        f"{one.done:,}",
        f"{one.left:,}",
        describe_duration(one.active_s) if one.active_s else "",
        describe_duration(one.median_s) if one.median_s else "",
        _left_text(one),
    )


def _left_text(one: Workload) -> str:
    if not one.left:
        return ""
    if one.estimate is None:
        return tr("unknown")
    low, high = describe_duration(one.estimate.low), describe_duration(one.estimate.high)
    return tr("{n} ({low} to {high})", n=describe_duration(one.estimate.seconds), low=low, high=high)


def _state_parts() -> list[BarPart]:
    return [
        BarPart(title=display_text.item_state_title(state), token=STATE_TOKENS.get(state, ""))
        for state in display_text.STATES
    ]


def _stage_parts() -> list[BarPart]:
    parts = [
        BarPart(title=display_text.stage_title(stage), token=STAGE_TOKENS.get(stage, ""))
        for stage in display_text.STAGES
    ]
    titles = (tr("Annotation finished"), tr("Views labelled"), tr("Views"))
    return [*parts, *(BarPart(title=title) for title in titles)]


def _task_shares(tasks: list[TaskProgress], choose: Choose) -> list[BarRow]:
    shares = []
    names = {qualified_task(task.task_set, task.task): task for task in tasks}
    shared = display_text.tasks_of_same_title(names)
    for name, task in names.items():
        title = display_text.task_label(name, shared=shared)
        shares.append(_task_share(title, task.states, ItemQuery(tasks=(name,)), choose))
    if len(tasks) > 1:
        total = {state: sum(task.states.get(state, 0) for task in tasks) for state in display_text.STATES}
        shares.append(_task_share(tr("All tasks"), total, ItemQuery(), choose, is_sum=True))
    return shares


def _task_share(
    name: str, states: dict[str, int], query: ItemQuery, choose: Choose, *, is_sum: bool = False
) -> BarRow:
    def open_row(part: int) -> None:
        chosen = (list(display_text.STATES)[part],) if part >= 0 else ()
        choose(msgspec.structs.replace(query, states=chosen))

    return BarRow(
        name=name,
        total=sum(states.values()),
        parts=tuple(states.get(state, 0) for state in display_text.STATES),
        open_row=open_row,
        is_sum=is_sum,
    )


def _dataset_shares(datasets: list[DatasetProgress], choose: Choose) -> list[BarRow]:
    return [_dataset_share(dataset, choose) for dataset in datasets]


def _dataset_share(dataset: DatasetProgress, choose: Choose) -> BarRow:
    def open_row(part: int) -> None:
        stages = (list(display_text.STAGES)[part],) if 0 <= part < len(display_text.STAGES) else ()
        annotations = ("finished",) if part == len(display_text.STAGES) else ()
        choose(SceneQuery(datasets=(dataset.dataset,), stages=stages, annotations=annotations))

    return BarRow(
        name=dataset.dataset or display_text.no_dataset(),
        total=sum(dataset.stages.values()),
        parts=(
            *(dataset.stages.get(stage, 0) for stage in display_text.STAGES),
            dataset.annotations.get("finished", 0),
            dataset.labelled,
            dataset.views,
        ),
        open_row=open_row,
    )
