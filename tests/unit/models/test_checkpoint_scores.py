"""Scores of options by local checkpoints, beside those of bare transformers and of lm-evaluation-harness."""

from __future__ import annotations

import io
import json
import logging
import math

import msgspec
import pytest

from annotator.domain.profile import ModelProfile
from annotator.model_api import CallFailed, ChatRequest, ModelImage
from models.option_scoring import NO_QUESTION, cloze_prompt, letter_prompt, prior_prompt
from tests.patience import PATIENCE_S
from tests.unit.models.harness import harness_of
from tests.unit.models.tiny_checkpoints import make_sighted_model, make_text_model, need_engine
from tests.unit.models.tiny_families import FAMILIES, make_family, make_qwen_vl, train_tokenizer

STEM = "What flies above the square at noon?"
OPTIONS = ("a small drone", "two birds", "The drone turns left and stops.", "B")
ASKED = ChatRequest(
    text=f"{STEM}\n\nA. a small drone\nB. two birds\nC. The drone turns left and stops.\nD. B\n\nReply.",
    system="Be brief.",
    options=OPTIONS,
)
PRECISE = 1e-4
TEMPLATE = (
    "{{ bos_token }}{% for m in messages %}[{{ m['role'] }}]{{ m['content'] }}{% endfor %}"
    "{% if add_generation_prompt %}[assistant]{% endif %}"
)
REFUSING = TEMPLATE.replace(
    "[{{ m['role'] }}]",
    "{% if m['role'] == 'system' %}{{ raise_exception('no system role') }}{% endif %}[{{ m['role'] }}]",
)
SILENT = TEMPLATE.replace("{% for m in messages %}", "{% for m in messages if m['role'] != 'system' %}")
SPACED = TEMPLATE.replace("{{ m['content'] }}", "{{ ' ' if m['role'] == 'assistant' }}{{ m['content'] }}")


def open_at(folder, **options: object):
    from models.local_checkpoint import open_model

    profile = ModelProfile(name="tiny", adapter="transformers", path=str(folder))
    return open_model(msgspec.structs.replace(profile, options={"device": "cpu", **options}))


def ask(folder, request: ChatRequest, **options: object):
    model = open_at(folder, **options)
    try:
        return model.ask(request, timeout_s=PATIENCE_S)
    finally:
        model.close()


def whole_logs(model, prompt: list[int], row: list[int], **more: object) -> list[float]:
    """Return log-probabilities by one pass over everything, without cache, batch or cut."""
    import torch

    with torch.inference_mode():
        ids = torch.tensor([prompt + row])
        logits = model(input_ids=ids, attention_mask=torch.ones_like(ids), use_cache=False, **more).logits[0]
    logs = torch.log_softmax(logits.float(), dim=-1)
    return [float(logs[len(prompt) - 1 + at, token]) for at, token in enumerate(row)]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    need_engine()
    made = {}

    def folder_of(name: str):
        if name not in made:
            made[name] = make_family(tmp_path_factory.mktemp(name), name)
        return made[name]

    return folder_of


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_texts_when_the_prompt_is_read_once_then_are_those_of_one_pass_over_everything(
    folders, family
) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder = folders(family)
    reply = ask(folder, ASKED, answers="text")
    model = AutoModelForCausalLM.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    prompt = tokenizer.encode(cloze_prompt(STEM))
    expected = []
    for option in OPTIONS:
        row = tokenizer.encode(f"{cloze_prompt(STEM)} {option}")[len(prompt) :]
        expected.append(sum(whole_logs(model, prompt, row)) / len(option))
    assert reply.option_scores == pytest.approx(expected, abs=PRECISE)


