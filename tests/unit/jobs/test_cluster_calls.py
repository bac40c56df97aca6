"""Calls of a cluster against a client that does what a test says; no Dask is needed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from annotator.domain.profile import ModelProfile
from annotator.errors import Cancelled, EnvironmentFailure
from annotator.jobs import cluster_calls
from annotator.jobs.calls import CallDone
from annotator.jobs.cluster_calls import ClusterCallExecutor
from annotator.jobs.cluster_marks import BEGUN, KEPT, CallMarks
from annotator.jobs.cluster_payloads import LARGE_BYTES, HeldPayloads
from annotator.jobs.cluster_watch import SchedulerWatch
from annotator.jobs.cluster_worker import BegunCalls, RemoteCall, RemoteResult
from annotator.jobs.retry import may_have_cost
from annotator.model_api import CallFailed, ModelIdentity
from tests.patience import wait_until

MODEL = ModelIdentity(name="m", kind="chat")


class Future:
    def __init__(self, key: str) -> None:
        self.key, self.status = key, "pending"
        self._value: object = None
        self._callbacks: list[Callable[[Future], None]] = []

    def add_done_callback(self, call: Callable[[Future], None]) -> None:
        self._callbacks.append(call)

    def end(self, status: str, value: object = None) -> None:
        self.status, self._value = status, value
        for call in self._callbacks:
            call(self)

    def result(self) -> object:
        if isinstance(self._value, Exception):
            raise self._value
        return self._value

    def exception(self) -> object:
        return self._value

    def release(self) -> None:
        pass


class Scheduler:
    """Keeps marks like Dask's."""

    def __init__(self) -> None:
        self.marks: set[str] = set()

    async def event_set(self, *, name: str) -> None:
        self.marks.add(name)

    async def event_is_set(self, *, name: str) -> bool:
        return name in self.marks

    async def event_clear(self, *, name: str) -> None:
        self.marks.discard(name)


class Loop:
    def add_callback(self, function: Callable[..., Any], *arguments: Any) -> None:
        asyncio.run(function(*arguments))


class Client:
    """A client whose calls end when a test says so."""

    def __init__(self) -> None:
        self.status = "running"
        self.futures: dict[str, Future] = {}
        self.resources: list[object] = []
        self.sizes: list[int] = []
        self.scheduler, self.loop = Scheduler(), Loop()
        self.broken_off: list[str] = []
        self.asked = self.cancelled = self.answers_after = 0

    def submit(self, _function: object, *arguments: Any, key: str, **more: Any) -> Future:
        self.futures[key] = Future(key)
        if isinstance(arguments[0], RemoteCall):
            self.resources.append(more["resources"])
            self.sizes.append(len(arguments[0].materials.content))
        return self.futures[key]

    def sync(self, function: Callable[..., Any], *arguments: Any, callback_timeout: float) -> object:
        self.asked += 1
        if self.asked <= self.answers_after:
            raise TimeoutError(f"not within {callback_timeout:g} s")
        return asyncio.run(function(*arguments))

    def run(self, _function: object, keys: Sequence[str], **_options: Any) -> dict[str, object]:
        self.broken_off += keys
        return {}

    def begin(self, number: int) -> None:
        """Mark a call as a worker does that begins it."""
        self.scheduler.marks.add(BEGUN + self.call(number).key)

    def cancel(self, futures: Sequence[Future]) -> None:
        self.cancelled += 1
        for future in futures:
            future.end("cancelled")

    def call(self, number: int) -> Future:
        return next(future for key, future in self.futures.items() if key.endswith(f"-{number}"))


class Watch:
    def __init__(self, *workers: dict[str, float]) -> None:
        self.workers = workers
        self.failure: EnvironmentFailure | None = None

    def require_scheduler(self) -> None:
        if self.failure:
            raise self.failure


class Executor:
    """An executor, with the client that it uses and what it reports."""

    def __init__(self, *workers: dict[str, float], **changes: Any) -> None:
        self.client, self.watch = Client(), Watch(*workers)
        self.done: list[CallDone] = []
        self.marks = CallMarks(cast("Any", self.client))
        self.calls = ClusterCallExecutor(
            ModelProfile(**{"name": "m", "adapter": "transformers", **changes}),
            client=cast("Any", self.client),
            watch=cast("SchedulerWatch", self.watch),
            payloads=HeldPayloads(cast("Any", self.client)),
            marks=self.marks,
            catalogue=cast("Any", None),
            on_done=self.done.append,
        )

    def make(self, number: int = 1, *, run: str = "r1", materials: tuple[object, ...] = ("x",)) -> None:
        claim = SimpleNamespace(request_key=b"k", fence=number, run=run)
        self.calls.make(cast("Any", SimpleNamespace(kind=None, materials=materials, claims=(claim,))))

    @property
    def told(self) -> list[tuple[int, object]]:
        """The calls that ended, each with its failure or its first result."""
        return [(one.task.claims[0].fence, one.made.error or one.made.results[0]) for one in list(self.done)]

    def failures(self) -> dict[int, str]:
        return {n: error.kind for n, error in self.told if isinstance(error, CallFailed)}

    def cancelled(self) -> set[int]:
        return {n for n, error in self.told if isinstance(error, Cancelled)}


