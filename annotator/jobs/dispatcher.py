"""The dispatcher: claims jobs, calls models and records outcomes, many jobs per commit.

It works in turns. Each turn is one transaction that records finished calls, marks prepared calls as sent, and
claims as many jobs as are needed until the next turn. The calls are made after the commit, so ``sent`` is
always committed before a call, and no job needs its own commit.
"""

from __future__ import annotations

import logging
import math
import os
import random
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from annotator.domain.profile import ModelProfile
from annotator.domain.record import new_id
from annotator.domain.run import RunKind
from annotator.domain.work import WORKER_ENDED, Claim, JobOutcome
from annotator.errors import Cancelled, EnvironmentFailure
from annotator.jobs.calls import CallDone, CallExecutor, ModelCall, OnCallDone, ThreadCallExecutor
from annotator.jobs.claim_watch import ClaimWatch
from annotator.jobs.confirmed_runs import ConfirmedRuns
from annotator.jobs.failure_streaks import FailureStreaks
from annotator.jobs.job_type import JobType
from annotator.jobs.job_types import job_type_of
from annotator.jobs.model_scheduler import ModelScheduler
from annotator.jobs.model_schedulers import ModelSchedulers
from annotator.jobs.outcomes import (
    affects_all_jobs,
    failed_outcome,
    material_failure,
    outcome_without_call,
    outcomes_of,
)
from annotator.jobs.request_builders import BuiltRequest, RequestBuilders
from annotator.jobs.retry import LONGEST_WAIT_S, halt_message
from annotator.jobs.shared_model import OpenModel
from annotator.jobs.worker_context import WorkerContexts
from annotator.jobs.worker_events import WorkerEvents
from annotator.media.media_roots import LostFolderError
from annotator.model_api import CallFailed
from annotator.store.checkpoints import Checkpointer
from annotator.store.work.queue import LEASE_S, WorkQueue

log = logging.getLogger(__name__)
CHECK_EVERY_S = 0.1
"""So often the state of the runs is looked at, at least."""
BEAT_S = LEASE_S / 4
"""Three signs of life may be lost, while the file is locked for instance, before others take over."""
EXPIRE_S = 2.0
"""So often claims of dead workers are looked for; with leases of a minute more haste is of no use."""
PATIENCE_S = 600.0
"""The file may be locked by an import, or its disk be full, for so long before the worker gives up."""
RETRY_PAUSE_S = 0.5
MakeCalls = Callable[[ModelProfile, OnCallDone], CallExecutor]


def is_time(now: float, *, since: float, every_s: float) -> bool:
    """Return whether something is due, also after the clock was set back: others see only stored times.

    Args:
        now: Unix time.
        since: Unix time at which it was done last.
        every_s: Its interval.
    """
    return abs(now - since) >= every_s


@dataclass
class _PendingWrites:
    """What waits for the next transaction; only its commit empties it, so that no error loses any of it."""

    outcomes: list[JobOutcome] = field(default_factory=list)
    returned: list[Claim] = field(default_factory=list)
    halted: dict[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.outcomes or self.returned or self.halted)


@dataclass
class _TurnResult:
    """What a transaction settled, to be acted on behind its commit."""

    calls: list[tuple[ModelScheduler, ModelCall]] = field(default_factory=list)
    lost: list[tuple[ModelScheduler, ModelCall]] = field(default_factory=list)
    claimed: list[tuple[ModelScheduler, Claim]] = field(default_factory=list)
    ended: int = 0
    has_failures: bool = False
    is_news: bool = False


