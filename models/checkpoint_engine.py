"""Text and vision-language models of a local folder, run by torch and transformers."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from annotator.errors import EnvironmentFailure, UserError
from annotator.model_api import CallFailed, ChatRequest
from models.checkpoint_prompt import CheckpointPrompts
from models.continuation_logs import ContinuationScorer, without_end
from models.option_scoring import log_sum, shared_start, spellings
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
        logs: Log-probability of each token of each text; of a letter one for all of its spellings.
        prompt_tokens: Tokens read: those of the prompt, once, and those of the texts.
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
        has_image_input: Whether it accepts images.
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
            self.has_image_input = self._load(folder)
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
    _tokenizer: Any
    _scorer: Any
    _prompts: CheckpointPrompts

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

    @property
    def has_template(self) -> bool:
        """Whether the model has a chat template; base models have none."""
        return self._prompts.has_template

    def score(self, request: ChatRequest, texts: Sequence[str]) -> ScoredTexts:
        """Return the log-probabilities of texts as answers to a request.

        Raises:
            CallFailed: Memory is insufficient, an image cannot be read, or the template refuses the request.
            EnvironmentFailure: The device has failed.
        """
        prompt = self._prompts.text(request)
        # Prompt and text as one: alone, SentencePiece would begin the text with a space of its own.
        wholes = [self._prompts.tokens(f"{prompt}{self._prompts.separator}{text}") for text in texts]
        return self._scored(request, prompt, wholes)

    def score_letters(self, request: ChatRequest, letters: Sequence[str]) -> ScoredTexts:
        """Return the log-probability of each letter as an answer to a request, whatever its spelling.

        Raises:
            CallFailed: As for ``score``.
            EnvironmentFailure: The device has failed.
        """
        prompt = self._prompts.text(request)
        spelt = [spellings(self._prompts.tokens, prompt=prompt, letter=letter) for letter in letters]
        scored = self._scored(request, prompt, [whole for found in spelt for whole in found])
        totals = iter([sum(logs) for logs in scored.logs])
        logs = tuple((log_sum([next(totals) for _ in found]),) for found in spelt)
        return ScoredTexts(logs=logs, prompt_tokens=scored.prompt_tokens)

    def close(self) -> None:
        """Release the memory."""
        self._model = self._scorer = None
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
        reader = transformers.AutoProcessor if sees else transformers.AutoTokenizer
        self._prompts = CheckpointPrompts(reader.from_pretrained(folder, **arguments), sees=sees)
        self._tokenizer = self._prompts.tokenizer
        self._scorer = ContinuationScorer(self._torch, self._model)
        # Generated tokens follow the prompt, so prompts of different lengths are padded on the left.
        self._tokenizer.padding_side = "left"
        # Any token will do: the attention mask leaves padding out.
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

    def _scored(self, request: ChatRequest, prompt: str, wholes: Sequence[list[int]]) -> ScoredTexts:
        context = self._prompts.tokens(prompt)
        at = shared_start(context, wholes)
        rows = [whole[at:] for whole in wholes]
        encoded = without_end(
            self._on_device(self._prompts.encode([request], is_direct=True)), len(context) - at
        )
        # As one part: its memory does not depend on the number of continuations.
        (logs,) = self._in_parts([rows], lambda parts: [self._scorer.logs(encoded, part) for part in parts])
        read = int(encoded["input_ids"].shape[1]) + sum(map(len, rows))
        return ScoredTexts(logs=tuple(logs), prompt_tokens=read)

    def _encode(self, requests: Sequence[ChatRequest]) -> dict[str, Any]:
        return self._on_device(self._prompts.encode(requests))

    def _on_device(self, encoded: dict[str, Any]) -> dict[str, Any]:
        dtype = getattr(self._torch, _NAMES[self.precision])
        return {
            name: value.to(self.device, dtype) if value.is_floating_point() else value.to(self.device)
            for name, value in encoded.items()
        }


def _require_all(missing: Collection[str]) -> None:
    # Weights missing in the file would be initialised at random, with no more than a warning.
    if missing:
        first = ", ".join(sorted(missing)[:3])
        raise ValueError(f"{len(missing)} of its weights are missing from its files ({first}, ...)")


def _stay_offline() -> None:
    # Read when transformers is first imported: loading a model's folder must never cause a download.
    os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1")
