"""Figure of the import: the two published AirCopBench files that are at hand, or files like them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from annotator.commands.imports import ImportFiles
from annotator.domain import task_set_files
from annotator.errors import EnvironmentFailure
from annotator.session import Session
from tests.bench.clock import median, timed
from tests.bench.figure import Figure
from tests.bench.ground import ROUNDS, Ground
from tests.bench.process import REPO

RECORDS = 2248
_NAMES = ("Real2_Sample.json", "Sim3_Sample.json")
_PAIRS, _TRIPLES = 210, 609
"""Scenes of the two files: 421 records of pairs (one picture twice), 1,827 of triples."""


def measure_import(ground: Ground) -> Iterator[Figure]:
    """Import both files into a new project, from the click to 'saved'."""
    published = [REPO.parent / "shared" / "data" / "aircop" / name for name in _NAMES]
    is_real = all(path.is_file() for path in published)
    paths = tuple(published) if is_real else write_files(ground.scratch)
    ground.begin("import", rounds=ROUNDS)
    times, baseline = [], []
    for number in range(-1, ROUNDS):
        took = _import(ground.scratch / f"import-{number}.vantage", paths)
        parsed = timed(lambda: [msgspec.json.decode(path.read_bytes()) for path in paths])
        if number >= 0:
            times.append(took)
            baseline.append(parsed)
        ground.progress.step()
    value, bare = median(times), median(baseline)
    yield Figure(
        name="import.aircop_s", value=value, n=ROUNDS, baseline="msgspec decode of the same files",
        baseline_value=bare, ratio=value / bare,
        note="the published files" if is_real else "made-up files of the same size and slips",
    )  # fmt: skip


def _import(project: Path, paths: tuple[Path, ...]) -> float:
    """Return the seconds that an import into a new project takes.

    Raises:
        EnvironmentFailure: It did not bring in what it should have.
    """
    command = ImportFiles(paths=paths)
    with Session.create(project) as session:
        took = timed(lambda: session.execute(command).result())
    records = sum(file.records for file in command.report.files)
    if records != RECORDS:
        raise EnvironmentFailure(f"{records} records came in, not {RECORDS}.")
    return took


def write_files(folder: Path) -> tuple[Path, ...]:
    """Write two files with as many records, boxes and slips as the published ones have."""
    rng = random.Random(11)
    pairs = [f"{n:02d}-{n:08d}-UAV{view}.jpg" for n in range(_PAIRS) for view in (1, 2)]
    triples = [
        f"/data/upload/9/{rng.randrange(1 << 32):08x}-scene_{n // 100:03d}-UAV{view}_frame_{n % 100:03d}.jpg"
        for n in range(_TRIPLES) for view in (1, 2, 3)
    ]  # fmt: skip
    paths = []
    for name, images, boxes in ((_NAMES[0], [*pairs, pairs[0]], 17), (_NAMES[1], triples, 3)):
        records = [_record(number, image, boxes=boxes, rng=rng) for number, image in enumerate(images, 1)]
        path = folder / name
        path.write_bytes(msgspec.json.format(msgspec.json.encode(records), indent=2))
        paths.append(path)
    return tuple(paths)


def _record(number: int, image: str, *, boxes: int, rng: random.Random) -> dict[str, Any]:
    is_needed = rng.random() < 0.8
    record: dict[str, Any] = {
        "img1": image,
        "id": number,
        "Quality": _published("quality", rng),
        "Usibility": _published("usability", rng),
        "Object_type": {"choices": [_published("object_type", rng)]},
        "Degradation": {"choices": sorted({_published("degradation", rng) for _ in range(2)})},
        "PerceptionIssues": [_box("issue", rng) for _ in range(rng.randrange(2 * boxes))],
        "Collaboration_when": "1 (Yes)" if is_needed else "0 (No)",
        "Object_count": rng.choice(["7", "23", "around 60", "around  80"]),
        "Collaboration_who": rng.choice(["UAV1", "UAV2", "None", "noen", "UAV1，UAV2", "UAV1 "]),
        "annotator": 1,
        "annotation_id": number % 1082,
        "created_at": "2025-06-24T06:17:08.956105Z",
        "updated_at": "2025-06-29T17:36:58.178063Z",
        "lead_time": rng.uniform(20, 600),
    }
    if is_needed:
        record["Collaboration_why"] = _published("why", rng)
        record["Collaboration_what"] = [_box("what", rng) for _ in range(rng.randrange(4))]
    return record


def _box(value_list: str, rng: random.Random) -> Mapping[str, Any]:
    return {
        "x": rng.uniform(0, 80),
        "y": rng.uniform(0, 80),
        "width": rng.uniform(1, 15),
        "height": rng.uniform(1, 15),
        "rotation": 0,
        "rectanglelabels": [_published(value_list, rng)],
        "original_width": 1920,
        "original_height": 1080,
    }


def _published(value_list: str, rng: random.Random) -> str:
    return rng.choice(task_set_files.builtin("aircop").value_lists[value_list]).published
