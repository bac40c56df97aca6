"""Text and vision-language models of a local folder, run by torch and transformers."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from annotator.errors import EnvironmentFailure, UserError
from annotator.model_api import CallFailed, ChatRequest
from models.torchvision_shim import fit_torchvision
from models.weights_folder import require_safe

Precision = Literal["", "bf16", "fp16", "fp32"]
"""Data types of weights and activations; "" for bf16 on CUDA and fp32 elsewhere."""
_NAMES = {"bf16": "bfloat16", "fp16": "float16", "fp32": "float32"}
NO_MEMORY = "not enough memory"
"""Message of torch's CPU allocator when memory is exhausted."""
BROKEN = "CUDA error"
"""Messages of torch after a kernel or driver failure; all later calls of the process fail as well."""
FIRST_PATIENCE = 16
"""Number of parts that must fit into memory before larger parts are tried."""
T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, kw_only=True)
class GeneratedText:
    """One generated answer.

    Attributes:
        text: The text.
        prompt_tokens: Tokens read.
        tokens: Tokens generated.
        is_whole: Whether the model ended it, not a limit.
    """

    text: str
    prompt_tokens: int
    tokens: int
    is_whole: bool


@dataclass(frozen=True, kw_only=True)
class ScoredTexts:
    """The log-probabilities of texts as answers to a request.

    Attributes:
        logs: Log-probability of each token of each text.
        prompt_tokens: Tokens read, counted again for each text.
    """

    logs: tuple[tuple[float, ...], ...]
    prompt_tokens: int


