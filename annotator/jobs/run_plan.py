"""Plans of runs: counted for an estimate, or entered into the project, one job at a time.

The functions at the end do the same in a process of their own: planning 100,000 items takes minutes of
Python, beside which a window would hardly answer.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import IO

import msgspec

from annotator.domain.profile import ModelProfile
from annotator.domain.run import Run
from annotator.domain.work import Estimate, JobPlan, PlanResult
from annotator.errors import EnvironmentFailure
from annotator.jobs.job_type import WorkerContext
from annotator.jobs.job_types import job_type_of
from annotator.media.media_roots import MediaRoots, own_folder
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.store.work.queue import WorkQueue

LENGTH_BYTES = 4


def plan_context(run: Run, *, reader: Reader, roots: MediaRoots, settings: Path) -> WorkerContext:
    """Return what the planning of a run needs of its project."""
    profiles = {name: msgspec.convert(value, ModelProfile) for name, value in run.profiles.items()}
    return WorkerContext(reader=reader, roots=roots, profiles=profiles, settings=settings)


def count_plan(run: Run, context: WorkerContext, *, progress: Progress) -> Estimate:
    """Return what a run would ask and cost; no more than one of its jobs is in memory.

    Raises:
        UserError: There is nothing to ask, or a model cannot answer such requests.
        Cancelled: The user cancelled.
    """
    kind, reader = job_type_of(run.kind), context.reader
    count = cached = worst = 0
    by_model: Counter[str] = Counter(dict.fromkeys(run.models, 0))
    targets: set[str] = set()
    # A snapshot: an item that is changed meanwhile is planned in one consistent version.
    with reader.snapshot():
        for job in kind.plan(run, context, progress=progress):
            count += 1
            targets.update(kind.records_of(job))
            if reader.runs.is_answered(job.request_key):
                cached += 1
            else:
                worst += job.worst_micro
                by_model[job.model] += 1
    return Estimate(
        jobs=count,
        cached=cached,
        targets=len(targets),
        worst_micro=worst,
        by_model=dict(by_model),
        left_out=dict(context.left_out.most_common()),
    )


def enter_plan(run: Run, context: WorkerContext, work: WorkQueue, *, progress: Progress) -> PlanResult:
    """Plan a run and enter it with its jobs, which wait in a temporary file in between.

    The project is locked only while they are entered.

    Raises:
        UserError: There is nothing to ask, or a model cannot answer such requests.
        EnvironmentFailure: There is no room for a temporary file, or the project cannot be written.
        Cancelled: The user cancelled; nothing was entered.
    """
    try:
        with tempfile.TemporaryFile() as file:
            with context.reader.snapshot():
                _write(file, job_type_of(run.kind).plan(run, context, progress=progress))
            file.seek(0)
            planned = work.runs.plan(run, _read(file), progress=progress)
    except OSError as error:
        raise EnvironmentFailure(
            f"The plan cannot be written to a temporary file: {error.strerror}.",
            hint="Free disk space on the drive of the temporary folder, and check its permissions.",
        ) from error
    work.checkpoint()
    return msgspec.structs.replace(planned, left_out=dict(context.left_out.most_common()))


def count_plan_of(project: str, run: bytes, settings: str, *, progress: Progress) -> Estimate:
    """Return what a run would ask and cost, for a process of its own; as ``count_plan``."""
    path, planned = Path(project), msgspec.json.decode(run, type=Run)
    with closing(Reader.open(path)) as reader:
        return count_plan(planned, _context(planned, reader, path, Path(settings)), progress=progress)


def enter_plan_of(project: str, run: bytes, settings: str, *, progress: Progress) -> PlanResult:
    """Plan a run and enter it, for a process of its own; as ``enter_plan``."""
    path, planned = Path(project), msgspec.json.decode(run, type=Run)
    with closing(Reader.open(path)) as reader, closing(WorkQueue.open(path)) as work:
        context = _context(planned, reader, path, Path(settings))
        return enter_plan(planned, context, work, progress=progress)


def _context(run: Run, reader: Reader, path: Path, settings: Path) -> WorkerContext:
    project = reader.project
    own = own_folder(path, project.media_root)
    roots = MediaRoots.of_project(path, own=own, project_id=project.id, settings=settings)
    return plan_context(run, reader=reader, roots=roots, settings=settings)


def _write(file: IO[bytes], jobs: Iterable[JobPlan]) -> None:
    encoder = msgspec.msgpack.Encoder()
    for job in jobs:
        body = encoder.encode(job)
        file.write(len(body).to_bytes(LENGTH_BYTES, "big") + body)


def _read(file: IO[bytes]) -> Iterator[JobPlan]:
    decoder = msgspec.msgpack.Decoder(JobPlan)
    while head := file.read(LENGTH_BYTES):
        yield decoder.decode(file.read(int.from_bytes(head, "big")))
