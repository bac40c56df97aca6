"""Trains a tiny vision-language model that answers questions about drawn squares, and saves it as a folder.

A LLaVA: a CLIP of two layers with four patches, and a Llama of three. It first learns to see, as such models
do, and then to answer the prompts of evaluations, so that all between an image file and a stored answer is
the product's own. In a part of what it learns the images do not tell the answer: there it learns to guess.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from annotator.domain.eval_settings import EvalSettings, PromptVariant
from annotator.jobs.job_types.evaluation_prompt import builtin_prompt, question_text
from annotator.model_api import ChatRequest, ModelImage
from models.checkpoint_prompt import CheckpointPrompts
from tests.unit.jobs.job_types.asking import choice
from tests.unit.models.drawn_squares import EMPTY, KINDS, Example, Kinds, Square, any_example, draw, squares

SPECIAL = ("<s>", "</s>", "<pad>", "<unk>", "<image>")
START, END, PAD, UNKNOWN, IMAGE = range(len(SPECIAL))
TEMPLATE = (
    "{% for m in messages %}{% for c in m['content'] %}{% if c['type'] == 'image' %}<image>"
    "{% else %}{{ c['text'] }} {% endif %}{% endfor %}{% endfor %}"
)
DIGITS = "0 1 2 3 4 5 6 7 8 9"
"""Of times, of which not all are learnt."""
SIGHTED = EvalSettings(visual_input="sighted")
PX, PATCH_PX = 32, 16
PATCHES = (PX // PATCH_PX) ** 2
WIDTH, VISION_WIDTH = 64, 48
CONTEXT = 192
DRAWINGS = 8
"""Pictures of each square that it learns from."""
SEEING_STEPS, ANSWERING_STEPS = 250, 500
SEEN, ASKED = 64, 32
"""Examples per step."""
LOUD = 0.5
"""Standard deviation of what enters the first layer of the Llama, words and images alike."""


def make_seeing_model(
    folder: Path,
    *,
    seed: int = 0,
    kinds: Kinds = KINDS,
    steps: tuple[int, int] = (SEEING_STEPS, ANSWERING_STEPS),
    report: Callable[[int, float], object] = lambda step, loss: None,
) -> Path:
    """Train the model and save it; with one seed and the same packages, always the same.

    Args:
        folder: Where it is saved.
        seed: Of all draws.
        kinds: What it learns to answer.
        steps: Numbers of steps in which it learns to see, and to answer.
        report: Gets each step of the answers, and its loss.
    """
    import torch

    chance = random.Random(seed)
    with _one_thread(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        processor = _processor()
        model = _model(len(processor.tokenizer))
        pictures = {
            square: processor.image_processor(
                [draw(square, chance=chance) for _ in range(DRAWINGS)], return_tensors="pt"
            )["pixel_values"]
            for square in squares()
        }
        _learn_to_see(model, pictures, chance=chance, steps=steps[0])
        examples = (any_example(chance, kinds) for _ in range(ASKED * steps[1]))
        _learn_to_answer(model, processor, pictures, examples, chance=chance, steps=steps[1], report=report)
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


@contextmanager
def _one_thread() -> Iterator[None]:
    """Compute on one thread: for matrices this small, two spend most of their time waiting for each other."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def request_of(example: Example, images: Sequence[bytes] = ()) -> ChatRequest:
    """Return the request that an evaluation sends."""
    item = choice(*example.options, question=example.question, answer_key="A")
    data = images or [b""] * len(example.shown)
    return ChatRequest(
        text=question_text(item, PromptVariant(), settings=SIGHTED),
        system=builtin_prompt().system["sighted"],
        pictures=tuple(
            ModelImage(data=content, media_type="image/png", label=label)
            for content, (label, _) in zip(data, example.shown, strict=True)
        ),
        options=example.options,
    )


