"""Reading of chat completion bodies, which are untrusted: malformed parts raise no unexpected errors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from annotator.domain.answers.reply_text import remove_reasoning
from annotator.model_api import CallFailed, ChatReply
from models.failures import RAW_KEPT, failure_of, message_in, page_title
from models.option_scoring import log_sum

_MARKS = " \t\r\n()[]*\"'`.:,▁Ġ"
"""Characters that models and tokenizers put around a letter; the last two mark a space in raw tokens."""
NO_HEADERS: Mapping[str, str] = MappingProxyType({})
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class _Choice(msgspec.Struct, frozen=True):
    # Any: one member of another type must not lose the rest of a reply that was paid for.
    message: Any = None
    finish_reason: Any = None
    logprobs: Any = None
    error: Any = None


class _Completion(msgspec.Struct, frozen=True):
    choices: list[_Choice] | None = None
    model: Any = ""
    usage: Any = None
    error: Any = None


# Created at import, on one thread: msgspec builds a decoder at its first use (``jobs.worker_context.TYPES``).
_DECODER = msgspec.json.Decoder(_Completion)


def read_reply(
    body: bytes, *, options: int, elapsed_s: float, address: str, headers: Mapping[str, str] = NO_HEADERS
) -> ChatReply:
    """Return the reply in a response body.

    Reasoning is omitted from the text and kept in ``raw``. For a refusal, the text is the refusal,
    with ``refusal`` as the reason of the end; tool calls and empty answers have an empty text.

    Args:
        body: Body of a response with a success status.
        options: Number of options in the request; 0 to read no scores.
        elapsed_s: Duration of the call, seconds.
        address: Address of the server, for failure messages.
        headers: Those of the response, with names in small letters: an error may say when to ask again.

    Raises:
        CallFailed: The body is not a chat completion.
    """
    completion = _decoded(body, address=address)
    if completion.choices is None:
        raise _unexpected_body_failure(completion.error, body, address=address, headers=headers)
    choice = next(iter(completion.choices), _Choice())
    message = _object(choice.message)
    refusal = message.get("refusal")
    text = remove_reasoning(_text_of(message.get("content")))
    if not text and not refusal:
        _require_no_error(completion.error or choice.error, body, address=address, headers=headers)
    is_refused = not text and isinstance(refusal, str) and bool(refusal)
    usage = _object(completion.usage)
    return ChatReply(
        text=str(refusal) if is_refused else text,
        raw=body,
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
        model=_text(completion.model),
        finish="refusal" if is_refused else str(choice.finish_reason or ""),
        option_scores=option_scores(choice.logprobs, options=options),
        elapsed_s=elapsed_s,
    )


def option_scores(logprobs: object, *, options: int) -> tuple[float, ...]:
    """Return the log-probability of each option's letter as the first token of an answer.

    Tokens that are the same letter (``A``, `` A``, ``(A``) are added. A letter that the server does not list
    is less likely than all listed ones and gets the lowest of them, an upper bound. Empty if the server
    returns no log-probabilities, or lists no letter.

    Args:
        logprobs: The ``logprobs`` of a choice.
        options: Number of letters, from A.
    """
    tops = _first_tops(logprobs)
    letters = _LETTERS[:options]
    found: dict[str, list[float]] = {}
    for token, value in tops:
        if (letter := token.strip(_MARKS)) and len(letter) == 1 and letter in letters:
            found.setdefault(letter, []).append(value)
    if not found:
        return ()
    least = min(value for _, value in tops)
    return tuple(log_sum(found[letter]) if letter in found else least for letter in letters)


def _decoded(body: bytes, *, address: str) -> _Completion:
    try:
        return _DECODER.decode(body)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        start, is_cut = body[:200].lstrip(), "truncated" in str(error)
    if start.startswith(b"<"):
        message = f"{address} returned a web page: set the URL of the API in the profile."
        if title := page_title(body):
            message = f"{address} returned a web page ({title}): set the URL of the API in the profile."
    elif start.startswith((b"{", b"[")):
        message = f"The reply of {address} is not valid JSON or not a chat completion."
    else:
        message = f"The reply of {address} is not JSON: {message_in(body[:2000]) or 'empty'}"
    # The page of a gateway that restarts, or a reply that was cut: once more (``jobs.retry``).
    is_retryable = is_cut or start.startswith(b"<")
    raise CallFailed(message, kind="format", is_retryable=is_retryable, status=200, raw=body[:RAW_KEPT])


def _require_no_error(error: object, body: bytes, *, address: str, headers: Mapping[str, str]) -> None:
    # Gateways report a failed provider beside an empty list of choices, or in an empty choice.
    if error:
        raise _unexpected_body_failure(error, body, address=address, headers=headers)


def _unexpected_body_failure(
    error: object, body: bytes, *, address: str, headers: Mapping[str, str]
) -> CallFailed:
    """Return the failure for a body without an answer; some servers send errors with a success status."""
    # The error of a choice is where nobody looks for words.
    told = body if message_in(body) else msgspec.json.encode({"error": error})
    code = _object(error).get("code")
    if isinstance(code, int) and 400 <= code < 600:
        return failure_of(code, headers=headers, body=told, address=address)
    message = f"The reply of {address} contains no answer: it is not a chat completion."
    if error:
        reported = message_in(told)
        server_message = f" Server message: {reported}" if reported else ""
        message = f"{address} reports an error with status 200.{server_message}"
    # Of a server that is overloaded or restarts: once more (``jobs.retry``).
    return CallFailed(message, kind="format", is_retryable=True, status=200, raw=body[:RAW_KEPT])


def _text_of(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = [part for part in _objects(content) if part.get("type", "text") == "text"]
    return "".join(_text(part.get("text")) for part in parts)


def _object(value: object) -> dict[str, Any]:
    """Return a member that should be an object, an empty one where it is something else."""
    return value if isinstance(value, dict) else {}


def _objects(value: object) -> list[dict[str, Any]]:
    """Return the objects of a member that should be a list of them."""
    return [member for member in value if isinstance(member, dict)] if isinstance(value, list) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _count(value: object) -> int:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return 0
    # A token count above this limit is not plausible and would overflow the price.
    return int(value) if 0 <= value < 1e12 else 0


def _first_tops(logprobs: object) -> list[tuple[str, float]]:
    """Return the most likely first tokens of the answer, after skipped reasoning and spaces."""
    entries = _objects(_object(logprobs).get("content"))
    texts = [str(token.get("token", "")) for token in entries]
    ends = [index for index, text in enumerate(texts) if "</think>" in text]
    first = ends[-1] + 1 if ends else 0
    for token, text in zip(entries[first:], texts[first:], strict=True):
        if text.strip(_MARKS):
            return _tops(token.get("top_logprobs"))
    return []


def _tops(value: object) -> list[tuple[str, float]]:
    pairs = [(top.get("token"), top.get("logprob")) for top in _objects(value)]
    return [
        (token, float(number))
        for token, number in pairs
        if isinstance(token, str) and isinstance(number, int | float) and math.isfinite(number)
    ]
