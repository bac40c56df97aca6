"""Chat models behind any OpenAI-compatible address.

Requests are sent by the ``openai`` SDK over the HTTP client of ``models.chat_client``; the bytes of replies
are kept and read by ``models.chat_reply``. Requests are never repeated here: retries are the job queue's.
"""

from __future__ import annotations

from typing import Any

from annotator.domain.profile import ModelProfile
from annotator.model_api import ChatReply, ChatRequest, ModelIdentity
from models.api_keys import find_key
from models.chat_client import ChatClient
from models.chat_options import chat_options
from models.chat_reply import read_reply
from models.chat_request import request_body
from models.failures import failure_of


class ChatEndpoint:
    """A chat model behind an address; an ``annotator.model_api.ChatModel``.

    Args:
        profile: The profile of the model.
        base_url: Address of a server that was started for it; that of the profile by default.
        identity: Identity of the model, if more precise than its profile.

    Raises:
        UserError: Address, key or options cannot be used.
    """

    def __init__(
        self, profile: ModelProfile, *, base_url: str = "", identity: ModelIdentity | None = None
    ) -> None:
        self._profile = profile
        self._options = chat_options(profile)
        self._identity = identity or _identity(profile)
        address = base_url or profile.base_url
        key = find_key(profile.key_from)
        self._client = ChatClient(address, key=key, ca_file=self._options.ca_file)

    @property
    def identity(self) -> ModelIdentity:
        """Which model it is."""
        return self._identity

    def ask(self, request: ChatRequest, *, timeout_s: float) -> ChatReply:
        """Send a request once, with at most ``timeout_s`` seconds for the reply.

        Raises:
            CallFailed: There was no usable reply; contains the reason.
        """
        body = request_body(request, profile=self._profile, options=self._options)
        got = self._client.post(body, timeout_s=timeout_s)
        if got.status >= 300:
            raise failure_of(got.status, headers=got.headers, body=got.body, address=self._client.origin)
        ranked = len(request.options) if self._options.rank else 0
        return read_reply(
            got.body,
            options=ranked,
            elapsed_s=got.elapsed_s,
            address=self._client.origin,
            headers=got.headers,
        )

    def close(self) -> None:
        """Close all connections."""
        self._client.close()


def open_model(profile: ModelProfile) -> ChatEndpoint:
    """Open the chat model of a profile, without a request to the server.

    Raises:
        UserError: Address, key or options cannot be used.
    """
    return ChatEndpoint(profile)


def _identity(profile: ModelProfile) -> ModelIdentity:
    decides: dict[str, Any] = {"temperature": profile.temperature, "max_tokens": profile.max_tokens}
    if profile.seed is not None:
        decides["seed"] = profile.seed
    # The path of a certificate file differs between computers and does not affect answers.
    options = {name: value for name, value in profile.options.items() if name != "ca_file"}
    return ModelIdentity(
        name=profile.model or profile.name,
        kind="chat",
        revision=profile.revision,
        base_url=profile.base_url,
        parameters={**decides, **options},
    )
