from __future__ import annotations

import json

import pytest

from models.failures import RAW_KEPT, failure_of, message_in

ADDRESS = "http://127.0.0.1:8000"


def failed(status, *, body=b"", headers=None):
    return failure_of(status, headers=headers or {}, body=body, address=ADDRESS)


@pytest.mark.parametrize(
    ("status", "kind", "is_retryable"),
    [
        (301, "redirect", False),
        (307, "redirect", False),
        (400, "refused", False),
        (401, "key", False),
        (402, "key", False),
        (403, "key", False),
        (404, "refused", False),
        (408, "timeout", True),
        (409, "server", True),
        (413, "refused", False),
        (418, "refused", False),
        (422, "refused", False),
        (425, "server", True),
        (429, "rate", True),
        (500, "server", True),
        (502, "server", True),
        (503, "server", True),
        (504, "server", True),
        (529, "server", True),
    ],
)
def test_failure_of_a_status_is_retried_where_it_may_pass(status, kind, is_retryable):
    error = failed(status)
    assert (error.kind, error.is_retryable, error.status, error.was_sent) == (
        kind,
        is_retryable,
        status,
        True,
    )
    assert str(status) in str(error)


def test_failure_of_too_many_questions_carries_when_to_ask_again():
    assert failed(429, headers={"retry-after": "3"}).retry_after_s == 3
    assert failed(503, headers={"retry-after": "4"}).retry_after_s == 4
    assert failed(400, headers={"retry-after": "5"}).retry_after_s is None


@pytest.mark.parametrize(
    "error",
    [
        {
            "message": "You exceeded your current quota",
            "type": "insufficient_quota",
            "code": "insufficient_quota",
        },
        {"message": "Your credit balance is too low"},
    ],
)
def test_failure_of_an_account_without_credit_is_not_waited_for(error):
    told = failed(429, body=json.dumps({"error": error}).encode(), headers={"retry-after": "3"})
    assert (told.kind, told.is_retryable, told.retry_after_s) == ("key", False, None)
    assert "no credit left" in str(told)


def test_failure_of_a_server_that_only_mentions_quota_passes():
    told = failed(500, body=b'{"error": {"message": "insufficient_quota service is down"}}')
    assert (told.kind, told.is_retryable) == ("server", True)


def test_failure_of_a_redirect_names_the_place_and_follows_nothing():
    told = failed(307, headers={"location": "https://elsewhere.example/v1"})
    assert "https://elsewhere.example/v1" in str(told)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"error": {"message": "no such model", "code": 1}}', "no such model"),
        (b'{"error": "no such model"}', "no such model"),
        (b'{"object": "error", "message": "too long"}', "too long"),
        (b'{"detail": [{"loc": ["body"], "msg": "field required"}]}', "field required"),
        (b'{"detail": "Not Found"}', "Not Found"),
        (b"[]", ""),
        (b"null", ""),
        (b"<html><head><title>502 Bad\n Gateway</title></head></html>", "502 Bad Gateway"),
        (b"<p>oops", "a web page"),
        (b"plain\r\n\x1b[31m words", "plain [31m words"),
        (b"\xff\xfe", "\ufffd\ufffd"),
        (b"[" * 100_000, "[" * 300 + "…"),
        (b"", ""),
    ],
)
def test_words_of_a_body_are_one_line_whatever_it_is(body, words):
    assert message_in(body) == words


def test_failure_of_a_huge_body_keeps_a_bounded_part():
    told = failed(500, body=b"x" * 10**6)
    assert len(told.raw) == RAW_KEPT
    assert len(str(told)) < 500
