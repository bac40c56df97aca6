"""Figures of the stage with pictures: thousands of regions, and the way to the next picture.

Programs of ``tests.bench.probes`` do the work in windows of their own, and print what they saw.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.event import CREATED, Edit
from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.domain.scene import Scene, SceneView
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.session import Session
from tests.bench.clock import median, p95
from tests.bench.figure import Figure
from tests.bench.ground import Ground
from tests.bench.process import run_python
from tests.bench.screen import OFFSCREEN, screen

ROUNDS = 5
LARGE_PX, USUAL_PX = (4000, 2250), (1280, 720)
SCENES = 12
"""A step more than is measured, and the one that the window opens at."""
KINDS = {"boxes": "canvas.worst_ms", "mixed": "canvas.mixed_worst_ms"}
GESTURES = ("zoom", "pan", "hover", "select")
SEED = 20_260_503
_CANVAS = ("-m", "tests.bench.probes.canvas")
_NEXT = ("-m", "tests.bench.probes.next_picture")


@dataclass(frozen=True, kw_only=True)
class AddPictures(Command):
    """Enter pictures, each as a scene of its own.

    Attributes:
        files: Names of the files in the media folder.
        size_px: Width and height of each.
    """

    files: tuple[str, ...]
    size_px: tuple[int, int]

    @property
    def summary(self) -> CommandSummary:
        """Words for the undo menu."""
        return CommandSummary.of_text(f"Add {len(self.files)} pictures")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the media and their scenes."""
        progress.begin(self.summary, total=len(self.files))
        for number, file in enumerate(self.files):
            medium = Medium(
                id=new_id(), name=file, path=file, width_px=self.size_px[0], height_px=self.size_px[1]
            )
            yield Edit(entity="medium", entity_id=medium.id, field=CREATED, value=medium)
            scene = Scene(id=new_id(), name=f"{number:04}", views=(SceneView(name="UAV1", medium=medium.id),))
            yield Edit(entity="scene", entity_id=scene.id, field=CREATED, value=scene)
            progress.step()


def measure_canvas(ground: Ground) -> Iterator[Figure]:
    """Zoom, pan, hover and select over 5,000 regions, boxes alone and mixed with polygons and points."""
    picture = write_picture(ground.scratch / "large.jpg", size_px=LARGE_PX)
    frames: dict[str, list[list[float]]] = {kind: [] for kind in KINDS}
    gestures: dict[str, list[float]] = {gesture: [] for gesture in GESTURES}
    work: dict[str, list[float]] = {gesture: [] for gesture in GESTURES}
    hits: list[float] = []
    with screen(ground.scratch) as environment:
        ground.begin("regions on a large picture", rounds=ROUNDS)
        for _ in range(ROUNDS):
            for kind, rounds in frames.items():
                found = probe((*_CANVAS, str(picture), kind), environment=environment or OFFSCREEN)
                rounds.append([time for times in found["frames_ms"].values() for time in times])
                for gesture in GESTURES:
                    gestures[gesture] += found["frames_ms"][gesture]
                    work[gesture] += found["work_ms"][gesture]
                hits.append(median(found["hits_us"]))
            ground.progress.step()
    for kind, name in KINDS.items():
        yield _worst(name, frames[kind], where=where(environment))
    every = [one for rounds in frames["boxes"] for one in rounds]
    yield Figure(name="canvas.p50_ms", value=median(every), n=len(every), note=f"p95 {p95(every):.1f} ms")
    for gesture in GESTURES:
        yield _gesture(gesture, gestures[gesture], work[gesture])
    yield Figure(name="canvas.hit_us", value=median(hits), n=len(hits))


def measure_next_picture(ground: Ground) -> Iterator[Figure]:
    """Go from scene to scene, with large and with usual pictures in turn."""
    sizes = {"canvas.next_large_ms": LARGE_PX, "canvas.next_ms": USUAL_PX}
    projects = {
        name: make_pictures(ground.scratch / name, size_px=size_px, progress=ground.progress)
        for name, size_px in sizes.items()
    }
    times: dict[str, list[float]] = {name: [] for name in sizes}
    with screen(ground.scratch) as environment:
        ground.begin("the next picture", rounds=ROUNDS)
        for _ in range(ROUNDS):
            for name, project in projects.items():
                found = probe((*_NEXT, str(project)), environment=environment or OFFSCREEN)
                times[name] += found["steps_ms"]
            ground.progress.step()
    for name, values in times.items():
        note = f"p95 {p95(values):.1f} ms, {where(environment)}"
        yield Figure(name=name, value=median(values), n=len(values), note=note)


def _gesture(gesture: str, times: list[float], work: list[float]) -> Figure:
    p99, work_p99 = (float(np.quantile(one, 0.99)) for one in (times, work))
    note = f"p99 {p99:.1f} ms; CPU time of the GUI thread: p99 {work_p99:.1f} ms, worst {max(work):.1f} ms"
    return Figure(name=f"canvas.{gesture}_worst_ms", value=max(times), n=len(times), note=note)


def _worst(name: str, rounds: list[list[float]], *, where: str) -> Figure:
    count = sum(len(one) for one in rounds)
    usual = median([max(one) for one in rounds])
    note = f"the worst of {count} frames, of a round {usual:.1f} ms (median), {where}"
    return Figure(name=name, value=max(max(one) for one in rounds), n=count, note=note)


def probe(arguments: tuple[str, ...], *, environment: Mapping[str, str]) -> dict[str, Any]:
    """Run a program that measures, and return what it tells."""
    found: dict[str, Any] = json.loads(run_python(arguments, environment=environment).lines[-1])
    return found


def where(environment: Mapping[str, str]) -> str:
    """Say on what a window was shown."""
    return "a real window on X11" if environment else "offscreen, there is no Xvfb"


def make_pictures(folder: Path, *, size_px: tuple[int, int], progress: Progress, count: int = SCENES) -> Path:
    """Make a project of scenes with a picture each, and return its path.

    Args:
        folder: Where to; what is in its way is taken away.
        size_px: Width and height of the pictures.
        progress: Told of each.
        count: Number of scenes.
    """
    shutil.rmtree(folder, ignore_errors=True)
    media = folder / "pictures.media"
    media.mkdir(parents=True)
    files = tuple(f"{number:04}-UAV1.jpg" for number in range(count))
    for number, file in enumerate(files):
        write_picture(media / file, size_px=size_px, seed=SEED + number)
    project = folder / "pictures.vantage"
    with Session.create(project) as session:
        session.execute(AddPictures(files=files, size_px=size_px), progress=progress).result()
    return project


def write_picture(path: Path, *, size_px: tuple[int, int], seed: int = SEED) -> Path:
    """Write a picture of coarse noise, enlarged: as hard to decode as a photograph."""
    import cv2

    width, height = size_px
    rng = np.random.default_rng(seed)
    coarse = rng.integers(0, 255, (height // 8, width // 8, 3), dtype=np.uint8)
    cv2.imwrite(str(path), cv2.resize(coarse, size_px, interpolation=cv2.INTER_CUBIC))
    return path
