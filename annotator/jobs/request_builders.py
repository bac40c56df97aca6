"""Threads that make what models are given: texts from records, pictures from files."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass

from annotator.domain.run import RunKind
from annotator.domain.work import Claim
from annotator.errors import UserError, VantageError
from annotator.jobs.calls import ModelCall
from annotator.jobs.job_type import BatchJobType, ChatJobType, JobType, ParsedReply, WorkerContext
from annotator.jobs.open_media import enter_media, leave_media
from annotator.jobs.request_log import request_body
from annotator.jobs.worker_context import TYPES
from annotator.progress import Progress
from annotator.store.connection import convert_disk_errors

THREADS = 2
"""Number of threads. Each keeps its own videos open (``open_media.OPEN_VIDEOS``), and more threads would only
share the same disk and decoder."""
log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class BuiltRequest:
    """The prepared request of a job.

    Attributes:
        claim: The job.
        task: The call to make, None if there is none.
        answer: The answer if no call is needed, otherwise None.
        error: The error if the request cannot be built, otherwise None.
    """

    claim: Claim
    task: ModelCall | None = None
    answer: ParsedReply | None = None
    error: VantageError | None = None


class RequestBuilders:
    """Builds the requests of jobs on its own threads, in the order requested.

    Args:
        kinds: Returns the job type of a run.
        context_of: Returns the context of a run for the calling thread.
        leave: Called on each thread at its end, to release what ``context_of`` has opened.
        on_built: Receives the requests; called on the threads.
    """

    def __init__(
        self,
        *,
        kinds: Callable[[RunKind], JobType],
        context_of: Callable[[str], WorkerContext],
        leave: Callable[[], None],
        on_built: Callable[[BuiltRequest], None],
    ) -> None:
        self._kinds, self._context_of, self._leave, self._tell = kinds, context_of, leave, on_built
        self._claims: queue.SimpleQueue[Claim | None] = queue.SimpleQueue()
        self._used: set[tuple[JobType, str]] = set()
        self._is_closing = False
        self._progress = Progress()
        self._threads = [
            threading.Thread(target=self._work, name=f"vantage-build-{n}", daemon=True)
            for n in range(THREADS)
        ]
        for thread in self._threads:
            thread.start()

    def build(self, claim: Claim) -> None:
        """Make a job's material."""
        self._claims.put(claim)

    def close(self) -> None:
        """End the threads; what is not made yet is not made any more, be it in the middle of a long video."""
        self._is_closing = True
        self._progress.cancel()
        for _ in self._threads:
            self._claims.put(None)
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        enter_media(self._progress)
        try:
            while (claim := self._claims.get()) is not None and not self._is_closing:
                self._tell(self._built(claim))
        finally:
            leave_media()
            self._leave()

    def _built(self, claim: Claim) -> BuiltRequest:
        try:
            with convert_disk_errors():
                return self._built_from_project(claim)
        except VantageError as error:
            return BuiltRequest(claim=claim, error=error)
        except Exception as error:
            # A bug in building one request must not end the thread, which would leave its job claimed
            # forever.
            log.exception("the material of job %d", claim.job)
            return BuiltRequest(
                claim=claim, error=UserError(f"The request cannot be built: {type(error).__name__}: {error}.")
            )

    def _built_from_project(self, claim: Claim) -> BuiltRequest:
        # A run's kind is one that this program knows: it was planned by it, or by an older one.
        worker_context = self._context_of(claim.run)
        kind = self._kinds(claim.kind).of(worker_context.profiles[claim.model])
        known = (kind, claim.run)
        # The first request of a kind is the first use of several types (``TYPES``).
        with nullcontext() if known in self._used else TYPES:
            if isinstance(kind, ChatJobType) and (answer := kind.settled(claim, worker_context)) is not None:
                return BuiltRequest(claim=claim, answer=answer)
            material = _material(kind, claim, worker_context)
            body = request_body(material)
            self._used.add(known)
        task = ModelCall(kind=kind, claims=(claim,), materials=(material,), bodies=(body,))
        return BuiltRequest(claim=claim, task=task)


def _material(kind: JobType, claim: Claim, worker_context: WorkerContext) -> object:
    if isinstance(kind, ChatJobType):
        return kind.request(claim, worker_context)
    if isinstance(kind, BatchJobType):
        return kind.material(claim, worker_context)
    raise TypeError(f"{type(kind).__name__} gives a model nothing")
