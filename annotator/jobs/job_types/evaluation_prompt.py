"""Builds the prompt of an item: question, options in a given order, required answer format."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

import msgspec

import resources
from annotator.domain import answers
from annotator.domain.answers.box_scale import BoxScale
from annotator.domain.eval_settings import CustomPrompt, EvalSettings, PromptVariant
from annotator.domain.item import LETTERS, Item, Option
from annotator.errors import UserError

PROMPT_FILE = "prompts/ask.toml"
VISUAL_INPUTS = frozenset({"blind", "sighted"})


@cache
def builtin_prompt() -> CustomPrompt:
    """Return the built-in prompt template."""
    return read_prompt(resources.path(PROMPT_FILE))


def read_prompt(file: Path) -> CustomPrompt:
    """Return the prompt template of a team's own file.

    Raises:
        UserError: The file does not exist, or lacks a required part.
    """
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
        prompt = msgspec.convert(content, CustomPrompt)
    except FileNotFoundError as error:
        raise UserError(f"There is no prompt at {file}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise UserError(
            f"{file} is not a prompt: {error}.", hint="See docs/blind.md for the contents of the file."
        ) from error
    if missing := sorted(VISUAL_INPUTS - (prompt.system.keys() & prompt.lead.keys())):
        raise UserError(f"{file} has no text for {missing[0]} questions under [system] and [lead].")
    return prompt


def prompt_of(settings: EvalSettings) -> CustomPrompt:
    """Return the prompt template of a run."""
    return settings.prompt or builtin_prompt()


def shown_options(item: Item, variant: PromptVariant) -> tuple[Option, ...]:
    """Return an item's options as they are shown: in the variant's order, lettered from A on."""
    own_order = "".join([option.letter for option in item.options])
    if variant.order in {"", own_order} and LETTERS.startswith(own_order):
        return item.options
    texts = {option.letter: option.text for option in item.options}
    order = variant.order or own_order
    return tuple(Option(letter=letter, text=texts[own]) for letter, own in zip(LETTERS, order, strict=False))


def own_letter(letter: str, variant: PromptVariant) -> str:
    """Return the item's own letter of an option that was shown under another one."""
    index = LETTERS.find(letter)
    return variant.order[index] if 0 <= index < len(variant.order) else letter


def question_text(
    item: Item, variant: PromptVariant, *, settings: EvalSettings, scale: BoxScale | None = None
) -> str:
    """Return the prompt of an item.

    Args:
        item: The item.
        variant: The way in which it is put.
        settings: Settings of the run.
        scale: Scale of the box in the reply, None for pixels of the image or another answer format.

    Raises:
        UserError: The item's answer format is unknown.
    """
    prompt = prompt_of(settings)
    form = _form_prompt(prompt.answers.get(item.answer_format, ""), item.answer_format, scale=scale)
    options = shown_options(item, variant)
    letters = ", ".join([option.letter for option in options]) or "A, B, C, D"
    lines = [f"{option.letter}. {option.text}".rstrip() for option in options]
    parts = (
        item.question.strip(),
        "\n".join(lines),
        prompt.lead[settings.visual_input],
        form.replace("{letters}", letters),
    )
    return "\n\n".join([part for part in parts if part])


def _form_prompt(own: str, answer_format: str, *, scale: BoxScale | None) -> str:
    """Return what an answer looks like: the team's own words, where it has some, and the unit of boxes."""
    if scale is None:
        return own or answers.get(answer_format).prompt
    # Without the unit, the model would not know in which scale its reply is read.
    return f"{own.rstrip()} {scale.unit_prompt}" if own.strip() else scale.prompt


def option_positions(item: Item, variant: PromptVariant) -> list[int]:
    """Return the place in the item of each option, in the order in which they are shown."""
    letters = [option.letter for option in item.options]
    return [letters.index(letter) for letter in variant.order]
