"""The predictions of finished runs that a bundle of a project carries."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterator, Mapping

import msgspec

from annotator.domain.carried_run import CARRIED_KINDS, CARRIED_STATES, CarriedJob, CarriedRun
from annotator.domain.record import ValueObject
from annotator.domain.run import Run
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.store.bundles.bundle_predictions import entry_name


class CarriedCount(ValueObject, frozen=True, kw_only=True):
    """The predictions that a bundle of a project can carry.

    Attributes:
        runs: Finished runs that ask about items.
        predictions: Their predictions.
        size_bytes: About how many bytes they take before they are compressed.
    """

    runs: int = 0
    predictions: int = 0
    size_bytes: int = 0


def predictions_to_carry(reader: Reader) -> CarriedCount:
    """Return how many finished runs and predictions a bundle can carry, and about their size."""
    sizes = [reader.runs.answer_sizes(run.id) for run in _finished_runs(reader)]
    return CarriedCount(
        runs=len(sizes),
        predictions=sum(count for count, _ in sizes),
        size_bytes=sum(size for _, size in sizes),
    )


def write_predictions(
    archive: zipfile.ZipFile, reader: Reader, *, known: Mapping[str, str], progress: Progress
) -> dict[str, str]:
    """Write the predictions of finished runs, and return the digests of their entries by run.

    Args:
        archive: The bundle.
        reader: The project.
        known: Digests of an earlier bundle; the same entries are left out.
        progress: One step per job.

    Raises:
        UserError: A run has values that no run of this version has.
        Cancelled: The user stopped it.
    """
    written: dict[str, str] = {}
    progress.begin("Writing predictions", total=None)
    with reader.snapshot():
        runs = _finished_runs(reader)
        ids = frozenset(run.id for run in runs)
        for run in runs:
            # Read twice: an entry cannot be taken out of an archive again once its digest is known.
            if run.id in known and known[run.id] == _digest(reader, run, ids=ids):
                continue
            digest = hashlib.sha256()
            with archive.open(entry_name(run.id), "w", force_zip64=True) as target:
                for line in _lines(reader, run, ids=ids):
                    digest.update(line)
                    target.write(line)
                    progress.step()
            written[run.id] = digest.hexdigest()
    progress.end()
    return written


def _finished_runs(reader: Reader) -> list[Run]:
    """Return the runs whose predictions can be carried, the oldest first."""
    return [
        run
        for run in reversed(reader.runs.all())
        if run.kind in CARRIED_KINDS and run.state in CARRIED_STATES and _has_only_answers(reader, run)
    ]


def _has_only_answers(reader: Reader, run: Run) -> bool:
    progress = reader.runs.progress(run.id)
    return bool(progress.done) and not progress.waiting and not progress.in_flight


def _digest(reader: Reader, run: Run, *, ids: frozenset[str]) -> str:
    digest = hashlib.sha256()
    for line in _lines(reader, run, ids=ids):
        digest.update(line)
    return digest.hexdigest()


def _lines(reader: Reader, run: Run, *, ids: frozenset[str]) -> Iterator[bytes]:
    try:
        carried = CarriedRun.of(run)
        yield msgspec.json.encode(carried) + b"\n"
        for job in reader.runs.jobs(run.id):
            form = CarriedJob.of(job, run=run.id, runs=ids)
            if problem := form.problem(carried):
                raise ValueError(problem)
            yield msgspec.json.encode(form) + b"\n"
    # ValidationError is one; a bundle that its reader would refuse is not written.
    except ValueError as error:
        raise UserError(
            f"The predictions of the run {run.id} cannot be written: {error}.",
            hint="Write the bundle without predictions.",
        ) from error
