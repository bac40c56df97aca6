"""Requests outside of the queue, to a real server: rate, cancel, cost and the kept replies."""

from __future__ import annotations

import re
import threading
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from annotator.domain.profile import ModelProfile
from annotator.errors import Cancelled
from annotator.jobs.cached_chat import EMPTY_REPLY, FAILURES_IN_A_ROW, FILE, CachedChat, ReplyCache
from annotator.model_api import CallFailed, ChatModel, ChatReply, ChatRequest, FailureKind
from annotator.progress import Progress
from models.model_catalog import InstalledModels
from tests.patience import PATIENCE_S
from tests.servers.chat_server import Behaviour, ChatServer, texts_of


def chat(server: ChatServer, folder: Path, **fields: Any) -> CachedChat:
    """Return requests to the server with replies kept in a folder."""
    profile = ModelProfile(
        name="m",
        adapter="openai",
        model="m",
        base_url=server.base_url,
        timeout_s=PATIENCE_S,
        **{"tries": 1, **fields},
    )

    def open_model(progress: Progress) -> ChatModel:
        return cast("ChatModel", InstalledModels().open(msgspec.to_builtins(profile), progress=progress))

    return CachedChat(profile, cache=ReplyCache(folder), open_model=open_model)


def requests(count: int) -> dict[int, ChatRequest]:
    return {n: ChatRequest(text=f"text {n}") for n in range(count)}


def test_ask_when_the_rate_is_low_then_all_are_sent_in_time(tmp_path: Path) -> None:
    with ChatServer(answer=texts_of) as server:
        said, outcome = chat(server, tmp_path, requests_per_minute=240).ask(requests(7), progress=Progress())
    assert (outcome.sent, outcome.not_sent, outcome.failed) == (7, 0, 0)
    assert said == {n: f"text {n}" for n in range(7)}


def test_ask_when_cancelled_then_replies_in_flight_are_kept(tmp_path: Path) -> None:
    progress = Progress()

    def answer(body: dict[str, Any]) -> str:
        progress.cancel()
        return texts_of(body)

    with ChatServer(answer=answer) as server:
        asking = chat(server, tmp_path, in_flight=2)
        with pytest.raises(Cancelled):
            asking.ask(requests(50), progress=progress)
        sent = len(server.calls)
        assert 0 < sent < 50
        assert chat(server, tmp_path).estimate(requests(50)).cached == sent


def test_ask_when_replies_cost_less_than_feared_then_the_limit_is_used_and_never_passed(
    tmp_path: Path,
) -> None:
    # 10 prompt tokens and 2 of the reply at 1 each: 12 millionths; at most 4 + 64 + 100.
    with ChatServer(answer=lambda _body: "two words") as server:
        asking = chat(server, tmp_path, price_in=1.0, price_out=1.0, in_flight=1)
        worst = asking.estimate(requests(1)).worst_micro
        _said, outcome = asking.ask(requests(20), limit_micro=worst + 3 * 12, progress=Progress())
    assert (outcome.sent, outcome.not_sent) == (4, 16)
    assert outcome.cost_micro <= worst + 3 * 12
    assert outcome.maximum_micro == 0


def test_estimate_when_no_price_is_stated_then_says_so(tmp_path: Path) -> None:
    with ChatServer() as server:
        assert not chat(server, tmp_path).estimate(requests(1)).is_price_known
        assert chat(server, tmp_path, price_in=0.0).estimate(requests(1)).is_price_known


def test_ask_when_everything_fails_then_stops_after_some(tmp_path: Path) -> None:
    with ChatServer(behaviour=Behaviour(status=400)) as server:
        asking = chat(server, tmp_path, in_flight=1)
        _said, outcome = asking.ask(requests(50), progress=Progress())
        assert len(server.calls) == FAILURES_IN_A_ROW
    assert (outcome.failed, outcome.not_sent) == (FAILURES_IN_A_ROW, 50 - FAILURES_IN_A_ROW)
    assert "400" in outcome.message


PRICED = ModelProfile(
    name="m", adapter="openai", model="m", tries=4, price_in=1.0, price_out=1.0, max_tokens=100
)


class _FailingModel:
    """A model whose calls fail in one way and may be repeated at once."""

    def __init__(self, *, kind: FailureKind, wait_s: float = 0.0) -> None:
        self.calls = 0
        self._kind, self._wait_s = kind, wait_s

    def asking(self, folder: Path) -> CachedChat:
        model = cast("ChatModel", self)
        return CachedChat(PRICED, cache=ReplyCache(folder), open_model=lambda _progress: model)

    def ask(self, request: ChatRequest, *, timeout_s: float) -> ChatReply:
        self.calls += 1
        raise CallFailed("failed", kind=self._kind, is_retryable=True, retry_after_s=self._wait_s)

    def close(self) -> None:
        pass