def answered(text: str) -> RemoteResult:
    return RemoteResult(results=(text,), model=MODEL)


@pytest.mark.parametrize(
    ("workers", "changes", "asked"),
    [
        ([{"GPU": 1.0}, {}], {}, {"GPU": 1}),
        ([{}], {}, None),
        ([{"GPU": 1.0}], {"adapter": "openai"}, None),
        ([{"GPU": 4.0}], {"resources": {"GPU": 2}}, {"GPU": 2}),
        ([{"API": 9.0}], {"adapter": "openai", "resources": {"API": 1}}, {"API": 1}),
        # Workers may still join.
        ([], {"resources": {"GPU": 2}}, {"GPU": 2}),
    ],
)
def test_call_when_workers_declare_resources_then_it_takes_what_its_profile_states_or_one_gpu(
    workers: list[dict[str, float]], changes: dict[str, Any], asked: object
) -> None:
    executor = Executor(*workers, **changes)
    executor.make()
    assert executor.client.resources == [asked]


def test_call_when_no_worker_declares_enough_then_the_run_stops_with_words() -> None:
    executor = Executor({"GPU": 1.0}, {"MEMORY": 8.0}, resources={"GPU": 1, "MEMORY": 8})
    executor.make()
    [(_, error)] = executor.told
    assert isinstance(error, EnvironmentFailure)
    assert "No worker of the cluster declares the resources of the model 'm': GPU=1 MEMORY=8." in str(error)
    assert "--resources" in error.hint
    assert not executor.client.futures


def test_call_when_no_worker_declares_a_large_amount_then_all_its_digits_are_named() -> None:
    executor = Executor({"MEMORY": 1.0}, resources={"MEMORY": 68_719_476_736.0})
    executor.make()
    [(_, error)] = executor.told
    assert isinstance(error, EnvironmentFailure)
    assert "--resources 'MEMORY=68719476736'" in error.hint


def test_call_when_a_copy_of_the_project_makes_the_same_one_then_each_is_a_task_of_its_own() -> None:
    first, second = Executor(), Executor()
    for executor in (first, second):
        executor.make()
    assert first.client.futures.keys().isdisjoint(second.client.futures)


def test_call_when_it_is_answered_then_the_result_is_reported_and_close_returns_at_once() -> None:
    executor = Executor()
    executor.make()
    executor.client.call(1).end("finished", answered("A"))
    executor.calls.close()
    assert executor.told == [(1, "A")]


def test_withdraw_when_a_run_stops_then_only_what_no_worker_has_begun_is_cancelled() -> None:
    executor = Executor()
    for number, run in ((1, "r1"), (2, "r1"), (3, "r2")):
        executor.make(number, run=run)
    executor.client.begin(1)
    executor.calls.withdraw(running=["r2"])
    wait_until(lambda: bool(executor.told))
    assert executor.cancelled() == {2}
    executor.client.call(1).end("finished", answered("A"))
    executor.client.call(3).end("finished", answered("B"))
    assert executor.told[1:] == [(1, "A"), (3, "B")]


def test_withdraw_when_the_worker_of_a_begun_call_dies_then_it_may_have_been_billed() -> None:
    executor = Executor()
    for number in (1, 2):
        executor.make(number)
    executor.client.begin(1)
    executor.calls.withdraw(running=())
    wait_until(lambda: executor.cancelled() == {2})
    # Of the worker that Dask handed it to, which must not begin it.
    executor.client.call(1).end("finished", RemoteResult(is_repeated=True))
    assert executor.failures() == {1: "cluster"}


def test_call_when_its_worker_dies_then_it_is_lost_and_only_the_dispatcher_decides_about_another_one() -> (
    None
):
    executor = Executor()
    executor.make()
    executor.client.call(1).end("finished", RemoteResult(is_repeated=True))
    [(_, error)] = executor.told
    assert isinstance(error, CallFailed)
    assert (error.kind, error.is_retryable, may_have_cost(error)) == ("cluster", True, True)
    assert str(error) == "The cluster lost the call (its worker died)."


def test_call_when_a_worker_sees_that_it_is_withdrawn_then_it_waits_again_without_cost() -> None:
    executor = Executor()
    executor.make()
    executor.client.begin(1)
    executor.calls.withdraw(running=())
    wait_until(lambda: any(mark.startswith("withdrawn-") for mark in executor.client.scheduler.marks))
    executor.client.call(1).end("finished", RemoteResult(is_cancelled=True))
    assert executor.cancelled() == {1}