class CheckpointEngine:
    """A loaded model; for one thread at a time.

    Args:
        folder: ``config.json``, ``*.safetensors`` and the files of the tokenizer or processor.
        device: ``cpu``, ``cuda``, ``cuda:1``; "" for CUDA if available.
        precision: Data type of the weights.
        rows: Maximum number of texts per batch.

    Attributes:
        device: The device in use.
        precision: Data type of its weights.
        sees: Whether it accepts images.
        rows: Present batch size: halved when memory is exhausted, and doubled again, up to its start value,
            after a number of successful batches, which doubles each time.

    Raises:
        UserError: The folder is not a valid checkpoint, or requires code of its own.
        EnvironmentFailure: The device is not available, or its memory is insufficient.
    """

    def __init__(self, folder: Path, *, device: str = "", precision: Precision = "", rows: int = 8) -> None:
        require_safe(folder)
        _stay_offline()
        import torch
        from safetensors import SafetensorError

        self._torch = torch
        self.device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        is_cuda = self.device.startswith("cuda")
        if is_cuda and not torch.cuda.is_available():
            raise EnvironmentFailure(
                f"The device {self.device} is not available.",
                hint="Set the device to cpu, or install a CUDA build of torch.",
            )
        self.precision: Precision = precision or ("bf16" if is_cuda else "fp32")
        self.rows = self._most_rows = rows
        self._good_parts, self._patience = 0, FIRST_PATIENCE
        has_room = False
        try:
            self.sees = self._load(folder)
            has_room = True
        except torch.OutOfMemoryError:
            # The traceback of an exception raised in here would keep what is loaded so far in memory.
            self._model = None
        except (OSError, ValueError, KeyError, ImportError, SafetensorError) as error:
            # transformers raises any of these for a folder that it cannot load.
            raise UserError(
                f"The model in {folder} cannot be loaded: {str(error).strip()[:500]}",
                hint="Code in model folders is never run: use an architecture that transformers includes.",
            ) from error
        if not has_room:
            self.close()
            raise EnvironmentFailure(
                f"The model in {folder} does not fit into the memory of {self.device}.",
                hint="Use a smaller model or precision, or stop other programs that use the device.",
            )

    # The architecture is known only after loading, and torch and transformers have no type stubs here.
    _model: Any
    _processor: Any
    _tokenizer: Any

    @property
    def memory_bytes(self) -> int:
        """Peak GPU memory in use, bytes; 0 on a CPU."""
        is_cuda = self.device.startswith("cuda")
        return int(self._torch.cuda.max_memory_allocated(self.device)) if is_cuda else 0

    def write(self, requests: Sequence[ChatRequest], *, time_s: float) -> list[GeneratedText]:
        """Answer several requests as one batch; they have the same temperature, seed and token limit.

        Args:
            requests: Questions.
            time_s: Seconds after which generation stops; answers are cut there.

        Raises:
            CallFailed: Memory is insufficient for a single request, or an image cannot be read.
            EnvironmentFailure: The device has failed.
        """
        return self._in_parts(requests, lambda part: self._write(part, time_s=time_s))

    def score(self, request: ChatRequest, texts: Sequence[str]) -> ScoredTexts:
        """Return the log-probabilities of texts as answers to a request.

        Raises:
            CallFailed: Memory is insufficient for a single text, or an image cannot be read.
            EnvironmentFailure: The device has failed.
        """
        encoded = self._encode([request])
        width = int(encoded["input_ids"].shape[1])
        tokens = [self._tokenizer.encode(text, add_special_tokens=False) for text in texts]
        logs = self._in_parts(tokens, lambda part: self._score(encoded, part))
        return ScoredTexts(logs=tuple(logs), prompt_tokens=width * len(texts))

    def close(self) -> None:
        """Release the memory."""
        self._model = self._processor = self._tokenizer = None
        if self.device.startswith("cuda"):
            self._torch.cuda.empty_cache()

    def _load(self, folder: Path) -> bool:
        fit_torchvision()
        import transformers

        transformers.utils.logging.disable_progress_bar()
        transformers.utils.logging.set_verbosity_error()
        arguments: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
        config = transformers.AutoConfig.from_pretrained(folder, **arguments)
        sees = type(config) in transformers.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING
        kind = transformers.AutoModelForImageTextToText if sees else transformers.AutoModelForCausalLM
        self._model, found = kind.from_pretrained(
            folder,
            dtype=getattr(self._torch, _NAMES[self.precision]),
            use_safetensors=True,
            output_loading_info=True,
            **arguments,
        )
        _require_all(found["missing_keys"])
        self._model.to(self.device).eval()
        if sees:
            self._processor = transformers.AutoProcessor.from_pretrained(folder, **arguments)
            self._tokenizer = self._processor.tokenizer
            if not self._processor.chat_template:
                raise ValueError("its processor has no chat template (chat_template.jinja)")
        else:
            self._processor = self._tokenizer = transformers.AutoTokenizer.from_pretrained(
                folder, **arguments
            )
        # Generated tokens follow the prompt, so prompts of different lengths are padded on the left.
        self._tokenizer.padding_side = "left"
        if self._tokenizer.pad_token is None:
            self._tokenizer.pad_token = self._tokenizer.eos_token
        return sees

    def _in_parts(self, whole: Sequence[T], run: Callable[[Sequence[T]], list[R]]) -> list[R]:
        done: list[R] = []
        while len(done) < len(whole):
            part = whole[len(done) : len(done) + self.rows]
            came = self._run(part, run)
            if came is not None:
                done += came
                self._grow(len(part))
                continue
            # Memory is free only here, after the exception and what its traceback referred to are gone.
            if self.device.startswith("cuda"):
                self._torch.cuda.empty_cache()
            if len(part) == 1:
                raise CallFailed(
                    f"A single question does not fit into the memory of {self.device}.",
                    kind="model",
                    is_retryable=False,
                )
            self.rows, self._good_parts = len(part) // 2, 0
        return done

    def _grow(self, size: int) -> None:
        # One long question must not make all later ones run alone.
        if self.rows >= self._most_rows or size < self.rows:
            return
        self._good_parts += 1
        if self._good_parts >= self._patience:
            self.rows = min(self._most_rows, self.rows * 2)
            self._good_parts, self._patience = 0, self._patience * 2

    def _run(self, part: Sequence[T], run: Callable[[Sequence[T]], list[R]]) -> list[R] | None:
        """Run a part; None if memory is insufficient.

        Raises:
            CallFailed: The model failed.
            EnvironmentFailure: The device has failed.
        """
        try:
            return run(part)
        except (self._torch.OutOfMemoryError, MemoryError):
            return None
        except RuntimeError as error:
            message = str(error)
            if NO_MEMORY in message:
                return None
            if self.device.startswith("cuda") and BROKEN in message:
                raise EnvironmentFailure(
                    f"The device {self.device} failed: {message[:300]}",
                    hint="Resume the run: a new process initializes the device again.",
                ) from error
            raise CallFailed(
                f"The model failed: {message[:500]}", kind="model", is_retryable=False
            ) from error

    def _write(self, requests: Sequence[ChatRequest], *, time_s: float) -> list[GeneratedText]:
        encoded = self._encode(requests)
        first = requests[0]
        arguments: dict[str, Any] = {
            "max_new_tokens": first.max_tokens,
            "max_time": time_s,
            "do_sample": False,
        }
        if first.temperature > 0:
            arguments |= {"do_sample": True, "temperature": first.temperature}
            if first.seed is not None:
                self._torch.manual_seed(first.seed)
        with self._torch.inference_mode():
            whole = self._model.generate(**encoded, pad_token_id=self._tokenizer.pad_token_id, **arguments)
        width = int(encoded["input_ids"].shape[1])
        read = encoded["attention_mask"].sum(dim=1).tolist()
        return [
            self._read(row, prompt_tokens=int(n))
            for row, n in zip(whole[:, width:].tolist(), read, strict=True)
        ]

    def _read(self, tokens: list[int], *, prompt_tokens: int) -> GeneratedText:
        ends = self._model.generation_config.eos_token_id
        stops = set(ends) if isinstance(ends, list) else {ends, self._tokenizer.eos_token_id}
        end = next((index for index, token in enumerate(tokens) if token in stops), None)
        kept = tokens if end is None else tokens[:end]
        return GeneratedText(
            text=self._tokenizer.decode(kept, skip_special_tokens=True).strip(),
            prompt_tokens=prompt_tokens,
            tokens=len(kept),
            is_whole=end is not None,
        )

    def _score(self, encoded: dict[str, Any], texts: Sequence[list[int]]) -> list[tuple[float, ...]]:
        torch = self._torch
        rows, longest = len(texts), max(map(len, texts))
        width = int(encoded["input_ids"].shape[1])
        filler = self._tokenizer.pad_token_id
        added = torch.tensor([text + [filler] * (longest - len(text)) for text in texts], device=self.device)
        mask = torch.tensor(
            [[1] * len(text) + [0] * (longest - len(text)) for text in texts], device=self.device
        )
        inputs = {}
        for name, value in encoded.items():
            repeated = value.repeat(rows, *([1] * (value.dim() - 1)))
            if value.shape == encoded["input_ids"].shape:
                # Ids, mask and, for some architectures, the type of each token, which is 0 for text.
                more = {"input_ids": added, "attention_mask": mask}.get(name, torch.zeros_like(added))
                repeated = torch.cat((repeated, more.to(repeated.dtype)), dim=1)
            inputs[name] = repeated
        with torch.inference_mode():
            # The logits at a place are those of the token that follows.
            logits = self._model(**inputs).logits[:, width - 1 : -1].float()
        logs = torch.log_softmax(logits, dim=-1).gather(2, added[:, :, None])[:, :, 0].tolist()
        return [tuple(row[: len(text)]) for row, text in zip(logs, texts, strict=True)]

    def _encode(self, requests: Sequence[ChatRequest]) -> dict[str, Any]:
        if self.sees:
            encoded = self._processor.apply_chat_template(
                [_conversation(request) for request in requests],
                add_generation_prompt=True,
                tokenize=True,
                return_dict=True,
                return_tensors="pt",
                processor_kwargs={"padding": True},
            )
        else:
            texts = [self._plain(request) for request in requests]
            # A chat template contains its own start token; without a template the tokenizer adds it.
            has_template = bool(self._tokenizer.chat_template)
            encoded = self._tokenizer(
                texts, return_tensors="pt", padding=True, add_special_tokens=not has_template
            )
            encoded.pop("token_type_ids", None)
        dtype = getattr(self._torch, _NAMES[self.precision])
        return {
            name: value.to(self.device, dtype) if value.is_floating_point() else value.to(self.device)
            for name, value in encoded.items()
        }

    def _plain(self, request: ChatRequest) -> str:
        if not self._tokenizer.chat_template:
            return "\n\n".join([part for part in (request.system, request.text) if part])
        messages = [{"role": "user", "content": request.text}]
        if request.system:
            messages.insert(0, {"role": "system", "content": request.system})
        text: str = self._tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
        return text


