"""The watch of a Dask scheduler against a client that does what a test says; no Dask is needed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest

from annotator.errors import EnvironmentFailure
from annotator.jobs import cluster_watch
from annotator.jobs.cluster_watch import SchedulerWatch
from tests.patience import wait_until


class _Client:
    """A client whose scheduler answers until a test says otherwise."""

    def __init__(self) -> None:
        self.status = "running"
        self.scheduler: object = SimpleNamespace(identity=None)
        self.error: Exception | None = None
        self.workers: dict[str, Any] = {"one": {"resources": {"GPU": 2.0}}, "two": {}}
        self.asked = 0

    def sync(self, _function: object, *, n_workers: int, callback_timeout: float) -> dict[str, Any]:
        assert (n_workers, callback_timeout) == (-1, cluster_watch.PROBE_S)
        self.asked += 1
        if self.error:
            raise self.error
        return {"workers": self.workers}


@pytest.fixture
def lost() -> threading.Event:
    return threading.Event()


@pytest.fixture
def client() -> _Client:
    return _Client()


@pytest.fixture
def watch(
    client: _Client, lost: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> Iterator[SchedulerWatch]:
    monkeypatch.setattr(cluster_watch, "PROBE_S", 0.01)
    monkeypatch.setattr(cluster_watch, "SILENT_S", 0.05)
    made = SchedulerWatch(cast("Any", client), address="tcp://h:1", on_lost=lost.set)
    yield made
    made.stop()


def test_watch_when_the_scheduler_answers_then_its_workers_are_known_from_the_start(
    watch: SchedulerWatch,
) -> None:
    watch.start()
    assert watch.workers == ({"GPU": 2.0}, {})
    watch.require_scheduler()


@pytest.mark.parametrize(("away_s", "known"), [(1e9, [{}, {"GPU": 2.0}]), (0.0, [{}])])
def test_watch_when_a_worker_restarts_then_what_it_declared_counts_for_a_while(
    watch: SchedulerWatch,
    client: _Client,
    monkeypatch: pytest.MonkeyPatch,
    away_s: float,
    known: list[dict[str, float]],
) -> None:
    monkeypatch.setattr(cluster_watch, "AWAY_S", away_s)
    watch.start()
    client.workers = {"two": {}}
    asked = client.asked
    wait_until(lambda: client.asked > asked + 2)
    assert sorted(watch.workers, key=len) == known


@pytest.mark.parametrize("error", [TimeoutError(), OSError("refused"), RuntimeError("the loop is closed")])
def test_watch_when_the_scheduler_is_silent_too_long_then_it_is_lost_and_says_so(
    watch: SchedulerWatch, client: _Client, lost: threading.Event, error: Exception
) -> None:
    watch.start()
    client.error = error
    wait_until(lost.is_set)
    with pytest.raises(EnvironmentFailure, match="tcp://h:1 has not answered for 0 s") as caught:
        watch.require_scheduler()
    assert "Restart the scheduler" in caught.value.hint


def test_watch_when_it_misses_an_answer_then_it_goes_on(
    watch: SchedulerWatch, client: _Client, lost: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_watch, "SILENT_S", 1e9)
    client.error = TimeoutError()
    watch.start()
    wait_until(lambda: client.asked > 3)
    client.error = None
    wait_until(lambda: bool(watch.workers))
    assert not lost.is_set()


def test_watch_when_dask_has_closed_the_client_then_says_so(watch: SchedulerWatch, client: _Client) -> None:
    watch.start()
    client.status, client.scheduler = "closed", None
    with pytest.raises(EnvironmentFailure, match="connection to the Dask scheduler was lost"):
        watch.require_scheduler()
