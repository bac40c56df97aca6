"""Figures of the renderer: an image full of regions, as a release or a model gets it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from annotator.media.image_decoder import decode_image
from annotator.media.render import render
from tests.bench.canvas import LARGE_PX, write_picture
from tests.bench.clock import median
from tests.bench.figure import Figure
from tests.bench.ground import Ground
from tests.bench.probes.canvas import scene_of

ROUNDS, REGIONS = 5, 20_000


def measure_rendering(ground: Ground) -> Iterator[Figure]:
    """Draw 20,000 regions, polygons and points among them, into a large image."""
    file: Path = write_picture(ground.scratch / "large.jpg", size_px=LARGE_PX)
    picture, marks = decode_image(file), scene_of(file, kind="mixed", size_px=LARGE_PX, count=REGIONS).marks
    times, work = [], []
    ground.begin("rendering", rounds=ROUNDS)
    for _ in range(ROUNDS):
        began, worked = time.perf_counter(), time.thread_time()
        render(picture, marks=marks, rendering="annotated")
        times.append(time.perf_counter() - began)
        work.append(time.thread_time() - worked)
        ground.progress.step()
    yield Figure(
        name="render.annotated_s", value=median(times), n=ROUNDS, note=f"CPU time {median(work):.2f} s"
    )
