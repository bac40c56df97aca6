"""What a profile can say about a chat endpoint beyond what all models have."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from annotator.domain.profile import ModelProfile
from annotator.errors import UserError

OURS = frozenset({"model", "messages", "response_format", "stream", "n", "tools"})
"""Fields of a request that a profile cannot set: they decide what is asked, or how the answer is read."""


class ChatOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How an OpenAI-compatible server differs from the others.

    Attributes:
        limit_field: Name of the field that bounds the answer; newer models of OpenAI take only the second.
        has_temperature: Whether the temperature is sent; reasoning models refuse it.
        json_schema: Whether the server holds an answer to a JSON schema.
        rank: Whether it gives log-probabilities, so that options are ranked by them.
        top_logprobs: Words for which it gives them; OpenAI's most is 20.
        has_pictures: Whether the model sees pictures.
        picture_detail: ``low``, ``high`` or ``auto``; "" to leave it to the server.
        ca_file: PEM file of certificates that are believed besides the system's.
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
        UserError: There is one that is not known, or one that cannot be.
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
