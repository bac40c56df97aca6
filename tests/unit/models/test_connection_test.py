from __future__ import annotations

import msgspec
import pytest

from annotator.domain.profile import ModelProfile
from annotator.errors import EnvironmentFailure, UserError
from annotator.model_api import CallFailed, ModelIdentity
from models.connection_test import check_profile
from tests.servers.chat_server import Behaviour, ChatServer, completion


def profile(server, **told):
    return ModelProfile(name="Lab", adapter="openai", model="m", base_url=server.base_url, **told)


def answer(body):
    return '{"answer": "B"}' if "response_format" in body else "B"


def test_check_of_an_endpoint_that_can_all_but_rank_says_so_and_what_to_change():
    with ChatServer(answer=answer) as server:
        text = check_profile(profile(server))
    first, pictures, ranks, schema = text.splitlines()
    assert first.startswith("m answered in ")
    assert first.endswith("s: 'B'.")
    assert pictures == "Images: yes."
    assert ranks == "Log-probabilities of options: no."
    assert schema == "JSON schema for answers: yes. Set json_schema to true in the profile's options."


def test_check_of_an_endpoint_that_ranks_says_yes():
    value = msgspec.json.decode(completion("B"))
    tops = [{"token": "B", "logprob": -0.25}]
    value["choices"][0]["logprobs"] = {"content": [{"token": "B", "logprob": -0.25, "top_logprobs": tops}]}
    usual = Behaviour(body=msgspec.json.encode(value))
    with ChatServer(behaviour=usual) as server:
        text = check_profile(profile(server, options={"rank": True}))
    assert "Log-probabilities of options: yes." in text.splitlines()


def test_check_of_an_endpoint_that_refuses_pictures_advises_to_say_so():
    with ChatServer(answer=answer) as server:
        server.behave(Behaviour())
        server.behave(Behaviour(status=400, body=b'{"error": "image_url is not supported"}'))
        text = check_profile(profile(server))
    assert "Images: no. Set has_pictures to false in the profile's options." in text
    assert "image_url is not supported" in text


def test_check_when_an_ability_cannot_be_tried_now_claims_nothing():
    with ChatServer(answer=answer) as server:
        server.behave(Behaviour())
        server.behave(Behaviour(status=503, body=b"busy"))
        text = check_profile(profile(server))
    assert "Images: unknown." in text


def test_check_of_a_server_that_does_not_answer_says_why():
    with ChatServer() as server:
        server.behave(Behaviour(status=404, body=b'{"error": {"message": "no model m"}}'))
        with pytest.raises(UserError, match=r"'Lab' does not answer.*no model m"):
            check_profile(profile(server))


def test_check_of_a_priced_endpoint_says_tokens_and_cost():
    with ChatServer(answer=answer) as server:
        text = check_profile(profile(server, price_in=1000.0, price_out=5000.0))
    usage = msgspec.json.decode(completion("B"))["usage"]
    asked, answered = usage["prompt_tokens"], usage["completion_tokens"]
    cost = (asked * 1000 + answered * 5000) / 10**6
    assert f" s, {asked} + {answered} tokens for {cost:.6f}: 'B'." in text.splitlines()[0]


def test_check_of_a_server_that_is_not_there_says_what_to_do():
    lost = ModelProfile(name="Lab", adapter="openai", model="m", base_url="http://127.0.0.1:9/v1")
    with pytest.raises(EnvironmentFailure) as caught:
        check_profile(lost)
    assert "Connection refused" in caught.value.message
    assert caught.value.hint.startswith("Check that the server is running")


def test_check_of_a_detector_has_it_look_at_a_picture():
    class Finder:
        identity = ModelIdentity(name="yolo", kind="detector")
        seen = ()

        def detect(self, pictures):
            self.seen = [picture.shape for picture in pictures]
            return [[]]

        def close(self):
            pass

    finder = Finder()
    text = check_profile(ModelProfile(name="Finder", adapter="onnx", path="x.onnx"), opener=lambda _: finder)
    assert text.startswith("yolo processed a test image in ")
    assert text.endswith(" s and detected no objects.")
    assert finder.seen == [(480, 640, 3)]


def test_check_of_a_detector_whose_program_fails_says_so():
    class Finder:
        identity = ModelIdentity(name="yolo", kind="detector")

        def detect(self, pictures):
            raise CallFailed("No such output.", kind="model", is_retryable=False)

        def close(self):
            pass

    with pytest.raises(UserError, match=r"'Finder' does not answer\. No such output\."):
        check_profile(ModelProfile(name="Finder", adapter="onnx", path="x.onnx"), opener=lambda _: Finder())


def test_check_of_a_depth_model_has_it_look_at_a_picture():
    class Ruler:
        identity = ModelIdentity(name="ruler", kind="depth")

        def depth(self, picture):
            return picture[..., 0].astype("float32")

        def close(self):
            pass

    text = check_profile(
        ModelProfile(name="Ruler", adapter="depth-onnx", path="x.onnx"), opener=lambda _: Ruler()
    )
    assert text.endswith(" s and estimated the depth of 307,200 pixels.")


def test_check_of_a_model_that_is_not_asked_opens_and_closes_it():
    class Finder:
        identity = ModelIdentity(name="yolo", kind="detector", revision="v3", sha256="ab" * 32)
        is_closed = False

        def close(self):
            self.is_closed = True

    finder = Finder()
    text = check_profile(ModelProfile(name="Finder", adapter="onnx", path="x.onnx"), opener=lambda _: finder)
    assert text == "yolo v3 abababababab is ready."
    assert finder.is_closed
