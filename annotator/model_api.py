"""What the product asks of models: the words of a request, of an answer, and of a failure.

``models/`` implements the protocols; nothing here knows how. Everything that decides an answer is a value,
so that it can be hashed into the key of a job and kept with the prediction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

import msgspec

from annotator.errors import VantageError
from annotator.progress import Progress
from annotator.segment_prompt import SegmentPrompt

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    Rgb = NDArray[np.uint8]
    Depth = NDArray[np.float32]

DECIDING_FILES = frozenset({".safetensors", ".json", ".jinja", ".model", ".txt"})
"""Extensions of the files of a checkpoint that affect answers: weights, configuration, vocabulary of the
tokenizer."""
ModelKind = Literal["chat", "ranker", "probe", "detector", "depth", "segmenter"]
"""Answers in words; ranks given options; classifies texts of a whole set; finds things; tells depths; finds
outlines."""
FailureKind = Literal[
    "rate",
    "timeout",
    "server",
    "connection",
    "refused",
    "key",
    "cut",
    "format",
    "too_large",
    "redirect",
    "model",
    "material",
    "disk",
    "cluster",
]
"""Why a call gave no answer: asked too fast, no answer in time, error at the server, none reached, refused
for what was asked, key not accepted, body broken off, body not as agreed, body too large, sent elsewhere,
the model's own program failed, what it should be given is gone, the disk cannot read it, the
cluster lost the call."""


class ModelIdentity(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which model, exactly; lands in every prediction.

    Attributes:
        name: As people know it, for instance ``SmolLM2-135M-Instruct``.
        kind: What it does.
        revision: As its maker names it, "" where nobody said.
        sha256: Hex digest of its file or of the list of its files, "" for a model behind a URL.
        base_url: Where it is asked, without anything secret; "" for one in process.
        parameters: Whatever else decides its answers: temperature, precision, slices (JSON).
    """

    name: str
    kind: ModelKind
    revision: str = ""
    sha256: str = ""
    base_url: str = ""
    parameters: dict[str, Any] = {}


class ModelImage(msgspec.Struct, frozen=True, kw_only=True):
    """A picture as it goes to a model: the bytes of a file.

    Attributes:
        data: PNG or JPEG.
        media_type: ``image/png`` or ``image/jpeg``.
        label: Words before it, for instance ``UAV1``; "" for none.
    """

    data: bytes
    media_type: str = "image/png"
    label: str = ""


class ChatRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One question to a chat model.

    Attributes:
        text: What is asked.
        system: What the model is told to be, "" for nothing.
        pictures: What it is shown, in order; empty for a blind question.
        options: Texts of the options in the order shown where one of them is wanted, else empty: a model that
            only ranks needs no more.
        temperature: 0 for always the most likely words.
        max_tokens: At most so many tokens of answer.
        seed: For servers that take one, None for none.
        schema: JSON schema that the answer has to have, None for free text.
    """

    text: str
    system: str = ""
    pictures: tuple[ModelImage, ...] = ()
    options: tuple[str, ...] = ()
    temperature: float = 0.0
    max_tokens: int = 100
    seed: int | None = None
    schema: dict[str, Any] | None = None


class ChatReply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What came back, before anybody reads an answer out of it.

    Attributes:
        text: The model's words, "" for none.
        raw: The body as it came; for a model in process the values that decided, as JSON.
        prompt_tokens: As the server counts them, 0 where it does not.
        completion_tokens: The same.
        model: The model as the server names it.
        finish: Why it ended: ``stop``, ``length``; "" where it does not say.
        option_scores: Log-probability of each option in the order shown, corrected as the model's identity
            says; empty where the model does not rank.
        elapsed_s: From sending to the last byte.
    """

    text: str
    raw: bytes = b""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    model: str = ""
    finish: str = ""
    option_scores: tuple[float, ...] = ()
    elapsed_s: float = 0.0


