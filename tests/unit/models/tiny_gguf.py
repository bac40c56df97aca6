"""Writes GGUF files of tiny models with random weights, and the same weights as a folder of transformers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.models.tiny_checkpoints import need_engine
from tests.unit.models.tiny_families import END, PAD, START, WORDS

WIDTH, HEADS, LAYERS, INNER, CONTEXT = 64, 2, 2, 96, 512


def need_writer() -> None:
    """Skip where the packages are not installed."""
    need_engine()
    for name in ("xllamacpp", "gguf"):
        pytest.importorskip(name, reason=f"{name} is not installed; make test-models installs it")


def make_folder(folder: Path, tokenizer, *, seed: int = 0):
    """Save a Qwen2 of two layers, and return it."""
    import torch
    from transformers import Qwen2Config, Qwen2ForCausalLM

    torch.manual_seed(seed)
    config = Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=WIDTH,
        intermediate_size=INNER,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        num_key_value_heads=HEADS,
        max_position_embeddings=CONTEXT,
        initializer_range=0.3,
        tie_word_embeddings=False,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    model = Qwen2ForCausalLM(config).eval()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return model


def write_bpe(file: Path, model, tokenizer, *, has_start: bool, template: str = "") -> Path:
    """Write a Qwen2 and its tokenizer of byte pairs."""
    import json

    told = json.loads(tokenizer.backend_tokenizer.to_str())["model"]
    names = sorted(told["vocab"], key=told["vocab"].get)
    writer = _writer(file)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(names)
    writer.add_token_types([3 if name in {START, END, PAD} else 1 for name in names])
    writer.add_token_merges([" ".join(pair) for pair in told["merges"]])
    _finish(writer, model, start=names.index(START), end=names.index(END), has_start=has_start)
    if template:
        writer.add_chat_template(template)
    _close(writer)
    return file


def write_pieces(file: Path, *, template: str = "", has_end: bool = False) -> Path:
    """Write a Qwen2 with a tokenizer of SentencePiece: a start token, and words that begin with a mark."""
    import torch
    from transformers import Qwen2Config, Qwen2ForCausalLM

    words = sorted({f"▁{word}" for word in WORDS.split()})
    letters = sorted(set("".join(words)))
    begins = sorted({word[:n] for word in words for n in range(2, len(word))})
    bytes_of = [f"<0x{value:02X}>" for value in range(256)]
    names = list(dict.fromkeys(["<unk>", START, END, *bytes_of, *letters, *begins, *words]))
    torch.manual_seed(3)
    model = Qwen2ForCausalLM(
        Qwen2Config(
            vocab_size=len(names),
            hidden_size=WIDTH,
            intermediate_size=INNER,
            num_hidden_layers=LAYERS,
            num_attention_heads=HEADS,
            num_key_value_heads=HEADS,
            max_position_embeddings=CONTEXT,
            initializer_range=0.3,
            tie_word_embeddings=False,
        )
    ).eval()
    writer = _writer(file)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(names)
    # Longer pieces first, as merges are chosen by score.
    writer.add_token_scores([float(len(name)) for name in names])
    kinds = {"<unk>": 2, START: 3, END: 3} | dict.fromkeys(bytes_of, 6)
    writer.add_token_types([kinds.get(name, 1) for name in names])
    _finish(writer, model, start=1, end=2, has_start=True)
    writer.add_add_eos_token(has_end)
    if template:
        writer.add_chat_template(template)
    _close(writer)
    return file


def _writer(file: Path):
    import gguf

    return gguf.GGUFWriter(str(file), "qwen2")


def _finish(writer, model, *, start: int, end: int, has_start: bool) -> None:
    writer.add_block_count(LAYERS)
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(model.config.rms_norm_eps)
    writer.add_rope_freq_base(10_000.0)
    writer.add_bos_token_id(start)
    writer.add_eos_token_id(end)
    writer.add_add_bos_token(has_start)
    for name, value in model.state_dict().items():
        writer.add_tensor(_tensor_name(name), value.float().numpy())


def _tensor_name(name: str) -> str:
    parts = name.removeprefix("model.").split(".")
    whole = {"embed_tokens": "token_embd", "norm": "output_norm", "lm_head": "output"}
    if parts[0] in whole:
        return f"{whole[parts[0]]}.{parts[-1]}"
    inside = {
        "input_layernorm": "attn_norm",
        "post_attention_layernorm": "ffn_norm",
        "q_proj": "attn_q",
        "k_proj": "attn_k",
        "v_proj": "attn_v",
        "o_proj": "attn_output",
        "gate_proj": "ffn_gate",
        "up_proj": "ffn_up",
        "down_proj": "ffn_down",
    }
    return f"blk.{parts[1]}.{inside[parts[-2]]}.{parts[-1]}"


def _close(writer) -> None:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
