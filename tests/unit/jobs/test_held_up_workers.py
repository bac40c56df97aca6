"""Workers that wait for a lock or stand still: none takes another for dead, and every paid answer counts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from annotator.jobs import claim_watch
from annotator.jobs.claim_watch import ClaimWatch
from annotator.queries.reader import Reader
from annotator.store.connection import connect
from annotator.store.work.queue import LEASE_S, WorkQueue
from tests.patience import PATIENCE_S, wait_until
from tests.servers.chat_server import ChatServer, texts_of
from tests.unit.jobs.working import answers, echoed, enter, plans, profile

PROCESS = Path(__file__).with_name("work_process.py")
WORST, COST = 60, 11
"""Millionths: ten tokens asked and one answered, at a price of one a million each."""
LEASE = 3.0
"""A worker counts as dead so long after its lease: far longer than a live one goes without a turn."""
JOBS = 16
"""What two workers hold: four calls each, and four that are ready."""
NOW = 1_800_000_000.0


@contextmanager
def workers(project: Path, count: int, *, lease_s: float) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Start worker processes that end when the run is done."""
    started = [
        subprocess.Popen(
            [sys.executable, PROCESS, "worker", project, "--until-done"],
            stdin=subprocess.DEVNULL,
            env=os.environ | {"VANTAGE_TEST_LEASE_S": f"{lease_s}"},
        )
        for _ in range(count)
    ]
    try:
        yield started
    finally:
        for process in started:
            process.send_signal(signal.SIGCONT)
            process.kill()
            process.wait()


def asked(server: ChatServer) -> Counter[str]:
    """Count how often each job was asked."""
    return Counter(texts_of(call.body).strip() for call in server.calls)


def ends_of_leases(project: Path) -> list[float]:
    """Return when the leases of the present claims end."""
    queue = WorkQueue.open(project)
    found = [until for _, until in queue.leases()]
    queue.close()
    return found


def senders(project: Path) -> int:
    """Return how many workers have calls in flight."""
    connection = connect(project, read_only=True)
    found = connection.execute("SELECT count(DISTINCT worker) FROM attempt WHERE state='sent'").fetchone()
    connection.close()
    return int(found[0])


def test_work_when_a_lock_outlasts_all_leases_then_no_worker_takes_the_other_for_dead(
    project: Path, reader: Reader
) -> None:
    with ChatServer(answer=lambda body: texts_of(body).strip()) as server:
        server.hold()
        paid = profile(base_url=server.base_url, in_flight=4, price_in=1.0, price_out=1.0)
        # So few that whoever is first after the lock would claim what it takes from the other.
        enter(project, plans(JOBS, worst=WORST), model=paid)
        with workers(project, 2, lease_s=LEASE) as started:
            wait_until(lambda: senders(project) == 2)
            lock = connect(project, read_only=False)
            lock.execute("BEGIN IMMEDIATE")
            server.release()
            # So long that the pause between two looks at the claims counts as a standstill.
            over = max(ends_of_leases(project)) + 2.25 * LEASE
            wait_until(lambda: time.time() > over)
            lock.execute("ROLLBACK")
            lock.close()
            assert [process.wait(PATIENCE_S) for process in started] == [0, 0]
        assert asked(server) == Counter({f"{n}": 1 for n in range(JOBS)})
    progress = reader.runs.progress("r1")
    attempts = [attempt for plan in plans(JOBS) for attempt in reader.runs.attempts_of(plan.request_key)]
    assert [attempt.state for attempt in attempts] == ["answered"] * JOBS
    assert sorted(answers(reader)) == sorted(echoed(JOBS))
    assert (progress.spent_micro, progress.reserved_micro) == (JOBS * COST, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="a process is stopped by a signal")
def test_work_when_a_worker_slept_then_what_came_meanwhile_is_recorded_once_and_not_asked_again(
    project: Path, reader: Reader
) -> None:
    with ChatServer(answer=lambda body: texts_of(body).strip()) as server:
        server.hold()
        paid = profile(base_url=server.base_url, in_flight=4, price_in=1.0, price_out=1.0)
        enter(project, plans(4, worst=WORST), model=paid)
        # Sixty seconds: only the expiry here, of what the sleeper holds, ends its claims.
        with workers(project, 1, lease_s=60.0) as (sleeper,):
            wait_until(lambda: len(server.calls) == 4)
            sleeper.send_signal(signal.SIGSTOP)
            queue = WorkQueue.open(project)
            expired = queue.expire(now=time.time() + 1000)
            queue.close()
            server.release()
            sleeper.send_signal(signal.SIGCONT)
            assert sleeper.wait(PATIENCE_S) == 0
        assert expired.unsure > 0
        assert asked(server) == Counter({f"{n}": 1 for n in range(4)})
    progress = reader.runs.progress("r1")
    assert sorted(answers(reader)) == sorted(echoed(4))
    assert (progress.spent_micro, progress.reserved_micro) == (4 * COST, 0)
    assert {attempt.state for plan in plans(4) for attempt in reader.runs.attempts_of(plan.request_key)} == {
        "answered"
    }


class Clock:
    """A clock that shows what it is told."""

    def __init__(self) -> None:
        self.shows = 0.0

    def monotonic(self) -> float:
        return self.shows


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Give the clock by which a watch is awake."""
    told = Clock()
    monkeypatch.setattr(claim_watch, "time", told)
    return told


def look(watch: ClaimWatch, clock: Clock, *, seconds: int, until: float) -> list[list[int]]:
    """Look every second at one claim."""
    found = []
    for _ in range(seconds):
        clock.shows += 1
        found.append(watch.dead([(7, until)], now=NOW + clock.shows))
    return found


def test_dead_when_a_lease_stays_over_then_after_the_grace_and_not_before(clock: Clock) -> None:
    found = look(ClaimWatch(), clock, seconds=12, until=NOW)
    assert found == [[]] * 10 + [[7]] * 2


def test_dead_when_the_machine_slept_then_the_grace_begins_anew(clock: Clock) -> None:
    watch = ClaimWatch()
    assert not any(look(watch, clock, seconds=9, until=NOW))
    # The clock that a process is awake by stands still meanwhile.
    assert watch.dead([(7, NOW)], now=NOW + 5_000) == []
    clock.shows += 5
    assert watch.dead([(7, NOW)], now=NOW + 5_005) == []
    clock.shows += 5
    assert watch.dead([(7, NOW)], now=NOW + 5_010) == [7]


def test_dead_when_the_lease_is_renewed_then_never(clock: Clock) -> None:
    watch = ClaimWatch()
    for _ in range(100):
        clock.shows += 1
        assert watch.dead([(7, NOW + clock.shows - 5)], now=NOW + clock.shows) == []


def test_dead_when_the_clock_was_set_back_by_years_then_after_a_lease_without_a_sign(clock: Clock) -> None:
    found = look(ClaimWatch(), clock, seconds=int(LEASE_S) + 2, until=NOW + 1e8)
    assert found[-1] == [7]
    assert not any(found[: int(LEASE_S)])