@pytest.mark.slow
@pytest.mark.parametrize("family", ["llama", "gpt2"])
def test_base_model_when_scored_then_has_the_numbers_of_lm_evaluation_harness(folders, family) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder = folders(family)
    told = harness_of(
        AutoModelForCausalLM.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
    )
    spaced = [f" {option}" for option in OPTIONS]
    logs, prior = told(cloze_prompt(STEM), *spaced), told(prior_prompt(STEM), *spaced)
    letters = told(letter_prompt(STEM, OPTIONS), *[f" {letter}" for letter in "ABCD"], *"ABCD")
    texts = [log / len(option) for log, option in zip(logs, OPTIONS, strict=True)]
    assert ask(folder, ASKED, answers="text").option_scores == pytest.approx(texts, abs=PRECISE)
    gained = [a - b for a, b in zip(logs, prior, strict=True)]
    assert ask(folder, ASKED, answers="text-pmi").option_scores == pytest.approx(gained, abs=PRECISE)
    both = [math.log(math.exp(letters[at]) + math.exp(letters[at + 4])) for at in range(4)]
    assert ask(folder, ASKED, answers="letters").option_scores == pytest.approx(both, abs=PRECISE)


def test_options_when_others_stand_beside_them_then_keep_their_scores_to_the_bit(folders) -> None:
    model = open_at(folders("llama"), answers="text", batch=3)
    alone = [
        model.ask(ChatRequest(text=STEM, options=(option,)), timeout_s=PATIENCE_S).option_scores[0]
        for option in OPTIONS
    ]
    together = model.ask(ChatRequest(text=STEM, options=OPTIONS), timeout_s=PATIENCE_S).option_scores
    turned = model.ask(ChatRequest(text=STEM, options=OPTIONS[::-1]), timeout_s=PATIENCE_S).option_scores
    model.close()
    assert list(together) == alone == list(turned[::-1])


def test_prompt_when_there_are_many_options_then_is_read_once_and_few_logits_are_made(
    folders, monkeypatch
) -> None:
    model = open_at(folders("llama"), answers="text")
    run = model.engine._model.forward
    widths: list[int] = []

    def watched(*args, **kwargs):
        widths.append(kwargs["input_ids"].shape[1])
        made = run(*args, **kwargs)
        assert made.logits.shape[1] <= max(len(option) for option in OPTIONS)
        return made

    # ``forward`` is looked up at each call, and its signature when the model is loaded.
    monkeypatch.setattr(model.engine._model, "forward", watched)
    reply = model.ask(ASKED, timeout_s=PATIENCE_S)
    model.close()
    assert widths[0] == max(widths)
    assert sum(widths) <= reply.prompt_tokens
    assert len([width for width in widths if width == widths[0]]) == 1


@pytest.mark.parametrize(("template", "has_role"), [(TEMPLATE, True), (REFUSING, False), (SILENT, False)])
def test_system_text_when_the_template_refuses_its_role_then_stands_in_the_question(
    tmp_path, template, has_role
) -> None:
    need_engine()
    model = open_at(make_text_model(tmp_path, template=template))
    prompt = model.engine._prompts.text(ChatRequest(text="What?", system="Be brief."))
    model.ask(ChatRequest(text="What?", system="Be brief.", max_tokens=1), timeout_s=PATIENCE_S)
    model.close()
    expected = "[system]Be brief.[user]What?" if has_role else "[user]Be brief.\n\nWhat?"
    assert prompt == f"<s>{expected}[assistant]"


def test_template_when_it_refuses_every_request_then_says_so(tmp_path) -> None:
    need_engine()
    template = "{{ raise_exception('only on Sundays') }}"
    model = open_at(make_text_model(tmp_path, template=template))
    with pytest.raises(CallFailed, match="only on Sundays") as failed:
        model.ask(ChatRequest(text="What?"), timeout_s=PATIENCE_S)
    model.close()
    assert failed.value.kind == "refused"