def _conversation(request: ChatRequest) -> list[dict[str, Any]]:
    from PIL import Image, UnidentifiedImageError

    content: list[dict[str, Any]] = []
    for picture in request.pictures:
        try:
            with Image.open(io.BytesIO(picture.data)) as opened:
                shown = opened.convert("RGB")
        except (OSError, UnidentifiedImageError, Image.DecompressionBombError) as error:
            raise CallFailed(
                f"An image cannot be read: {error}.", kind="material", is_retryable=False, was_sent=False
            ) from error
        if picture.label:
            content.append({"type": "text", "text": picture.label})
        content.append({"type": "image", "image": shown})
    content.append({"type": "text", "text": request.text})
    messages: list[dict[str, Any]] = [{"role": "user", "content": content}]
    if request.system:
        messages.insert(0, {"role": "system", "content": [{"type": "text", "text": request.system}]})
    return messages


def _require_all(missing: Collection[str]) -> None:
    # Weights missing in the file would be initialised at random, with no more than a warning.
    if missing:
        first = ", ".join(sorted(missing)[:3])
        raise ValueError(f"{len(missing)} of its weights are missing from its files ({first}, ...)")


def _stay_offline() -> None:
    # Read when transformers is first imported: loading a model's folder must never cause a download.
    os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1")
