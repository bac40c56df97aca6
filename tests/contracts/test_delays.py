"""Delays of `make test-delays` stop the threads asked for, where results pass from one to another."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from PySide6.QtCore import QTimer

from annotator.store.serial_executor import SerialExecutor
from tests.delays import KINDS, MOST_PAUSES, OFTEN_MS, RARE_S, Delays

INSTALLED = """
import os
from concurrent.futures import Future
from PySide6.QtCore import QTimer
from annotator.store.serial_executor import SerialExecutor
def test_delays():
    installed = {
        "workers": hasattr(Future.set_result, "__wrapped__"),
        "callers": hasattr(SerialExecutor.submit, "__wrapped__"),
        "timers": hasattr(QTimer.start, "__wrapped__"),
    }
    assert " ".join(kind for kind, is_there in installed.items() if is_there) == os.environ["KINDS"]
"""
Pauses = list[tuple[str, float]]


def delayed(kind: str, monkeypatch: pytest.MonkeyPatch, *, seed: str = "1") -> tuple[Delays, Pauses]:
    pauses: Pauses = []
    delays = Delays(seed, pause=lambda length_s: pauses.append((threading.current_thread().name, length_s)))
    delays.install((kind,), monkeypatch)
    return delays, pauses


def work(count: int) -> None:
    executor = SerialExecutor("vantage-store")
    assert [executor.submit(lambda n=n: n).result() for n in range(count)] == list(range(count))
    executor.close()
    with ThreadPoolExecutor(1, thread_name_prefix="pool") as pool:
        assert list(pool.map(abs, range(-count, 0))) == list(range(count, 0, -1))


def test_workers_when_delayed_then_each_other_thread_is_stopped_and_the_main_one_never(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, pauses = delayed("workers", monkeypatch)
    work(20)
    assert {name for name, _ in pauses} == {"vantage-store", "pool_0"}
    assert all(0 < length_s <= RARE_S for _, length_s in pauses)


def test_callers_when_delayed_then_the_main_thread_is_stopped_and_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, pauses = delayed("callers", monkeypatch)
    work(20)
    assert {name for name, _ in pauses} == {"MainThread"}


def test_result_when_workers_are_delayed_then_is_there_before_those_who_wait_for_it_are_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    future: Future[int] = Future()
    seen: list[bool] = []
    delays = Delays("1", pause=lambda _: seen.append(future.done()))
    delays.install(("workers",), monkeypatch)
    for _ in range(MOST_PAUSES):
        if {True, False} <= set(seen):
            break
        future = Future()
        thread = threading.Thread(target=future.set_result, args=(1,))
        thread.start()
        thread.join()
    assert {True, False} <= set(seen)


def test_delays_when_seed_and_test_are_the_same_then_so_are_they(monkeypatch: pytest.MonkeyPatch) -> None:
    delays, pauses = delayed("workers", monkeypatch)

    def lengths(test: str) -> Pauses:
        delays.begin(test)
        pauses.clear()
        work(20)
        return sorted(pauses)

    first = lengths("test_a")
    assert lengths("test_b") != first
    assert lengths("test_a") == first


def test_delays_when_a_test_had_many_then_hardly_any_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    delays, pauses = delayed("callers", monkeypatch)
    for _ in range(MOST_PAUSES):
        delays.stop_thread(is_main=True)
    before = len(pauses)
    for _ in range(MOST_PAUSES):
        delays.stop_thread(is_main=True)
    assert len(pauses) - before < MOST_PAUSES / 20 < before


@pytest.mark.parametrize("is_single", [True, False])
def test_timers_when_delayed_then_some_short_ones_are_over_at_once(
    qapp: object, monkeypatch: pytest.MonkeyPatch, is_single: bool
) -> None:
    delayed("timers", monkeypatch)

    def intervals(asked_ms: int) -> set[int]:
        found = set()
        for _ in range(20):
            timer = QTimer()
            timer.setSingleShot(is_single)
            timer.start(asked_ms)
            found.add(timer.interval())
            timer.stop()
        return found

    assert intervals(500) == {500, 1 if is_single else OFTEN_MS}
    assert intervals(0) == {0}
    assert intervals(60_000) == {60_000}


def test_run_when_it_has_delays_then_they_are_those_asked_for(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makepyfile(INSTALLED)
    options = ["-p", "tests.delays", "-p", "no:cacheprovider", "-n", "0", "--delays"]
    for kind in (*KINDS, "all"):
        monkeypatch.setenv("KINDS", " ".join(KINDS) if kind == "all" else kind)
        pytester.runpytest_inprocess(*options, kind).assert_outcomes(passed=1)
    # And they end with the run.
    assert not hasattr(SerialExecutor.submit, "__wrapped__")
