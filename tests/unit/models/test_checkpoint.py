from __future__ import annotations

import gc
import io
import json
import threading
import weakref
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from annotator.domain.profile import ModelProfile
from annotator.errors import EnvironmentFailure, UserError
from annotator.model_api import CallFailed, ChatReply, ChatRequest, ModelImage
from models.checkpoint_prompt import CheckpointPrompts
from tests.patience import PATIENCE_S
from tests.unit.models.tiny_checkpoints import (
    make_sighted_model,
    make_text_model,
    need_engine,
)

OPTIONS = ("red", "blue", "a rather long green", "white")


def profile_of(folder: Path, **options: object) -> ModelProfile:
    return ModelProfile(
        name="tiny", adapter="transformers", path=str(folder), options={"device": "cpu", **options}
    )


def open_at(folder: Path, **options: object):
    from models.local_checkpoint import open_model

    return open_model(profile_of(folder, **options))


def picture(colour: tuple[int, int, int], *, label: str = "") -> ModelImage:
    from PIL import Image

    stream = io.BytesIO()
    Image.new("RGB", (64, 48), colour).save(stream, "PNG")
    return ModelImage(data=stream.getvalue(), label=label)


def essence(reply: ChatReply) -> ChatReply:
    return msgspec.structs.replace(reply, elapsed_s=0.0)


@pytest.fixture(scope="module")
def text_folder(tmp_path_factory):
    need_engine()
    return make_text_model(tmp_path_factory.mktemp("text"))


@pytest.fixture(scope="module")
def sighted_folder(tmp_path_factory):
    need_engine()
    return make_sighted_model(tmp_path_factory.mktemp("sighted"))


@pytest.fixture(scope="module")
def sighted(sighted_folder):
    model = open_at(sighted_folder)
    yield model
    model.close()


@pytest.fixture
def text_model(text_folder):
    model = open_at(text_folder)
    yield model
    model.close()


def test_sighted_model_when_asked_twice_then_answers_the_same_and_says_which_it_is(
    sighted, sighted_folder
) -> None:
    request = ChatRequest(text="What is there?", pictures=(picture((255, 0, 0), label="UAV1"),), max_tokens=8)
    first, second = (sighted.ask(request, timeout_s=PATIENCE_S) for _ in range(2))
    assert essence(first) == essence(second)
    assert first.completion_tokens > 0
    assert first.elapsed_s > 0
    assert sighted.identity.parameters == {
        "device": "cpu",
        "precision": "fp32",
        "batch": 8,
        "answers": "written",
    }
    assert len(sighted.identity.sha256) == 64


def test_sighted_model_when_another_picture_is_shown_then_scores_change(sighted_folder) -> None:
    model = open_at(sighted_folder, answers="text")
    shown = [
        model.ask(
            ChatRequest(text="Which colour?", options=OPTIONS, pictures=(picture(colour),)),
            timeout_s=PATIENCE_S,
        )
        for colour in ((255, 0, 0), (0, 0, 255))
    ]
    model.close()
    assert shown[0].option_scores != shown[1].option_scores
    assert shown[0].prompt_tokens == shown[1].prompt_tokens > len("Which colour?") + len("".join(OPTIONS))


def test_sighted_model_when_given_no_picture_or_two_then_answers_all_the_same(sighted) -> None:
    both = (picture((9, 9, 9), label="UAV1"), picture((200, 9, 9), label="UAV2"))
    counts = [
        sighted.ask(
            ChatRequest(text="What?", pictures=shown, max_tokens=2), timeout_s=PATIENCE_S
        ).prompt_tokens
        for shown in ((), both[:1], both)
    ]
    assert counts[0] < counts[1] < counts[2]


def test_sighted_model_when_a_picture_is_damaged_then_says_so(sighted) -> None:
    with pytest.raises(CallFailed, match="image cannot be read") as failed:
        sighted.ask(
            ChatRequest(text="What?", pictures=(ModelImage(data=b"no picture"),)), timeout_s=PATIENCE_S
        )
    assert failed.value.kind == "material"
    assert not failed.value.is_retryable


