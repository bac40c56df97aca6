"""Many short requests to one chat model outside of the queue of a project; each reply is kept and used again.

A reply is kept under a digest of the model's settings and the complete request. Requests about the same text
with the same version of a prompt are sent once, on this machine, whatever release or file they come from.
"""

from __future__ import annotations

import random
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import TypeVar

import msgspec

from annotator.domain.profile import ModelProfile
from annotator.domain.prompt_tokens import TOKENS_AROUND, text_tokens
from annotator.errors import EnvironmentFailure
from annotator.jobs.line_file import append_line
from annotator.jobs.rate_limiter import RateLimiter
from annotator.jobs.request_key import compute_request_key
from annotator.jobs.retry import demands_long_wait, may_have_cost, retry_after_s, wait_message
from annotator.model_api import CallFailed, ChatModel, ChatReply, ChatRequest
from annotator.progress import Progress

FILE = "chat_replies.jsonl"
MOST_IN_FLIGHT = 32
POLL_S = 0.1
"""How soon a cancel is noticed."""
FAILURES_IN_A_ROW = 8
"""After so many failures without a reply nothing more is sent."""
EMPTY_REPLY = "The model returned an empty reply. A model that reasons needs more tokens for its answer."
K = TypeVar("K", bound=Hashable)


class ChatEstimate(msgspec.Struct, frozen=True, kw_only=True):
    """What requests would cost.

    Attributes:
        requests: Number of distinct requests.
        cached: Those with a kept reply.
        worst_micro: Maximum cost of the others in millionths.
        is_price_known: Whether a price is stated, without which no cost is known.
    """

    requests: int
    cached: int
    worst_micro: int
    is_price_known: bool = True


class ChatReplies(msgspec.Struct, frozen=True, kw_only=True):
    """What came of requests.

    Attributes:
        sent: Number of requests that were sent.
        cached: Number of requests with a kept reply.
        failed: Number of requests without a reply, or with an empty one, after the last attempt.
        not_sent: Number that was not sent: offline, over the limit, or after too many failures.
        cost_micro: Cost in millionths.
        maximum_micro: The part of it that is a maximum: replies without token counts, and failed requests
            that the server may have charged.
        message: The last failure, "" for none.
    """

    sent: int = 0
    cached: int = 0
    failed: int = 0
    not_sent: int = 0
    cost_micro: int = 0
    maximum_micro: int = 0
    message: str = ""


class _Line(msgspec.Struct, frozen=True, kw_only=True):
    """One kept reply; ``model`` is for people who read the file."""

    key: str
    reply: str
    model: str = ""


