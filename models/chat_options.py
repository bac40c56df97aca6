"""The options of a profile of a chat endpoint."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from annotator.domain.profile import ModelProfile
from annotator.errors import UserError

OURS = frozenset({"model", "messages", "response_format", "stream", "n", "tools"})
"""Request fields that a profile cannot set: they define the question, or how the answer is read."""


class ChatOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The properties in which OpenAI-compatible servers differ.

    Attributes:
        limit_field: Name of the field that limits the answer; newer models of OpenAI accept only the second.
        has_temperature: Whether the temperature is sent; reasoning models reject it.
        json_schema: Whether the server enforces a JSON schema on answers.
        rank: Whether it returns log-probabilities, by which options are then ranked.
        top_logprobs: Number of tokens with log-probabilities; the maximum of OpenAI is 20.
        has_pictures: Whether the model accepts images.
        picture_detail: ``low``, ``high`` or ``auto``; "" to leave it to the server.
        ca_file: PEM file of certificates accepted in addition to those of the system.
        extra: Further fields of each request, for instance ``{"reasoning_effort": "low"}``.
    """

    limit_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    has_temperature: bool = True
    json_schema: bool = False
    rank: bool = False
    top_logprobs: int = 20
    has_pictures: bool = True
    picture_detail: Literal["", "low", "high", "auto"] = ""
    ca_file: str = ""
    extra: dict[str, Any] = {}


def chat_options(profile: ModelProfile) -> ChatOptions:
    """Return the options of a profile of a chat endpoint.

    Raises:
        UserError: An option is unknown or has an invalid value; the message names it.
    """
    try:
        options = msgspec.convert(profile.options, ChatOptions)
    except msgspec.ValidationError as error:
        raise UserError(
            f"The options of {profile.name!r} are invalid: {error}.",
            hint=f"Valid options: {', '.join(ChatOptions.__struct_fields__)}.",
        ) from error
    if taken := sorted(OURS & options.extra.keys()):
        raise UserError(f"The options of {profile.name!r} cannot set {', '.join(taken)}.")
    return options