def test_reasoning_when_the_template_knows_it_then_is_left_out_and_otherwise_not_spoken_of(
    tmp_path, caplog
) -> None:
    need_engine()
    from tests.unit.models.tiny_checkpoints import TEMPLATE as PLAIN

    aware = PLAIN + "{% if enable_thinking is defined and not enable_thinking %}[at once]{% endif %}"
    prompts = {}
    logger = logging.getLogger("transformers")
    logger.addHandler(caplog.handler)
    try:
        for name, template in (("aware", aware), ("plain", PLAIN)):
            model = open_at(make_sighted_model(tmp_path / name, template=template), answers="letters")
            prompts[name] = model.engine._prompts.text(ASKED)
            model.ask(ASKED, timeout_s=PATIENCE_S)
            model.close()
    finally:
        logger.removeHandler(caplog.handler)
    assert prompts["aware"] == f"{prompts['plain']}[at once]"
    assert "processor_kwargs" not in caplog.text


@pytest.mark.parametrize(("template", "separator"), [(TEMPLATE, ""), (SPACED, " ")])
def test_answer_when_the_template_puts_a_space_before_it_then_options_have_it_too(
    tmp_path, template, separator
) -> None:
    need_engine()
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder = make_text_model(tmp_path, template=template)
    reply = ask(folder, msgspec.structs.replace(ASKED, system=""), answers="text")
    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    prompt = tokenizer.encode(f"<s>[user]{STEM}[assistant]", add_special_tokens=False)
    expected = [
        sum(whole_logs(model.eval(), prompt, tokenizer.encode(separator + option, add_special_tokens=False)))
        / len(option)
        for option in OPTIONS
    ]
    assert reply.option_scores == pytest.approx(expected, abs=PRECISE)


def test_letters_when_they_are_several_tokens_then_count_as_a_whole(folders) -> None:
    # Bytes: " A" is two tokens.
    reply = ask(folders("bytes"), ASKED, answers="letters")
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder = folders("bytes")
    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    prompt = tokenizer.encode(letter_prompt(STEM, OPTIONS))
    for index, letter in enumerate("ABCD"):
        rows = [tokenizer.encode(text, add_special_tokens=False) for text in (f" {letter}", letter)]
        assert [len(row) for row in rows] == [2, 1]
        total = math.log(sum(math.exp(sum(whole_logs(model.eval(), prompt, row))) for row in rows))
        assert reply.option_scores[index] == pytest.approx(total, abs=PRECISE)


def test_pmi_when_the_model_has_a_template_then_both_prompts_have_it(tmp_path, monkeypatch) -> None:
    need_engine()
    model = open_at(make_text_model(tmp_path, template=TEMPLATE), answers="text-pmi")
    asked: list[str] = []
    run = model.engine.score

    def watched(request, texts):
        asked.append(model.engine._prompts.text(request))
        return run(request, texts)

    monkeypatch.setattr(model.engine, "score", watched)
    reply = model.ask(ASKED, timeout_s=PATIENCE_S)
    model.close()
    assert asked == [f"<s>[system]Be brief.[user]{each}[assistant]" for each in (STEM, NO_QUESTION)]
    raw = json.loads(reply.raw)
    sums = [sum(a) - sum(b) for a, b in zip(raw["text"], raw["prior"], strict=True)]
    assert reply.option_scores == pytest.approx(sums)


def test_tokenizer_when_it_ends_texts_then_prompts_have_no_end(tmp_path) -> None:
    need_engine()
    tokenizer = train_tokenizer(has_start=True, has_end=True)
    folder = make_family(tmp_path, "llama", tokenizer=tokenizer)
    model = open_at(folder, answers="text")
    tokens = model.engine._prompts.tokens("What flies")
    encoded = model.engine._encode([ChatRequest(text="What flies")])["input_ids"][0].tolist()
    model.close()
    assert tokens == encoded
    assert tokens[0] == tokenizer.bos_token_id
    assert tokenizer.eos_token_id not in tokens


