"""The chat endpoint as the queue asks it: profile in, reply or failed call out, over real HTTP."""

from __future__ import annotations

import base64
import logging
import os
import subprocess
import sys
import threading
import traceback
from pathlib import Path

import msgspec
import pytest

from annotator.domain.profile import ModelProfile
from annotator.errors import UserError
from annotator.model_api import CallFailed, ChatRequest, ModelImage
from models.chat import ChatEndpoint, open_model
from tests.patience import PATIENCE_S
from tests.servers.chat_server import Behaviour, ChatServer, completion

KEY = "sk-0123456789abcdefghijklmnop"
REPO = Path(__file__).resolve().parents[3]
ASKED = ChatRequest(text="Which UAV?", max_tokens=10)


@pytest.fixture
def server():
    with ChatServer(answer=lambda body: "B") as running:
        yield running


@pytest.fixture
def opened(server):
    models = []

    def make(**told):
        fields = {"name": "Lab", "adapter": "openai", "model": "m", "base_url": server.base_url}
        model = open_model(ModelProfile(**fields | told))
        models.append(model)
        return model

    yield make
    for model in models:
        model.close()


def body_of(server, opened, request=ASKED, **told):
    """Return the body with which a request reaches the server."""
    opened(**told).ask(request, timeout_s=PATIENCE_S)
    return server.calls[-1].body


def test_ask_sends_the_question_and_gives_the_reply(server, opened):
    reply = opened().ask(ASKED, timeout_s=PATIENCE_S)
    assert (reply.text, reply.model, reply.prompt_tokens, reply.finish) == ("B", "m", 10, "stop")
    assert reply.raw == completion("B", model="m")
    assert 0 < reply.elapsed_s < PATIENCE_S
    assert server.calls[0].path == "/v1/chat/completions"
    assert server.calls[0].body == {
        "model": "m",
        "messages": [{"role": "user", "content": "Which UAV?"}],
        "max_tokens": 10,
        "temperature": 0.0,
    }


def test_ask_with_pictures_sends_each_behind_its_label_and_the_question_last(server, opened):
    pictures = (ModelImage(data=b"one", label="UAV1"), ModelImage(data=b"two", media_type="image/jpeg"))
    request = ChatRequest(text="Which UAV?", system="You see drones.", pictures=pictures)
    body = body_of(server, opened, request, options={"picture_detail": "low"})
    first, second = (base64.b64encode(data).decode() for data in (b"one", b"two"))
    assert body["messages"] == [
        {"role": "system", "content": "You see drones."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "UAV1"},
                {
                    "type": "image_url",
                    "image_url": {"url": f"data:image/png;base64,{first}", "detail": "low"},
                },
                {
                    "type": "image_url",
                    "image_url": {"url": f"data:image/jpeg;base64,{second}", "detail": "low"},
                },
                {"type": "text", "text": "Which UAV?"},
            ],
        },
    ]


def test_ask_with_pictures_a_model_that_sees_none_sends_nothing(server, opened):
    model = opened(options={"has_pictures": False})
    with pytest.raises(CallFailed, match="does not accept images") as caught:
        model.ask(ChatRequest(text="?", pictures=(ModelImage(data=b"x"),)), timeout_s=PATIENCE_S)
    assert (caught.value.was_sent, server.calls) == (False, [])


def test_ask_when_the_profile_names_another_limit_and_no_temperature_does_so(server, opened):
    body = body_of(
        server,
        opened,
        options={
            "limit_field": "max_completion_tokens",
            "has_temperature": False,
            "extra": {"effort": "low"},
        },
    )
    assert (body["max_completion_tokens"], body["effort"]) == (10, "low")
    assert not {"max_tokens", "temperature", "seed", "logprobs", "response_format"} & body.keys()


def test_ask_with_a_seed_and_a_schema_sends_them_where_the_server_can(server, opened):
    request = ChatRequest(text="?", seed=7, schema={"type": "object"})
    assert "response_format" not in body_of(server, opened, request)
    body = body_of(server, opened, request, options={"json_schema": True})
    assert body["seed"] == 7
    assert body["response_format"]["json_schema"]["schema"] == {"type": "object"}


def test_ask_to_rank_options_gives_their_scores(server, opened):
    value = msgspec.json.decode(completion("B"))
    tops = [{"token": "B", "logprob": -0.25}, {"token": "A", "logprob": -2.0}]
    value["choices"][0]["logprobs"] = {"content": [{"token": "B", "logprob": -0.25, "top_logprobs": tops}]}
    server.behave(Behaviour(body=msgspec.json.encode(value)), times=2)
    request = ChatRequest(text="?", options=("red", "blue"))
    assert opened(options={"rank": True}).ask(request, timeout_s=PATIENCE_S).option_scores == (-2.0, -0.25)
    assert (server.calls[0].body["logprobs"], server.calls[0].body["top_logprobs"]) == (True, 20)
    assert opened().ask(request, timeout_s=PATIENCE_S).option_scores == ()


def test_ask_when_the_server_storms_fails_each_time_and_asks_only_once(server, opened):
    model = opened()
    for status in (500, 502, 503, 529, 429, 408):
        server.behave(Behaviour(status=status, body=b"<html>busy</html>"))
    kinds = []
    for _ in range(6):
        with pytest.raises(CallFailed) as caught:
            model.ask(ASKED, timeout_s=PATIENCE_S)
        kinds.append((caught.value.kind, caught.value.is_retryable))
    assert kinds == [("server", True)] * 4 + [("rate", True), ("timeout", True)]
    assert len(server.calls) == 6
    assert model.ask(ASKED, timeout_s=PATIENCE_S).text == "B"


