from __future__ import annotations

from datetime import UTC, datetime

import pytest

from models.retry_after import asked_wait_s, duration_s

NOW = datetime(2026, 5, 2, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "Sat, 02 May 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Sat, 02 May 2026 11:00:00 GMT"}, 0.0),
        # The server's clock is an hour behind ours: its own date counts.
        ({"retry-after": "Sat, 02 May 2026 11:00:09 GMT", "date": "Sat, 02 May 2026 11:00:00 GMT"}, 9.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon", "x-ratelimit-reset-requests": "6m0s"}, 360.0),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "Sat, 02 May 99999 12:00:30 GMT"}, None),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after-ms": "x", "retry-after": "7"}, 7.0),
        ({"x-ratelimit-reset-requests": "6m0s"}, 360.0),
        ({"x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "250ms"}, 0.25),
        (
            {
                "x-ratelimit-reset-requests": "1s",
                "x-ratelimit-remaining-requests": "0",
                "x-ratelimit-reset-tokens": "250ms",
                "x-ratelimit-remaining-tokens": "100",
            },
            1.0,
        ),
        ({"x-ratelimit-reset-requests": "1s", "retry-after": "9"}, 9.0),
        ({"x-ratelimit-reset": str(int(NOW.timestamp()) + 12)}, 12.0),
        ({"x-ratelimit-reset": str(int(NOW.timestamp() * 1000) + 12_000)}, 12.0),
    ],
)
def test_asked_wait_of_headers_is_what_the_server_means(headers, wait_s):
    assert asked_wait_s(headers, now=NOW) == (None if wait_s is None else pytest.approx(wait_s))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("6m0s", 360.0),
        ("2m59.56s", 179.56),
        ("1h2m3s", 3723.0),
        ("250ms", 0.25),
        ("1d", 86_400.0),
        ("4", 4.0),
    ],
)
def test_duration_with_units_is_read(text, seconds):
    assert duration_s(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "s", "6m0x", "6 minutes", "--", "1s!"])
def test_duration_of_anything_else_is_none(text):
    assert duration_s(text) is None
