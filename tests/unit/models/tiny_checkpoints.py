"""Makes folders of tiny models with random weights: real architectures and processors, nothing fetched."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.torchvision_shim import fit_torchvision

SPECIAL = ("<unk>", "<s>", "</s>", "<pad>", "<image>")
TEMPLATE = (
    "{% for m in messages %}{{ m['role'] }}: {% if m['content'] is string %}{{ m['content'] }}{% else %}"
    "{% for c in m['content'] %}{% if c['type'] == 'image' %}<image>{% else %}{{ c['text'] }}{% endif %}"
    "{% endfor %}{% endif %}{{ '\\n' }}{% endfor %}{% if add_generation_prompt %}assistant:{% endif %}"
)


def need_engine() -> None:
    """Skip where the packages of the extra are not installed."""
    for name in ("torch", "transformers", "safetensors"):
        pytest.importorskip(name, reason=f"{name} is not installed; it comes with the extra [gpu]")
    import tqdm

    # The thread of a progress bar would outlive the test.
    tqdm.tqdm.monitor_interval = 0
    fit_torchvision()


def make_text_model(folder: Path, *, seed: int = 0, template: str = TEMPLATE) -> Path:
    """Save a Llama of two layers whose tokens are bytes."""
    import torch
    from transformers import LlamaForCausalLM

    torch.manual_seed(seed)
    tokenizer, vocabulary = byte_tokenizer(template)
    LlamaForCausalLM(_llama(vocabulary)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def make_sighted_model(folder: Path, *, seed: int = 0, template: str = TEMPLATE) -> Path:
    """Save a LLaVA: a CLIP of two layers that sees 28 x 28 pixels, and a Llama of two layers."""
    import torch
    from transformers import (
        CLIPImageProcessor,
        CLIPVisionConfig,
        LlavaConfig,
        LlavaForConditionalGeneration,
        LlavaProcessor,
    )

    torch.manual_seed(seed)
    tokenizer, vocabulary = byte_tokenizer(template)
    eyes = CLIPVisionConfig(
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=2,
        image_size=28,
        patch_size=14,
        projection_dim=32,
    )
    config = LlavaConfig(
        text_config=_llama(vocabulary),
        vision_config=eyes,
        image_token_id=vocabulary["<image>"],
        vision_feature_layer=-1,
    )
    model = LlavaForConditionalGeneration(config)
    # Random weights hardly look: louder ones make what is seen decide what is said.
    with torch.no_grad():
        for parameter in model.model.multi_modal_projector.parameters():
            parameter.mul_(30)
    model.save_pretrained(folder)
    pictures = CLIPImageProcessor(size={"shortest_edge": 28}, crop_size={"height": 28, "width": 28})
    LlavaProcessor(
        image_processor=pictures,
        tokenizer=tokenizer,
        patch_size=14,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=template or None,
    ).save_pretrained(folder)
    return folder


def byte_tokenizer(template: str):
    """Return a tokenizer whose tokens are bytes, and its vocabulary."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    names = [*sorted(pre_tokenizers.ByteLevel.alphabet()), *SPECIAL]
    vocabulary = {name: index for index, name in enumerate(names)}
    bytes_alone = Tokenizer(models.BPE(vocab=vocabulary, merges=[], unk_token="<unk>"))
    bytes_alone.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytes_alone.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=bytes_alone,
        unk_token="<unk>",
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        additional_special_tokens=["<image>"],
    )
    tokenizer.chat_template = template or None
    return tokenizer, vocabulary


def _llama(vocabulary: dict[str, int]):
    from transformers import LlamaConfig

    return LlamaConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=1024,
        initializer_range=0.3,
        bos_token_id=vocabulary["<s>"],
        eos_token_id=vocabulary["</s>"],
        pad_token_id=vocabulary["<pad>"],
    )
