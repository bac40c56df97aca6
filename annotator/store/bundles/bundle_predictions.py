"""Predictions in a bundle: entries ``predictions/RUN.jsonl``, lines for the run and for each of its jobs.

The manifest names runs and digests of their entries. All lines are read and compared before one of them is
used, and their sizes are limited.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TypeVar

import msgspec

from annotator.domain.carried_run import CarriedJob, CarriedRun
from annotator.store.bundles.bundle_file import (
    CHUNK_BYTES,
    Manifest,
    damaged,
    open_archive,
    split_lines,
)

MOST_JOBS = 2_000_000
MOST_RUN_BYTES = 4 << 30
MAX_RATIO = 400
"""Answers repeat each other: 50,000 with the same words shrink to a 77th."""
MAX_LINE_BYTES = 64 << 20
"""Longest line: the job of a probe, with a guess for each of 100,000 items."""
T = TypeVar("T")


class BundledPredictions:
    """The predictions of a bundle.

    Attributes:
        path: The bundle.
        runs: Digests of the entries by run.
    """

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path, self.runs = path, manifest.predictions

    def require_sound(self) -> None:
        """Read all entries once, so that a bundle is refused before any of it is used.

        Raises:
            UserError: An entry is not that of the manifest, or is not as runs and predictions are.
            EnvironmentFailure: The file cannot be read.
        """
        for run_id in self.runs:
            with self.open_run(run_id) as (_, jobs):
                for _ in jobs:
                    pass

    @contextmanager
    def open_run(self, run_id: str) -> Iterator[tuple[CarriedRun, Iterator[CarriedJob]]]:
        """Open the entry of a run: the run, and its jobs in their order.

        The digest is compared behind the last job.

        Raises:
            UserError: As in ``require_sound``.
            EnvironmentFailure: The file cannot be read.
        """
        with open_archive(self.path) as archive:
            entry = self._entry(archive, run_id)
            with archive.open(entry) as source:
                chunks = self._chunks(source, size_bytes=entry.file_size, sha256=self.runs[run_id])
                lines = split_lines(chunks, path=self.path, most_bytes=MAX_LINE_BYTES)
                run = self._decoded(next(lines, b""), kind=CarriedRun)
                if run.id != run_id or not set(run.models).issuperset(run.profiles):
                    raise damaged(self.path, "a run is not that of its entry")
                yield run, self._jobs(lines, run)

    def _jobs(self, lines: Iterator[bytes], run: CarriedRun) -> Iterator[CarriedJob]:
        for number, line in enumerate(lines, start=1):
            job = self._decoded(line, kind=CarriedJob)
            problem = job.problem(run) if number <= MOST_JOBS else "a run has more jobs than one can have"
            if problem:
                raise damaged(self.path, problem)
            yield job

    def _decoded(self, line: bytes, *, kind: type[T]) -> T:
        try:
            return msgspec.json.decode(line, type=kind)
        # RecursionError: brackets that are nested thousands deep.
        except (msgspec.MsgspecError, RecursionError, ValueError) as error:
            raise damaged(self.path, f"a prediction: {error}") from error

    def _entry(self, archive: zipfile.ZipFile, run_id: str) -> zipfile.ZipInfo:
        entries = [entry for entry in archive.infolist() if entry.filename == entry_name(run_id)]
        if len(entries) != 1:
            raise damaged(self.path, "its predictions are not those of its manifest")
        size, packed = entries[0].file_size, entries[0].compress_size
        if size > min(MOST_RUN_BYTES, MAX_RATIO * max(packed, CHUNK_BYTES)):
            raise damaged(self.path, "its predictions are larger than those of a run can be")
        return entries[0]

    def _chunks(self, source: IO[bytes], *, size_bytes: int, sha256: str) -> Iterator[bytes]:
        digest, left = hashlib.sha256(), size_bytes
        while chunk := source.read(CHUNK_BYTES):
            digest.update(chunk)
            left -= len(chunk)
            if left < 0:
                raise damaged(self.path, "its content is larger than it says")
            yield chunk
        if digest.hexdigest() != sha256:
            raise damaged(self.path, "its predictions are not those of its manifest")


def entry_name(run_id: str) -> str:
    """Return the name of the entry of a run."""
    return f"predictions/{run_id}.jsonl"
