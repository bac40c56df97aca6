"""Delays threads, so that a test that depends on luck fails; for ``make test-delays``, in no other run.

A busy machine stops any thread anywhere. This plugin stops them where results pass from one to another, by
numbers that depend only on the seed, the test and the name of the thread.
"""

from __future__ import annotations

import multiprocessing.connection
import random
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import wraps
from time import sleep

import pytest
from PySide6.QtCore import QTimer

from annotator.change_listeners import ChangeListeners
from annotator.store.serial_executor import SerialExecutor

KINDS = ("workers", "callers", "timers")
LENGTHS_S = (0.0, 0.0, 0.03, 0.12)
"""The longest pause, s, of four that are as likely as each other: on average 19 ms."""
RARE, RARE_S = 0.02, 0.4
"""Share of the pauses that are long, and their length, s."""
MOST_PAUSES = 300
"""After so many a test has shown what it depends on, and one with thousands of commands has to end."""
LONGEST_TIMER_MS = 1000
"""Within which a busy machine may well stand still between two steps of a test."""
OFTEN_MS = 200
"""The least interval of a timer that fires again and again: what it starts must end before it fires again."""
WORKER_CALLS: tuple[tuple[type, str], ...] = (
    (Future, "set_running_or_notify_cancel"),
    (Future, "set_result"),
    (Future, "set_exception"),
    (Future, "_invoke_callbacks"),
    (ChangeListeners, "tell"),
    (threading.Event, "set"),
    (multiprocessing.connection.Connection, "recv_bytes"),
)
"""Before which a thread is stopped: the beginning and the end of its work, and what others wait for."""
CALLER_CALLS: tuple[tuple[type, str], ...] = (
    (ThreadPoolExecutor, "submit"),
    (SerialExecutor, "submit"),
    (threading.Thread, "start"),
    (threading.Event, "wait"),
)
"""After which the main thread is stopped: what it has begun may be over before it looks."""


class Delays:
    """Stops threads at random.

    Args:
        seed: Of the random numbers.
        pause: Called with seconds; sleeps.
    """

    def __init__(self, seed: str, *, pause: Callable[[float], object] = sleep) -> None:
        self._seed, self._pause = seed, pause
        self.begin("")

    def begin(self, test: str) -> None:
        """Start the random numbers of a test."""
        self._test, self._count = test, 0
        self._draws: dict[str, random.Random] = {}

    def draw(self, name: str) -> random.Random:
        """Return the random numbers of a thread, or of something else that has a name."""
        return self._draws.setdefault(name, random.Random(f"{self._seed} {self._test} {name}"))

    def stop_thread(self, *, is_main: bool) -> None:
        """Stop the calling thread for a moment, if it is the main thread or is not."""
        # Not current_thread(): it would give a name to a thread that is just being started.
        thread = threading._active.get(threading.get_ident())  # type: ignore[attr-defined]
        if thread is None or (thread is threading.main_thread()) != is_main:
            return
        draw = self.draw(thread.name)
        self._count += 1
        if self._count > MOST_PAUSES and draw.random() > RARE:
            return
        longest_s = RARE_S if draw.random() < RARE else draw.choice(LENGTHS_S)
        if longest_s:
            self._pause(draw.uniform(0, longest_s))

    def install(self, kinds: tuple[str, ...], patch: pytest.MonkeyPatch) -> None:
        """Stop threads of some kinds until the patch is undone."""
        if "workers" in kinds:
            for owner, name in WORKER_CALLS:
                patch.setattr(owner, name, self._stopped_before(getattr(owner, name)))
            patch.setattr(threading.Thread, "start", self._run_late(threading.Thread.start))
        if "callers" in kinds:
            for owner, name in CALLER_CALLS:
                patch.setattr(owner, name, self._stopped_after(getattr(owner, name)))
        if "timers" in kinds:
            patch.setattr(QTimer, "start", self._early(QTimer.start))

    def _stopped_before(self, original: Callable[..., object]) -> Callable[..., object]:
        @wraps(original)
        def call(*args: object, **kwargs: object) -> object:
            self.stop_thread(is_main=False)
            return original(*args, **kwargs)

        return call

    def _stopped_after(self, original: Callable[..., object]) -> Callable[..., object]:
        @wraps(original)
        def call(*args: object, **kwargs: object) -> object:
            result = original(*args, **kwargs)
            self.stop_thread(is_main=True)
            return result

        return call

    def _run_late(self, start: Callable[..., None]) -> Callable[..., None]:
        @wraps(start)
        def start_late(thread: threading.Thread) -> None:
            run = thread.run

            def run_late() -> None:
                self.stop_thread(is_main=False)
                run()
                # What it has told others is known before it has ended.
                self.stop_thread(is_main=False)

            thread.run = run_late  # type: ignore[method-assign]
            start(thread)

        return start_late

    def _early(self, start: Callable[..., None]) -> Callable[..., None]:
        @wraps(start, assigned=("__name__",))
        def start_early(timer: QTimer, *interval_ms: int) -> None:
            start(timer, *interval_ms)
            if 1 < timer.interval() <= LONGEST_TIMER_MS and self.draw("timers").random() < 0.5:
                timer.setInterval(1 if timer.isSingleShot() else min(OFTEN_MS, timer.interval()))

        return start_early


class _Run:
    def __init__(self, delays: Delays) -> None:
        self._delays = delays

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._delays.begin(nodeid)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Ask for the kind of delays and their seed."""
    group = parser.getgroup("delays")
    group.addoption("--delays", choices=(*KINDS, "all"), default="all", help="what is delayed")
    group.addoption("--delay-seed", default="1", help="other delays, the same in each run with this seed")


def pytest_configure(config: pytest.Config) -> None:
    """Delay threads until the run ends."""
    delays, patch = Delays(config.getoption("delay_seed")), pytest.MonkeyPatch()
    kind = config.getoption("delays")
    delays.install(KINDS if kind == "all" else (kind,), patch)
    config.add_cleanup(patch.undo)
    config.pluginmanager.register(_Run(delays), "vantage-delays")
