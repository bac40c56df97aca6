"""The pace of a model, kept by one worker or by several together."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from annotator.jobs.rate_limiter import RateLimiter
from annotator.queries.reader import Reader
from annotator.store.work.queue import WorkQueue
from tests.patience import PATIENCE_S, wait_until
from tests.servers.chat_server import ChatServer, texts_of
from tests.unit.jobs.working import answers, echoed, enter, plans, profile

PROCESS = Path(__file__).with_name("work_process.py")
NOW = 1_800_000_000.0
STEP_S = 0.01


def pace(requests: int = 600, tokens: int = 0) -> RateLimiter:
    return RateLimiter(requests_per_minute=requests, tokens_per_minute=tokens, now=NOW)


def calls(paces: Sequence[RateLimiter], *, begin_s: float, seconds: float, tokens: int = 0) -> list[float]:
    """Return when calls went of workers that want to make as many as they may."""
    went: list[float] = []
    for step in range(round(seconds / STEP_S)):
        now = NOW + begin_s + step * STEP_S
        for one in paces:
            while one.acquire(tokens=tokens, now=now):
                went.append(now)
    return went


def test_may_go_when_nobody_shares_then_a_second_is_in_hand_and_the_rate_follows() -> None:
    alone = pace()
    alone.share(1, now=NOW)
    assert len(calls([alone], begin_s=0, seconds=0.01)) == 10
    assert len(calls([alone], begin_s=0.01, seconds=6)) == pytest.approx(60, abs=1)


def test_share_when_others_come_and_go_then_all_together_stay_within_the_rate() -> None:
    first, *others = [pace() for _ in range(4)]
    first.share(1, now=NOW)
    went = calls([first], begin_s=0, seconds=3)
    for count in (2, 3, 4):
        together = [first, *others[: count - 1]]
        began = 3 * (count - 1)
        for one in together:
            one.share(count, now=NOW + began)
        went += calls(together, begin_s=began, seconds=3)
    first.share(1, now=NOW + 12)
    went += calls([first], begin_s=12, seconds=3)
    # Fifteen seconds at ten a second, and the second that the first had in hand.
    assert 150 - 4 <= len(went) <= 150 + 10
    assert most_within(went, seconds=1.0) <= 20
    assert most_within(went[10:], seconds=1.0) <= 10 + 3


def test_share_when_a_worker_comes_then_it_begins_with_nothing_and_the_rest_is_divided() -> None:
    idle, newcomer = pace(), pace()
    idle.share(1, now=NOW)
    for one in (idle, newcomer):
        one.share(2, now=NOW)
    assert [one.acquire(tokens=0, now=NOW) for one in (newcomer, idle)] == [False, True]
    assert len(calls([idle], begin_s=0, seconds=0.01)) == 4


def test_share_when_tokens_are_paced_then_a_debt_is_not_divided() -> None:
    one = pace(requests=0, tokens=60_000)
    one.share(1, now=NOW)
    assert one.acquire(tokens=5_000, now=NOW)
    assert one.wait_s(tokens=1_000, now=NOW) == pytest.approx(5.0)
    one.share(2, now=NOW)
    # Four thousand owed and five hundred to have, at five hundred a second.
    assert one.wait_s(tokens=1_000, now=NOW) == pytest.approx(9.0)


def test_pace_when_the_clock_is_set_back_then_goes_on_at_once() -> None:
    alone = pace()
    alone.share(1, now=NOW)
    calls([alone], begin_s=0, seconds=1)
    assert len(calls([alone], begin_s=-3600, seconds=6)) == pytest.approx(60, abs=1)


def test_is_limited_when_there_is_a_rate_then_says_so() -> None:
    assert [pace(r, t).is_limited for r, t in ((0, 0), (1, 0), (0, 1))] == [False, True, True]


def most_within(went: Sequence[float], *, seconds: float) -> int:
    return max(sum(begin <= moment < begin + seconds for moment in went) for begin in went)


def started(project: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, PROCESS, "worker", project],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, "VANTAGE_TEST_LEASE_S": "30"},
    )


def is_done(reader: Reader) -> bool:
    run = reader.runs.get("r1")
    return run is not None and run.state == "done"


@pytest.mark.slow
def test_worker_when_two_processes_ask_one_server_then_together_they_keep_its_pace(
    project: Path, reader: Reader
) -> None:
    came: list[float] = []

    def answer(body: dict[str, object]) -> str:
        came.append(time.monotonic())
        return texts_of(body).strip()

    with ChatServer(answer=answer) as server:
        workers = [started(project) for _ in range(2)]
        wait_until(lambda: sum(one.status == "works" for one in reader.runs.workers()) == 2)
        enter(project, plans(120), model=profile(base_url=server.base_url, requests_per_minute=600))
        wait_until(lambda: is_done(reader))
        for process in workers:
            process.send_signal(signal.SIGTERM)
        said = [process.communicate(timeout=PATIENCE_S)[1] for process in workers]
    assert [process.returncode for process in workers] == [0, 0], said
    assert answers(reader) == echoed(120)
    attempts = [each for plan in plans(120) for each in reader.runs.attempts_of(plan.request_key)]
    assert len(came) == len(attempts) == 120
    assert len({each.worker for each in attempts}) == 2
    # Ten a second, a second in hand, and six calls of each that wait while it opens its model. Each for
    # itself they would ask twenty a second.
    for seconds in (1.0, 2.0, 4.0, 6.0):
        assert most_within(came, seconds=seconds) <= 10 * seconds + 10 + 12
    assert most_within(came[40:], seconds=4.0) <= 10 * 4 + 10 + 2


def test_holders_when_two_workers_have_claims_then_both_are_named_until_they_let_go(project: Path) -> None:
    enter(project, plans(4))
    queue = WorkQueue.open(project)
    taken = {
        who: queue.claim(who, run="r1", model="m", count=2, now=NOW)
        for who in ("ann's worker", "bo's worker")
    }
    assert set(queue.holders()) == {("r1", "m", who) for who in taken}
    queue.release_claims(taken.pop("bo's worker"), now=NOW)
    assert queue.holders() == [("r1", "m", "ann's worker")]
    queue.close()
