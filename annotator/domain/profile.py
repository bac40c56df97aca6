"""A model profile: what a team calls a model, where it is, and how it is asked; never a secret."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal

import msgspec

Adapter = Literal[
    "openai",
    "smollm",
    "transformers",
    "vllm",
    "probe",
    "onnx",
    "ultralytics",
    "depth-onnx",
    "depth-files",
    "sam-onnx",
]
"""What opens it: an OpenAI-compatible endpoint; the embedded language model; a folder of weights; a vLLM
server that is started; a classifier of texts; detectors; depth models; depth maps that lie as files; a
promptable segmenter."""
BLIND_ADAPTERS: frozenset[Adapter] = frozenset({"openai", "smollm", "transformers", "vllm", "probe"})
SIGHTED_ADAPTERS: frozenset[Adapter] = frozenset({"openai", "transformers", "vllm"})
DETECTOR_ADAPTERS: frozenset[Adapter] = frozenset({"onnx", "ultralytics"})
DEPTH_ADAPTERS: frozenset[Adapter] = frozenset({"depth-onnx", "depth-files"})
SEGMENTER: Adapter = "sam-onnx"


METHODS: Mapping[Adapter, int] = MappingProxyType({"smollm": 2, "transformers": 2, "depth-onnx": 2})
"""Raised where an adapter computes the answer to the same request in another way, so that stored answers are
not used again. Version 1 of the first two left out the start token and evaluated options apart from the
prompt; that of depth models distorted images."""


BoxUnit = Literal["", "pixels", "thousandths", "thousandths-yx", "fractions", "fractions-square"]
"""Units of boxes in a model's answers: those of its family; pixels of the image as it is sent; thousandths of
its sides, x first or y first; parts of its sides, 0 to 1, or of those of the square that it is padded to."""


class VisualSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a sighted model is shown of an item.

    Attributes:
        frames: Frames of a video, evenly spaced, at most so many.
        fps: Frames per second instead, at most ``frames`` of them; 0 for evenly spaced.
        longest_px: Pictures are shrunk to this longer side; 0 for as they are.
        coding: ``jpeg`` or ``png``.
        quality: Of JPEG, 1 to 100.
    """

    frames: int = 32
    fps: float = 0.0
    longest_px: int = 0
    coding: Literal["jpeg", "png"] = "jpeg"
    quality: int = 92


class ModelProfile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of one model.

    Attributes:
        name: Unique displayed name.
        adapter: Adapter that opens the model.
        model: Name on the server; without a server a name for display.
        base_url: Of an endpoint, for instance ``http://127.0.0.1:8000/v1``.
        key_from: Location of the API key: ``env:NAME`` or ``keyring:NAME``; "" for none.
        path: File or folder of weights.
        revision: Revision of the weights.
        temperature: Sampling temperature; 0 for greedy decoding.
        max_tokens: Maximum number of tokens of a reply.
        seed: Sampling seed, for servers that support one.
        visuals: Images of requests with images, None for those of the model's family.
        boxes: Unit of boxes in its answers.
        grid_px: Its pixels are those of the image scaled to sides that are multiples of this, 0 for as it is
            sent; None for that of its family.
        in_flight: Number of simultaneous calls.
        requests_per_minute: 0 for no limit.
        tokens_per_minute: 0 for no limit.
        timeout_s: Time limit of a call.
        tries: Maximum number of attempts for temporary failures.
        price_in: Price of a million prompt tokens, in the team's currency; 0 for free, None where nobody
            said.
        price_out: Price of a million completion tokens.
        resources: What a call takes of a worker of a cluster: ``{"GPU": 1}``. If empty, a model that runs on
            one GPU takes one where workers declare theirs.
        options: Settings specific to the adapter (JSON): slices of a detector, folds of a probe.
    """

    name: str
    adapter: Adapter
    model: str = ""
    base_url: str = ""
    key_from: str = ""
    path: str = ""
    revision: str = ""
    temperature: float = 0.0
    max_tokens: int = 100
    seed: int | None = None
    visuals: VisualSettings | None = None
    boxes: BoxUnit = ""
    grid_px: int | None = None
    in_flight: int = 8
    requests_per_minute: int = 0
    tokens_per_minute: int = 0
    timeout_s: float = 120.0
    tries: int = 6
    price_in: float | None = None
    price_out: float | None = None
    resources: dict[str, Annotated[float, msgspec.Meta(gt=0)]] = {}
    options: dict[str, Any] = {}

    @property
    def stated_visuals(self) -> VisualSettings:
        """Images of its requests as it states them; where it does not, as they are without a family."""
        return self.visuals or VisualSettings()

    @property
    def is_priced(self) -> bool:
        """Whether a call is known to cost something."""
        return bool(self.price_in or self.price_out)

    @property
    def is_steady(self) -> bool:
        """Whether it answers the same question always in the same way.

        A reasoning model that accepts no temperature draws its answers as it likes.
        """
        chat = self.options.get("chat") if self.adapter == "vllm" else self.options
        has_temperature = chat.get("has_temperature", True) if isinstance(chat, dict) else True
        return self.temperature == 0 and has_temperature is not False

    @property
    def has_unknown_price(self) -> bool:
        """Whether a server may bill calls at a price that nobody stated."""
        return self.adapter == "openai" and self.price_in is None and self.price_out is None

    def cost_micro(self, *, prompt_tokens: int, completion_tokens: int) -> int:
        """Return what a call costs, in millionths, rounded up."""
        # A price is of a million tokens and costs are millionths: the two cancel out.
        return math.ceil(prompt_tokens * (self.price_in or 0.0) + completion_tokens * (self.price_out or 0.0))

    @property
    def decides(self) -> dict[str, Any]:
        """What of it decides an answer, for the key of a job; names and prices do not."""
        kept = (
            "adapter",
            "model",
            "base_url",
            "path",
            "revision",
            "temperature",
            "max_tokens",
            "seed",
            "options",
        )
        found = {name: getattr(self, name) for name in kept}
        # The embedded model has no start token: its scores are as they were.
        return found | {"method": METHODS[self.adapter]} if self.path and self.adapter in METHODS else found
