"""The time after which a server accepts a further request, from its response headers."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_PARTS = re.compile(r"(\d+(?:\.\d+)?)(ms|d|h|m|s)")
_SECONDS = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_BUDGETS = ("requests", "tokens")


def asked_wait_s(headers: Mapping[str, str], *, now: datetime) -> float | None:
    """Return the seconds to wait before the next request, 0 or more; None if the server does not state it.

    ``Retry-After`` stands first: seconds, also with a fraction, or a date; then the milliseconds that some
    servers give; then the times at which used-up budgets are full again.

    Args:
        headers: Names in small letters.
        now: With a time zone; counts where the server does not date its answer.

    Source: RFC 9110, 10.2.3 (``Retry-After``); platform.openai.com/docs/guides/rate-limits
    (``x-ratelimit-*``, ``retry-after-ms``).
    """
    exact_ms = _number(headers.get("retry-after-ms", ""))
    if exact_ms is not None:
        return max(0.0, exact_ms / 1000.0)
    header = headers.get("retry-after", "").strip()
    seconds = _number(header)
    stated = max(0.0, seconds) if seconds is not None else _until(header, headers=headers, now=now)
    return stated if stated is not None else _reset_s(headers, now=now)


def duration_s(text: str) -> float | None:
    """Return the seconds of a duration such as ``6m0s``, ``250ms`` or ``1.5``; None for anything else."""
    number = _number(text)
    if number is not None:
        return number
    compact = text.replace(" ", "")
    parts = _PARTS.findall(compact)
    if not parts or "".join(value + unit for value, unit in parts) != compact:
        return None
    return sum(float(value) * _SECONDS[unit] for value, unit in parts)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _date(text: str) -> datetime | None:
    try:
        read = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def _until(text: str, *, headers: Mapping[str, str], now: datetime) -> float | None:
    moment = _date(text)
    if moment is None:
        return None
    # Against the server's own clock, since the local clock may be wrong.
    return max(0.0, (moment - (_date(headers.get("date", "")) or now)).total_seconds())


def _reset_s(headers: Mapping[str, str], *, now: datetime) -> float | None:
    waits = {name: _reset_of(headers.get(f"x-ratelimit-reset-{name}", ""), now=now) for name in _BUDGETS}
    known = {name: wait for name, wait in waits.items() if wait is not None}
    used_up = [wait for name, wait in known.items() if _is_used_up(headers, name)]
    if used_up:
        return max(used_up)
    # The exhausted budget is not named: wait for the earlier one, and the next refusal gives the next time.
    return min(known.values(), default=_reset_of(headers.get("x-ratelimit-reset", ""), now=now))


def _is_used_up(headers: Mapping[str, str], name: str) -> bool:
    left = _number(headers.get(f"x-ratelimit-remaining-{name}", ""))
    return left is not None and left <= 0


def _reset_of(text: str, *, now: datetime) -> float | None:
    wait = duration_s(text)
    if wait is None:
        return None
    # Some servers send a time, in seconds or milliseconds since 1970, instead of a duration.
    if wait > 1e11:
        wait /= 1000.0
    if wait > 1e9:
        wait -= now.timestamp()
    return max(0.0, wait)
