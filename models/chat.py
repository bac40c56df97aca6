"""Chat models behind any OpenAI-compatible address.

The ``openai`` SDK makes the requests; they go out over ``models.wire``, and replies are read here and not by
the SDK. Nothing is asked twice: what to do about a failure is the queue's to say.
"""

from __future__ import annotations

from typing import Any, cast

import httpx2
import openai

from annotator.domain.profile import Profile
from annotator.predictor import ChatReply, ChatRequest, ModelIdentity
from models.chat_options import chat_options
from models.chat_reply import read_reply
from models.chat_request import request_body
from models.failures import failure_of
from models.keys import find_key
from models.wire import Got, Wire

PATH = "/chat/completions"
_NO_KEY = "none"
"""The SDK wants a key; the real one is put in by the wire, and no object of the SDK ever holds it."""
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
        self._client = openai.OpenAI(
            api_key=_NO_KEY,
            base_url=address,
            max_retries=0,
            http_client=_WiredClient(self._wire),
        )

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
        response = self._client.post(
            PATH,
            cast_to=httpx2.Response,
            content=body,
            options={"headers": {"Content-Type": "application/json"}, "timeout": timeout_s},
        )
        got: Got = response.extensions["got"]
        ranked = len(request.options) if self._options.rank else 0
        return read_reply(got.body, options=ranked, elapsed_s=got.elapsed_s, address=self._wire.origin)

    def close(self) -> None:
        """Hang up."""
        self._client.close()


class _WiredClient(httpx2.Client):
    """What the SDK sends through: our wire instead of its own connections."""

    def __init__(self, wire: Wire) -> None:
        # Its own transports are never used; without the environment it makes but one, and no proxies.
        super().__init__(trust_env=False)
        self._wire = wire
        self._url: httpx2.URL | None = None

    def build_request(self, method: str, url: httpx2.URL | str, **told: object) -> httpx2.Request:
        """Make what the SDK sends; the base class would merge address and headers once more, for 0.06 ms."""
        if self._url is None or str(self._url) != url:
            self._url = httpx2.URL(url)
        headers = cast("list[tuple[str, str]]", told["headers"])
        return httpx2.Request(
            method,
            self._url,
            headers=[pair for pair in headers if pair[0] in _KEPT],
            content=cast("bytes", told["content"]),
            extensions={"timeout_s": told["timeout"]},
        )

    def send(self, request: httpx2.Request, **_: object) -> httpx2.Response:
        """Send once; an answer that is no success is raised as what it is."""
        got = self._wire.post(
            request.url.raw_path.decode("ascii"),
            headers={name: request.headers[name] for name in _KEPT},
            body=request.content,
            timeout_s=request.extensions["timeout_s"],
        )
        if got.status >= 300:
            raise failure_of(got.status, headers=got.headers, body=got.body, address=self._wire.origin)
        return httpx2.Response(got.status, request=request, extensions={"got": got})

    def close(self) -> None:
        """Hang up."""
        super().close()
        self._wire.close()


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
