"""GGUF files of other models than the embedded one, beside the same weights in transformers and lm-eval."""

from __future__ import annotations

import json
import math
import struct

import pytest

from annotator.domain.profile import ModelProfile
from annotator.model_api import ChatRequest
from models.gguf_header import text_value
from models.option_scoring import cloze_prompt, letter_prompt, prior_prompt
from models.smollm import TEMPLATE_KEY, open_model
from tests.patience import PATIENCE_S
from tests.unit.models.harness import harness_of
from tests.unit.models.tiny_families import train_tokenizer
from tests.unit.models.tiny_gguf import (
    make_folder,
    need_writer,
    write_bpe,
    write_pieces,
)

pytestmark = pytest.mark.slow
STEM = "What flies above the square at noon?"
OPTIONS = ("a small drone", "two birds", "The drone turns left.", "ö")
ASKED = ChatRequest(text=STEM, options=OPTIONS)
NEAR = 0.02
"""llama.cpp keeps keys and values in 16 bits."""
REFUSING = (
    "{% for m in messages %}{% if m['role'] == 'system' %}{{ raise_exception('no system role') }}{% endif %}"
    "[{{ m['role'] }}] {{ m['content'] }}\n{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}"
)


def open_file(file, **options: object):
    return open_model(
        ModelProfile(
            name="tiny",
            adapter="smollm",
            path=str(file),
            options={"threads": 1, "context": 512, **options},
        )
    )


def ask(file, request: ChatRequest, **options: object):
    model = open_file(file, **options)
    try:
        return model.ask(request, timeout_s=PATIENCE_S)
    finally:
        model.close()


@pytest.fixture(scope="module", params=[True, False], ids=["start token", "no start token"])
def pair(request, tmp_path_factory):
    """A GGUF file, and the same model and tokenizer for transformers."""
    need_writer()
    folder = tmp_path_factory.mktemp("pair")
    tokenizer = train_tokenizer(has_start=request.param)
    model = make_folder(folder / "weights", tokenizer)
    return write_bpe(folder / "tiny.gguf", model, tokenizer, has_start=request.param), model, tokenizer


@pytest.fixture(scope="module")
def harness(pair):
    """Log-likelihoods of continuations by lm-evaluation-harness."""
    return harness_of(pair[1], pair[2])


def test_texts_when_scored_then_are_the_numbers_of_lm_evaluation_harness(pair, harness) -> None:
    reply = ask(pair[0], ASKED, ranking="text")
    logs = harness(cloze_prompt(STEM), *[f" {option}" for option in OPTIONS])
    # acc_norm of the harness: the log-likelihood by the number of characters of the option.
    expected = [log / len(option) for log, option in zip(logs, OPTIONS, strict=True)]
    assert reply.option_scores == pytest.approx(expected, abs=NEAR)


def test_texts_when_the_stem_is_continued_then_are_the_numbers_of_lm_evaluation_harness(
    pair, harness
) -> None:
    reply = ask(pair[0], ChatRequest(text="The drone turns", options=("left", "right and stops")))
    logs = harness("The drone turns", " left", " right and stops")
    assert reply.option_scores == pytest.approx([logs[0] / 4, logs[1] / 15], abs=NEAR)


def test_pmi_when_scored_then_both_terms_are_those_of_lm_evaluation_harness(pair, harness) -> None:
    reply = ask(pair[0], ASKED, ranking="text-pmi")
    spaced = [f" {option}" for option in OPTIONS]
    with_stem, without = harness(cloze_prompt(STEM), *spaced), harness(prior_prompt(STEM), *spaced)
    expected = [a - b for a, b in zip(with_stem, without, strict=True)]
    assert reply.option_scores == pytest.approx(expected, abs=4 * NEAR)


def test_letters_when_scored_then_are_both_spellings_of_lm_evaluation_harness(pair, harness) -> None:
    reply = ask(pair[0], ASKED, ranking="letters")
    prompt = letter_prompt(STEM, OPTIONS)
    logs = harness(prompt, *[f" {letter}" for letter in "ABCD"], *"ABCD")
    expected = [math.log(math.exp(logs[at]) + math.exp(logs[at + 4])) for at in range(4)]
    assert json.loads(reply.raw)["evidence"][0] == pytest.approx(expected, abs=NEAR)


@pytest.fixture(scope="module")
def pieces(tmp_path_factory):
    need_writer()
    return write_pieces(tmp_path_factory.mktemp("pieces") / "pieces.gguf", has_end=True)


def test_letters_when_the_tokenizer_is_sentencepiece_then_each_has_a_score_of_its_own(pieces) -> None:
    reply = ask(pieces, ASKED, ranking="letters")
    for row in json.loads(reply.raw)["evidence"]:
        assert len(set(row)) == len(row)


def test_tokens_when_the_model_expects_start_and_end_then_prompts_begin_with_it_and_do_not_end(
    pieces,
) -> None:
    model = open_file(pieces)
    engine = model._engine
    prompt, whole = engine.tokens("Question: What"), engine.tokens("Question: What flies")
    model.close()
    assert prompt[0] == 1
    assert 2 not in whole
    assert whole[: len(prompt)] == prompt


def test_base_model_when_asked_for_words_then_reads_the_bare_text(pieces) -> None:
    model = open_file(pieces)
    reply = model.ask(
        ChatRequest(text="The drone turns", system="Be brief", max_tokens=2), timeout_s=PATIENCE_S
    )
    expected = len(model._engine.tokens("Be brief\n\nThe drone turns"))
    model.close()
    assert (reply.prompt_tokens, reply.completion_tokens) == (expected, 2)


def test_chat_model_when_it_refuses_a_system_role_then_reads_the_words_in_the_question(
    tmp_path,
) -> None:
    need_writer()
    file = write_pieces(tmp_path / "refusing.gguf", template=REFUSING)
    model = open_file(file)
    counts = [
        model.ask(ChatRequest(text="What", system=system, max_tokens=1), timeout_s=PATIENCE_S).prompt_tokens
        for system in ("", "The drone stops")
    ]
    model.close()
    assert counts[1] >= counts[0] + 3


def test_header_when_read_then_has_the_template_or_nothing(pieces, tmp_path) -> None:
    file = write_pieces(tmp_path / "chat.gguf", template=REFUSING)
    assert text_value(file, TEMPLATE_KEY) == REFUSING
    assert text_value(pieces, TEMPLATE_KEY) == ""


def test_header_when_lists_are_within_lists_or_endless_then_is_nothing(tmp_path) -> None:
    begin = b"GGUF\x03\0\0\0" + struct.pack("<QQ", 0, 1) + struct.pack("<Q", 1) + b"a"
    nested = struct.pack("<I", 9) + struct.pack("<IQ", 9, 1) * 5_000
    endless = struct.pack("<I", 9) + struct.pack("<IQ", 12, 2**62)
    for content in (begin + nested, begin + endless):
        (tmp_path / "x.gguf").write_bytes(content)
        assert text_value(tmp_path / "x.gguf", TEMPLATE_KEY) == ""


def test_header_when_the_file_is_cut_or_another_then_is_nothing(tmp_path) -> None:
    for content in (b"", b"GGUF", b"GGUF" + bytes(100), b"PK" + bytes(50), b"GGUF\x03\0\0\0" + b"\xff" * 64):
        (tmp_path / "x.gguf").write_bytes(content)
        assert text_value(tmp_path / "x.gguf", TEMPLATE_KEY) == ""
