"""Figures of the readers: records a second beside a bare parse of the same file."""

from __future__ import annotations

import csv
import importlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

from annotator.errors import EnvironmentFailure
from annotator.importers.imported_record import ImportedRecord
from annotator.importers.importer import ImportContext
from annotator.importers.input_detection import detect_inputs
from tests.bench.clock import interleaved, median
from tests.bench.figure import Figure
from tests.bench.ground import Ground

ROUNDS = 5
SEED = 20_261_121
LARGEST_FIELD = 1 << 24
"""Longest cell of a table: pictures stand in them as base64."""


@dataclass(frozen=True, kw_only=True)
class Sample:
    """A made-up file of one format.

    Attributes:
        module: Module of ``bench/samples`` that writes it; the figure's name, too.
        file: Its name.
        records: Number of records in it.
        bare: Name of the bare parse beside it, a key of ``PARSES``.
        format: Format to name where it is not found from the content.
    """

    module: str
    file: str
    records: int
    bare: str
    format: str = ""


def _json(path: Path) -> object:
    return json.loads(path.read_bytes())


def _json_folder(path: Path) -> object:
    return [json.loads(file.read_bytes()) for file in sorted(path.rglob("*.json"))]


def _xml(path: Path) -> object:
    return ET.parse(path)


def _rows(path: Path) -> object:
    csv.field_size_limit(LARGEST_FIELD)
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t" if path.suffix == ".tsv" else ","))


def _numbers(path: Path) -> object:
    files = [path] if path.is_file() else sorted(path.rglob("*.txt"))
    return [[_cells(line) for line in file.read_text().splitlines()] for file in files]


def _cells(line: str) -> list[float | str]:
    return [_number(word) for word in line.split()]


def _number(word: str) -> float | str:
    try:
        return float(word)
    except ValueError:
        return word


def _parquet(path: Path) -> object:
    from arro3.io import read_parquet

    columns = read_parquet(path).read_all().columns
    return [[column[row].as_py() for row in range(len(column))] for column in columns]


def _sheet(path: Path) -> object:
    from python_calamine import CalamineWorkbook

    book = CalamineWorkbook.from_path(str(path))
    return [book.get_sheet_by_name(name).to_python() for name in book.sheet_names]


PARSES: dict[str, Callable[[Path], object]] = {
    "json": _json,
    "json files": _json_folder,
    "ElementTree": _xml,
    "csv": _rows,
    "split and float": _numbers,
    "arro3 to Python values": _parquet,
    "calamine": _sheet,
}
"""What anybody would write to get at the values, by the words of the baseline."""
SAMPLES = (
    Sample(module="topviewrs", file="released_realistic_datasets.json", records=4000, bare="json"),
    Sample(module="urbanvideo_parquet", file="MCQ.parquet", records=4000, bare="arro3 to Python values"),
    Sample(module="video_list", file="video_list.json", records=4000, bare="json"),
    Sample(module="mm_uavbench", file="Task.json", records=4000, bare="json"),
    Sample(module="vlmevalkit", file="set.tsv", records=1000, bare="csv"),
    Sample(module="table", file="own.csv", records=4000, bare="csv", format="table"),
    Sample(module="spatialuav_tasks", file="A2A.json", records=4000, bare="json"),
    Sample(module="aircop_test", file="Real2_VQA_test.json", records=4000, bare="json"),
    Sample(module="aircop_review", file="review.xlsx", records=2000, bare="calamine"),
    Sample(module="indooruav_vla", file="test_vla.json", records=4000, bare="json"),
    Sample(module="indooruav_vln", file="test_vln_seen.json", records=2000, bare="json"),
    Sample(module="indooruav_posture", file="posture.json", records=4000, bare="json"),
    Sample(module="indooruav_folder", file="indoor", records=400, bare="json files"),
    Sample(module="coco", file="instances.json", records=4000, bare="json"),
    Sample(module="yolo", file="yolo", records=8000, bare="split and float"),
    Sample(module="cvat", file="annotations.xml", records=8000, bare="ElementTree"),
    Sample(module="label_studio", file="export.json", records=4000, bare="json"),
    Sample(module="nuscenes", file="nuscenes", records=2000, bare="json files"),
    Sample(module="airsim", file="airsim_rec.txt", records=8000, bare="split and float"),
)
"""One for each format that is read; AirCopBench's labels have a figure of their own."""


def measure_reading(ground: Ground) -> Iterator[Figure]:
    """Read a file of each format, beside a bare parse of the same file."""
    for sample in SAMPLES:
        ground.begin(f"reading {sample.module}", rounds=ROUNDS)
        path = ground.scratch / sample.file
        importlib.import_module(f"tests.bench.samples.{sample.module}").write(
            path, records=sample.records, seed=SEED
        )
        yield _figure(sample, path, ground)


def _figure(sample: Sample, path: Path, ground: Ground) -> Figure:
    counts: list[int] = []
    works: dict[str, Callable[[], object]] = {
        "ours": lambda: counts.append(_read(path, sample.format)),
        "bare": lambda: PARSES[sample.bare](path),
    }
    times = interleaved(works, rounds=ROUNDS, progress=ground.progress)
    ours, bare = median(times["ours"]), median(times["bare"])
    return Figure(
        name=f"import.{sample.module}_ratio",
        value=ours / bare,
        n=ROUNDS,
        baseline=f"{sample.bare}, seconds",
        baseline_value=bare,
        ratio=ours / bare,
        note=f"{counts[-1] / ours:,.0f} records/s",
    )


def _read(path: Path, format_id: str) -> int:
    """Return the number of records read from a file, or folder.

    Raises:
        EnvironmentFailure: There were none, or some were rejected: then the figure would be of another work.
    """
    entries = [
        entry
        for detected_input in detect_inputs(path, format_id=format_id).found
        for entry in detected_input.read(context=ImportContext())
    ]
    taken = sum(isinstance(entry, ImportedRecord) for entry in entries)
    if taken < len(entries) or not taken:
        raise EnvironmentFailure(
            f"{len(entries) - taken} of {len(entries)} records of {path.name} were rejected."
        )
    return taken