class CallFailed(VantageError):  # noqa: N818 - named after what happened to the call
    """A call gave no answer. It is a prediction of its own kind: never 'wrong', never dropped.

    Attributes:
        kind: Why.
        is_retryable: Whether the same call may succeed later.
        retry_after_s: Seconds from now after which the server wants to be asked again, None for none said.
        status: HTTP status, 0 for none.
        raw: What came of a body, cut to a bounded length.
        was_sent: Whether the question may have reached the model, and may have cost something.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: FailureKind,
        is_retryable: bool,
        retry_after_s: float | None = None,
        status: int = 0,
        raw: bytes = b"",
        was_sent: bool = True,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.is_retryable = is_retryable
        self.retry_after_s = retry_after_s
        self.status = status
        self.raw = raw
        self.was_sent = was_sent


class ChatModel(Protocol):
    """Answers questions, blind or sighted. Several threads may ask at once."""

    @property
    def identity(self) -> ModelIdentity:
        """Which model it is."""

    def ask(self, request: ChatRequest, *, timeout_s: float) -> ChatReply:
        """Ask once; never asks again by itself.

        Raises:
            CallFailed: No answer came.
        """

    def close(self) -> None:
        """Give back connections and memory."""


class Detection(msgspec.Struct, frozen=True, kw_only=True):
    """One thing found in a picture.

    Attributes:
        box: x1 y1 x2 y2, image pixels, x2 and y2 exclusive.
        category: In the detector's words.
        score: 0..1.
    """

    box: tuple[float, float, float, float]
    category: str
    score: float


class Detector(Protocol):
    """Finds things in pictures; for one thread at a time."""

    @property
    def identity(self) -> ModelIdentity:
        """Which model it is."""

    @property
    def batch(self) -> int:
        """How many pictures it takes best at once."""

    def detect(self, pictures: Sequence[Rgb]) -> list[list[Detection]]:
        """Return what each picture shows, most certain first.

        Args:
            pictures: uint8 (height, width, 3), red, green, blue; of any sizes.

        Raises:
            CallFailed: The model's program failed.
        """

    def close(self) -> None:
        """Give back memory."""


class DepthModel(Protocol):
    """Tells how far away things are; for one thread at a time."""

    @property
    def identity(self) -> ModelIdentity:
        """Which model it is; its parameters say whether depths are metres."""

    def depth(self, picture: Rgb) -> Depth:
        """Return float32 (height, width), larger is farther.

        Args:
            picture: uint8 (height, width, 3), red, green, blue.

        Raises:
            CallFailed: The model's program failed.
        """

    def close(self) -> None:
        """Give back memory."""


class DepthMaps(Protocol):
    """Depths that somebody else worked out and that lie as files beside the pictures."""

    @property
    def identity(self) -> ModelIdentity:
        """Which maps; its parameters say whether depths are metres."""

    def depth_beside(self, file: Path, *, frame: int | None) -> Depth:
        """Return float32 (height, width) of the map's own size, larger is farther, NaN where there is none.

        Args:
            file: The picture or video.
            frame: Number of the frame of a video.

        Raises:
            CallFailed: There is no map for it, or a damaged one.
        """

    def close(self) -> None:
        """Give back memory."""


class BlindQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """An item as a blind probe sees it: words alone.

    Attributes:
        item: Its id.
        task: Its task; items of one task are compared with each other.
        question: The stem.
        options: Texts in the order shown.
        key: Place of the right option, from 0.
    """

    item: str
    task: str
    question: str
    options: tuple[str, ...]
    key: int


class ProbeScore(msgspec.Struct, frozen=True, kw_only=True):
    """What a probe guessed of one item that it was not trained on.

    Attributes:
        item: Its id.
        chosen: Place of the option it takes, from 0.
        probabilities: One per option, in the order shown.
    """

    item: str
    chosen: int
    probabilities: tuple[float, ...]


class ProbeAccuracy(msgspec.Struct, frozen=True, kw_only=True):
    """How far a probe's guesses get, against chance.

    Attributes:
        task: "" for the whole set.
        items: How many were guessed.
        correct: How many of them rightly.
        chance: Share that guessing gets, 0..1.
        p_value: Probability of as many right guesses by luck alone.
        low: Lower bound of the share's 95 % confidence interval (Clopper-Pearson).
        high: Its upper bound.
    """

    task: str
    items: int
    correct: int
    chance: float
    p_value: float
    low: float
    high: float


class ProbeCue(msgspec.Struct, frozen=True, kw_only=True):
    """Something about an option's words that tells whether it is the key.

    Attributes:
        task: Where it holds, "" for the whole set.
        text: What it is, for people.
        weight: Of the trained model; below 0 where it speaks against the option.
        strength: What it adds to the log-probability of keys, over the whole set; larger gives more away.
    """

    task: str
    text: str = msgspec.field(name="words")
    weight: float
    strength: float


class ProbeReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a probe says of a set.

    Attributes:
        whole: Of all items.
        tasks: Of each task.
        giveaways: Strongest first.
    """

    whole: ProbeAccuracy
    tasks: tuple[ProbeAccuracy, ...]
    giveaways: tuple[ProbeCue, ...]