@pytest.mark.parametrize("attempts", [1, 2, 4])
def test_ask_when_attempts_are_repeated_then_each_is_within_the_limit_and_booked(
    tmp_path: Path, attempts: int
) -> None:
    model = _FailingModel(kind="timeout")
    asking = model.asking(tmp_path)
    worst = asking.estimate(requests(1)).worst_micro
    said, outcome = asking.ask(requests(1), limit_micro=worst * attempts, progress=Progress())
    assert not said
    assert model.calls == attempts
    assert (outcome.failed, outcome.cost_micro) == (1, worst * attempts)
    assert outcome.maximum_micro == outcome.cost_micro


def test_ask_when_attempts_are_refused_before_an_answer_then_they_use_nothing_of_the_limit(
    tmp_path: Path,
) -> None:
    model = _FailingModel(kind="rate")
    asking = model.asking(tmp_path)
    worst = asking.estimate(requests(1)).worst_micro
    _said, outcome = asking.ask(requests(1), limit_micro=worst, progress=Progress())
    assert model.calls == PRICED.tries
    assert (outcome.failed, outcome.cost_micro) == (1, 0)


def test_ask_when_the_server_accepts_nothing_for_hours_then_nothing_more_is_sent(tmp_path: Path) -> None:
    model = _FailingModel(kind="rate", wait_s=7_200.0)
    _said, outcome = model.asking(tmp_path).ask(requests(40), limit_micro=None, progress=Progress())
    assert model.calls <= PRICED.in_flight
    assert outcome.failed == model.calls
    assert outcome.not_sent == 40 - model.calls


class _BrokenModel:
    """A model with a bug: all requests arrive together, and only the last one has a reply."""

    def __init__(self, count: int) -> None:
        self._last = f"text {count - 1}"
        self._together = threading.Barrier(count)

    def ask(self, request: ChatRequest, *, timeout_s: float) -> ChatReply:
        self._together.wait(PATIENCE_S)
        if request.text != self._last:
            raise ZeroDivisionError
        return ChatReply(text="paid")

    def close(self) -> None:
        pass


def test_ask_when_calls_end_in_an_unexpected_error_then_the_replies_of_the_others_are_kept(
    tmp_path: Path,
) -> None:
    profile = msgspec.structs.replace(PRICED, in_flight=4)
    model = cast("ChatModel", _BrokenModel(4))
    asking = CachedChat(profile, cache=ReplyCache(tmp_path), open_model=lambda _progress: model)
    with pytest.raises(ZeroDivisionError):
        asking.ask(requests(4), progress=Progress())
    assert asking.estimate(requests(4)).cached == 1


def test_ask_when_a_reply_is_empty_then_it_is_not_kept_and_asked_for_again_the_next_time(
    tmp_path: Path,
) -> None:
    replies = iter(["", "word"])
    with ChatServer(answer=lambda _body: next(replies)) as server:
        asking = chat(server, tmp_path)
        said, outcome = asking.ask(requests(1), progress=Progress())
        assert (said, outcome.sent, outcome.failed, outcome.message) == ({}, 1, 1, EMPTY_REPLY)
        said, outcome = asking.ask(requests(1), progress=Progress())
    assert (said, outcome.failed, outcome.message) == ({0: "word"}, 0, "")


def test_get_when_an_earlier_version_kept_an_empty_reply_then_there_is_none(tmp_path: Path) -> None:
    ReplyCache(tmp_path).put("key", "", model="m")
    assert ReplyCache(tmp_path).get("key") is None


def test_ask_when_the_server_counts_no_tokens_then_replies_count_at_their_maximum_cost(
    tmp_path: Path,
) -> None:
    message = {"role": "assistant", "content": "A"}
    body = msgspec.json.encode({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
    with ChatServer(behaviour=Behaviour(body=body)) as server:
        asking = chat(server, tmp_path, price_in=1.0, price_out=1.0, in_flight=1)
        worst = asking.estimate(requests(1)).worst_micro
        _said, outcome = asking.ask(requests(5), limit_micro=2 * worst, progress=Progress())
    assert (outcome.sent, outcome.not_sent, outcome.cost_micro) == (2, 3, 2 * worst)
    assert outcome.maximum_micro == 2 * worst


def test_ask_when_the_server_accepts_nothing_for_hours_then_says_until_when(tmp_path: Path) -> None:
    model = _FailingModel(kind="rate", wait_s=7200.0)
    _said, outcome = model.asking(tmp_path).ask(requests(1), progress=Progress())
    assert model.calls == 1
    assert re.fullmatch(
        r"failed The server accepts no request before 2\d{3}-\d\d-\d\d \d\d:\d\d UTC\.", outcome.message
    )


def test_put_when_a_crash_cut_the_last_line_then_the_next_reply_is_kept(tmp_path: Path) -> None:
    ReplyCache(tmp_path).put("first", "A", model="m")
    file = tmp_path / FILE
    file.write_bytes(file.read_bytes() + b'{"key":"cut","reply":"wi')
    ReplyCache(tmp_path).put("second", "B", model="m")
    ReplyCache(tmp_path).put("third", "C", model="m")
    kept = ReplyCache(tmp_path)
    assert [kept.get(key) for key in ("first", "cut", "second", "third")] == ["A", None, "B", "C"]