class ReplyCache:
    """The kept replies: one JSON line each, only ever appended to.

    Args:
        folder: Folder of the file, created when it is first written.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._lock = threading.Lock()
        self._replies: dict[str, str] | None = None

    def get(self, key: str) -> str | None:
        """Return a kept reply, None for none."""
        if self._replies is None:
            self._replies = self._read()
        return self._replies.get(key)

    def put(self, key: str, reply: str, *, model: str) -> None:
        """Keep a reply.

        Raises:
            EnvironmentFailure: The file cannot be written.
        """
        line = msgspec.json.encode(_Line(key=key, reply=reply, model=model))
        with self._lock:
            try:
                append_line(self._path, line)
            except OSError as error:
                raise EnvironmentFailure(f"{self._path} cannot be written: {error.strerror}.") from error
            if self._replies is not None:
                self._replies[key] = reply

    def _read(self) -> dict[str, str]:
        decoder, found = msgspec.json.Decoder(_Line), {}
        try:
            content = self._path.read_bytes()
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise EnvironmentFailure(f"{self._path} cannot be read: {error.strerror}.") from error
        for line in content.splitlines():
            try:
                kept = decoder.decode(line)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                # A line that was cut by a crash: its request is sent again.
                continue
            # Earlier versions kept empty ones.
            if kept.reply:
                found[kept.key] = kept.reply
        return found


class CachedChat:
    """Sends requests to the model of a profile at temperature 0.

    Args:
        profile: The model.
        cache: The kept replies.
        open_model: Opens the model; called only if a request is sent.
    """

    def __init__(
        self, profile: ModelProfile, *, cache: ReplyCache, open_model: Callable[[Progress], ChatModel]
    ) -> None:
        # A kept reply stands for all later ones, so none is drawn by chance.
        self._profile = msgspec.structs.replace(profile, temperature=0.0)
        self._cache, self._open_model = cache, open_model

    @property
    def max_tokens(self) -> int:
        """Maximum number of tokens of a reply."""
        return self._profile.max_tokens

    def estimate(self, requests: Mapping[K, ChatRequest]) -> ChatEstimate:
        """Return what requests would cost; nothing is sent."""
        distinct = {self._key(request): request for request in requests.values()}
        left = [request for key, request in distinct.items() if self._cache.get(key) is None]
        return ChatEstimate(
            requests=len(distinct),
            cached=len(distinct) - len(left),
            worst_micro=sum(map(self._worst_micro, left)),
            is_price_known=not self._profile.has_unknown_price,
        )

    def ask(
        self,
        requests: Mapping[K, ChatRequest],
        *,
        limit_micro: int | None = None,
        is_offline: bool = False,
        progress: Progress,
    ) -> tuple[dict[K, str], ChatReplies]:
        """Return the replies, of the cache or of the model, and what they cost.

        Args:
            requests: The requests.
            limit_micro: Maximum cost in millionths, None for no limit.
            is_offline: Whether only kept replies are used.
            progress: Counts the requests that are sent; may cancel.

        Raises:
            UserError: The model cannot be opened.
            EnvironmentFailure: The cache cannot be written.
            Cancelled: The user stopped it; replies so far are kept.
        """
        keys = {name: self._key(request) for name, request in requests.items()}
        distinct = {keys[name]: request for name, request in requests.items()}
        left = {key: request for key, request in distinct.items() if self._cache.get(key) is None}
        outcome = ChatReplies(cached=len(distinct) - len(left), not_sent=len(left))
        if left and not is_offline:
            model = self._open_model(progress)
            try:
                sending = _Sending(self._profile, model, self._cache, limit_micro=limit_micro)
                outcome = msgspec.structs.replace(
                    sending.send(left, worst=self._worst_micro, progress=progress), cached=outcome.cached
                )
            finally:
                model.close()
        found = {name: reply for name, key in keys.items() if (reply := self._cache.get(key)) is not None}
        return found, outcome

    def _key(self, request: ChatRequest) -> str:
        return compute_request_key(model=self._profile.decides, request=request).hex()

    def _worst_micro(self, request: ChatRequest) -> int:
        size = text_tokens(request.system) + text_tokens(request.text) + TOKENS_AROUND
        return self._profile.cost_micro(prompt_tokens=size, completion_tokens=request.max_tokens)


class _Budget:
    """What was spent, and what attempts in flight may cost; for several threads.

    Args:
        limit_micro: Maximum cost in millionths, None for no limit.
    """

    def __init__(self, limit_micro: int | None) -> None:
        self._limit_micro, self._lock = limit_micro, threading.Lock()
        self._reserved_micro = self.spent_micro = self.maximum_micro = 0

    def has_room(self, worst_micro: int) -> bool:
        """Return whether an attempt with this maximum cost is within the limit."""
        planned = self.spent_micro + self._reserved_micro + worst_micro
        return self._limit_micro is None or planned <= self._limit_micro

    def reserve(self, worst_micro: int) -> bool:
        """Reserve the maximum cost of an attempt; False, and no change, over the limit."""
        with self._lock:
            if not self.has_room(worst_micro):
                return False
            self._reserved_micro += worst_micro
            return True

    def book(self, worst_micro: int, *, spent_micro: int | None) -> None:
        """Replace a reservation with what was spent, or with its maximum where that is not known (None)."""
        with self._lock:
            self._reserved_micro -= worst_micro
            if spent_micro is None:
                self.maximum_micro += worst_micro
            self.spent_micro += worst_micro if spent_micro is None else spent_micro

    def repeat(self, worst_micro: int) -> bool:
        """Book an attempt at its maximum and reserve the next; False, and no change, over the limit."""
        with self._lock:
            if not self.has_room(worst_micro):
                return False
            self.spent_micro += worst_micro
            self.maximum_micro += worst_micro
            return True


class _Sending:
    """The state of sending requests: at most so many in flight, within rate and cost."""

    def __init__(
        self, profile: ModelProfile, model: ChatModel, cache: ReplyCache, *, limit_micro: int | None
    ) -> None:
        self._profile, self._model, self._cache = profile, model, cache
        self._budget = _Budget(limit_micro)
        self._stop = threading.Event()
        self._rate = RateLimiter(
            requests_per_minute=profile.requests_per_minute,
            tokens_per_minute=profile.tokens_per_minute,
            now=time.monotonic(),
        )
        self._sent = self._failed = self._in_a_row = 0
        self._message = ""
        self._fault: Exception | None = None

    def send(
        self,
        requests: Mapping[str, ChatRequest],
        *,
        worst: Callable[[ChatRequest], int],
        progress: Progress,
    ) -> ChatReplies:
        waiting = deque(requests.items())
        flying: dict[Future[ChatReply], tuple[str, int]] = {}
        progress.begin(f"Asking {self._profile.name}", total=len(requests))
        workers = max(1, min(self._profile.in_flight, MOST_IN_FLIGHT))
        with ThreadPoolExecutor(workers, thread_name_prefix="vantage-chat") as pool:
            try:
                while (waiting or flying) and self._fault is None:
                    is_over = not waiting or self._is_over(worst(waiting[0][1]))
                    if is_over and not flying:
                        break
                    has_position = not is_over and len(flying) < workers
                    # Reserved at last: an attempt in flight may have taken what was left meanwhile.
                    if has_position and self._acquire() and self._budget.reserve(worst(waiting[0][1])):
                        key, request = waiting.popleft()
                        self._sent += 1
                        call = pool.submit(self._call, request, worst_micro=worst(request))
                        flying[call] = key, worst(request)
                        continue
                    progress.step(self._collect(flying))
            finally:
                # Requests in flight end by themselves, and are kept; only pauses between attempts are cut.
                self._stop.set()
                while flying:
                    self._collect(flying)
                if self._fault is not None:
                    raise self._fault
        progress.end()
        return ChatReplies(
            sent=self._sent,
            failed=self._failed,
            not_sent=len(waiting),
            cost_micro=self._budget.spent_micro,
            maximum_micro=self._budget.maximum_micro,
            message=self._message,
        )

    def _is_over(self, worst_micro: int) -> bool:
        """Return whether nothing more may be sent, however long one waits."""
        return self._in_a_row >= FAILURES_IN_A_ROW or not self._budget.has_room(worst_micro)

    def _acquire(self) -> bool:
        """Take a request's share of the rate; False after a pause where there is not enough of it."""
        tokens, now = self._profile.max_tokens, time.monotonic()
        if self._rate.acquire(tokens=tokens, now=now):
            return True
        time.sleep(min(self._rate.wait_s(tokens=tokens, now=now), POLL_S))
        return False

    def _collect(self, flying: dict[Future[ChatReply], tuple[str, int]]) -> int:
        """Keep what has arrived, after a short wait for it, and return its number."""
        if not flying:
            return 0
        done, _ = wait(flying, timeout=POLL_S, return_when=FIRST_COMPLETED)
        for future in done:
            key, worst_micro = flying.pop(future)
            try:
                self._keep(key, future, worst_micro)
            except Exception as error:  # noqa: BLE001 - the other replies are paid: the first fault is raised after them
                self._fault = self._fault or error
        return len(done)

    def _keep(self, key: str, call: Future[ChatReply], worst_micro: int) -> None:
        try:
            reply = call.result()
        except CallFailed as error:
            self._failed += 1
            is_wait = demands_long_wait(error)
            self._in_a_row = FAILURES_IN_A_ROW if is_wait else self._in_a_row + 1
            self._message = wait_message(error, now=time.time())
            # It may have been billed: counted at its maximum, as in runs.
            self._budget.book(worst_micro, spent_micro=None if may_have_cost(error) else 0)
        else:
            self._budget.book(worst_micro, spent_micro=self._cost_micro(reply))
            if not reply.text:
                # Not kept, so that it is asked for again.
                self._failed += 1
                self._in_a_row += 1
                self._message = EMPTY_REPLY
                return
            self._in_a_row = 0
            self._cache.put(key, reply.text, model=self._profile.name)

    def _cost_micro(self, reply: ChatReply) -> int | None:
        if not reply.prompt_tokens and not reply.completion_tokens:
            # A server without token counts charges all the same.
            return None
        return self._profile.cost_micro(
            prompt_tokens=reply.prompt_tokens, completion_tokens=reply.completion_tokens
        )

    def _call(self, request: ChatRequest, *, worst_micro: int) -> ChatReply:
        chance, attempts = random.Random(), 0
        while True:
            try:
                return self._model.ask(request, timeout_s=self._profile.timeout_s)
            except CallFailed as error:
                attempts += 1
                wait_s = retry_after_s(error, attempts=attempts, tries=self._profile.tries, chance=chance)
                if wait_s is None or self._stop.wait(wait_s):
                    raise
                # The last attempt is booked by who collects it.
                if may_have_cost(error) and not self._budget.repeat(worst_micro):
                    raise