def test_text_scores_when_counted_by_hand_then_are_those_of_the_model(text_folder) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = open_at(text_folder, answers="text", batch=3)
    reply = model.ask(ChatRequest(text="Which colour?", options=OPTIONS), timeout_s=PATIENCE_S)
    model.close()
    tokenizer = AutoTokenizer.from_pretrained(text_folder)
    bare = AutoModelForCausalLM.from_pretrained(text_folder).eval()
    prompt = tokenizer.encode("user: Which colour?\nassistant:", add_special_tokens=False)
    expected = []
    for option in OPTIONS:
        # As in the template, which puts a space before the answer.
        own = tokenizer.encode(f" {option}", add_special_tokens=False)
        with torch.inference_mode():
            logs = torch.log_softmax(bare(torch.tensor([prompt + own])).logits[0], dim=-1)
        told = [logs[len(prompt) - 1 + at, token].item() for at, token in enumerate(own)]
        expected.append(sum(told) / len(option))
    assert reply.option_scores == pytest.approx(expected, abs=1e-4)
    assert "ABCD".index(reply.text) == max(range(4), key=lambda index: expected[index])
    assert [len(row) for row in json.loads(reply.raw)["text"]] == [len(option) + 1 for option in OPTIONS]


def test_text_scores_when_options_are_listed_in_the_question_then_only_its_stem_counts(text_folder) -> None:
    model = open_at(text_folder, answers="text")
    listed = "Which colour?\n\nA. red\nB. blue\nC. a rather long green\nD. white\n\nReply with one letter."
    replies = [
        model.ask(ChatRequest(text=text, options=OPTIONS), timeout_s=PATIENCE_S)
        for text in (listed, "Which colour?")
    ]
    model.close()
    assert replies[0].option_scores == replies[1].option_scores


def test_letters_when_ranked_then_each_option_has_one_log_probability(text_folder) -> None:
    model = open_at(text_folder, answers="letters")
    reply = model.ask(
        ChatRequest(text="Which?\n\nA. red\nB. blue", options=("red", "blue")), timeout_s=PATIENCE_S
    )
    model.close()
    assert [len(row) for row in json.loads(reply.raw)["letters"]] == [1, 1]
    assert reply.text == "AB"[reply.option_scores.index(max(reply.option_scores))]


def test_text_model_when_written_by_hand_then_answers_are_the_greedy_ones(text_model, text_folder) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    reply = text_model.ask(ChatRequest(text="Go on", system="Be brief", max_tokens=6), timeout_s=PATIENCE_S)
    tokenizer = AutoTokenizer.from_pretrained(text_folder)
    bare = AutoModelForCausalLM.from_pretrained(text_folder).eval()
    ids = tokenizer.encode("system: Be brief\nuser: Go on\nassistant:", add_special_tokens=False)
    read = len(ids)
    for _ in range(6):
        with torch.inference_mode():
            ids.append(int(bare(torch.tensor([ids])).logits[0, -1].argmax()))
        if ids[-1] == tokenizer.eos_token_id:
            break
    assert reply.text == tokenizer.decode(ids[read:], skip_special_tokens=True).strip()
    assert (reply.prompt_tokens, reply.finish) == (
        read,
        "stop" if ids[-1] == tokenizer.eos_token_id else "length",
    )


def test_text_model_when_the_tokenizer_has_no_template_then_reads_the_bare_text(tmp_path) -> None:
    need_engine()
    model = open_at(make_text_model(tmp_path, template=""))
    reply = model.ask(ChatRequest(text="abcdef", max_tokens=2), timeout_s=PATIENCE_S)
    model.close()
    assert reply.prompt_tokens == len("abcdef")


def test_text_model_when_shown_a_picture_then_refuses(text_model) -> None:
    with pytest.raises(CallFailed, match="does not accept images") as failed:
        text_model.ask(ChatRequest(text="What?", pictures=(picture((1, 2, 3)),)), timeout_s=PATIENCE_S)
    assert (failed.value.kind, failed.value.was_sent) == ("refused", False)


