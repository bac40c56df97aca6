"""The rate of drafting by rule: many items from copies of the demo city."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.commands.drafts import DraftItems
from annotator.domain.event import CREATED, Edit
from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.polyline import Polyline
from annotator.domain.record import Record
from annotator.domain.region import Region
from annotator.domain.scene import Scene
from annotator.domain.trajectory import Trajectory
from annotator.errors import EnvironmentFailure
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.session import Session
from tests.bench.blind import demo_project
from tests.bench.figure import Figure
from tests.bench.ground import Ground

TASK_SET, ITEMS, SEED = "spatialuav", 10_000, 7
KINDS: tuple[type[Record], ...] = (Medium, Scene, Region, Link, Polyline, Trajectory)


class CopyScenes(Command):
    """Enter scenes with all that belongs to them, several times, each time as a dataset of its own."""

    def __init__(self, records: list[Record], *, copies: int) -> None:
        self._records, self._copies = records, copies

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of_text(f"Copy the scenes {self._copies} times")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the records of each copy."""
        del reader
        progress.begin(self.summary, total=self._copies)
        for number in range(self._copies):
            for record in self._records:
                copied = _copy(record, number=number)
                yield Edit(entity=copied.table.entity, entity_id=copied.id, field=CREATED, value=copied)
            progress.step()


def _copy(record: Record, *, number: int) -> Record:
    """Return a record with ids of its own, which are those of the original with a number before."""

    def own(record_id: str) -> str:
        return f"{number:04x}{record_id[4:]}"

    changes: dict[str, object] = {"id": own(record.id)}
    if isinstance(record, Medium | Scene):
        changes["dataset"] = f"{record.dataset} {number}"
    if isinstance(record, Scene):
        changes["views"] = tuple(
            msgspec.structs.replace(view, medium=own(view.medium)) for view in record.views
        )
    if isinstance(record, Region | Polyline):
        changes["medium"] = own(record.medium)
    if isinstance(record, Link | Trajectory):
        changes["scene"] = own(record.scene)
    if isinstance(record, Link):
        changes["regions"] = tuple(own(region) for region in record.regions)
    return msgspec.structs.replace(record, **changes)


def measure_drafting(ground: Ground) -> Iterator[Figure]:
    """Draft items from copies of the demo's scenes, from the call to 'saved'.

    Raises:
        EnvironmentFailure: The demo gives no items.
    """
    project = ground.scratch / "drafting.vantage"
    copy_demo(demo_project(ground.folder / f"demo-{SEED}", seed=SEED), project)
    ground.begin("drafting by rule")
    with Session.open(project) as session:
        command = DraftItems(task_set=TASK_SET)
        began = time.perf_counter()
        session.execute(command).result()
        took_s = time.perf_counter() - began
    if not command.report.drafted:
        raise EnvironmentFailure("No items were drafted from the demo.")
    yield Figure(
        name="draft.rule_items_per_s",
        value=command.report.drafted / took_s,
        n=command.report.drafted,
        note=f"{command.report.scenes:,} scenes, {len(command.report.tasks)} tasks, {took_s:.1f} s",
    )


def copy_demo(demo: Path, project: Path, *, least: int = ITEMS) -> None:
    """Make a project with so many copies of the demo's scenes that at least so many items are drafted."""
    with Session.open(demo) as session:
        reader = session.reader
        records = [record for kind in KINDS for record in reader.records(kind)]
        trial = DraftItems(task_set=TASK_SET)
        list(trial.plan(reader, progress=Progress()))
    copies = -(-least // max(1, trial.report.drafted))
    with Session.create(project) as session:
        session.execute(CopyScenes(records, copies=copies)).result()
