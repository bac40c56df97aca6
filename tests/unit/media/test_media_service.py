from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from annotator.errors import Cancelled, UserError
from annotator.media.media_cache import ENTRY_BYTES, MediaCache, MediaResult
from annotator.media.media_service import MediaRequest, MediaService, Priority
from annotator.progress import Progress
from tests.guards import Messages

WAIT_S = 120
ONE_AT_A_TIME = dict.fromkeys(Priority, 1)


@dataclass(frozen=True)
class Loaded:
    """A medium of some bytes."""

    name: str
    nbytes: int = 0


class ServiceUser:
    """A service with requests that can be held up, and what it loaded in order."""

    def __init__(self, **settings: Any) -> None:
        self.loaded: list[Hashable] = []
        self.notified = threading.Semaphore(0)
        self.service = MediaService(notify=self.notified.release, **settings)
        self._gates: dict[Hashable, threading.Event] = {}
        self._begun: dict[Hashable, threading.Event] = {}

    def hold(self, key: Hashable) -> threading.Event:
        """Let a request wait until the event is set."""
        self._begun[key] = threading.Event()
        gate = self._gates[key] = threading.Event()
        return gate

    def wait_begun(self, key: Hashable) -> None:
        assert self._begun[key].wait(WAIT_S)

    def request(self, key: Hashable, *, error: Exception | None = None, nbytes: int = 0) -> MediaRequest:
        def load(progress: Progress) -> Loaded:
            self.loaded.append(key)
            if key in self._gates:
                self._begun[key].set()
                assert self._gates[key].wait(WAIT_S)
                progress.raise_if_cancelled()
            if error is not None:
                raise error
            return Loaded(f"{key}", nbytes)

        return MediaRequest(key=key, load=load)

    def want(self, channel: str, *keys: Hashable, priority: Priority = Priority.SHOWN, **more: Any) -> None:
        self.service.request(channel, [self.request(key) for key in keys], priority=priority, **more)

    def settle(self) -> list[Hashable]:
        """Wait until everything has come, and return the keys in the order in which they were handed over."""
        taken: list[Hashable] = []
        while True:
            taken += [finished.key for finished in self.service.take_finished()]
            if self.service.is_idle():
                return taken
            assert self.notified.acquire(timeout=WAIT_S)


@pytest.fixture
def make() -> Iterator[Callable[..., ServiceUser]]:
    made: list[ServiceUser] = []

    def make_one(**settings: Any) -> ServiceUser:
        made.append(ServiceUser(**settings))
        return made[-1]

    yield make_one
    for desk in made:
        for gate in desk._gates.values():
            gate.set()
        desk.service.close()
        desk.service.drain()


@pytest.fixture
def single(make: Callable[..., ServiceUser]) -> ServiceUser:
    """Give a service that loads one request at a time, in the order of its decisions."""
    return make(limits=ONE_AT_A_TIME)


def test_want_when_requests_are_equal_then_are_loaded_once_for_all_channels(single: ServiceUser) -> None:
    single.want("grid", "a", "b")
    single.want("page", "b", "a")
    assert sorted(map(str, single.settle())) == ["a", "b"]
    assert sorted(map(str, single.loaded)) == ["a", "b"]
    single.want("grid", "a")
    assert single.settle() == []
    assert len(single.loaded) == 2


def test_want_when_repeated_while_a_request_is_loaded_then_is_not_loaded_again(single: ServiceUser) -> None:
    gate = single.hold("a")
    single.want("grid", "a", "b")
    single.wait_begun("a")
    for _ in range(5):
        single.want("grid", "a", "b")
    gate.set()
    single.settle()
    assert single.loaded == ["a", "b"]


def test_want_when_the_list_changes_then_what_was_wanted_before_is_not_loaded(single: ServiceUser) -> None:
    gate = single.hold("first")
    single.want("grid", "first", "old", "older")
    single.wait_begun("first")
    single.want("grid", "new")
    gate.set()
    single.settle()
    assert single.loaded == ["first", "new"]
    assert single.service.get("old") is None


def test_want_when_several_channels_wait_then_the_most_urgent_is_first(single: ServiceUser) -> None:
    gate = single.hold("first")
    single.want("block", "first")
    single.wait_begun("first")
    single.want("next scene", "prefetched", priority=Priority.PREFETCH)
    single.want("grid", "thumb 1", "thumb 2", priority=Priority.THUMBNAIL)
    single.want("stage", "whole")
    single.want("quick", "preview", priority=Priority.PREVIEW)
    gate.set()
    single.settle()
    assert single.loaded == ["first", "preview", "whole", "thumb 1", "thumb 2", "prefetched"]