def seen(*colours: tuple[int, int, int]) -> tuple[ModelImage, ...]:
    from PIL import Image

    shown = []
    for index, colour in enumerate(colours, start=1):
        stream = io.BytesIO()
        Image.new("RGB", (84, 56), colour).save(stream, "PNG")
        shown.append(ModelImage(data=stream.getvalue(), label=f"UAV{index}"))
    return tuple(shown)


@pytest.mark.slow
@pytest.mark.parametrize("make", [make_sighted_model, make_qwen_vl])
@pytest.mark.parametrize("answers", ["text", "letters"])
def test_sighted_scores_when_the_prompt_is_read_once_then_are_those_of_reading_it_again(
    tmp_path, make, answers
) -> None:
    need_engine()
    from models.continuation_logs import ContinuationScorer

    model = open_at(make(tmp_path), answers=answers)
    request = msgspec.structs.replace(ASKED, pictures=seen((255, 0, 0), (0, 0, 255)))
    once = model.ask(request, timeout_s=PATIENCE_S).option_scores
    engine = model.engine
    engine._scorer = ContinuationScorer(engine._torch, engine._model, reuses_prompt=False)
    again = model.ask(request, timeout_s=PATIENCE_S).option_scores
    other = model.ask(
        msgspec.structs.replace(request, pictures=request.pictures[::-1]), timeout_s=PATIENCE_S
    ).option_scores
    model.close()
    assert once == pytest.approx(again, abs=PRECISE)
    assert other != pytest.approx(again, abs=PRECISE)


@pytest.mark.slow
def test_sighted_base_model_when_it_has_no_template_then_reads_texts_and_images(tmp_path) -> None:
    need_engine()
    folder = make_sighted_model(tmp_path, template="")
    model = open_at(folder, answers="text")
    request = msgspec.structs.replace(ASKED, pictures=seen((255, 0, 0)))
    prompt = model.engine._prompts.text(request)
    scores = [
        model.ask(msgspec.structs.replace(request, pictures=pictures), timeout_s=PATIENCE_S).option_scores
        for pictures in (request.pictures, seen((0, 0, 255)), ())
    ]
    model.close()
    assert prompt.startswith("Be brief.\n\nUAV1\n<image>\n\n")
    assert len(set(scores)) == 3


@pytest.mark.slow
def test_sighted_base_model_when_its_tokenizer_ends_texts_then_prompts_have_no_end(tmp_path) -> None:
    need_engine()
    from tokenizers.processors import TemplateProcessing
    from transformers import AutoTokenizer

    folder = make_sighted_model(tmp_path, template="")
    request = msgspec.structs.replace(ASKED, pictures=seen((255, 0, 0)))
    scores = []
    for ends_texts in (False, True):
        if ends_texts:
            tokenizer = AutoTokenizer.from_pretrained(folder)
            end = tokenizer.eos_token
            tokenizer._tokenizer.post_processor = TemplateProcessing(
                single=f"$A {end}", special_tokens=[(end, tokenizer.eos_token_id)]
            )
            tokenizer.save_pretrained(folder)
        model = open_at(folder, answers="text")
        scores.append(model.ask(request, timeout_s=PATIENCE_S).option_scores)
        last = model.engine._encode([request])["input_ids"][0, -1].item()
        assert last != model.engine._tokenizer.eos_token_id
        model.close()
    assert scores[0] == pytest.approx(scores[1], abs=PRECISE)


@pytest.mark.slow
def test_question_without_images_when_one_with_images_came_before_then_has_the_same_scores(tmp_path) -> None:
    need_engine()
    model = open_at(make_qwen_vl(tmp_path), answers="text")
    first = model.ask(ASKED, timeout_s=PATIENCE_S).option_scores
    model.ask(msgspec.structs.replace(ASKED, pictures=seen((255, 0, 0))), timeout_s=PATIENCE_S)
    second = model.ask(ASKED, timeout_s=PATIENCE_S).option_scores
    model.close()
    assert first == second
