from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from annotator.store.serial_executor import SerialExecutor
from tests.patience import PATIENCE_S

REPO = Path(__file__).resolve().parents[3]


@pytest.fixture
def lane() -> Iterator[SerialExecutor]:
    lane = SerialExecutor("test-lane")
    yield lane
    lane.close()


def test_submit_when_several_wait_then_are_run_in_order_on_one_other_thread(lane: SerialExecutor) -> None:
    ran: list[tuple[int, int]] = []
    futures = [
        lane.submit(lambda number=number: ran.append((number, threading.get_ident()))) for number in range(50)
    ]
    for future in futures:
        future.result(PATIENCE_S)
    assert [number for number, _ in ran] == list(range(50))
    assert {thread for _, thread in ran} == {lane._thread.ident}
    assert lane._thread.ident != threading.get_ident()


@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(3), KeyboardInterrupt()], ids=type)
def test_submit_when_the_function_fails_then_the_future_tells_and_the_lane_goes_on(
    lane: SerialExecutor, error: BaseException
) -> None:
    def fail() -> None:
        raise error

    with pytest.raises(type(error)):
        lane.submit(fail).result(PATIENCE_S)
    assert lane.submit(lambda: "next").result(PATIENCE_S) == "next"


def test_submit_when_the_future_was_cancelled_then_it_is_not_run(lane: SerialExecutor) -> None:
    may_end, ran = threading.Event(), []
    first = lane.submit(lambda: may_end.wait(PATIENCE_S))
    second = lane.submit(lambda: ran.append("second"))
    assert second.cancel()
    may_end.set()
    assert first.result(PATIENCE_S)
    lane.submit(lambda: None).result(PATIENCE_S)
    assert ran == []


def test_wait_when_work_is_left_then_ends_after_the_last_of_it(lane: SerialExecutor) -> None:
    lane.wait_until_idle(PATIENCE_S)
    may_end, ran = threading.Event(), []
    lane.submit(lambda: may_end.wait(PATIENCE_S))
    lane.submit(lambda: ran.append("second"))
    lane.wait_until_idle(0.0)
    assert ran == []
    may_end.set()
    lane.wait_until_idle(PATIENCE_S)
    assert ran == ["second"]


def test_close_when_work_waits_then_it_is_still_done(lane: SerialExecutor) -> None:
    may_end, ran = threading.Event(), []
    lane.submit(lambda: may_end.wait(PATIENCE_S))
    futures = [lane.submit(lambda number=number: ran.append(number)) for number in range(10)]
    closing = threading.Thread(target=lane.close)
    closing.start()
    may_end.set()
    closing.join(PATIENCE_S)
    assert ran == list(range(10))
    assert all(future.done() for future in futures)
    assert not lane._thread.is_alive()


def test_close_when_called_by_two_then_both_wait_until_all_is_done(lane: SerialExecutor) -> None:
    may_end, is_done = threading.Event(), threading.Event()

    def work() -> None:
        may_end.wait(PATIENCE_S)
        is_done.set()

    lane.submit(work)
    seen: list[bool] = []

    def close() -> None:
        lane.close()
        seen.append(is_done.is_set())

    closing = [threading.Thread(target=close) for _ in range(2)]
    for thread in closing:
        thread.start()
    may_end.set()
    for thread in closing:
        thread.join(PATIENCE_S)
    assert seen == [True, True]


def test_submit_when_closed_then_refuses(lane: SerialExecutor) -> None:
    lane.close()
    with pytest.raises(RuntimeError, match="the project is closed"):
        lane.submit(lambda: None)


def test_submit_when_it_meets_a_close_then_is_either_run_or_refused() -> None:
    for _ in range(50):
        lane = SerialExecutor("test-lane")
        begin, futures = threading.Barrier(2), []

        def submit(
            lane: SerialExecutor = lane, begin: threading.Barrier = begin, futures: list = futures
        ) -> None:
            begin.wait(PATIENCE_S)
            with suppress(RuntimeError):
                futures.extend(lane.submit(lambda number=number: number) for number in range(20))

        thread = threading.Thread(target=submit)
        thread.start()
        begin.wait(PATIENCE_S)
        lane.close()
        thread.join(PATIENCE_S)
        assert [future.result(PATIENCE_S) for future in futures] == list(range(len(futures)))


def test_lane_when_the_process_ends_without_closing_then_is_drained() -> None:
    script = """
import time
from annotator.store.serial_executor import SerialExecutor
lane = SerialExecutor("drained")
lane.submit(lambda: time.sleep(0.05))
lane.submit(lambda: print("written"))
"""
    ended = subprocess.run(
        [sys.executable, "-c", script],
        cwd=REPO,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "written\n", "")