class Dispatcher:
    """Processes a project's queue until it is stopped or empty; a context manager.

    Args:
        path: The project file.
        open_model: Opens a model by its profile.
        run: Id of the one run to work on, "" for all.
        make_calls: Makes the calls of a profile elsewhere than on threads of this process.
        kinds: Returns the job type of a run.
        confirmed: The runs that the person at this machine allows; others are left alone.
        recorded: Called after each commit with the number of jobs that ended with it, which is 0 if calls are
            retried or only other processes wrote; on the dispatcher's thread.
        takes: Returns whether this worker processes the jobs of a model; all by default.

    Attributes:
        tell: Receives a message as soon as the project file cannot be written; on the dispatcher's thread.
    """

    def __init__(
        self,
        path: Path,
        *,
        open_model: OpenModel,
        confirmed: ConfirmedRuns,
        run: str = "",
        make_calls: MakeCalls | None = None,
        kinds: Callable[[RunKind], JobType] = job_type_of,
        recorded: Callable[[int], None] | None = None,
        takes: Callable[[ModelProfile], bool] | None = None,
    ) -> None:
        self.id = new_id()
        self._only, self._recorded, self._takes = run, recorded, takes
        self._queue = WorkQueue.open(path)
        self._checkpoints = Checkpointer(path)
        self._worker_contexts = WorkerContexts(path, confirmed=confirmed)
        self._events = WorkerEvents()
        self._make_calls = make_calls or (
            lambda p, tell: ThreadCallExecutor(p, open_model=open_model, on_done=tell)
        )
        self._builders = RequestBuilders(
            kinds=kinds,
            context_of=self._worker_contexts.of,
            leave=self._worker_contexts.leave,
            on_built=self._events.put,
        )
        self.tell: Callable[[str], None] = log.warning
        self._streaks, self._claims = FailureStreaks(), ClaimWatch()
        self._models = ModelSchedulers(
            profile_of=lambda run, model: self._worker_contexts.of(run).profiles[model],
            make_calls=self._open_calls,
        )
        # Seeded by the worker: those that fail together must not come back together.
        self._chance = random.Random(self.id)
        self._is_stopping = False
        self._due = _PendingWrites()
        self._waiting: list[tuple[str, str]] = []
        self._checked_at = self._heartbeat_at = self._expired_at = 0.0
        self._stamp = 0
        self._failing_since: float | None = None

    def __enter__(self) -> Dispatcher:
        return self

    def __exit__(self, *_: object) -> None:
        # Whatever ``_end`` raises, these are closed, the last one first.
        with ExitStack() as last:
            last.callback(self._worker_contexts.leave)
            last.callback(self._queue.close)
            last.callback(self._checkpoints.stop)
            self._end()

    def stop(self) -> None:
        """Claim and send nothing more; from a signal or any thread. What is in flight is waited for."""
        self._is_stopping = True
        self._events.wake()

    def work(self, *, until_done: bool) -> None:
        """Run turns until stopped, or until no active run has an open job.

        Raises:
            EnvironmentFailure: The project file cannot be written, even after retries, or calls cannot be
                made any more.
        """
        while not self._is_over(until_done=until_done):
            self.turn()

    def turn(self) -> None:
        """Wait for something to happen, then record, send and claim in one transaction."""
        for event in self._gathered():
            self._note(event, now=time.time())
        now = time.time()
        turn = _TurnResult()
        # A turn with nothing to do makes no commit, which costs a flush of the disk.
        if self._due or self._has_due(now):
            try:
                self._commit(turn, now=now)
            except EnvironmentFailure as error:
                # Each is put back at the front, so the last one goes first.
                for counter, task in reversed([*turn.calls, *turn.lost]):
                    counter.put_back(task)
                self._retry_transaction(error)
                return
            self._failing_since = None
        # After the commit: calls cannot be rolled back.
        for counter, task in turn.lost:
            counter.finish(task, now=time.monotonic())
        for counter, claim in turn.claimed:
            counter.add(claim)
            self._builders.build(claim)
        # Last, so that on a failure all claims in hand are known and can be returned to the queue.
        for counter, task in turn.calls:
            counter.calls.make(task)
        if self._checked_at == now:
            self._models.close_idle(self._waiting)
        if (turn.ended or turn.has_failures or turn.is_news) and self._recorded is not None:
            self._recorded(turn.ended)

    def _gathered(self) -> list[BuiltRequest | CallDone]:
        now = time.monotonic()
        # What is ready will not be sent any more by a worker that stops: not to wait for it would be to turn
        # without a pause.
        waits = [] if self._is_stopping else [counter.wait_s(now=now) for counter in self._models]
        return self._events.gather(min(waits, default=math.inf))

    def _note(self, event: BuiltRequest | CallDone, *, now: float) -> None:
        if isinstance(event, CallDone):
            self._note_called(event, now=now)
            return
        counter = self._models.of(event.claim.run, event.claim.model)
        if not counter.mark_built(event.claim):
            return
        if event.task is not None:
            counter.is_ready(event.task)
            return
        if event.answer is not None:
            self._due.outcomes.append(outcome_without_call(event.claim, event.answer))
            return
        if isinstance(event.error, LostFolderError):
            self._due.halted[event.claim.run] = str(event.error)
            self._due.returned.append(event.claim)
            return
        error = material_failure(event.error)
        self._note_streak(event.claim.run, error, profile=counter.profile)
        self._due.outcomes.append(
            failed_outcome(
                event.claim, error, profile=counter.profile, model=None, now=now, chance=self._chance
            )
        )

    def _note_called(self, called: CallDone, *, now: float) -> None:
        claims, made, error = called.task.claims, called.made, called.made.error
        counter = self._models.of(claims[0].run, claims[0].model)
        counter.finish(called.task, now=time.monotonic(), took_s=made.took_s if made.model else None)
        if isinstance(error, Cancelled):
            self._due.returned += claims
            return
        if error is None or isinstance(error, CallFailed):
            self._note_streak(claims[0].run, error, profile=counter.profile)
        if error is not None and affects_all_jobs(error):
            self._due.halted[claims[0].run] = halt_message(error, now=now)
        elif isinstance(error, CallFailed) and error.kind == "rate":
            counter.pace.close_until(time.monotonic() + (error.retry_after_s or 0.0))
        worker_context = self._worker_contexts.of(claims[0].run)
        self._due.outcomes += outcomes_of(
            called, profile=counter.profile, worker_context=worker_context, now=now, chance=self._chance
        )

    def _note_streak(self, run: str, error: CallFailed | None, *, profile: ModelProfile) -> None:
        if message := self._streaks.note(run, error, profile=profile):
            self._due.halted[run] = message

    def _has_due(self, now: float) -> bool:
        if is_time(now, since=self._heartbeat_at, every_s=BEAT_S):
            return True
        if self._is_stopping:
            return False
        awake_at = time.monotonic()
        return is_time(now, since=self._checked_at, every_s=CHECK_EVERY_S) or any(
            counter.wait_s(now=awake_at) <= 0.0 for counter in self._models
        )

    def _commit(self, turn: _TurnResult, *, now: float) -> None:
        """Settle a turn in one transaction; what fails leaves everything to the next."""
        due = self._due
        with self._queue.transaction():
            # First: after the machine has slept, expired leases are its own and must not be reclaimed.
            if is_time(now, since=self._heartbeat_at, every_s=BEAT_S):
                self._send_heartbeat(now)
            # Before claims: an outcome frees what was reserved for it, and the jobs that depend on it.
            self._queue.record(due.outcomes, now=now)
            self._queue.release_claims(due.returned, now=now)
            for run, message in due.halted.items():
                self._queue.stop_run(run, message)
            turn.is_news = self._queue.stamp() != self._stamp
            is_time_to_check = is_time(now, since=self._checked_at, every_s=CHECK_EVERY_S)
            if due.halted or is_time_to_check or turn.is_news:
                self._check_runs(now)
            if not self._is_stopping:
                self._send(turn, now=now)
                self._claim(turn, now=now)
        # After the commit: what a failed one would have written is tried again in the next turn.
        self._due = _PendingWrites()
        self._checkpoints.note_commit(len(due.outcomes) + len(turn.calls))
        turn.ended = sum(outcome.prediction is not None for outcome in due.outcomes)
        turn.has_failures = any(outcome.failure is not None for outcome in due.outcomes)

    def _check_runs(self, now: float) -> None:
        """See what people and other workers did meanwhile."""
        if is_time(now, since=self._expired_at, every_s=EXPIRE_S):
            self._queue.advance_retries(now=now, longest_s=LONGEST_WAIT_S)
            self._queue.expire(now=now, fences=self._claims.dead(self._queue.leases(), now=now))
            self._expired_at = now
        running = self._queue.running()
        for counter in self._models:
            self._queue.release_claims(counter.release(running=running), now=now)
            counter.calls.withdraw(running=running)
        self._models.share_paces(self._confirmed_holders(), own=self.id)
        waiting = self._queue.waiting(now=now)
        self._waiting = [location for location in waiting if self._is_mine(*location)]
        self._checked_at, self._stamp = now, self._queue.stamp()

    def _confirmed_holders(self) -> Iterator[tuple[str, str, str]]:
        """Yield run, model and worker of the jobs that are held, of the runs that are allowed here."""
        for run, model, worker in self._queue.holders():
            if self._worker_contexts.is_confirmed(run):
                yield run, model, worker

    def _is_mine(self, run: str, model: str) -> bool:
        if self._only not in {"", run} or not self._worker_contexts.is_confirmed(run):
            return False
        return self._takes is None or self._takes(self._worker_contexts.of(run).profiles[model])

    def _send(self, turn: _TurnResult, *, now: float) -> None:
        for counter in self._models:
            turn.calls += ((counter, task) for task in counter.due(now=time.monotonic()))
        for counter, task in list(turn.calls):
            if not all(self._queue.mark_sent(task.claims, task.bodies)):
                # Another worker has claimed one of the jobs meanwhile: the others of the call are returned.
                self._queue.release_claims(task.claims, now=now)
                turn.calls.remove((counter, task))
                turn.lost.append((counter, task))

    def _claim(self, turn: _TurnResult, *, now: float) -> None:
        # Claims reach their counters behind the commit, so those of this turn are counted here.
        taken: dict[int, int] = {}
        for run, model in self._waiting:
            counter = self._models.of(run, model)
            room = counter.free_slots - taken.get(id(counter), 0)
            if room <= 0:
                continue
            claims = self._queue.claim(self.id, run=run, model=model, count=room, now=now)
            taken[id(counter)] = taken.get(id(counter), 0) + len(claims)
            turn.claimed += ((counter, claim) for claim in claims)

    def _retry_transaction(self, error: EnvironmentFailure) -> None:
        """Wait until an error of the file has passed: answers that were paid for are in hand."""
        now = time.monotonic()
        if self._failing_since is None:
            self._failing_since = now
            self.tell(f"{error} Results are kept in memory, and no request is sent until then.")
        if self._is_stopping or now - self._failing_since > PATIENCE_S:
            raise error
        time.sleep(RETRY_PAUSE_S)

    def _is_over(self, *, until_done: bool) -> bool:
        if self._is_stopping:
            # Here and not in ``stop``: that one comes from a signal, in the middle of anything.
            for counter in self._models:
                counter.calls.cancel()
            return not any(counter.out for counter in self._models)
        if not until_done or self._due or any(counter.held for counter in self._models):
            return False
        reader = self._worker_contexts.reader()
        if not self._only:
            return not any(map(self._worker_contexts.is_confirmed, reader.runs.running()))
        run = reader.runs.get(self._only)
        # Only active runs count: open jobs of paused or stopped runs are never claimed.
        return run is None or run.state != "running" or not self._worker_contexts.is_confirmed(run.id)

    def _open_calls(self, profile: ModelProfile) -> CallExecutor:
        # Checked before the first call, so that the rate is shared with other workers from the start.
        self._checked_at = 0.0
        return self._make_calls(profile, self._events.put)

    def _send_heartbeat(self, now: float, *, status: str = "works") -> None:
        held = [claim for counter in self._models for claim in counter.claims]
        self._queue.heartbeat(held, now=now)
        self._queue.record_worker(self.id, pid=os.getpid(), host=socket.gethostname(), now=now, status=status)
        self._heartbeat_at = now

    def _end(self) -> None:
        """Wait for the calls under way, record them, and give the rest back."""
        # First, so that no further request arrives behind the loop below.
        self._builders.close()
        for counter in self._models:
            counter.calls.close()
        for event in self._events.rest():
            if isinstance(event, CallDone):
                self._note_called(event, now=time.time())
        left = [claim for counter in self._models for claim in counter.claims]
        now = time.time()
        with self._queue.transaction():
            self._queue.record(self._due.outcomes, now=now)
            self._queue.release_claims([*self._due.returned, *left], now=now)
            for run, message in self._due.halted.items():
                self._queue.stop_run(run, message)
            self._send_heartbeat(now, status=WORKER_ENDED)
