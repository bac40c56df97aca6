"""Figures of one box drawn in a scene of very many regions: the command, and the refresh of the window."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.commands.regions import AddRegion
from annotator.domain.event import CREATED, Edit
from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.domain.region import Box, Region
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.session import Session
from tests.bench.canvas import LARGE_PX, make_pictures, probe, where
from tests.bench.clock import median, p95
from tests.bench.figure import Figure
from tests.bench.ground import Ground
from tests.bench.screen import OFFSCREEN, screen

REGIONS = 100_000
SIDES_PX = (12, 90)
COMMANDS, WARM_UP = 40, 5
SEED = 20_261_123
_PROBE = ("-m", "tests.bench.probes.editing")


@dataclass(frozen=True, kw_only=True)
class FillPicture(Command):
    """Mark boxes all over a picture.

    Attributes:
        medium: The picture.
        count: Number of boxes.
    """

    medium: Medium
    count: int

    @property
    def summary(self) -> CommandSummary:
        """What it does, for the undo menu."""
        return CommandSummary.of_text(f"Add {self.count} regions")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the regions."""
        progress.begin(self.summary, total=self.count)
        rng = random.Random(SEED)
        for number in range(self.count):
            box = some_box(rng, size_px=(self.medium.width_px, self.medium.height_px))
            region = Region(id=new_id(), medium=self.medium.id, number=number, box=box, category="car")
            yield Edit(entity="region", entity_id=region.id, field=CREATED, value=region)
            progress.step()


def some_box(rng: random.Random, *, size_px: tuple[int, int]) -> Box:
    """Return a small box somewhere in a picture."""
    wide, high = (min(rng.randint(*SIDES_PX), side - 1) for side in size_px)
    x, y = float(rng.randrange(size_px[0] - wide)), float(rng.randrange(size_px[1] - high))
    return Box(x1=x, y1=y, x2=x + wide, y2=y + high)


def measure_editing(ground: Ground) -> Iterator[Figure]:
    """Add boxes to a scene of 100,000 regions: without a window, and in Annotate."""
    project = make_scene(ground.scratch / "regions", progress=ground.progress)
    ground.begin("a box in a scene of many regions", rounds=2)
    commands = command_times_ms(project)
    note = f"p95 {p95(commands):.1f} ms"
    yield Figure(name="edit.region_ms", value=median(commands), n=len(commands), note=note)
    ground.progress.step()
    with screen(ground.scratch) as environment:
        found = probe((*_PROBE, str(project)), environment=environment or OFFSCREEN)
        location = where(environment)
    ground.progress.step()
    refreshes = found["refresh_ms"]
    work = f"CPU of the GUI thread {median(found['work_ms']):.1f} ms"
    note = f"p95 {p95(refreshes):.1f} ms, {work}, {location}"
    yield Figure(name="edit.refresh_ms", value=median(refreshes), n=len(refreshes), note=note)


def make_scene(folder: Path, *, progress: Progress) -> Path:
    """Make a project of one scene, its picture full of regions, and return its path."""
    project = make_pictures(folder, size_px=LARGE_PX, progress=progress, count=1)
    with Session.open(project) as session:
        medium = next(session.reader.records(Medium))
        session.execute(FillPicture(medium=medium, count=REGIONS), progress=progress).result()
    return project


def command_times_ms(project: Path) -> list[float]:
    """Return how long boxes take to be saved, each from the call to the commit."""
    times, rng = [], random.Random(SEED)
    with Session.open(project) as session:
        medium = next(session.reader.records(Medium))
        for _ in range(WARM_UP + COMMANDS):
            command = AddRegion(medium=medium.id, box=some_box(rng, size_px=LARGE_PX))
            began = time.perf_counter()
            session.execute(command).result()
            times.append((time.perf_counter() - began) * 1000)
    return times[WARM_UP:]
