from __future__ import annotations

import contextlib
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.model_api import CallFailed, ChatReply
from models.chat_reply import read_reply


def body(message=None, *, finish="stop", logprobs=None, **further):
    choice = {"index": 0, "finish_reason": finish, "message": message, "logprobs": logprobs}
    return json.dumps({"model": "m", "choices": [choice], **further}).encode()


def read(content, *, options=0):
    return read_reply(content, options=options, elapsed_s=0.5, address="http://127.0.0.1:1")


def test_read_of_a_completion_gives_words_counts_and_names():
    content = body({"content": "B"}, usage={"prompt_tokens": 10, "completion_tokens": 2}, id="x", created=1)
    assert read(content) == ChatReply(
        text="B", raw=content, prompt_tokens=10, completion_tokens=2, model="m", finish="stop", elapsed_s=0.5
    )


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": [{"type": "text", "text": "The "}, {"type": "text", "text": "bus"}]}, "The bus"),
        ({"content": [{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "B"}]}, "B"),
        ({"content": [{"type": "text", "text": None}, "loose", 3]}, ""),
        ({"content": None, "tool_calls": [{"id": "1"}]}, ""),
        ({"content": "B", "reasoning_content": "long thoughts"}, "B"),
        ({"content": 7}, ""),
        ({}, ""),
        (None, ""),
        ("B", ""),
    ],
)
def test_read_of_any_message_gives_the_text_that_it_has(message, text):
    assert read(body(message)).text == text


def test_read_of_a_refusal_gives_its_words_and_says_so():
    reply = read(body({"content": None, "refusal": "I cannot help with that."}))
    assert (reply.text, reply.finish) == ("I cannot help with that.", "refusal")


def test_read_without_choices_is_an_empty_reply():
    assert read(b'{"choices": []}').text == ""


@pytest.mark.parametrize(
    "usage", [None, {}, 3, {"prompt_tokens": None}, {"prompt_tokens": -1}, {"prompt_tokens": "9"}]
)
def test_read_without_sound_counts_counts_nothing(usage):
    assert read(body({"content": "B"}, usage=usage)).prompt_tokens == 0


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("<think>The bus is red.</think>\n\nB", "B"),
        ("The bus is red.</think>B", "B"),
        ("<think>The bus is", ""),
        ("<think>a</think>x<think>b</think>y", "xy"),
        ("I think> so", "I think> so"),
        (" B ", " B "),
    ],
)
def test_read_when_the_reply_has_thoughts_then_they_are_left_out(said, text):
    assert read(body({"content": said})).text == text
    assert said.encode() in read(body({"content": said})).raw or "\n" in said


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"<html><title>Sign in</title></html>", "web page (Sign in)"),
        (b"<html>Busy", "returned a web page: set"),
        (b"", "not JSON: empty"),
        (b"upstream error", "upstream error"),
        (b'{"choices": [{"logprobs": NaN}]}', "not valid JSON"),
        (b'{"choices": "none"}', "not valid JSON or not a chat completion"),
        (b'{"choices": [', "not valid JSON"),
        (b'{"model": "\xff"}', "not valid JSON"),
        (b"[" * 100_000, "not valid JSON"),
    ],
)
def test_read_of_anything_else_fails_with_words_and_only_cut_ones_and_pages_are_retried(content, words):
    with pytest.raises(CallFailed) as caught:
        read(content)
    assert words in str(caught.value)
    is_cut = content in {b"", b'{"choices": ['}
    assert (caught.value.kind, caught.value.is_retryable) == ("format", is_cut or content.startswith(b"<"))
    assert caught.value.raw == content[: 64 * 1024]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"{}", "contains no answer"),
        (b'{"choices": null}', "contains no answer"),
        (b'{"object": "list", "data": []}', "contains no answer"),
        (
            b'{"error": {"message": "overloaded"}}',
            "reports an error with status 200. Server message: overloaded",
        ),
        (b'{"error": "overloaded"}', "reports an error with status 200. Server message: overloaded"),
        (b'{"error": {"code": "busy"}}', "reports an error with status 200."),
        (
            b'{"error": {"message": "overloaded", "code": 200}}',
            "reports an error with status 200. Server message: overloaded",
        ),
        (
            b'{"error": {"message": "overloaded"}, "choices": []}',
            "reports an error with status 200. Server message: overloaded",
        ),
        (
            b'{"choices": [{"message": {"content": ""}, "error": {"message": "overloaded"}}]}',
            "reports an error with status 200. Server message: overloaded",
        ),
    ],
)
def test_read_when_a_reply_with_status_200_has_no_choices_then_says_so_and_is_retryable(content, words):
    with pytest.raises(CallFailed) as caught:
        read(content)
    assert words in str(caught.value)
    assert (caught.value.kind, caught.value.is_retryable) == ("format", True)
    assert caught.value.raw == content[: 64 * 1024]


