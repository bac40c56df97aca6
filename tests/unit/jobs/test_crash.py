"""Workers and their watchers, ended by force: each prediction once, no call repeated without need."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from annotator.queries.reader import Reader
from annotator.store.connection import connect
from tests.patience import wait_until
from tests.processes import is_alive
from tests.servers.chat_server import Behaviour, ChatServer, texts_of
from tests.unit.jobs.working import answers, echoed, enter, make_project, plans, profile

PROCESS = Path(__file__).with_name("work_process.py")
IN_FLIGHT = 16
WORST, COST = 60, 11
"""Millionths: ten tokens asked and one answered, at a price of one a million each."""


@contextmanager
def supervised(project: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start a process that watches over a worker."""
    process = subprocess.Popen(
        [sys.executable, PROCESS, "--supervised", project], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline()
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()  # type: ignore[union-attr]


def at_work(reader: Reader) -> list[int]:
    """Return the processes that work, by what the project says of its workers."""
    return [one.pid for one in reader.runs.workers() if one.status == "works" and is_alive(one.pid)]


def survive(folder: Path, *, jobs: int, kills: int) -> int:
    """Have jobs answered by workers that are killed, every third time with who watches over them.

    Returns:
        How many calls the server counted.
    """
    project = make_project(folder / "p.vantage")
    limit = jobs * COST + kills * 2 * IN_FLIGHT * WORST
    with ChatServer(answer=lambda body: texts_of(body).strip(), behaviour=Behaviour(delay_s=0.05)) as server:
        paid = profile(base_url=server.base_url, in_flight=IN_FLIGHT, price_in=1.0, price_out=1.0)
        enter(project, plans(jobs, worst=WORST), model=paid, limit_micro=limit)
        reader = Reader.open(project)
        under_way = kill_often(project, reader, jobs=jobs, kills=kills)
        with supervised(project):
            wait_until(lambda: run_state(reader) != "running")
        asked = Counter(texts_of(call.body).strip() for call in server.calls)
    unsure = count(project, "SELECT count(*) FROM attempt WHERE state='unsure'")
    progress = reader.runs.progress("r1")
    assert run_state(reader) == "done"
    assert answers(reader) == echoed(jobs)
    assert count(project, "SELECT count(*) FROM prediction") == jobs
    assert count(project, "SELECT count(*) FROM attempt WHERE state='answered'") == jobs
    assert set(asked) == {f"{n}" for n in range(jobs)}
    # What was asked twice is at most what had been noted as sent when somebody was killed.
    assert sum(asked.values()) - jobs <= unsure <= under_way
    assert progress.spent_micro == jobs * COST + unsure * WORST <= limit
    assert progress.reserved_micro == 0
    wait_until(lambda: not at_work(reader))
    reader.close()
    return sum(asked.values())


def kill_often(project: Path, reader: Reader, *, jobs: int, kills: int) -> int:
    """Kill again and again; return how many calls were under way then, all together, at most."""
    done_kills = under_way = 0
    while done_kills < kills:
        with supervised(project) as watcher:
            for turn in range(min(5, kills - done_kills)):
                wanted = jobs * (done_kills + 1) // (kills + 2)
                wait_until(lambda wanted=wanted: is_time(reader, wanted))  # type: ignore[misc]
                victim = at_work(reader)[0]
                os.kill(victim, signal.SIGKILL)
                done_kills += 1
                wait_until(lambda victim=victim: not is_alive(victim))  # type: ignore[misc]
                under_way += reader.runs.progress("r1").in_flight
                if turn == 2:
                    watcher.send_signal(signal.SIGKILL)
                    break
    return under_way


def is_time(reader: Reader, wanted: int) -> bool:
    progress = reader.runs.progress("r1")
    return progress.done >= wanted and progress.in_flight > 0 and bool(at_work(reader))


def run_state(reader: Reader) -> str:
    run = reader.runs.get("r1")
    assert run is not None
    return run.state


def count(project: Path, question: str) -> int:
    connection = connect(project, read_only=True)
    found = connection.execute(question).fetchone()[0]
    connection.close()
    return int(found)


needs_processes = pytest.mark.skipif(
    sys.platform != "linux", reason="whether a process lives is read from /proc"
)


@needs_processes
def test_kill_when_workers_die_three_times_over_200_jobs_then_each_prediction_is_there_once(
    tmp_path: Path,
) -> None:
    survive(tmp_path, jobs=200, kills=3)


@needs_processes
@pytest.mark.slow
def test_kill_when_workers_and_watchers_die_30_times_over_2000_jobs_then_each_prediction_is_there_once(
    tmp_path: Path,
) -> None:
    survive(tmp_path, jobs=2_000, kills=30)


@needs_processes
def test_kill_when_the_watcher_dies_then_its_worker_finishes_its_calls_and_ends(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p.vantage")
    with ChatServer(answer=lambda body: texts_of(body).strip(), behaviour=Behaviour(delay_s=0.05)) as server:
        enter(project, plans(2_000), model=profile(base_url=server.base_url, in_flight=4))
        reader = Reader.open(project)
        with supervised(project) as watcher:
            wait_until(lambda: is_time(reader, 4))
            (worker,) = at_work(reader)
            watcher.send_signal(signal.SIGKILL)
            wait_until(lambda: not is_alive(worker))
    progress = reader.runs.progress("r1")
    assert progress.in_flight == 0
    assert 4 <= progress.done < 2_000
    assert progress.done == len(server.calls)
    assert reader.runs.workers()[0].status == "ended"
    reader.close()
