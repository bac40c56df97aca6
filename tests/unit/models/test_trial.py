from __future__ import annotations

import msgspec
import pytest

from annotator.domain.profile import Profile
from annotator.errors import UserError
from annotator.predictor import ModelIdentity
from models.trial import check_profile
from tests.servers.chat_server import Behaviour, ChatServer, completion


def profile(server, **told):
    return Profile(name="Lab", adapter="openai", model="m", base_url=server.base_url, **told)


def answer(body):
    return '{"answer": "B"}' if "response_format" in body else "B"


def test_check_of_an_endpoint_that_can_all_but_rank_says_so_and_what_to_change():
    with ChatServer(answer=answer) as server:
        words = check_profile(profile(server))
    first, pictures, ranks, schema = words.splitlines()
    assert first.startswith("m answered in ")
    assert first.endswith("s: 'B'.")
    assert pictures == "Pictures: yes."
    assert ranks == "Log-probabilities of options: no."
    assert schema == "Answers held to a JSON schema: yes. Set json_schema to true in the profile's options."


def test_check_of_an_endpoint_that_ranks_says_yes():
    value = msgspec.json.decode(completion("B"))
    tops = [{"token": "B", "logprob": -0.25}]
    value["choices"][0]["logprobs"] = {"content": [{"token": "B", "logprob": -0.25, "top_logprobs": tops}]}
    usual = Behaviour(body=msgspec.json.encode(value))
    with ChatServer(behaviour=usual) as server:
        words = check_profile(profile(server, options={"rank": True}))
    assert "Log-probabilities of options: yes." in words.splitlines()


def test_check_of_an_endpoint_that_refuses_pictures_advises_to_say_so():
    with ChatServer(answer=answer) as server:
        server.behave(Behaviour())
        server.behave(Behaviour(status=400, body=b'{"error": "image_url is not supported"}'))
        words = check_profile(profile(server))
    assert "Pictures: no. Set has_pictures to false in the profile's options." in words
    assert "image_url is not supported" in words


def test_check_when_an_ability_cannot_be_tried_now_claims_nothing():
    with ChatServer(answer=answer) as server:
        server.behave(Behaviour())
        server.behave(Behaviour(status=503, body=b"busy"))
        words = check_profile(profile(server))
    assert "Pictures: not known." in words


def test_check_of_a_server_that_does_not_answer_says_why():
    with ChatServer() as server:
        server.behave(Behaviour(status=404, body=b'{"error": {"message": "no model m"}}'))
        with pytest.raises(UserError, match=r"'Lab' gives no answer.*no model m"):
            check_profile(profile(server))


def test_check_of_a_model_that_is_not_asked_opens_and_closes_it():
    class Finder:
        identity = ModelIdentity(name="yolo", kind="detector", revision="v3", sha256="ab" * 32)
        is_closed = False

        def close(self):
            self.is_closed = True

    finder = Finder()
    words = check_profile(Profile(name="Finder", adapter="onnx", path="x.onnx"), opener=lambda _: finder)
    assert words == "yolo v3 abababababab is ready."
    assert finder.is_closed
