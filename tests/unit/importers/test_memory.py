"""Large files are read within a stated memory, whatever they hold."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.bench.process import run_python

pytestmark = pytest.mark.slow
MIB = 1024 * 1024
STREAM_MB = 250
"""Most that a format may take whose files are read as a stream, however large they are."""
TEXT_MB, TIMES = 150, 5
"""Most that a format may take whose files are held as text: a base, and a multiple of the file."""
_WRITE = """
import importlib, sys
from pathlib import Path
module = importlib.import_module(f"tests.bench.samples.{sys.argv[1]}")
module.write(Path(sys.argv[2]), records=int(sys.argv[3]), seed=7)
"""
_READ = """
import sys
from pathlib import Path
from annotator.importers.input_detection import detect_inputs
from annotator.importers.importer import ImportContext
looked = detect_inputs(Path(sys.argv[1]), format_id=sys.argv[2])
print(sum(1 for detected_input in looked.found for _ in detected_input.read(context=ImportContext())))
"""


@dataclass(frozen=True, kw_only=True)
class Large:
    """A large file to read.

    Attributes:
        format: Id of the reader.
        module: Module of the bench that writes it, "" for the records below.
        records: Number of records to write, for some 100 MB.
        is_stream: Whether it is read as a stream.
    """

    format: str
    module: str
    records: int
    is_stream: bool

    def most_mb(self, size: int) -> float:
        """Return the bound for a file of a size in bytes."""
        return STREAM_MB if self.is_stream else TEXT_MB + TIMES * size / MIB


LARGE = {
    "coco": Large(format="coco", module="coco", records=170_000, is_stream=True),
    "cvat": Large(format="cvat", module="cvat", records=470_000, is_stream=True),
    "csv": Large(format="table", module="table", records=190_000, is_stream=False),
    "questions": Large(format="aircop-questions", module="aircop_test", records=115_000, is_stream=False),
    "label-studio": Large(format="label-studio", module="label_studio", records=240_000, is_stream=True),
    "native": Large(format="native", module="", records=250_000, is_stream=True),
}


def write_native(path: Path, *, records: int) -> None:
    """Write regions with a polygon each, as a release in the native form has them."""
    polygon = [[float(n), n + 0.5] for n in range(24)]
    with path.open("w", encoding="utf-8") as stream:
        for number in range(records):
            region = {
                "id": f"{number:032x}", "medium": "f" * 32, "number": number, "category": "car",
                "box": {"x1": 0.0, "y1": 0.5, "x2": 23.0, "y2": 23.5}, "polygon": polygon,
            }  # fmt: skip
            stream.write(json.dumps({"entity": "region", "record": region}, separators=(",", ":")) + "\n")


@pytest.mark.parametrize("name", sorted(LARGE))
def test_large_file_when_read_then_its_memory_is_within_the_bound(tmp_path: Path, name: str) -> None:
    large, path = LARGE[name], tmp_path / "large"
    if large.module:
        run_python(["-c", _WRITE, large.module, str(path), str(large.records)])
    else:
        write_native(path, records=large.records)
    size = path.stat().st_size
    assert size > 90 * MIB
    ran = run_python(["-c", _READ, str(path), large.format])
    path.unlink()
    if not ran.peak_mb:
        pytest.skip("this system does not tell the memory of a process")
    print(f"{name}: {size / MIB:.0f} MiB, {ran.lines[0]} records, peak {ran.peak_mb:.0f} MiB")
    assert int(ran.lines[0]) > large.records * 0.9
    assert ran.peak_mb <= large.most_mb(size)