def test_limits_when_less_urgent_requests_are_loaded_then_a_thread_is_left_for_urgent_ones(
    make: Callable[..., ServiceUser],
) -> None:
    desk = make(limits=dict.fromkeys(Priority, 1) | {Priority.PREVIEW: 2})
    slow, quick = desk.hold("prefetched"), desk.hold("preview")
    desk.want("next scene", "prefetched", "more", priority=Priority.PREFETCH)
    desk.wait_begun("prefetched")
    desk.want("quick", "preview", priority=Priority.PREVIEW)
    desk.wait_begun("preview")
    assert desk.loaded == ["prefetched", "preview"]
    quick.set()
    slow.set()
    desk.settle()
    assert desk.loaded[-1] == "more"


def test_error_when_a_file_cannot_be_read_then_is_a_result_and_the_rest_is_loaded(
    single: ServiceUser,
) -> None:
    error = UserError("It is torn.")
    requests = [single.request("torn", error=error), single.request("whole")]
    single.service.request("grid", requests, priority=Priority.THUMBNAIL)
    single.settle()
    torn, whole = single.service.get("torn"), single.service.get("whole")
    assert torn is not None
    assert torn.error is error
    assert whole is not None
    assert whole.value == Loaded("whole")
    # Painted again, the grid wants the same: it is not tried again at once, but after forget.
    single.service.request("grid", requests, priority=Priority.THUMBNAIL)
    single.settle()
    assert single.loaded == ["torn", "whole"]
    single.service.forget(["torn"])
    single.settle()
    assert single.loaded == ["torn", "whole", "torn"]


def test_error_when_it_is_a_bug_then_is_logged_and_a_result_and_the_rest_is_loaded(
    single: ServiceUser, guard_messages: Messages
) -> None:
    guard_messages.allow("Loading a medium failed")
    error = ZeroDivisionError("division by zero")
    requests = [single.request("bug", error=error), single.request("whole")]
    single.service.request("grid", requests, priority=Priority.THUMBNAIL)
    single.settle()
    bug = single.service.get("bug")
    assert bug is not None
    assert bug.error is error
    assert single.service.get("whole") is not None


def test_cancelled_when_nobody_asked_for_it_then_is_an_error_and_not_tried_for_ever(
    single: ServiceUser,
) -> None:
    single.service.request("grid", [single.request("a", error=Cancelled())], priority=Priority.SHOWN)
    single.settle()
    result = single.service.get("a")
    assert result is not None
    assert isinstance(result.error, Cancelled)
    assert single.loaded == ["a"]


def test_want_when_a_request_is_given_up_while_it_is_loaded_then_it_is_cancelled(single: ServiceUser) -> None:
    gate = single.hold("a")
    single.want("grid", "a")
    single.wait_begun("a")
    single.want("grid", "b")
    gate.set()
    assert single.settle() == ["b"]
    assert single.service.get("a") is None


def test_want_when_a_request_is_wanted_again_after_it_was_cancelled_then_is_loaded_once_more(
    single: ServiceUser,
) -> None:
    gate = single.hold("a")
    single.want("grid", "a")
    single.wait_begun("a")
    single.want("grid")
    single.want("grid", "a", "b")
    gate.set()
    single.settle()
    assert single.loaded == ["a", "a", "b"]
    assert single.service.get("a") is not None


def test_pause_when_a_request_is_being_loaded_then_is_cancelled_and_goes_on_later(
    single: ServiceUser,
) -> None:
    gate = single.hold("a")
    single.want("timeline", "a", "b", priority=Priority.FRAME)
    single.wait_begun("a")
    single.service.pause("timeline", is_paused=True)
    gate.set()
    single.want("stage", "whole")
    assert single.settle() == ["whole"]
    assert single.loaded == ["a", "whole"]
    single.service.pause("timeline", is_paused=False)
    assert single.settle() == ["a", "b"]


def test_want_when_paused_from_the_start_then_nothing_is_loaded(single: ServiceUser) -> None:
    single.want("timeline", "a", priority=Priority.FRAME, is_paused=True)
    assert single.settle() == []
    assert single.loaded == []
    single.service.pause("nobody", is_paused=True)