@pytest.mark.parametrize(
    "content",
    [
        b'{"error": {"message": "slow down", "code": 429}}',
        b'{"error": {"message": "slow down", "code": 429}, "choices": []}',
        b'{"choices": [{"finish_reason": "error", "error": {"message": "slow down", "code": 429}}]}',
    ],
)
def test_read_of_an_error_that_came_as_a_success_is_what_its_code_says(content):
    with pytest.raises(CallFailed) as caught:
        read(content)
    assert (caught.value.kind, caught.value.is_retryable) == ("rate", True)
    assert "slow down" in str(caught.value)


def test_read_when_an_error_came_as_a_success_then_its_headers_say_when_to_ask_again():
    content = b'{"error": {"message": "slow down", "code": 429}}'
    with pytest.raises(CallFailed) as caught:
        read_reply(content, options=0, elapsed_s=0.5, address="x", headers={"retry-after": "7200"})
    assert caught.value.retry_after_s == 7200.0


def test_read_of_an_answer_beside_an_error_is_the_answer_that_was_paid_for():
    assert read(body({"content": "B"}, error={"message": "late", "code": 502})).text == "B"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "choices",
                        "message",
                        "content",
                        "usage",
                        "logprobs",
                        "top_logprobs",
                        "token",
                        "logprob",
                        "error",
                        "type",
                        "text",
                        "refusal",
                    ]
                ),
                inner,
            )
        ),
    )
)
def test_read_of_any_json_gives_a_reply_or_a_failed_call(value):
    # Anything but a failed call would end the test with its error.
    with contextlib.suppress(CallFailed):
        assert isinstance(read(json.dumps(value).encode(), options=3).text, str)


def tops(**values):
    return [{"token": token, "logprob": value} for token, value in values.items()]


def logprobs(*tokens):
    return {"content": [{"token": token, "logprob": -0.1, "top_logprobs": top} for token, top in tokens]}


def test_option_scores_are_those_of_the_letters_in_their_order():
    told = logprobs(("B", tops(B=-0.1, A=-2.5, C=-4.0, the=-6.0)))
    assert read(body({"content": "B"}, logprobs=told), options=3).option_scores == pytest.approx(
        (-2.5, -0.1, -4.0)
    )


def test_option_scores_of_a_letter_written_in_several_ways_add_up():
    told = logprobs(
        (
            "A",
            [
                *tops(A=math.log(0.2)),
                {"token": " A", "logprob": math.log(0.3)},
                {"token": "(B", "logprob": math.log(0.5)},
            ],
        )
    )
    scores = read(body({"content": "A"}, logprobs=told), options=2).option_scores
    assert scores == pytest.approx((math.log(0.5), math.log(0.5)))


def test_option_scores_of_a_letter_that_is_not_listed_are_the_least_listed():
    told = logprobs(("A", tops(A=-0.1, D=-1.0, x=-7.0)))
    assert read(body({"content": "A"}, logprobs=told), options=3).option_scores == pytest.approx(
        (-0.1, -7.0, -7.0)
    )


def test_option_scores_look_behind_thoughts_and_blanks():
    told = logprobs(
        ("<think>", tops(A=-0.1)),
        ("</think>", tops(A=-0.1)),
        ("\n", tops(A=-0.1)),
        ("B", tops(B=-0.2, A=-3.0)),
    )
    assert read(body({"content": "B"}, logprobs=told), options=2).option_scores == pytest.approx((-3.0, -0.2))


@pytest.mark.parametrize(
    "told", [None, {}, {"content": None}, logprobs(("The", tops(The=-0.1, bus=-3.0))), logprobs(("A", None))]
)
def test_option_scores_when_no_letter_is_listed_are_empty(told):
    assert read(body({"content": "A"}, logprobs=told), options=2).option_scores == ()