def test_text_model_when_the_seed_is_the_same_then_draws_the_same(text_model) -> None:
    asked = ChatRequest(text="Go on", temperature=1.5, max_tokens=12, seed=3)
    texts = [text_model.ask(asked, timeout_s=PATIENCE_S).text for _ in range(2)]
    assert texts[0] == texts[1]
    others = {
        text_model.ask(msgspec.structs.replace(asked, seed=seed), timeout_s=PATIENCE_S).text
        for seed in range(4, 9)
    }
    assert others - {texts[0]}


def test_questions_when_many_wait_then_run_together_and_answer_as_alone(text_folder) -> None:
    model = open_at(text_folder, batch=4)
    requests = [ChatRequest(text="x" * (3 + 5 * n), max_tokens=4) for n in range(8)]
    alone = [model.ask(request, timeout_s=PATIENCE_S).text for request in requests]
    sizes: list[int] = []
    run = model.engine.write

    def watched(part, *, time_s):
        sizes.append(len(part))
        return run(part, time_s=time_s)

    model.engine.write = watched
    together: dict[int, str] = {}
    gate = threading.Barrier(8)

    def ask(index: int) -> None:
        gate.wait()
        together[index] = model.ask(requests[index], timeout_s=PATIENCE_S).text

    threads = [threading.Thread(target=ask, args=(index,)) for index in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    model.close()
    assert [together[index] for index in range(8)] == alone
    assert sum(sizes) == 8
    assert max(sizes) <= 4


def test_batch_when_memory_does_not_do_then_is_halved_until_it_does(text_folder, monkeypatch) -> None:
    import torch

    model = open_at(text_folder, batch=8)
    run = model.engine._model.generate
    tried: list[int] = []

    def cramped(*args, **kwargs):
        rows = kwargs["input_ids"].shape[0]
        tried.append(rows)
        if rows > 2:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return run(*args, **kwargs)

    monkeypatch.setattr(model.engine._model, "generate", cramped)
    found = model.engine.write([ChatRequest(text="?" * n, max_tokens=2) for n in range(1, 6)], time_s=60)
    assert [each.prompt_tokens for each in found] == [len("user: \nassistant:") + n for n in range(1, 6)]
    assert tried == [5, 2, 2, 1]
    assert model.engine.rows == 2
    model.close()


@pytest.mark.parametrize(
    "full",
    [MemoryError(), RuntimeError("DefaultCPUAllocator: not enough memory: you tried to allocate 9 bytes")],
)
def test_batch_when_a_cpu_has_no_memory_then_is_halved_too(text_model, monkeypatch, full) -> None:
    run = text_model.engine._model.generate
    tried: list[int] = []

    def cramped(*args, **kwargs):
        tried.append(kwargs["input_ids"].shape[0])
        if tried[-1] > 1:
            raise full
        return run(*args, **kwargs)

    monkeypatch.setattr(text_model.engine._model, "generate", cramped)
    found = text_model.engine.write([ChatRequest(text="?", max_tokens=2)] * 3, time_s=60)
    assert len(found) == 3
    assert tried == [3, 1, 1, 1]


def test_batch_when_only_one_question_was_too_long_then_grows_again_each_time_later(
    text_folder, monkeypatch
) -> None:
    import torch

    from models.checkpoint_engine import FIRST_PATIENCE

    model = open_at(text_folder, batch=4)
    run = model.engine._model.generate
    width = len("user: \nassistant:") + 1

    def cramped(*args, **kwargs):
        rows, tokens = kwargs["input_ids"].shape
        if rows > 1 and tokens > width:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return run(*args, **kwargs)

    monkeypatch.setattr(model.engine._model, "generate", cramped)

    def parts_until(rows: int) -> int:
        count = 0
        while model.engine.rows < rows:
            model.engine.write([ChatRequest(text="?", max_tokens=1)] * model.engine.rows, time_s=60)
            count += 1
        return count

    long = [ChatRequest(text="?" * 9, max_tokens=1)] * 2
    model.engine.write(long, time_s=60)
    assert model.engine.rows == 1
    # The two long ones, each alone, were good parts already.
    assert [parts_until(2), parts_until(4)] == [FIRST_PATIENCE - 2, 2 * FIRST_PATIENCE]
    model.engine.write(long, time_s=60)
    assert parts_until(2) == 4 * FIRST_PATIENCE - 2
    model.close()


def test_batch_when_memory_did_not_do_then_nothing_holds_what_was_made(text_model, monkeypatch) -> None:
    import torch

    made: list[weakref.ref] = []
    run = text_model.engine._model.generate

    def cramped(*args, **kwargs):
        if kwargs["input_ids"].shape[0] > 1:
            activation = torch.zeros(9)
            made.append(weakref.ref(activation))
            raise torch.OutOfMemoryError("CUDA out of memory")
        # The memory of the larger batch is free by now.
        assert [ref() for ref in made] == [None]
        return run(*args, **kwargs)

    monkeypatch.setattr(text_model.engine._model, "generate", cramped)
    assert len(text_model.engine.write([ChatRequest(text="?", max_tokens=2)] * 2, time_s=60)) == 2
    assert len(made) == 1


def test_model_when_it_does_not_fit_then_the_error_holds_nothing_of_it(text_folder, monkeypatch) -> None:
    import torch

    loaded: list[weakref.ref] = []
    move = torch.nn.Module.to

    def full(module, *args, **kwargs):
        if type(module).__name__ == "LlamaForCausalLM":
            loaded.append(weakref.ref(module))
            raise torch.OutOfMemoryError("CUDA out of memory")
        return move(module, *args, **kwargs)

    monkeypatch.setattr(torch.nn.Module, "to", full)
    with pytest.raises(EnvironmentFailure, match="does not fit into the memory of cpu") as failed:
        open_at(text_folder)
    # Who opens models keeps the error and tries again later.
    kept = failed.value
    gc.collect()
    assert kept.__context__ is None
    assert [ref() for ref in loaded] == [None]


def test_batch_when_one_alone_does_not_fit_then_says_so(text_model, monkeypatch) -> None:
    import torch

    def full(*args, **kwargs):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(text_model.engine._model, "generate", full)
    with pytest.raises(CallFailed, match="does not fit into the memory of cpu") as failed:
        text_model.ask(ChatRequest(text="?"), timeout_s=PATIENCE_S)
    assert failed.value.kind == "model"


def test_question_when_the_driver_fails_then_everybody_who_waits_hears_it(text_model, monkeypatch) -> None:
    def broken(*args, **kwargs):
        raise RuntimeError("CUDA error: device-side assert triggered")

    monkeypatch.setattr(text_model.engine._model, "generate", broken)
    with pytest.raises(CallFailed, match="device-side assert"):
        text_model.ask(ChatRequest(text="?"), timeout_s=PATIENCE_S)
    # On CUDA all later calls of the process would fail: no fault of this question.
    monkeypatch.setattr(text_model.engine, "device", "cuda:0")
    monkeypatch.setattr(text_model.engine, "_encode", lambda requests: {})
    with pytest.raises(EnvironmentFailure, match="cuda:0 failed"):
        text_model.ask(ChatRequest(text="?"), timeout_s=PATIENCE_S)
    monkeypatch.setattr(text_model.engine, "device", "cpu")


def test_question_when_the_time_is_over_then_is_a_timeout_that_may_be_tried_again(text_model) -> None:
    with pytest.raises(CallFailed) as failed:
        text_model.ask(ChatRequest(text="?", max_tokens=500), timeout_s=1e-9)
    assert (failed.value.kind, failed.value.is_retryable) == ("timeout", True)


def test_identity_when_weights_differ_then_differs(tmp_path) -> None:
    need_engine()
    hashes = set()
    for seed in (1, 1, 2):
        folder = tmp_path / f"{len(hashes)}-{seed}"
        folder.mkdir(exist_ok=True)
        model = open_at(make_text_model(folder, seed=seed))
        hashes.add(model.identity.sha256)
        model.close()
    assert len(hashes) == 2


def test_folder_when_weights_are_pickles_then_is_refused_without_reading_them(tmp_path) -> None:
    from models.weights_folder import require_safe

    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "pytorch_model.bin").write_bytes(b"\x80\x04.")
    with pytest.raises(UserError, match=r"pickle files.*can run code"):
        require_safe(tmp_path)


