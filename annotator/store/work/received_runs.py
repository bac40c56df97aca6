"""Enters the runs of bundles: each once, finished for good, and apart from what is asked here.

A received answer has a request key of its own, made of its content. So a run of this project never takes it
for the answer to one of its requests, and an answer that several runs share is stored once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from itertools import islice
from typing import Literal

import msgspec

from annotator.domain.carried_run import CarriedJob, CarriedPrediction, CarriedRun, united_jobs
from annotator.domain.record import to_json
from annotator.domain.run import Prediction, Run
from annotator.progress import Progress
from annotator.store.connection import Connection
from annotator.store.work.run_queries import RunQueries

Transaction = Callable[[], AbstractContextManager[None]]
Receipt = Literal["added", "known", "refused"]
"""``refused``: a run of the same id is here, with other contents."""
BATCH = 2_000
"""Jobs of one transaction: edits of the user wait for at most one."""
NEW_RUN = "INSERT INTO run(id, kind, state, record, ended_at) VALUES (?, ?, ?, ?, ?)"
NEW_JOB = """
INSERT INTO job(n, run, request_key, model, target, spec, worst_micro, state) VALUES (?, ?, ?, ?, ?, ?, 0, ?)
"""
NEW_PREDICTION = """
INSERT INTO prediction(request_key, kind, target, record) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING
"""
KEYS = "SELECT DISTINCT request_key FROM job WHERE run=?"
UNUSED = """
DELETE FROM prediction
WHERE request_key=? AND NOT EXISTS (SELECT 1 FROM job WHERE job.request_key=prediction.request_key)
"""


def receive_run(
    connection: Connection,
    run: CarriedRun,
    jobs: Iterable[CarriedJob],
    *,
    transaction: Transaction,
    progress: Progress,
) -> Receipt:
    """Enter a run with its jobs and predictions.

    A run that is here already gets the answers that it lacks, if it came with a bundle too.

    Args:
        connection: The project.
        run: The run.
        jobs: Its jobs, checked.
        transaction: Makes a transaction of a block, and none within another one.
        progress: One step per job.

    Raises:
        Cancelled: The user stopped it; what was entered is completed when the run is received again.
    """
    queries = RunQueries(connection)
    known = queries.get(run.id)
    if known is None:
        _enter(connection, run, jobs, transaction=transaction, progress=progress)
        return "added"
    here = _carried(queries, known)
    united = united_jobs(here, list(jobs)) if here is not None and _is_same(known, run) else None
    if united is None:
        return "refused"
    if united == here or known.state != "received":
        return "known"
    # One transaction: the earlier answers are there until the later ones are.
    with transaction():
        keys = connection.execute(KEYS, (run.id,)).fetchall()
        connection.execute("DELETE FROM run WHERE id=?", (run.id,))
        _enter(connection, run, united, transaction=transaction, progress=progress)
        connection.executemany(UNUSED, keys)
    return "added"


def _enter(
    connection: Connection,
    run: CarriedRun,
    jobs: Iterable[CarriedJob],
    *,
    transaction: Transaction,
    progress: Progress,
) -> None:
    """Enter jobs in short transactions, between which edits are saved; the run last, which lists them."""
    with transaction():
        # Also those of a merge that was ended before its end.
        connection.execute("DELETE FROM job WHERE run=?", (run.id,))
    entering, left = _Entering(connection, run), iter(jobs)
    while batch := list(islice(left, BATCH)):
        with transaction():
            first = connection.execute("SELECT coalesce(max(n), 0) + 1 FROM job").fetchone()[0]
            rows = [entering.job_row(number, job) for number, job in enumerate(batch, start=first)]
            connection.executemany(NEW_JOB, rows)
        progress.step(len(batch))
    kept = run.to_run()
    ended_at = "" if run.ended_at is None else run.ended_at.isoformat()
    with transaction():
        connection.execute(NEW_RUN, (run.id, run.kind, kept.state, to_json(kept), ended_at))


class _Entering:
    """The rows of one run's jobs; their predictions are entered as the rows are made."""

    def __init__(self, connection: Connection, run: CarriedRun) -> None:
        self._connection, self._run = connection, run
        self._queries = RunQueries(connection)
        self._own: dict[str, bool] = {}

    def job_row(self, number: int, job: CarriedJob) -> tuple[object, ...]:
        """Return the row of a job."""
        key = (
            hashlib.sha256(f"received job {self._run.id} {number}".encode()).digest()
            if job.prediction is None
            else self._prediction_key(job.prediction)
        )
        spec = msgspec.json.encode(job.spec).decode()
        return (number, self._run.id, key, job.model, job.target, spec, job.state)

    def _prediction_key(self, prediction: CarriedPrediction) -> bytes:
        """Enter a prediction unless it is there, and return its request key."""
        if self._is_own(prediction.run):
            found = self._own_key(prediction)
            if found is not None:
                return found
            # A bundle adds no answers to a run of this project.
            prediction = msgspec.structs.replace(prediction, run=self._run.id)
        key = hashlib.sha256(b"received prediction\n" + msgspec.json.encode(prediction)).digest()
        stored = prediction.to_prediction(request_key=key.hex())
        self._connection.execute(NEW_PREDICTION, (key, stored.kind, stored.target, to_json(stored)))
        return key

    def _is_own(self, run_id: str) -> bool:
        """Return whether a run is one of this project that did not come with a bundle."""
        if run_id not in self._own:
            found = self._queries.get(run_id)
            self._own[run_id] = found is not None and found.state != "received"
        return self._own[run_id]

    def _own_key(self, prediction: CarriedPrediction) -> bytes | None:
        for own in self._queries.predictions_on(prediction.target):
            if own.run == prediction.run and _form_of(own) == prediction:
                return bytes.fromhex(own.request_key)
        return None


def _form_of(prediction: Prediction) -> CarriedPrediction | None:
    try:
        return CarriedPrediction.of(prediction, run=prediction.run)
    except ValueError:
        return None


def _is_same(known: Run, run: CarriedRun) -> bool:
    try:
        return CarriedRun.of(known).is_same(run)
    except ValueError:
        return False


def _carried(queries: RunQueries, run: Run) -> list[CarriedJob] | None:
    """Return the jobs of a run as a bundle carries them, None where they have not ended."""
    try:
        return list(_jobs(queries, run))
    except ValueError:
        return None


def _jobs(queries: RunQueries, run: Run) -> Iterator[CarriedJob]:
    for job in queries.jobs(run.id):
        # Attributed as its prediction is: what is compared is the answer.
        runs = frozenset({job.prediction.run}) if job.prediction is not None else frozenset[str]()
        yield CarriedJob.of(job, run=run.id, runs=runs)
