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
from annotator.jobs.calls import Task
from annotator.jobs.desks import TYPES
from annotator.jobs.evidence import request_body
from annotator.jobs.kind import Answer, BatchKind, ChatKind, Desk, Kind
from annotator.jobs.open_media import enter_media, leave_media
from annotator.progress import Progress

THREADS = 2
"""Each may hold open films of its own (``open_media.OPEN_FILMS``); a model that waits for pictures waits for
the disk and the decoder, which more threads only share."""
log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Built:
    """What came of making a job's material.

    Attributes:
        claim: The job.
        task: The call that can be made, None where it cannot.
        answer: What is known without one, None where the model has to be asked.
        error: Why not.
    """

    claim: Claim
    task: Task | None = None
    answer: Answer | None = None
    error: VantageError | None = None


class Builders:
    """Makes the material of jobs on threads of its own, in the order in which they are asked for.

    Args:
        kinds: Gives the object that knows a kind of run.
        desk_of: Gives a run's desk to the calling thread.
        leave: Called on each thread at its end: gives back what ``desk_of`` opened for it.
        tell: Gets what came; called on the threads.
    """

    def __init__(
        self,
        *,
        kinds: Callable[[RunKind], Kind],
        desk_of: Callable[[str], Desk],
        leave: Callable[[], None],
        tell: Callable[[Built], None],
    ) -> None:
        self._kinds, self._desk_of, self._leave, self._tell = kinds, desk_of, leave, tell
        self._claims: queue.SimpleQueue[Claim | None] = queue.SimpleQueue()
        self._used: set[tuple[Kind, str]] = set()
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
        """End the threads; what is not made yet is not made any more, be it in the middle of a long film."""
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

    def _built(self, claim: Claim) -> Built:
        try:
            # A run's kind is one that this program knows: it was planned by it, or by an older one.
            desk = self._desk_of(claim.run)
            kind = self._kinds(claim.kind).of(desk.profiles[claim.model])
            known = (kind, claim.run)
            with nullcontext() if known in self._used else TYPES:
                if isinstance(kind, ChatKind) and (answer := kind.settled(claim, desk)) is not None:
                    return Built(claim=claim, answer=answer)
                material = _material(kind, claim, desk)
                body = request_body(material)
                self._used.add(known)
            task = Task(kind=kind, claims=(claim,), materials=(material,), bodies=(body,))
        except VantageError as error:
            return Built(claim=claim, error=error)
        except Exception as error:
            # A bug in the making of one request must not leave its job in the hands of a dead thread.
            log.exception("the material of job %d", claim.job)
            return Built(claim=claim, error=UserError(f"It cannot be made: {type(error).__name__}: {error}."))
        return Built(claim=claim, task=task)


def _material(kind: Kind, claim: Claim, desk: Desk) -> object:
    if isinstance(kind, ChatKind):
        return kind.request(claim, desk)
    if isinstance(kind, BatchKind):
        return kind.material(claim, desk)
    raise TypeError(f"{type(kind).__name__} gives a model nothing")
