"""Figures of a large import: how long edits wait beside it, its memory, and how much of the disk it takes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.commands.imports import ImportFiles
from annotator.commands.item_edits import SetQuestion
from annotator.domain.event import CREATED, Edit
from annotator.domain.item import Item
from annotator.domain.record import new_id
from annotator.errors import EnvironmentFailure
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.session import Session
from tests.bench.clock import p95
from tests.bench.figure import Figure
from tests.bench.ground import Ground
from tests.bench.process import run_python
from tests.bench.samples import coco

BESIDE = 100_000
"""Records of the import that edits are made beside."""
LARGE_MB = 200
RECORDS_PER_MB = 1_700
"""Of the made-up file, whose annotations have polygons of 12 to 48 corners."""
PAUSE_S = 0.02
IMPORT_PROGRAM = ("-m", "tests.bench.probes.large_import")
EDIT_PROGRAM = ("-m", "tests.bench.probes.edits")
TIMEOUT_S = 1800


@dataclass(frozen=True)
class _MakeItems(Command):
    items: tuple[Item, ...]

    @property
    def summary(self) -> CommandSummary:
        return CommandSummary.of_text("Make items")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        for item in self.items:
            yield Edit(entity="item", entity_id=item.id, field=CREATED, value=item)


def measure_import_load(ground: Ground) -> Iterator[Figure]:
    """Import 100,000 records while a window and a second process edit, then a file of 200 MB alone."""
    ground.begin("edits beside an import", rounds=1)
    own, other = _edits_beside(ground.scratch)
    ground.progress.step()
    worst = max(*own, *other)
    yield Figure(
        name="import.edit_wait_ms", value=max(p95(own), p95(other)) * 1000, n=len(own) + len(other),
        note=f"p95 of the slower of window ({len(own)}) and second process ({len(other)}); "
        f"the longest {worst * 1000:.0f} ms",
    )  # fmt: skip
    yield from _large(ground)


def _large(ground: Ground) -> Iterator[Figure]:
    ground.begin("a large import", rounds=1)
    source, project = ground.scratch / "large.json", ground.scratch / "large.vantage"
    coco.write(source, records=LARGE_MB * RECORDS_PER_MB, seed=5)
    size = source.stat().st_size
    ran = run_python([*IMPORT_PROGRAM, str(source), str(project)], timeout_s=TIMEOUT_S)
    ground.progress.step()
    note = f"COCO, {size / 1e6:,.0f} MB, {LARGE_MB * RECORDS_PER_MB:,} annotations, {ran.lines[-1]} s"
    yield Figure(name="import.peak_mb", value=ran.peak_mb or None, n=1, note=note)
    yield Figure(
        name="import.project_ratio", value=project.stat().st_size / size, n=1, baseline="bytes of the file",
        baseline_value=float(size), note=note,
    )  # fmt: skip
    source.unlink()
    project.unlink()


def _edits_beside(folder: Path) -> tuple[list[float], list[float]]:
    """Return the seconds that edits took beside an import, in this process and in another."""
    source, project = folder / "beside.json", folder / "beside.vantage"
    coco.write(source, records=BESIDE, seed=3)
    ready, done = folder / "beside.ready", folder / "beside.done"
    with Session.create(project) as session:
        first, second = (Item(id=new_id(), name=name, task_set="aircop") for name in ("window", "other"))
        session.execute(_MakeItems((first, second))).result()
        other: list[str] = []
        arguments = [*EDIT_PROGRAM, str(project), second.id, str(ready), str(done)]
        editor = threading.Thread(
            target=lambda: other.extend(run_python(arguments, timeout_s=TIMEOUT_S).lines), daemon=True
        )
        editor.start()
        # On a busy machine a small import would be over before the other process has begun.
        while editor.is_alive() and not ready.exists():
            time.sleep(PAUSE_S)
        future = session.execute(ImportFiles(paths=(source,)))
        own = timed_edits(session, first.id, is_over=future.done)
        done.touch()
        future.result()
        editor.join(TIMEOUT_S)
    if not other:
        raise EnvironmentFailure("The second process edited nothing.")
    return own, [float(line) for line in other]


def timed_edits(session: Session, item: str, *, is_over: Callable[[], bool]) -> list[float]:
    """Edit an item until something is over, and return the seconds from each call to 'saved'."""
    times: list[float] = []
    while not is_over():
        command = SetQuestion(item=item, text=f"{session.actor.name} {len(times)}?")
        began = time.perf_counter()
        session.execute(command).result()
        times.append(time.perf_counter() - began)
        time.sleep(PAUSE_S)
    return times