class BlindProbe(Protocol):
    """Learns from part of a set what gives the keys of the rest away, without seeing a picture."""

    @property
    def identity(self) -> ModelIdentity:
        """Which probe, with its seed and folds."""

    def scores(self, questions: Sequence[BlindQuestion], *, progress: Progress) -> list[ProbeScore]:
        """Return a guess for each question, cross-validated, in their order.

        Raises:
            Cancelled: The user stopped it.
        """

    def report(
        self, questions: Sequence[BlindQuestion], scores: Sequence[ProbeScore], *, progress: Progress
    ) -> ProbeReport:
        """Say how far its guesses get above chance, by task and as a whole, and what gives keys away.

        Raises:
            Cancelled: The user stopped it.
        """

    def close(self) -> None:
        """Give back memory."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ImageEmbedding:
    """What an encoder found in an image; any number of prompts are answered from it.

    Attributes:
        arrays: Outputs of the encoder by name.
        size_px: Width and height of the image.
    """

    arrays: Mapping[str, NDArray[Any]]
    size_px: tuple[int, int]


@dataclass(frozen=True, kw_only=True, eq=False)
class SegmentedMask:
    """The object that a prompt points at.

    Attributes:
        values: float32 (rows, columns), evenly over the whole image; above 0 inside the object.
        score: The model's own estimate of the overlap with the object, 0..1; 0 where it gives none.
    """

    values: NDArray[np.float32]
    score: float


class Segmenter(Protocol):
    """Finds the outline of what a person points at; for one thread at a time."""

    @property
    def identity(self) -> ModelIdentity:
        """Which model it is."""

    def embed(self, picture: Rgb) -> ImageEmbedding:
        """Return what all prompts in an image are answered from; takes seconds.

        Args:
            picture: uint8 (height, width, 3), red, green, blue.

        Raises:
            CallFailed: The model's program failed.
        """

    def segment(self, embedding: ImageEmbedding, prompt: SegmentPrompt) -> SegmentedMask:
        """Return the object that a prompt points at.

        Raises:
            CallFailed: The model's program failed, or its output is no mask.
        """

    def close(self) -> None:
        """Give back memory."""


Model = ChatModel | Detector | DepthModel | DepthMaps | BlindProbe | Segmenter


class ModelCatalog(Protocol):
    """Opens models by their profile; the composition root hands one to whoever works."""

    def open(self, profile: Mapping[str, Any], *, progress: Progress) -> Model:
        """Load a model.

        Args:
            profile: A ``annotator.domain.profile.ModelProfile`` as plain values.
            progress: Asked whether to go on, by models whose opening takes minutes.

        Raises:
            UserError: It is not installed, the file is missing, or the key is not set; says what to do.
            EnvironmentFailure: The driver or the disk refused.
            Cancelled: It is wanted no more; nothing of it stays.
        """

    def trial(self, profile: Mapping[str, Any]) -> str:
        """Ask a model something tiny, and return what it can do, one line each.

        Args:
            profile: As for ``open``.

        Raises:
            UserError: It cannot be opened, or refuses to answer; says what to do.
            EnvironmentFailure: The driver, the disk or the server reports an error, or nobody answers there.
        """
