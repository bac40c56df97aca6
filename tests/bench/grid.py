"""Figures of the grid of thumbnails: the worst frame while 100,000 of them are scrolled through.

The bench starts a process of its own that opens the Library's grid on a project of 100,000 media, each with a
picture file, turns the wheel and drags the scroll bar, and prints how long each frame took: from the change
of the scroll bar to the end of the painting and of what other threads handed over meanwhile. Thumbnails are
made in the pauses, as for people.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.event import CREATED, Edit
from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.session import Session
from tests.bench.clock import median
from tests.bench.figure import Figure
from tests.bench.ground import Ground
from tests.bench.process import run_python
from tests.bench.screen import OFFSCREEN

MEDIA = 100_000
PICTURES = 200
"""Files behind the media: as many as two screens show, so that hardly a thumbnail is shown twice."""
PICTURE_PX = (1280, 720)
ROUNDS = 5
SEED = 20_260_502
_SCROLLING = ("-m", "tests.bench.probes.grid")


@dataclass(frozen=True, kw_only=True)
class GenerateMedia(Command):
    """Fill a project with media whose pictures are there.

    Attributes:
        count: Number of media.
        pictures: Number of files behind them.
    """

    count: int
    pictures: int = PICTURES

    @property
    def summary(self) -> CommandSummary:
        """Words for the undo menu."""
        return CommandSummary.of_text(f"Generate {self.count:,} media")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the media."""
        progress.begin(self.summary, total=self.count)
        for number in range(self.count):
            digest = hashlib.sha256(f"{number}".encode()).hexdigest()
            medium = Medium(
                id=new_id(),
                name=f"flight_{number // 1000:03}/frame_{number % 1000:06}.jpg",
                dataset=f"flight_{number // 10_000:02}",
                path=f"{number % self.pictures:03}.jpg",
                sha256=digest,
                size_bytes=200_000,
                width_px=PICTURE_PX[0],
                height_px=PICTURE_PX[1],
            )
            yield Edit(entity="medium", entity_id=medium.id, field=CREATED, value=medium)
            progress.step()


def measure_grid(ground: Ground) -> Iterator[Figure]:
    """Scroll through a grid of 100,000 media, several times, and give the worst and the usual frame."""
    project = make_grid_project(ground.scratch, progress=ground.progress)
    ground.begin("grid", rounds=ROUNDS)
    worst, usual, frames = [], [], 0
    for _ in range(ROUNDS):
        ran = run_python((*_SCROLLING, str(project)), environment=OFFSCREEN)
        times_ms = sorted(float(line) for line in ran.lines)
        worst.append(times_ms[-1])
        usual.append(median(times_ms))
        frames = len(times_ms)
        ground.progress.step()
    note = f"{frames} frames a round, {MEDIA:,} media"
    yield Figure(name="library.grid_worst_ms", value=median(worst), n=ROUNDS, note=note)
    yield Figure(name="library.grid_p50_ms", value=median(usual), n=ROUNDS, note=note)


def make_grid_project(
    folder: Path, *, progress: Progress, count: int = MEDIA, pictures: int = PICTURES
) -> Path:
    """Make the project that is scrolled through and its pictures, and return its path.

    Args:
        folder: Where to; what is in its way is taken away.
        progress: Told of each medium.
        count: Number of media.
        pictures: Number of files behind them.
    """
    path = folder / "grid"
    shutil.rmtree(path, ignore_errors=True)
    write_pictures(path / "grid.media", count=pictures)
    project = path / "grid.vantage"
    with Session.create(project) as session:
        session.execute(GenerateMedia(count=count, pictures=pictures), progress=progress).result()
    return project


def write_pictures(folder: Path, *, count: int, size_px: tuple[int, int] = PICTURE_PX) -> list[Path]:
    """Write pictures as JPEG files, the same ones each time, and return their paths.

    Args:
        folder: Where to; made where it is not there.
        count: Number of files.
        size_px: Width and height.
    """
    import cv2

    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / f"{number:03}.jpg" for number in range(count)]
    rng = np.random.default_rng(SEED)
    for file in files:
        # Coarse noise, enlarged: as hard to decode as a photograph of that size.
        coarse = rng.integers(0, 255, (size_px[1] // 8, size_px[0] // 8, 3), dtype=np.uint8)
        picture = cv2.resize(coarse, size_px, interpolation=cv2.INTER_CUBIC)
        cv2.imwrite(str(file), picture)
    return files
