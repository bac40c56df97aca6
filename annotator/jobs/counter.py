"""What a dispatcher has in hand for one model: being made, ready, out; and how much more it may take."""

from __future__ import annotations

import math

from annotator.domain.profile import Profile
from annotator.domain.work import Claim
from annotator.jobs.calls import Calls, Task
from annotator.jobs.kind import BatchKind, Kind
from annotator.jobs.pace import Pace
from annotator.predictor import ChatRequest

AHEAD_SHARE = 0.5
"""So much more than the calls at once is claimed, so that no call waits for a commit."""
OUT_AHEAD_SHARE = 0.25
"""So much more than the calls at once is noted as sent: after a crash these are unsure without need."""
LETTERS_PER_TOKEN = 3.5
"""English prose has about four letters a token; pessimistic, since the pace must not be passed."""
TOKENS_PER_PICTURE = 1_000
NEVER_S = 3600.0


class Counter:
    """Keeps the books of one model.

    Args:
        profile: The model.
        calls: Makes its calls.
        now: Unix time.
    """

    def __init__(self, *, profile: Profile, calls: Calls, now: float) -> None:
        self.profile, self.calls = profile, calls
        self.pace = Pace(
            requests_per_minute=profile.requests_per_minute,
            tokens_per_minute=profile.tokens_per_minute,
            now=now,
        )
        self.out: dict[int, Claim] = {}
        self._building: dict[int, Claim] = {}
        self._ready: list[Task] = []
        self._batch = 1

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
    def _most_out(self) -> int:
        # A few more than there are threads: one that is free does not wait for the next commit then.
        ahead = math.ceil(self.profile.in_flight * OUT_AHEAD_SHARE) if self.profile.in_flight > 1 else 0
        return self.profile.in_flight * self._batch + ahead

    @property
    def room(self) -> int:
        """How many more claims are wanted."""
        wanted = self.profile.in_flight * self._batch
        return wanted + math.ceil(wanted * AHEAD_SHARE) - self.held

    def take(self, claim: Claim) -> None:
        """Note a claim whose material is being made."""
        self._building[claim.job] = claim

    def drop(self, claim: Claim) -> None:
        """Forget a claim whose material cannot be made."""
        self._building.pop(claim.job, None)

    def is_ready(self, task: Task) -> None:
        """Note that a claim's material is there."""
        for claim in task.claims:
            self._building.pop(claim.job, None)
        self._batch = _batch_of(task.kind, self.profile)
        self._ready.append(task)

    def due(self, *, now: float) -> list[Task]:
        """Take the calls that may be made now, several jobs in one where the model takes them so."""
        tasks: list[Task] = []
        free = self._most_out - len(self.out)
        while self._ready and free > 0 and self.pace.may_go(tokens=_tokens(self._ready[0]), now=now):
            batch = self._ready[: min(self._batch, free)]
            del self._ready[: len(batch)]
            free -= len(batch)
            tasks.append(_merged(batch))
        for task in tasks:
            self.out.update((claim.job, claim) for claim in task.claims)
        return tasks

    def make(self, task: Task) -> None:
        """Have a call made."""
        self.calls.make(task)

    def came_back(self, task: Task) -> None:
        """Note that a call is over."""
        for claim in task.claims:
            self.out.pop(claim.job, None)

    def wait_s(self, *, now: float) -> float:
        """Return in how many seconds a call that is ready may go."""
        if not self._ready or len(self.out) >= self._most_out:
            return NEVER_S
        return max(0.001, self.pace.wait_s(tokens=_tokens(self._ready[0]), now=now))


def _batch_of(kind: Kind, profile: Profile) -> int:
    return max(1, kind.batch_of(profile)) if isinstance(kind, BatchKind) else 1


def _merged(tasks: list[Task]) -> Task:
    if len(tasks) == 1:
        return tasks[0]
    claims = tuple(claim for task in tasks for claim in task.claims)
    return Task(
        kind=tasks[0].kind, claims=claims, materials=tuple(one for task in tasks for one in task.materials)
    )


def _tokens(task: Task) -> int:
    """Return about how many tokens a call takes, rather more than fewer."""
    count = 0
    for material in task.materials:
        if isinstance(material, ChatRequest):
            letters = len(material.text) + len(material.system)
            count += math.ceil(letters / LETTERS_PER_TOKEN) + material.max_tokens
            count += TOKENS_PER_PICTURE * len(material.pictures)
    return count