def _processor() -> Any:
    """Return a processor whose tokenizer has the words of the prompts, and of all answers."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    from transformers import CLIPImageProcessor, LlavaProcessor, PreTrainedTokenizerFast

    words = Tokenizer(models.WordLevel(unk_token=SPECIAL[UNKNOWN]))
    digits = pre_tokenizers.Digits(individual_digits=True)
    words.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Whitespace(), digits])
    chance = random.Random(0)
    requests = [request_of(any_example(chance)) for _ in range(500)]
    said = [f"{one.system} {one.text} {' '.join(image.label for image in one.pictures)}" for one in requests]
    trainer = trainers.WordLevelTrainer(special_tokens=[*SPECIAL], show_progress=False)
    words.train_from_iterator([*said, DIGITS], trainer)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=words,
        bos_token=SPECIAL[START],
        eos_token=SPECIAL[END],
        pad_token=SPECIAL[PAD],
        unk_token=SPECIAL[UNKNOWN],
        additional_special_tokens=[SPECIAL[IMAGE]],
    )
    return LlavaProcessor(
        image_processor=CLIPImageProcessor(size={"shortest_edge": PX}, crop_size={"height": PX, "width": PX}),
        tokenizer=tokenizer,
        patch_size=PATCH_PX,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=TEMPLATE,
    )


def _model(words: int) -> Any:
    import torch
    from transformers import CLIPVisionConfig, LlamaConfig, LlavaConfig, LlavaForConditionalGeneration

    language = LlamaConfig(
        vocab_size=words,
        hidden_size=WIDTH,
        intermediate_size=2 * WIDTH,
        num_hidden_layers=3,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=CONTEXT,
        bos_token_id=START,
        eos_token_id=END,
        pad_token_id=PAD,
    )
    vision = CLIPVisionConfig(
        hidden_size=VISION_WIDTH,
        intermediate_size=2 * VISION_WIDTH,
        num_hidden_layers=2,
        num_attention_heads=2,
        image_size=PX,
        patch_size=PATCH_PX,
        projection_dim=VISION_WIDTH,
    )
    model = LlavaForConditionalGeneration(
        LlavaConfig(text_config=language, vision_config=vision, image_token_id=IMAGE, vision_feature_layer=-1)
    )
    with torch.no_grad():
        embedding = model.get_input_embeddings().weight
        embedding.mul_(LOUD / embedding.std())
    return model


def _features(model: Any, pixels: Any) -> Any:
    """Return what the Llama gets of images: by image and patch."""
    import torch

    found = model.model.get_image_features(pixel_values=pixels).pooler_output
    return (found if torch.is_tensor(found) else torch.cat(list(found))).view(-1, PATCHES, WIDTH)


def _learn_to_see(model: Any, pictures: Mapping[Square, Any], *, chance: random.Random, steps: int) -> None:
    """Train what sees to tell a square's colour, by a reader that is thrown away."""
    import torch

    known = [*pictures]
    names = [*{square.colour: None for square in known}]
    reader = torch.nn.Linear(WIDTH, len(names))
    seeing = [*model.model.vision_tower.parameters(), *model.model.multi_modal_projector.parameters()]
    optimizer = torch.optim.AdamW([*seeing, *reader.parameters()], lr=1e-3)
    for _ in range(steps):
        chosen = chance.choices(known, k=SEEN)
        pixels = torch.stack([pictures[square][chance.randrange(DRAWINGS)] for square in chosen])
        colours = torch.tensor([names.index(square.colour) for square in chosen])
        told = reader(_features(model, pixels).mean(dim=1))
        _step(torch.nn.functional.cross_entropy(told, colours), optimizer, seeing)
    with torch.no_grad():
        share = LOUD / _features(model, torch.cat([*pictures.values()])).std()
        for parameter in model.model.multi_modal_projector.linear_2.parameters():
            parameter.mul_(share)


def _learn_to_answer(
    model: Any,
    processor: Any,
    pictures: Mapping[Square, Any],
    learnt: Iterator[Example],
    *,
    chance: random.Random,
    steps: int,
    report: Callable[[int, float], object],
) -> None:
    """Train the Llama alone; what sees stays as it is, so that each picture is seen once."""
    import torch

    with torch.no_grad():
        seen = {square: _features(model, pixels) for square, pixels in pictures.items()}
    rows = _Rows(processor)
    language = model.model.language_model
    trained = [*language.parameters(), *model.lm_head.parameters()]
    optimizer = torch.optim.AdamW(trained, lr=2e-3, betas=(0.9, 0.98), weight_decay=0.01)
    rate = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / 50) * (1 + math.cos(math.pi * step / steps)) / 2
    )
    for step in range(steps):
        examples = [*islice(learnt, ASKED)]
        images = [seen[square][chance.randrange(DRAWINGS)] for one in examples for _, square in one.shown]
        ids, last = rows.padded(examples)
        entered = model.get_input_embeddings()(ids)
        entered = entered.masked_scatter((ids == IMAGE)[..., None], torch.cat(images))
        mask = (torch.arange(ids.shape[1]) <= last[:, None]).long()
        known = language(inputs_embeds=entered, attention_mask=mask).last_hidden_state
        each = torch.arange(len(last))
        # The answer after the prompt, and the end after the answer.
        loss = torch.nn.functional.cross_entropy(model.lm_head(known[each, last - 1]), ids[each, last])
        ends = torch.full_like(last, END)
        loss = loss + torch.nn.functional.cross_entropy(model.lm_head(known[each, last]), ends)
        _step(loss, optimizer, trained)
        rate.step()
        report(step, loss.item())


def _step(loss: Any, optimizer: Any, trained: Sequence[Any]) -> None:
    import torch

    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(trained, 1.0)
    optimizer.step()


class _Rows:
    """The tokens of prompts with their answers, as the product makes them."""

    def __init__(self, processor: Any) -> None:
        self._tokenizer = processor.tokenizer
        self._prompts = CheckpointPrompts(processor, sees=True)
        self._prompt = cache(self._tokens)

    def padded(self, examples: Sequence[Example]) -> tuple[Any, Any]:
        """Return the tokens of examples, and the place of the answer in each row."""
        import torch

        rows = [
            [
                *self._prompt(one.question, one.options, tuple(label for label, _ in one.shown)),
                self._tokenizer.convert_tokens_to_ids(one.key),
            ]
            for one in examples
        ]
        width = max(map(len, rows))
        ids = torch.tensor([row + [PAD] * (width - len(row)) for row in rows])
        return ids, torch.tensor([len(row) - 1 for row in rows])

    def _tokens(self, question: str, options: tuple[str, ...], labels: tuple[str, ...]) -> list[int]:
        shown = tuple((label, EMPTY) for label in labels)
        request = request_of(Example("", question, options[0], shown, options))
        image = SPECIAL[IMAGE]
        return self._prompts.tokens(self._prompts.text(request).replace(image, image * PATCHES))
