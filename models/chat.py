"""Chat models behind any OpenAI-compatible address.

The ``openai`` SDK says where requests go and how they are headed; they go out over ``models.wire``, and
replies are read here and not by the SDK. Nothing is asked twice: what to do about a failure is the queue's to
say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx2
import openai

from annotator.domain.profile import Profile
from annotator.predictor import ChatReply, ChatRequest, ModelIdentity
from models.chat_options import chat_options
from models.chat_reply import read_reply
from models.chat_request import request_body
from models.failures import failure_of
from models.keys import find_key
from models.wire import Wire

PATH = "/chat/completions"
_NO_KEY = "none"
"""The SDK wants a key; the real one is put in by the wire, and the SDK never gets it."""
_KEPT = ("accept", "content-type", "user-agent")
"""Headers of the SDK that go out. The others tell a server about the machine of whoever asks, or come from
variables of the environment that were set for another server."""


class ChatEndpoint:
    """A chat model behind an address; an ``annotator.predictor.ChatModel``.

    Args:
        profile: Which model, and where.
        base_url: Of a server that was started for it; the profile's own by default.
        identity: Where more is known of the model than its profile says.

    Raises:
        UserError: Address, key or options cannot be used.
    """

    def __init__(
        self, profile: Profile, *, base_url: str = "", identity: ModelIdentity | None = None
    ) -> None:
        self._profile = profile
        self._options = chat_options(profile)
        self._identity = identity or _identity(profile)
        address = base_url or profile.base_url
        self._wire = Wire(address, key=find_key(profile.key_from), ca_file=self._options.ca_file)
        self._head = _head_of(address)

    @property
    def identity(self) -> ModelIdentity:
        """Which model it is."""
        return self._identity

    def ask(self, request: ChatRequest, *, timeout_s: float) -> ChatReply:
        """Ask once, and wait no longer than ``timeout_s``, seconds.

        Raises:
            CallFailed: No answer came, and why.
        """
        body = request_body(request, profile=self._profile, options=self._options)
        got = self._wire.post(self._head.path, headers=self._head.headers, body=body, timeout_s=timeout_s)
        if got.status >= 300:
            raise failure_of(got.status, headers=got.headers, body=got.body, address=self._wire.origin)
        ranked = len(request.options) if self._options.rank else 0
        return read_reply(got.body, options=ranked, elapsed_s=got.elapsed_s, address=self._wire.origin)

    def close(self) -> None:
        """Hang up."""
        self._wire.close()


@dataclass(frozen=True, kw_only=True)
class _Head:
    """How a question is addressed: path with query, and headers."""

    path: str
    headers: Mapping[str, str]


class _Taker(httpx2.BaseTransport):
    """Keeps what the SDK would send, and sends nothing."""

    def __init__(self) -> None:
        self.taken: list[httpx2.Request] = []

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Keep a request; the answer is read by nobody."""
        self.taken.append(request)
        return httpx2.Response(200, request=request)


def _head_of(address: str) -> _Head:
    """Return what the SDK puts before a question.

    It is the same for each question of an endpoint, and made anew would take 0.35 ms of each call (ADR 0007).
    """
    taker = _Taker()
    # Without the environment: the proxies in it are the wire's to know.
    client = httpx2.Client(transport=taker, trust_env=False)
    with openai.OpenAI(api_key=_NO_KEY, base_url=address, max_retries=0, http_client=client) as sdk:
        sdk.post(
            PATH,
            cast_to=httpx2.Response,
            content=b"{}",
            options={"headers": {"Content-Type": "application/json"}},
        )
    request = taker.taken[0]
    headers = {name: request.headers[name] for name in _KEPT}
    return _Head(path=request.url.raw_path.decode("ascii"), headers=headers)


def open_model(profile: Profile) -> ChatEndpoint:
    """Open the chat model of a profile; the server is asked nothing yet.

    Raises:
        UserError: Address, key or options cannot be used.
    """
    return ChatEndpoint(profile)


def _identity(profile: Profile) -> ModelIdentity:
    decides: dict[str, Any] = {"temperature": profile.temperature, "max_tokens": profile.max_tokens}
    if profile.seed is not None:
        decides["seed"] = profile.seed
    # A file of certificates lies elsewhere on another machine and decides no answer.
    told = {name: value for name, value in profile.options.items() if name != "ca_file"}
    return ModelIdentity(
        name=profile.model or profile.name,
        kind="chat",
        revision=profile.revision,
        base_url=profile.base_url,
        parameters={**decides, **told},
    )