@pytest.mark.parametrize(("files", "words"), [((), "no config.json"), (("config.json",), "no weights")])
def test_folder_when_something_is_missing_then_says_what(tmp_path, files, words) -> None:
    from models.weights_folder import require_safe

    for name in files:
        (tmp_path / name).write_text("{}")
    with pytest.raises(UserError, match=words):
        require_safe(tmp_path)


def test_folder_when_it_brings_code_then_the_code_is_not_run(text_folder, tmp_path) -> None:
    for file in text_folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    config = json.loads((tmp_path / "config.json").read_text())
    config |= {"model_type": "own", "auto_map": {"AutoConfig": "own.Own", "AutoModelForCausalLM": "own.Own"}}
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "own.py").write_text("raise SystemExit('this code was run')")
    with pytest.raises(UserError, match="cannot be loaded"):
        open_at(tmp_path)


def test_folder_when_the_weights_are_cut_then_says_so(text_folder, tmp_path) -> None:
    for file in text_folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(UserError, match="cannot be loaded"):
        open_at(tmp_path)


def test_folder_when_a_weight_lies_in_no_file_then_is_refused_and_not_drawn(text_folder, tmp_path) -> None:
    from safetensors.torch import load_file, save_file

    copy_of(text_folder, tmp_path)
    weights = load_file(tmp_path / "model.safetensors")
    del weights["model.layers.1.mlp.up_proj.weight"]
    save_file(weights, tmp_path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(UserError, match=r"1 of its weights are missing .*layers\.1\.mlp\.up_proj"):
        open_at(tmp_path)


def test_folder_when_a_part_of_the_weights_is_missing_then_says_so(text_folder, tmp_path) -> None:
    from transformers import AutoModelForCausalLM

    copy_of(text_folder, tmp_path)
    (tmp_path / "model.safetensors").unlink()
    AutoModelForCausalLM.from_pretrained(text_folder).save_pretrained(tmp_path, max_shard_size="20KB")
    parts = sorted(tmp_path.glob("model-*.safetensors"))
    assert len(parts) > 1
    parts[-1].unlink()
    with pytest.raises(UserError, match=parts[-1].name):
        open_at(tmp_path)


@pytest.mark.parametrize("kind", ["text", "sighted"])
def test_folder_when_the_tokenizer_is_missing_then_says_so(request, tmp_path, kind) -> None:
    copy_of(request.getfixturevalue(f"{kind}_folder"), tmp_path)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (tmp_path / name).unlink()
    with pytest.raises(UserError, match="cannot be loaded"):
        open_at(tmp_path)


def test_processor_when_nothing_stands_for_an_image_then_is_refused() -> None:
    bare = SimpleNamespace(tokenizer=None, chat_template=None)
    with pytest.raises(ValueError, match="neither a chat template nor a token for images"):
        CheckpointPrompts(bare, sees=True)


def copy_of(folder: Path, target: Path) -> None:
    for file in folder.iterdir():
        (target / file.name).write_bytes(file.read_bytes())


def test_device_when_there_is_no_cuda_then_says_so(text_folder) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has CUDA")
    with pytest.raises(EnvironmentFailure, match="cuda:1 is not available"):
        open_at(text_folder, device="cuda:1")


def test_profile_when_an_option_is_misspelt_then_says_which_there_are(text_folder) -> None:
    with pytest.raises(UserError, match="answers"):
        open_at(text_folder, answer="text")
