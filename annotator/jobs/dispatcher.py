"""The dispatcher: claims jobs, has models called, records what came; one commit carries many jobs.

Work goes in turns. Each turn is one transaction: outcomes that came are recorded, calls whose material is
ready are noted as sent, and as many jobs are claimed as will be needed until the next turn. Only then are the
calls made: ``sent`` is always committed before a call, and no job costs a commit of its own.
"""

from __future__ import annotations

import os
import queue
import random
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from annotator.domain.profile import Profile
from annotator.domain.record import new_id
from annotator.domain.work import Claim, Outcome
from annotator.errors import VantageError
from annotator.jobs.builders import Builders, Built
from annotator.jobs.calls import Called, Calls, Task, Tell, ThreadCalls
from annotator.jobs.counter import Counter
from annotator.jobs.desks import Desks
from annotator.jobs.evidence import request_body
from annotator.jobs.outcomes import failed, is_for_all, outcomes_of
from annotator.predictor import CallFailed, Model
from annotator.store.work.queue import LEASE_S, WorkQueue

TURN_S = 0.01
"""Events of so long go together into one transaction."""
IDLE_S = 0.5
"""So often new runs, and what people did to them, are looked for while nothing comes."""
BEAT_S = LEASE_S / 4
LOOK_S = 0.1
"""So often it is asked which runs have something to claim."""
OpenModel = Callable[[Profile], Model]
MakeCalls = Callable[[Profile, Tell], Calls]


