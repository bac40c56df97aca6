"""Figure of a folder of media: from its path to scenes and views, without a file being opened."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from annotator.errors import EnvironmentFailure
from annotator.media.grouping import group
from annotator.media.listing import list_media
from annotator.media.naming_presets import recognise
from annotator.progress import Progress
from tests.bench.clock import interleaved, median
from tests.bench.figure import Figure
from tests.bench.ground import ROUNDS, Ground

IMAGES, VIEWS = 10_000, 2
# The smallest file that is a JPEG by its first bytes: nothing here may look further.
_CONTENT = b"\xff\xd8\xff\xd9"


def measure_grouping(ground: Ground) -> Iterator[Figure]:
    """List, recognise and group 10,000 images in folders of drones and flights."""
    folder = ground.scratch / "images"
    _write(folder)
    ground.begin("grouping", rounds=ROUNDS)
    works = {"ours": lambda: _group(folder), "bare": lambda: _walk(folder)}
    times = interleaved(works, rounds=ROUNDS, progress=ground.progress)
    value, bare = median(times["ours"]), median(times["bare"])
    yield Figure(
        name="media.group_s",
        value=value,
        n=ROUNDS,
        baseline="os.walk of the same folder, seconds",
        baseline_value=bare,
        ratio=value / bare,
        note=f"{IMAGES / value:,.0f} images/s",
    )


def _write(folder: Path) -> None:
    for view in range(1, VIEWS + 1):
        for flight in range(10):
            path = folder / f"UAV{view}" / f"flight_{flight}"
            path.mkdir(parents=True)
            for number in range(IMAGES // VIEWS // 10):
                (path / f"{flight:02d}-{number:08d}-UAV{view}.jpg").write_bytes(_CONTENT)


def _group(folder: Path) -> None:
    listing = list_media([folder], progress=Progress())
    best = max(recognise(listing.names), key=lambda found: found.matched)
    grouping = group(listing.names, best.scheme)
    if grouping.scenes_by_views != {VIEWS: IMAGES // VIEWS}:
        raise EnvironmentFailure(f"The images were grouped as {grouping.scenes_by_views}.")


def _walk(folder: Path) -> int:
    return sum(len(files) for _, _, files in os.walk(folder))
