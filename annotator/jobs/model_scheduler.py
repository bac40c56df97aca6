"""Tracks the calls of one model (in preparation, ready, in progress), and limits how many are added."""

from __future__ import annotations

import math
from collections.abc import Collection
from itertools import takewhile

from annotator.domain.profile import ModelProfile
from annotator.domain.work import Claim
from annotator.jobs.calls import CallExecutor, ModelCall
from annotator.jobs.job_type import BatchJobType, JobType
from annotator.jobs.rate_limiter import RateLimiter
from annotator.model_api import ChatRequest

AHEAD_S = 0.07
"""Calls for so long ahead are noted as sent, so that no idle thread waits for a commit (two turns, measured
with calls of 50 ms). After a crash they are unsure without need: with calls of seconds that is one."""
AHEAD_MOST = 8
"""At most so many calls ahead for each that is under way."""
READY_LEAST = 4
"""Minimum number of calls prepared in advance. Each can hold frames of a video in memory."""
FIRST_GUESS_S = 0.2
"""Of a call's length before the first is over: short enough that a quick model is not starved meanwhile."""
MEMORY = 0.9
"""Weight of what is known of a model's calls against the newest: about the last ten count."""
LETTERS_PER_TOKEN = 3.5
"""English prose has about four letters a token; pessimistic, since the pace must not be passed."""
TOKENS_PER_PICTURE = 1_000
"""Estimated tokens of an image for the rate limit (not for limits of cost): too many for a small image, too
few for a 4K one. If the server counts more, it replies 429, and the limiter waits as long as it demands."""
NEVER_S = 3600.0
"""Nothing waits: longer than any turn, and still a number that a wait can take."""


class ModelScheduler:
    """Keeps the books of one model; for one thread.

    Args:
        profile: The model.
        calls: Makes its calls.
        now: Monotonic time in seconds, as of all its methods: the clock of the day can be set back.
    """

    def __init__(self, *, profile: ModelProfile, calls: CallExecutor, now: float) -> None:
        self.profile, self.calls = profile, calls
        self.used_at = now
        self.pace = RateLimiter(
            requests_per_minute=profile.requests_per_minute,
            tokens_per_minute=profile.tokens_per_minute,
            now=now,
        )
        self.out: dict[int, Claim] = {}
        self._calls_out = 0
        self._building: dict[int, Claim] = {}
        self._ready: list[ModelCall] = []
        self._batch = 1
        self._call_s = FIRST_GUESS_S

    @property
    def unsent(self) -> list[Claim]:
        """Claims whose calls have not been noted as sent."""
        return [*self._building.values(), *(claim for task in self._ready for claim in task.claims)]

    @property
    def claims(self) -> list[Claim]:
        """All claims in hand."""
        return [*self.unsent, *self.out.values()]

    @property
    def held(self) -> int:
        """Number of claims in hand."""
        return len(self._building) + len(self._ready) + len(self.out)

    @property
    def free_slots(self) -> int:
        """How many more claims are wanted."""
        ready = max(READY_LEAST, self._ahead) if self.profile.in_flight > 1 or self._batch == 1 else 1
        return (self.profile.in_flight + self._ahead + ready) * self._batch - self.held

    @property
    def _ahead(self) -> int:
        if self.profile.is_priced:
            # What is noted as sent counts as spent after a crash.
            return 0
        share = min(AHEAD_MOST, AHEAD_S / max(self._call_s, 1e-6))
        return math.ceil(self.profile.in_flight * share)

    def add(self, claim: Claim) -> None:
        """Note a claim whose material is being made."""
        self._building[claim.job] = claim

    def mark_built(self, claim: Claim) -> bool:
        """Note that the making of a claim's material is over; False where it was let go meanwhile."""
        known = self._building.get(claim.job)
        if known is None or known.fence != claim.fence:
            return False
        del self._building[claim.job]
        return True

    def is_ready(self, task: ModelCall) -> None:
        """Note that a call can be made."""
        self._batch = max(1, task.kind.batch_of(self.profile)) if isinstance(task.kind, BatchJobType) else 1
        self._ready.append(task)

    def release(self, *, running: Collection[str]) -> list[Claim]:
        """Forget what is not sent of runs that do not go on, and return it."""
        gone = [claim for claim in self.unsent if claim.run not in running]
        self._ready = [task for task in self._ready if task.claims[0].run in running]
        for claim in gone:
            self._building.pop(claim.job, None)
        return gone

    def due(self, *, now: float) -> list[ModelCall]:
        """Return the calls that may be made now; for batch models several jobs are combined in one."""
        tasks: list[ModelCall] = []
        while (batch := self._next()) and self.pace.acquire(tokens=_tokens(batch[0]), now=now):
            del self._ready[: len(batch)]
            task = _merged(batch)
            self._calls_out += 1
            self.out.update((claim.job, claim) for claim in task.claims)
            tasks.append(task)
        return tasks

    def put_back(self, task: ModelCall) -> None:
        """Hold a call that was taken and could not be noted as sent for the next turn."""
        self.finish(task, now=self.used_at)
        # Job by job: the next call combines them with others up to one batch, however often this happens.
        self._ready[:0] = _split(task)

    def finish(self, task: ModelCall, *, now: float, took_s: float | None = None) -> None:
        """Note that a call is over.

        Args:
            task: The call.
            now: Monotonic time in seconds.
            took_s: How long it took, None where it was not made.
        """
        if took_s is not None:
            self._call_s = MEMORY * self._call_s + (1 - MEMORY) * took_s
        self.used_at = now
        self._calls_out -= 1
        for claim in task.claims:
            self.out.pop(claim.job, None)

    def wait_s(self, *, now: float) -> float:
        """Return in how many seconds a call may go, 0 for at once."""
        batch = self._next()
        return self.pace.wait_s(tokens=_tokens(batch[0]), now=now) if batch else NEVER_S

    def _next(self) -> list[ModelCall]:
        """Return what the next call would take: what is there for an idle thread, ahead only full batches."""
        if not self._ready or self._calls_out >= self.profile.in_flight + self._ahead:
            return []
        first = _group(self._ready[0])
        batch = list(takewhile(lambda task: _group(task) == first, self._ready[: self._batch]))
        is_idle = self._calls_out < self.profile.in_flight
        return batch if is_idle or len(batch) == self._batch else []


def _group(task: ModelCall) -> tuple[JobType, str]:
    return task.kind, task.claims[0].run


def _merged(tasks: list[ModelCall]) -> ModelCall:
    if len(tasks) == 1:
        return tasks[0]
    return ModelCall(
        kind=tasks[0].kind,
        claims=tuple(claim for task in tasks for claim in task.claims),
        materials=tuple(material for task in tasks for material in task.materials),
        bodies=tuple(body for task in tasks for body in task.bodies),
    )


def _split(task: ModelCall) -> list[ModelCall]:
    parts = zip(task.claims, task.materials, task.bodies, strict=True)
    return [
        ModelCall(kind=task.kind, claims=(claim,), materials=(material,), bodies=(body,))
        for claim, material, body in parts
    ]


def _tokens(task: ModelCall) -> int:
    """Return about how many tokens a call takes, rather more than fewer."""
    count = 0
    for material in task.materials:
        if isinstance(material, ChatRequest):
            letters = len(material.text) + len(material.system)
            count += math.ceil(letters / LETTERS_PER_TOKEN) + material.max_tokens
            count += TOKENS_PER_PICTURE * len(material.pictures)
    return count