class Dispatcher:
    """Works on a project's queue until it is stopped, or until nothing is left.

    Args:
        path: The project file.
        open_model: Opens a model by its profile.
        run: Id of the one run to work on, "" for all.
        make_calls: Makes the calls of a profile somewhere else than on threads of this process.
        words: What the worker says of itself.
    """

    def __init__(
        self,
        path: Path,
        *,
        open_model: OpenModel,
        run: str = "",
        make_calls: MakeCalls | None = None,
        words: str = "works",
    ) -> None:
        self.id = new_id()
        self._only, self._words = run, words
        self._queue = WorkQueue.open(path)
        self._desks = Desks(path)
        self._events: queue.SimpleQueue[Built | Called | None] = queue.SimpleQueue()
        self._make_calls = make_calls or (lambda p, tell: ThreadCalls(p, open_model=open_model, tell=tell))
        self._builders = Builders(desk_of=self._desks.of, leave=self._desks.leave, tell=self._events.put)
        self._counters: dict[bytes, Counter] = {}
        self._chance = random.Random(self.id)
        self._is_stopping = False
        self._looked_at = self._beat_at = 0.0
        self._halted: dict[str, str] = {}

    def stop(self) -> None:
        """Claim nothing more; may be called from a signal or any thread. What is in flight is waited for."""
        self._is_stopping = True
        self._events.put(None)

    def work(self, *, until_done: bool) -> None:
        """Take turns until stopped, or until no run that goes on has anything left.

        Raises:
            HostError: The project file cannot be written.
        """
        try:
            self._tell_beat(time.time())
            while not self._is_over(until_done=until_done):
                self.turn()
        finally:
            self._close()

    def turn(self) -> None:
        """Wait for something to happen, then record, send and claim in one transaction."""
        events = self._gathered()
        now = time.time()
        outcomes = [outcome for event in events for outcome in self._outcomes(event, now=now)]
        tasks = [task for counter in self._counters.values() for task in counter.due(now=now)]
        new: list[tuple[Counter, Claim]] = []
        if outcomes or tasks or self._is_look_due(now):
            with self._queue.together():
                self._queue.record(outcomes, now=now)
                tasks = list(self._sent(tasks))
                new = list(self._claimed(now))
        for task in tasks:
            self._counter(task.claims[0]).make(task)
        for counter, claim in new:
            counter.take(claim)
            self._builders.build(claim)
        self._halt()
        if now - self._beat_at >= BEAT_S:
            self._tell_beat(now)

    def _gathered(self) -> list[Built | Called]:
        wait_s = min((counter.wait_s(now=time.time()) for counter in self._counters.values()), default=IDLE_S)
        events: list[Built | Called] = []
        deadline = time.monotonic() + min(wait_s, IDLE_S)
        while (left_s := deadline - time.monotonic()) > 0 or not self._events.empty():
            try:
                event = self._events.get(timeout=max(0.0, left_s))
            except queue.Empty:
                break
            if event is None:
                break
            if not events:
                deadline = min(deadline, time.monotonic() + TURN_S)
            events.append(event)
        return events

    def _outcomes(self, event: Built | Called, *, now: float) -> list[Outcome]:
        if isinstance(event, Called):
            counter = self._counter(event.task.claims[0])
            counter.came_back(event.task)
            self._note_error(event.error, claims=event.task.claims, counter=counter, now=now)
            desk = self._desks.of(event.task.claims[0].run)
            return outcomes_of(event, profile=counter.profile, desk=desk, now=now, chance=self._chance)
        counter = self._counter(event.claim)
        if event.task is not None:
            counter.is_ready(event.task)
            return []
        counter.drop(event.claim)
        # What cannot be asked any more fails alone, not the run.
        error = CallFailed(str(event.error), kind="material", is_retryable=False, was_sent=False)
        return [failed(event.claim, error, profile=counter.profile, model=None, now=now, chance=self._chance)]

    def _note_error(
        self, error: VantageError | None, *, claims: tuple[Claim, ...], counter: Counter, now: float
    ) -> None:
        if error is None:
            return
        if is_for_all(error):
            self._halted[claims[0].run] = str(error)
        elif isinstance(error, CallFailed) and error.kind == "rate":
            counter.pace.close_until(now + (error.retry_after_s or 0.0))

    def _sent(self, tasks: list[Task]) -> Iterator[Task]:
        for task in tasks:
            bodies = [request_body(material) for material in task.materials]
            if all(self._queue.sent(task.claims, bodies)):
                yield task
            else:
                # Somebody else has one of them by now: the others of the call go back.
                self._queue.give_back(task.claims, now=time.time())
                self._counter(task.claims[0]).came_back(task)

    def _claimed(self, now: float) -> Iterator[tuple[Counter, Claim]]:
        if self._is_stopping:
            return
        self._queue.expire(now=now)
        for run, model in self._waiting(now):
            counter = self._counter_of(self._desks.of(run).profiles[model])
            if counter.room > 0:
                claims = self._queue.claim(self.id, run=run, model=model, count=counter.room, now=now)
                for claim in claims:
                    yield counter, claim

    def _waiting(self, now: float) -> list[tuple[str, str]]:
        self._looked_at = now
        found = self._queue.waiting(now=now)
        return [(run, model) for run, model in found if self._only in {"", run}]

    def _is_look_due(self, now: float) -> bool:
        has_room = not self._counters or any(counter.room > 0 for counter in self._counters.values())
        return has_room and now - self._looked_at >= LOOK_S

    def _halt(self) -> None:
        for run, words in self._halted.items():
            self._queue.runs.stop(run, words)
        self._halted.clear()

    def _is_over(self, *, until_done: bool) -> bool:
        held = sum(counter.held for counter in self._counters.values())
        if self._is_stopping:
            return not any(counter.out for counter in self._counters.values())
        if not until_done or held:
            return False
        reader = self._desks.reader()
        if not self._only:
            return not reader.is_work_left()
        run = reader.run(self._only)
        return run is None or run.state != "running"

    def _counter(self, claim: Claim) -> Counter:
        return self._counter_of(self._desks.of(claim.run).profiles[claim.model])

    def _counter_of(self, profile: Profile) -> Counter:
        key = msgspec.json.encode(profile)
        if key not in self._counters:
            calls = self._make_calls(profile, self._events.put)
            self._counters[key] = Counter(profile=profile, calls=calls, now=time.time())
        return self._counters[key]

    def _tell_beat(self, now: float) -> None:
        self._beat_at = now
        held = [claim for counter in self._counters.values() for claim in counter.claims]
        with self._queue.together():
            self._queue.beat(held, now=now)
            self._queue.tell_worker(
                self.id, pid=os.getpid(), host=socket.gethostname(), now=now, words=self._words
            )

    def _close(self) -> None:
        self._builders.close()
        for counter in self._counters.values():
            counter.calls.close()
        unsent = [claim for counter in self._counters.values() for claim in counter.unsent]
        self._queue.give_back(unsent, now=time.time())
        self._record_last()
        self._queue.tell_worker(
            self.id, pid=os.getpid(), host=socket.gethostname(), now=time.time(), words="ended"
        )
        self._queue.close()
        self._desks.leave()

    def _record_last(self) -> None:
        outcomes = []
        while not self._events.empty():
            event = self._events.get()
            if isinstance(event, Called):
                outcomes += self._outcomes(event, now=time.time())
        self._queue.record(outcomes, now=time.time())