def test_cancel_when_a_call_is_begun_then_its_worker_is_told_to_break_it_off() -> None:
    executor = Executor()
    for number in (1, 2):
        executor.make(number)
    executor.client.begin(1)
    executor.calls.cancel()
    wait_until(lambda: bool(executor.client.broken_off))
    assert executor.client.broken_off == [executor.client.call(1).key]


def test_marks_when_calls_have_ended_then_the_scheduler_keeps_few_of_them_and_none_at_the_end() -> None:
    executor = Executor()
    marks, kept = executor.marks, executor.client.scheduler.marks
    for number in range(5 * KEPT):
        executor.make(number)
        executor.client.begin(number)
        executor.client.call(number).end("finished", answered("A"))
        assert len(kept) <= 2 * KEPT
    # Results of calls that ended just now may still be computed again.
    assert len(kept) >= KEPT
    marks.close()
    assert not kept


def test_withdraw_when_the_scheduler_does_not_answer_then_nothing_is_cancelled_and_it_is_asked_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cluster_calls, "ASK_AGAIN_S", 0.0)
    executor = Executor()
    executor.make()
    executor.client.answers_after = 1
    executor.calls.withdraw(running=[])
    wait_until(lambda: executor.client.asked == 1)
    assert not executor.client.cancelled
    wait_until(lambda: executor.calls.withdraw(running=[]) is None and executor.client.asked > 1)
    wait_until(lambda: executor.cancelled() == {1})
    assert executor.client.cancelled == 1


def test_cancel_when_a_begun_call_never_ends_then_it_is_given_up_after_its_time_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    executor = Executor(timeout_s=1.0)
    executor.make()
    executor.client.begin(1)
    executor.calls.cancel()
    assert not executor.told
    monkeypatch.setattr(cluster_calls, "GRACE_S", -2.0)
    executor.calls.cancel()
    assert executor.failures() == {1: "cluster"}
    # Its answer comes too late, and is not reported a second time.
    executor.client.call(1).end("finished", answered("A"))
    assert len(executor.told) == 1


def test_close_when_the_scheduler_gives_no_answer_then_it_ends_and_calls_are_reported_as_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cluster_calls, "GRACE_S", 0.0)
    monkeypatch.setattr(cluster_calls, "ASK_AGAIN_S", 0.01)
    executor = Executor(timeout_s=0.01)
    executor.make()
    executor.client.begin(1)
    executor.calls.close()
    assert executor.failures() == {1: "cluster"}


def test_close_when_the_scheduler_answers_only_later_then_calls_that_none_has_begun_are_taken_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cluster_calls, "ASK_AGAIN_S", 0.01)
    executor = Executor(timeout_s=1e6)
    executor.make()
    executor.client.answers_after = 3
    executor.calls.close()
    assert executor.cancelled() == {1}
    assert executor.client.asked == 4


@pytest.mark.parametrize("status", ["cancelled", "lost"])
def test_result_when_the_connection_is_lost_then_only_calls_that_may_have_left_count_as_failed(
    status: str,
) -> None:
    executor = Executor()
    executor.make(1)
    executor.client.status = "connecting"
    executor.make(2)
    for number in (1, 2):
        executor.client.call(number).end(status)
    assert executor.failures() == {1: "cluster"}
    assert executor.cancelled() == {2}


def test_result_when_it_is_lost_on_its_way_then_the_call_fails() -> None:
    executor = Executor()
    executor.make()
    executor.client.call(1).end("finished", OSError("connection closed"))
    assert executor.failures() == {1: "cluster"}


def test_result_when_a_task_fails_on_the_cluster_then_its_words_are_reported() -> None:
    executor = Executor()
    executor.make()
    executor.client.call(1).end("error", MemoryError("worker killed"))
    [(_, error)] = executor.told
    assert "The call failed on the cluster: worker killed." in str(error)
    assert executor.failures() == {1: "connection"}


def test_call_when_the_scheduler_is_lost_then_nothing_is_submitted_and_calls_under_way_fail() -> None:
    executor = Executor()
    executor.make()
    executor.calls.fail_lost_calls()
    assert executor.failures() == {1: "cluster"}
    executor.watch.failure = EnvironmentFailure("It is lost.")
    with pytest.raises(EnvironmentFailure, match="It is lost"):
        executor.make(2)
    assert len(executor.client.resources) == 1


def test_call_when_its_image_was_sent_before_then_only_a_reference_is_sent() -> None:
    executor = Executor()
    image = bytes(4 * LARGE_BYTES)
    for number in range(1, 4):
        executor.make(number, materials=({"image": image, "number": number},))
    assert max(executor.client.sizes) < 200
    assert sum(key.startswith("vantage-payload-") for key in executor.client.futures) == 1


def test_begun_calls_when_some_are_broken_off_then_those_of_this_process_are_cancelled() -> None:
    begun = BegunCalls()
    first, second = begun.begin("a"), begun.begin("b")
    begun.break_off(["a", "elsewhere"])
    assert (first.is_cancelled, second.is_cancelled) == (True, False)