def test_forget_when_a_file_was_replaced_while_it_was_read_then_is_read_again(single: ServiceUser) -> None:
    gate = single.hold("a")
    single.want("grid", "a", "b")
    single.wait_begun("a")
    single.service.forget()
    gate.set()
    assert single.settle() == ["a", "b"]
    assert single.loaded == ["a", "a", "b"]


def test_forget_when_nobody_wants_the_media_any_more_then_they_are_not_loaded(single: ServiceUser) -> None:
    single.want("grid", "a")
    single.settle()
    single.want("grid")
    single.service.forget()
    assert single.settle() == []
    assert single.service.get("a") is None


def test_request_when_it_is_not_kept_then_is_handed_over_once(single: ServiceUser) -> None:
    request = MediaRequest(key="drawn", load=lambda _: Loaded("drawn"), is_kept=False)
    single.service.request("stage", [request], priority=Priority.SHOWN)
    assert single.settle() == ["drawn"]
    assert single.service.get("drawn") is None
    assert single.service.is_idle("stage")


def test_finished_when_taken_then_names_the_channels_that_want_it(single: ServiceUser) -> None:
    gate = single.hold("a")
    single.want("grid", "a")
    single.wait_begun("a")
    single.want("page", "a", "b")
    single.want("other", "b")
    gate.set()
    channels: dict[Hashable, frozenset[Hashable]] = {}
    while not single.service.is_idle():
        assert single.notified.acquire(timeout=WAIT_S)
        channels |= {finished.key: finished.channels for finished in single.service.take_finished()}
    assert channels == {"a": {"grid", "page"}, "b": {"page", "other"}}


def test_cache_when_it_is_full_then_the_least_used_go_and_those_visible_stay(
    make: Callable[..., ServiceUser],
) -> None:
    desk = make(limits=ONE_AT_A_TIME, most_bytes=3000 + 3 * ENTRY_BYTES)

    def show(*keys: str) -> None:
        requests = [desk.request(key, nbytes=1000) for key in keys]
        desk.service.request("grid", requests, priority=Priority.THUMBNAIL)
        desk.settle()

    show("a", "b")
    show("c")
    assert desk.service.get("a") is not None
    show("d", "e")
    # Least used: b, then c.
    assert [key for key in "abcde" if desk.service.get(key) is not None] == ["a", "d", "e"]
    # More than fits is visible: all of it stays, and nothing is loaded again for ever.
    show("p", "q", "r", "s", "t")
    assert all(desk.service.get(key) is not None for key in "pqrst")
    assert len(desk.loaded) == 10


def test_cache_when_a_result_is_larger_than_the_limit_then_it_is_kept_alone() -> None:
    cache = MediaCache(1000)
    cache.put("small", MediaResult(value=np.zeros(10, np.uint8)), is_pinned=lambda _: False)
    cache.put("large", MediaResult(value=np.zeros(5000, np.uint8)), is_pinned=lambda _: False)
    assert "small" not in cache
    assert "large" in cache
    assert cache.forget() == ["large"]
    assert cache.get("large") is None


def test_close_when_requests_wait_then_they_are_dropped_and_the_call_returns_at_once(
    single: ServiceUser,
) -> None:
    gate = single.hold("a")
    single.want("grid", "a", "b", "c")
    single.wait_begun("a")
    # It would wait for ever if it waited: the gate is opened after it.
    single.service.close()
    gate.set()
    single.service.drain()
    assert single.loaded == ["a"]
    assert single.service.take_finished() == []
    single.want("grid", "d")
    single.service.run_task(lambda: single.loaded.append("task"))
    assert single.loaded == ["a"]
    assert not any(thread.name.startswith("vantage-media") for thread in threading.enumerate())


def test_task_when_it_fails_then_is_logged_and_the_next_one_runs(
    single: ServiceUser, guard_messages: Messages
) -> None:
    guard_messages.allow("A background task of the media service failed")
    errors: tuple[Exception, ...] = (UserError("no"), ZeroDivisionError("zero"))

    def fail(error: Exception) -> None:
        raise error

    for error in errors:
        single.service.run_task(lambda error=error: fail(error))
    ended = threading.Event()
    single.service.run_task(ended.set)
    assert ended.wait(WAIT_S)
