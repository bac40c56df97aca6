"""Turns requests into the inputs of a local model, in the form that its own files define.

Nothing is assumed about templates: a base model has none, some refuse a system role, and what stands between
a prompt and its answer is read from the template.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from annotator.model_api import CallFailed, ChatRequest, ModelImage
from models.continuation_logs import without_end
from models.option_scoring import added_after

MARK = "@@"
"""Text that no template contains."""
REASONING = "enable_thinking"
DIRECT = {REASONING: False}
"""Templates of models that reason have the answer begin at once."""
Message = dict[str, Any]


class CheckpointPrompts:
    """The prompts of one model.

    Args:
        processor: Of a model that accepts images its processor, of another one its tokenizer.
        sees: Whether it accepts images.

    Attributes:
        tokenizer: Its tokenizer.
        has_template: Whether there is a chat template; base models have none.
        separator: What stands between a prompt and its answer: a space, or nothing.

    Raises:
        ValueError: The processor has neither a chat template nor a token that stands for an image.
    """

    def __init__(self, processor: Any, *, sees: bool) -> None:  # noqa: ANN401 - transformers has no types here
        self._processor, self._sees = processor, sees
        self.tokenizer = processor.tokenizer if sees else processor
        self.has_template = bool(processor.chat_template)
        if sees and not self.has_template and not getattr(processor, "image_token", ""):
            raise ValueError("its processor has neither a chat template nor a token for images")
        # A chat template contains its own start token; without a template the tokenizer adds it.
        ends = [self.tokenizer.encode("a", add_special_tokens=is_whole) for is_whole in (False, True)]
        self._after = 0 if self.has_template else added_after(*ends)
        # A processor warns at each call of what its template does not use.
        self._direct = DIRECT if REASONING in str(processor.chat_template) else {}
        self._takes_system = self.has_template and MARK in self._tried([_said("system"), _said("user", "a")])
        self.separator = self._found_separator() if self.has_template else " "

    def text(self, request: ChatRequest) -> str:
        """Return a prompt as text, with one placeholder for each image.

        Raises:
            CallFailed: The template refuses the request.
        """
        return self._prompt(request, self._direct)

    def tokens(self, text: str) -> list[int]:
        """Return the tokens of a prompt, without an end token."""
        found: list[int] = self.tokenizer.encode(text, add_special_tokens=not self.has_template)
        return found[: len(found) - self._after]

    def encode(self, requests: Sequence[ChatRequest], *, is_direct: bool = False) -> dict[str, Any]:
        """Return the inputs of the model for several requests, padded on the left.

        Args:
            requests: The requests.
            is_direct: Whether the answer has to begin at once, without reasoning.

        Raises:
            CallFailed: An image cannot be read, or the template refuses a request.
        """
        how = self._direct if is_direct else {}
        if self._sees and self.has_template:
            return self._templated(requests, how)
        if self._sees:
            return self._placed(requests)
        rows = [self.tokens(self._prompt(request, how)) for request in requests]
        padded: dict[str, Any] = self.tokenizer.pad({"input_ids": rows}, padding=True, return_tensors="pt")
        return dict(padded)

    def _prompt(self, request: ChatRequest, how: Message) -> str:
        if not self.has_template:
            return self._plain(request)
        try:
            return self._rendered(self._messages(request, is_shown=False), add_generation_prompt=True, **how)
        except Exception as error:
            raise _refused(error) from error

    def _templated(self, requests: Sequence[ChatRequest], how: dict[str, Any]) -> dict[str, Any]:
        conversations = [self._messages(request, is_shown=True) for request in requests]
        try:
            encoded = self._processor.apply_chat_template(
                conversations,
                add_generation_prompt=True,
                tokenize=True,
                return_dict=True,
                return_tensors="pt",
                processor_kwargs={"padding": True},
                **how,
            )
        except Exception as error:
            raise _refused(error) from error
        return dict(encoded)

    def _placed(self, requests: Sequence[ChatRequest]) -> dict[str, Any]:
        shown = [[_opened(picture) for picture in request.pictures] for request in requests]
        texts = [self._plain(request) for request in requests]
        images = shown if any(shown) else None
        encoded = dict(self._processor(text=texts, images=images, padding=True, return_tensors="pt"))
        return without_end(encoded, self._after)

    def _plain(self, request: ChatRequest) -> str:
        """Return the prompt of a base model: the bare texts, and a placeholder for each image."""
        images = [f"{picture.label}\n{self._processor.image_token}".strip() for picture in request.pictures]
        return "\n\n".join([part for part in (request.system, *images, request.text) if part])

    def _messages(self, request: ChatRequest, *, is_shown: bool) -> list[Message]:
        question = [] if self._takes_system or not request.system else [request.system]
        if not self._sees:
            told = [_said("user", "\n\n".join([*question, request.text]))]
        else:
            told = [{"role": "user", "content": [*map(_part, question), *_parts(request, is_shown=is_shown)]}]
        if self._takes_system and request.system:
            told.insert(0, _said("system", request.system))
        return told if not self._sees else [_in_parts(message) for message in told]

    def _rendered(self, messages: list[Message], **how: Any) -> str:  # noqa: ANN401 - as the template defines
        rendered: str = self._processor.apply_chat_template(messages, tokenize=False, **how)
        return rendered

    def _tried(self, messages: list[Message], **how: Any) -> str:  # noqa: ANN401 - as above
        """Return a rendered conversation, "" if the template refuses it."""
        told = [_in_parts(message) for message in messages] if self._sees else messages
        try:
            return self._rendered(told, **how)
        except Exception:  # noqa: BLE001 - a template raises what it likes, to say no or by mistake
            return ""

    def _found_separator(self) -> str:
        question = _said("user", "a")
        prompt = self._tried([question], add_generation_prompt=True, **self._direct)
        whole = self._tried([question, _said("assistant")])
        between = whole[len(prompt) :].partition(MARK)[0] if whole.startswith(prompt) else ""
        # Anything else is the beginning of reasoning, which is left out.
        return between if between.isspace() else ""


def _said(role: str, text: str = MARK) -> Message:
    return {"role": role, "content": text}


def _part(text: str) -> Message:
    return {"type": "text", "text": text}


def _in_parts(message: Message) -> Message:
    """Return a message in the form of processors, whose templates expect a list of parts."""
    content = message["content"]
    return {**message, "content": [_part(content)] if isinstance(content, str) else content}


def _parts(request: ChatRequest, *, is_shown: bool) -> list[Message]:
    parts = []
    for picture in request.pictures:
        if picture.label:
            parts.append(_part(picture.label))
        parts.append({"type": "image", "image": _opened(picture)} if is_shown else {"type": "image"})
    return [*parts, _part(request.text)]


def _opened(picture: ModelImage) -> Any:  # noqa: ANN401 - an image of Pillow, which is imported late
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(picture.data)) as opened:
            return opened.convert("RGB")
    except (OSError, UnidentifiedImageError, Image.DecompressionBombError) as error:
        raise CallFailed(
            f"An image cannot be read: {error}.", kind="material", is_retryable=False, was_sent=False
        ) from error


def _refused(error: Exception) -> CallFailed:
    return CallFailed(
        f"The chat template of the model refuses the request: {str(error)[:300]}.",
        kind="refused",
        is_retryable=False,
        was_sent=False,
    )
