"""Chat completion request bodies."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import msgspec

from annotator.domain.profile import ModelProfile
from annotator.model_api import CallFailed, ChatRequest, ModelImage
from models.chat_options import ChatOptions


def request_body(request: ChatRequest, *, profile: ModelProfile, options: ChatOptions) -> bytes:
    """Return a request as JSON: images as data URLs, each after its label, then the question.

    Raises:
        CallFailed: It contains images, and according to its profile the model accepts none.
    """
    if request.pictures and not options.has_pictures:
        raise CallFailed(
            f"The model {profile.name!r} does not accept images, and the question has images.",
            kind="refused",
            is_retryable=False,
            was_sent=False,
        )
    system = [{"role": "system", "content": request.system}] if request.system else []
    body: dict[str, Any] = {
        # First, so that it replaces nothing below.
        **options.extra,
        "model": profile.model,
        "messages": [*system, {"role": "user", "content": _content(request, options)}],
        options.limit_field: request.max_tokens,
        **_wishes(request, options),
    }
    return msgspec.json.encode(body)


def _wishes(request: ChatRequest, options: ChatOptions) -> dict[str, Any]:
    """Return the optional fields that the server supports."""
    wishes: dict[str, Any] = {"temperature": request.temperature} if options.has_temperature else {}
    if request.seed is not None:
        wishes["seed"] = request.seed
    if request.schema is not None and options.json_schema:
        schema = {"name": "answer", "strict": True, "schema": request.schema}
        wishes["response_format"] = {"type": "json_schema", "json_schema": schema}
    if options.rank and request.options:
        wishes |= {"logprobs": True, "top_logprobs": options.top_logprobs}
    return wishes


def _content(request: ChatRequest, options: ChatOptions) -> str | list[dict[str, Any]]:
    if not request.pictures:
        return request.text
    parts = [part for picture in request.pictures for part in _shown(picture, options)]
    return [*parts, {"type": "text", "text": request.text}]


def _shown(picture: ModelImage, options: ChatOptions) -> list[dict[str, Any]]:
    address = {"url": f"data:{picture.media_type};base64,{b64encode(picture.data).decode()}"}
    if options.picture_detail:
        address["detail"] = options.picture_detail
    label = [{"type": "text", "text": picture.label}] if picture.label else []
    return [*label, {"type": "image_url", "image_url": address}]