def test_ask_when_redirected_fails_and_the_key_stays(server, opened, monkeypatch):
    monkeypatch.setenv("LAB_KEY", KEY)
    with ChatServer() as other:
        for location in (other.base_url, server.base_url):
            server.behave(Behaviour(status=308, headers={"Location": f"{location}/chat/completions"}))
            with pytest.raises(CallFailed, match="does not follow") as caught:
                opened(key_from="env:LAB_KEY").ask(ASKED, timeout_s=PATIENCE_S)
            assert (caught.value.kind, caught.value.is_retryable) == ("redirect", False)
        assert other.calls == []
    assert len(server.calls) == 2


def test_ask_sends_nothing_about_this_machine_and_no_variable_of_others(server, opened, monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "of-another-server")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/elsewhere")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Other: of-another-server")
    opened().ask(ASKED, timeout_s=PATIENCE_S)
    headers = server.calls[0].headers
    assert set(headers) == {
        "host",
        "content-length",
        "content-type",
        "accept",
        "accept-encoding",
        "user-agent",
    }
    assert "of-another-server" not in str(headers)


def test_ask_when_the_address_ends_with_a_slash_asks_at_the_same_place(server, opened):
    opened(base_url=f"{server.base_url}/").ask(ASKED, timeout_s=PATIENCE_S)
    assert server.calls[0].path == "/v1/chat/completions"


def test_ask_from_many_threads_at_once_mixes_no_answers(opened):
    with ChatServer(answer=lambda body: body["messages"][0]["content"]) as echo:
        model = opened(base_url=echo.base_url)
        wrong = []

        def ask(number):
            for turn in range(10):
                text = f"{number}/{turn}"
                if model.ask(ChatRequest(text=text), timeout_s=PATIENCE_S).text != text:
                    wrong.append(text)

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (wrong, len(echo.calls)) == ([], 80)


def test_identity_says_what_decides_an_answer_and_holds_no_secret(opened, monkeypatch):
    monkeypatch.setenv("LAB_KEY", KEY)
    identity = opened(
        key_from="env:LAB_KEY", revision="r2", seed=3, options={"ca_file": "/x.pem", "rank": True}
    ).identity
    assert (identity.name, identity.kind, identity.revision) == ("m", "chat", "r2")
    assert identity.parameters == {"temperature": 0.0, "max_tokens": 100, "seed": 3, "rank": True}
    assert KEY not in msgspec.json.encode(identity).decode()


def test_endpoint_at_the_address_of_a_server_that_was_started_asks_there(server):
    profile = ModelProfile(name="Started", adapter="vllm", model="m", path="/weights")
    model = ChatEndpoint(profile, base_url=server.base_url)
    assert model.ask(ASKED, timeout_s=PATIENCE_S).text == "B"
    model.close()


@pytest.mark.parametrize("options", [{"limit_fields": 1}, {"rank": "yes"}, {"extra": {"stream": True}}])
def test_open_with_options_that_cannot_be_says_which(opened, options):
    with pytest.raises(UserError, match="options of 'Lab'"):
        opened(options=options)


def test_key_is_in_nothing_that_can_be_printed(server, opened, monkeypatch, caplog):
    monkeypatch.setenv("LAB_KEY", KEY)
    caplog.set_level(logging.DEBUG)
    model = opened(key_from="env:LAB_KEY")
    client = model._client
    shown = [repr(model), repr(vars(model)), repr(vars(client)), repr(vars(client._transport))]
    shown += [repr(vars(client._sdk)), repr(dict(client._sdk.default_headers))]
    refused = Behaviour(status=401, body=f'{{"error": {{"message": "wrong key {KEY}"}}}}'.encode())
    for behaviour in (refused, Behaviour(is_dropped=True), Behaviour(cut_at=9), Behaviour(body=KEY.encode())):
        server.behave(behaviour)
        with pytest.raises(CallFailed) as caught:
            model.ask(ASKED, timeout_s=PATIENCE_S)
        # This test's own frame holds the key, of course; those below it must not.
        told = traceback.TracebackException(caught.type, caught.value, caught.tb.tb_next, capture_locals=True)
        shown += [*told.format(), str(caught.value), repr(vars(caught.value))]
    assert server.calls[0].headers["authorization"] == f"Bearer {KEY}"
    assert "wrong key ***" in "".join(shown)
    assert KEY not in "".join(shown) + caplog.text


def test_key_is_in_no_argument_and_no_output_of_a_process(server):
    code = (
        "import sys; from annotator.domain.profile import ModelProfile; from models.chat import open_model; "
        "from annotator.model_api import ChatRequest; "
        "profile = ModelProfile(name='x', adapter='openai', base_url=sys.argv[1], key_from='env:LAB_KEY'); "
        "model = open_model(profile); "
        "print(open('/proc/self/cmdline').read() if sys.platform == 'linux' else sys.orig_argv); "
        "model.ask(ChatRequest(text='?'), timeout_s=20)"
    )
    server.behave(Behaviour(status=403, body=f"no entry with {KEY}".encode()))
    told = subprocess.run(
        [sys.executable, "-c", code, server.base_url],
        cwd=REPO,
        env={**os.environ, "LAB_KEY": KEY, "OPENAI_LOG": "debug"},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert "does not accept the API key (403)" in told.stderr
    assert KEY not in told.stdout + told.stderr
