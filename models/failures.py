"""The meaning of HTTP error statuses for a request, and what the user can do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime

import msgspec

from annotator.model_api import CallFailed, FailureKind
from models.retry_after import asked_wait_s

RAW_KEPT = 64 * 2**10
"""Bytes of a body that are stored with a failure."""
LONGEST_MESSAGE = 300
RETRYABLE = frozenset({408, 409, 425, 429})
"""Temporary client errors; all statuses of 500 and above are temporary. 409 is a conflict with a lock, 425 a
request that was sent too early. Source: the retries of the openai SDK; RFC 8470 for 425.
"""
_KINDS: dict[int, FailureKind] = {401: "key", 402: "key", 403: "key", 408: "timeout", 429: "rate"}
_SPENT = ("insufficient_quota", "billing_hard_limit_reached", "insufficient_balance", "credit balance")
"""Codes and messages of an account without credit; waiting does not help."""


def failure_of(status: int, *, headers: Mapping[str, str], body: bytes, address: str) -> CallFailed:
    """Return the failure in a response.

    Args:
        status: HTTP status, 300 and above.
        headers: Names in small letters.
        body: With the key removed already.
        address: Address of the server, for the message.
    """
    server_message = message_in(body)
    is_spent = any(mark in body[:RAW_KEPT].decode("utf-8", "replace").lower() for mark in _SPENT)
    kind: FailureKind = "server" if status >= 500 or status in RETRYABLE else "refused"
    kind = _KINDS.get(status, kind)
    if 300 <= status < 400:
        kind = "redirect"
        server_message = headers.get("location", "")
    if is_spent and status in {402, 403, 429}:
        kind = "key"
    is_retryable = (status in RETRYABLE or status >= 500) and kind != "key"
    return CallFailed(
        _sentence(status, kind=kind, server_message=server_message, address=address, is_spent=is_spent),
        kind=kind,
        is_retryable=is_retryable,
        retry_after_s=asked_wait_s(headers, now=datetime.now(UTC)) if is_retryable else None,
        status=status,
        raw=body[:RAW_KEPT],
    )


def no_images_failure(model: str) -> CallFailed:
    """Return the failure of a request with images to a model that accepts none; it is not sent."""
    message = f"The model {model} does not accept images."
    return CallFailed(message, kind="refused", is_retryable=False, was_sent=False)


def message_in(body: bytes) -> str:
    """Return what a server says about an error, on one line and of bounded length; "" for nothing."""
    try:
        value = msgspec.json.decode(body)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        # More than is kept, because blanks and markup fall away.
        text = body[: 4 * LONGEST_MESSAGE].decode("utf-8", "replace")
        # A proxy between here and the server answers with a web page.
        return (page_title(body) or "a web page") if "<" in text else _one_line(text)
    return _one_line(_message(value))


def page_title(body: bytes) -> str:
    """Return the title of a web page, on one line and of bounded length; "" for none."""
    text = body[: 4 * LONGEST_MESSAGE].decode("utf-8", "replace")
    title = re.search(r"<title>(.*?)</title>", text, re.DOTALL | re.IGNORECASE)
    return _one_line(title[1]) if title else ""


def _message(value: object) -> str:
    if isinstance(value, list):
        return _message(value[0]) if value else ""
    if not isinstance(value, dict):
        return "" if value is None else str(value)
    for name in ("error", "message", "detail", "msg"):
        if value.get(name):
            return _message(value[name])
    return ""


def _one_line(text: str) -> str:
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return line if len(line) <= LONGEST_MESSAGE else f"{line[:LONGEST_MESSAGE]}…"


def _sentence(status: int, *, kind: FailureKind, server_message: str, address: str, is_spent: bool) -> str:
    message = f" Server message: {server_message}" if server_message else ""
    if kind == "redirect":
        url = _one_line(server_message) or "no URL"
        return (
            f"{address} redirects to {url} ({status}), and Vantage does not follow "
            "redirects. If the new URL is correct, set it in the profile."
        )
    if is_spent and kind == "key":
        return f"The account at {address} has no credit left ({status}).{message}"
    if kind == "key":
        return f"{address} does not accept the API key ({status}).{message}"
    if status == 404:
        return f"{address} does not have this model, or the URL is wrong (404).{message}"
    if kind == "rate":
        return f"{address} received too many requests (429).{message}"
    if kind == "refused":
        return f"{address} rejected the request ({status}).{message}"
    return f"{address} reports a server error ({status}).{message}"
