"""Figures of the export: 10^6 items in the native form over a bare encode and write."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from annotator.domain.item import Item
from annotator.domain.record import Record
from annotator.domain.release import ReleasedFile
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.release.build import ReleaseSettings, build_release
from annotator.release.exporters import EXPORTERS
from annotator.release.exporters.native import CARRIED
from annotator.session import Session
from tests.bench.bare import encode_and_write
from tests.bench.clock import interleaved, median
from tests.bench.figure import Figure
from tests.bench.ground import Ground

ROUNDS = 5
EVERY = 100
"""One record in so many is in the baseline's sample."""


def export_native(reader: Reader, *, out: Path, progress: Progress) -> ReleasedFile:
    """Write a whole project in the native form, hashed, with its manifest, put in its place in one step.

    It is what ``release --format native`` does, but for the checks, which are no part of an export.

    Returns:
        The file with the records.
    """
    order = ReleaseSettings(exporter=EXPORTERS["native"])
    with reader.snapshot(), build_release(reader, out, order=order, progress=progress) as frozen:
        frozen.publish()
        return frozen.manifest.files[0]


def measure_export(ground: Ground) -> Iterator[Figure]:
    """Export in turn with the baseline: as many lines of the same mean size, from memory."""
    with Session.open(ground.many) as session:
        reader = session.reader
        # The first export is the warm-up, and tells how many records the baseline has to write.
        file = _export(reader, ground)
        sample = list(_sample(reader))
        bare_path = ground.scratch / "bare.jsonl"
        works = {
            "export": lambda: _export(reader, ground),
            "bare": lambda: encode_and_write(sample, count=file.records, path=bare_path),
        }
        ground.begin("export", rounds=ROUNDS)
        times = interleaved(works, rounds=ROUNDS, warm_up=0, progress=ground.progress)
        bare_bytes = bare_path.stat().st_size
    export, bare = median(times["export"]), median(times["bare"])
    yield Figure(
        name="release.export_ratio", value=export / bare, n=ROUNDS, ratio=export / bare, baseline_value=bare,
        baseline="s, msgspec encode and write from memory",
        note=(
            f"an export takes {export:.2f} s for {file.records:,} records and {file.bytes / 1e6:,.0f} MB, "
            f"the baseline writes {bare_bytes / 1e6:,.0f} MB"
        ),
    )  # fmt: skip


def _export(reader: Reader, ground: Ground) -> ReleasedFile:
    out = ground.scratch / "exported"
    file = export_native(reader, out=out, progress=Progress())
    shutil.rmtree(out)
    return file


def _sample(reader: Reader) -> Iterator[tuple[str, Record]]:
    """Yield records of all kinds that are exported, decoded: reading is no part of the baseline."""
    kinds: tuple[type[Record], ...] = (*CARRIED, Item)
    for kind in kinds:
        for record in islice(reader.records(kind), 0, None, EVERY):
            yield kind.table.entity, record
