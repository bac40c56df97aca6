"""Threads that make what models are given: texts from records, pictures from files."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass

from annotator.domain.work import Claim
from annotator.errors import VantageError
from annotator.jobs.calls import Task
from annotator.jobs.kind import BatchKind, ChatKind, Desk, Kind
from annotator.jobs.kinds import kind_of

THREADS = 2


@dataclass(frozen=True, kw_only=True)
class Built:
    """What came of making a job's material.

    Attributes:
        claim: The job.
        task: The call that can be made, None where it cannot.
        error: Why not.
    """

    claim: Claim
    task: Task | None = None
    error: VantageError | None = None


class Builders:
    """Makes the material of jobs on threads of its own, in the order in which they are asked for.

    Args:
        desk_of: Gives a run's desk to the calling thread.
        leave: Called on each thread at its end: gives back what ``desk_of`` opened for it.
        tell: Gets what came; called on the threads.
    """

    def __init__(
        self, *, desk_of: Callable[[str], Desk], leave: Callable[[], None], tell: Callable[[Built], None]
    ) -> None:
        self._desk_of, self._leave, self._tell = desk_of, leave, tell
        self._claims: queue.SimpleQueue[Claim | None] = queue.SimpleQueue()
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
        """Finish what was asked for, then end the threads."""
        for _ in self._threads:
            self._claims.put(None)
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        try:
            while (claim := self._claims.get()) is not None:
                self._tell(self._built(claim))
        finally:
            self._leave()

    def _built(self, claim: Claim) -> Built:
        # A run's kind is one that this program knows: it was planned by it, or by an older one.
        kind = kind_of(claim.kind)
        try:
            material = _material(kind, claim, self._desk_of(claim.run))
        except VantageError as error:
            return Built(claim=claim, error=error)
        return Built(claim=claim, task=Task(kind=kind, claims=(claim,), materials=(material,)))


def _material(kind: Kind, claim: Claim, desk: Desk) -> object:
    if isinstance(kind, ChatKind):
        return kind.request(claim, desk)
    if isinstance(kind, BatchKind):
        return kind.material(claim, desk)
    raise TypeError(f"{type(kind).__name__} gives a model nothing")
