"""Makes folders of tiny models of several families: with and without a start token, windows, and states."""

from __future__ import annotations

from pathlib import Path

from tests.unit.models.tiny_checkpoints import byte_tokenizer

FAMILIES = ("llama", "gpt2", "qwen2", "gemma3", "mamba", "bytes")
WORDS = (
    "Question: What flies above the square at noon? Answer: a small drone, a red kite, two birds or nothing "
    "at all. A. one B. two C. three D. four The drone turns left and stops, it turns right and rises again."
)
START, END, PAD = "<s>", "</s>", "<pad>"
WIDTH, LAYERS, HEADS = 32, 2, 2


def train_tokenizer(*, has_start: bool, has_end: bool = False):
    """Return a tokenizer of byte pairs that adds a start token, an end token, both or none."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    pairs = Tokenizer(models.BPE())
    pairs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    pairs.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=420,
        special_tokens=[START, END, PAD],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    pairs.train_from_iterator([WORDS] * 4, trainer)
    single = f"{f'{START} ' if has_start else ''}$A{f' {END}' if has_end else ''}"
    added = [(name, pairs.token_to_id(name)) for name in (START, END) if name in single.split()]
    if added:
        pairs.post_processor = processors.TemplateProcessing(single=single, special_tokens=added)
    return PreTrainedTokenizerFast(tokenizer_object=pairs, bos_token=START, eos_token=END, pad_token=PAD)


def make_family(folder: Path, name: str, *, tokenizer=None) -> Path:
    """Save a base model of a family, without a chat template."""
    import torch

    torch.manual_seed(1)
    if tokenizer is None:
        tokenizer = byte_tokenizer("")[0] if name == "bytes" else train_tokenizer(has_start=name == "llama")
    _model(name, len(tokenizer), tokenizer).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def make_qwen_vl(folder: Path) -> Path:
    """Save a Qwen2-VL of two layers, whose positions have three axes."""
    import torch
    from transformers import (
        Qwen2VLConfig,
        Qwen2VLForConditionalGeneration,
        Qwen2VLImageProcessor,
        Qwen2VLProcessor,
        Qwen2VLVideoProcessor,
    )

    torch.manual_seed(2)
    tokenizer = train_tokenizer(has_start=False)
    names = ["<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"]
    tokenizer.add_special_tokens({"additional_special_tokens": names})
    begin, end, image, video = tokenizer.convert_tokens_to_ids(names)
    config = Qwen2VLConfig(
        text_config={
            "vocab_size": len(tokenizer),
            "hidden_size": WIDTH,
            "intermediate_size": 48,
            "num_hidden_layers": LAYERS,
            "num_attention_heads": HEADS,
            "num_key_value_heads": HEADS,
            "max_position_embeddings": 1024,
            "initializer_range": 0.3,
            "rope_parameters": {
                "rope_type": "default",
                "rope_theta": 10_000.0,
                "mrope_section": [2, 3, 3],
            },
        },
        vision_config={
            "depth": 2,
            "embed_dim": WIDTH,
            "hidden_size": WIDTH,
            "num_heads": HEADS,
            "mlp_ratio": 2,
            "patch_size": 14,
        },
        image_token_id=image,
        video_token_id=video,
        vision_start_token_id=begin,
        vision_end_token_id=end,
    )
    model = Qwen2VLForConditionalGeneration(config)
    # Random weights hardly look: louder ones make what is seen decide what is said.
    with torch.no_grad():
        for parameter in model.model.visual.parameters():
            parameter.mul_(5)
    model.save_pretrained(folder)
    template = (
        "{% for m in messages %}[{{ m['role'] }}]{% if m['content'] is string %}{{ m['content'] }}"
        "{% else %}{% for c in m['content'] %}{% if c['type'] == 'image' %}<|vision_start|><|image_pad|>"
        "<|vision_end|>{% else %}{{ c['text'] }}{% endif %}{% endfor %}{% endif %}{% endfor %}"
        "{% if add_generation_prompt %}[assistant]{% endif %}"
    )
    sizes = {"shortest_edge": 28 * 28, "longest_edge": 28 * 28 * 16}
    Qwen2VLProcessor(
        image_processor=Qwen2VLImageProcessor(size=sizes),
        tokenizer=tokenizer,
        video_processor=Qwen2VLVideoProcessor(size=sizes),
        chat_template=template,
    ).save_pretrained(folder)
    return folder


def _model(name: str, words: int, tokenizer):
    import transformers

    sizes = {
        "vocab_size": words,
        "hidden_size": WIDTH,
        "intermediate_size": 48,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "num_key_value_heads": HEADS,
        "max_position_embeddings": 1024,
        "initializer_range": 0.3,
        "bos_token_id": tokenizer.bos_token_id,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
    }
    if name == "gpt2":
        config = transformers.GPT2Config(
            vocab_size=words,
            n_embd=WIDTH,
            n_layer=LAYERS,
            n_head=HEADS,
            initializer_range=0.3,
            bos_token_id=tokenizer.bos_token_id,
            eos_token_id=tokenizer.eos_token_id,
        )
        return transformers.GPT2LMHeadModel(config)
    if name == "qwen2":
        return transformers.Qwen2ForCausalLM(transformers.Qwen2Config(**sizes))
    if name == "gemma3":
        # The first layer sees eight tokens back only.
        kinds = ["sliding_attention", "full_attention"]
        config = transformers.Gemma3TextConfig(**sizes, head_dim=16, sliding_window=8, layer_types=kinds)
        return transformers.Gemma3ForCausalLM(config)
    if name == "mamba":
        config = transformers.MambaConfig(
            vocab_size=words, hidden_size=WIDTH, num_hidden_layers=LAYERS, state_size=4, initializer_range=0.3
        )
        return transformers.MambaForCausalLM(config)
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**sizes))
