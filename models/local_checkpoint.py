"""Text and vision-language models of a local folder on the GPU or CPU; needs the extra ``[gpu]``.

Requests that wait at the same time are answered as a batch. One model runs on one device; on a computer with
several GPUs each worker process opens it on the GPU assigned to it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import msgspec

from annotator.domain.item import LETTERS
from annotator.domain.profile import ModelProfile
from annotator.errors import VantageError
from annotator.model_api import CallFailed, ChatReply, ChatRequest, ModelIdentity
from annotator.progress import Progress
from models.checkpoint_engine import CheckpointEngine, GeneratedText, Precision
from models.failures import no_images_failure
from models.option_scoring import (
    NO_QUESTION,
    chosen,
    cloze_prompt,
    gains,
    letter_prompt,
    per_character,
    prior_prompt,
    stem_of,
)
from models.profile_options import options_of
from models.weights_folder import folder_digest, require_safe

Answers = Literal["written", "letters", "text", "text-pmi"]
"""How an option is chosen: by generated text; by the log-probability of the letters, for larger models; by
that of the options' texts per character, for small models; or by how much the question raises that of the
whole text (``models.option_scoring``).
"""


class CheckpointOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The options of a profile.

    Attributes:
        device: ``cpu``, ``cuda``, ``cuda:1``; "" for CUDA if available.
        precision: Data type of the weights; "" for bf16 on CUDA and fp32 elsewhere.
        batch: Maximum number of questions whose answers are generated together; halved if memory is
            insufficient. With 1, generated answers never depend on other waiting requests; scores never do.
        answers: How an option is chosen.
    """

    device: str = ""
    precision: Precision = ""
    batch: int = 8
    answers: Answers = "written"


@dataclass(kw_only=True, eq=False)
class _Ticket:
    request: ChatRequest
    deadline: float
    result: ChatReply | VantageError | None = None
    key: tuple[object, ...] = field(init=False)

    def __post_init__(self) -> None:
        request = self.request
        # Requests with equal values share one call of ``generate``; images use another path through the
        # processor.
        self.key = (request.temperature, request.max_tokens, request.seed, bool(request.pictures))


class LocalCheckpoint:
    """A model of a local folder; an ``annotator.model_api.ChatModel``.

    Args:
        engine: The loaded model.
        identity: Which model it is.
        answers: How an option is chosen.
    """

    def __init__(self, engine: CheckpointEngine, *, identity: ModelIdentity, answers: Answers) -> None:
        self._engine, self._identity, self._answers = engine, identity, answers
        self._waiting: list[_Ticket] = []
        self._list = threading.Lock()
        self._turn = threading.Lock()

    @property
    def identity(self) -> ModelIdentity:
        """Which model it is, with the hash of its files, its device and precision."""
        return self._identity

    @property
    def engine(self) -> CheckpointEngine:
        """The engine, for its memory figures."""
        return self._engine

    def ask(self, request: ChatRequest, *, timeout_s: float) -> ChatReply:
        """Answer a request, together with others that wait.

        Raises:
            CallFailed: The model accepts no images, memory is insufficient, or the time is over.
            EnvironmentFailure: The device has failed; no further request is possible in this process.
        """
        began = time.monotonic()
        if request.pictures and not self._engine.has_image_input:
            raise no_images_failure(self._identity.name)
        if request.options and self._answers != "written":
            reply = self._ranked(request, timeout_s=timeout_s)
        else:
            reply = self._written(request, deadline=began + timeout_s)
        return msgspec.structs.replace(reply, model=self._identity.name, elapsed_s=time.monotonic() - began)

    def close(self) -> None:
        """Give back memory."""
        with self._turn:
            self._engine.close()

    def _ranked(self, request: ChatRequest, *, timeout_s: float) -> ChatReply:
        if not self._turn.acquire(timeout=timeout_s):
            raise _too_late()
        try:
            if self._answers == "letters":
                return self._by_letters(request)
            return self._by_texts(request)
        finally:
            self._turn.release()

    def _by_letters(self, request: ChatRequest) -> ChatReply:
        if not self._engine.has_template:
            text = letter_prompt(stem_of(request.text, request.options), request.options)
            request = msgspec.structs.replace(request, text=text, system="")
        scored = self._engine.score_letters(request, LETTERS[: len(request.options)])
        scores = tuple(sum(logs) for logs in scored.logs)
        return ranked_reply(scores, raw={"letters": scored.logs}, prompt_tokens=scored.prompt_tokens)

    def _by_texts(self, request: ChatRequest) -> ChatReply:
        texts = [each.strip() for each in request.options]
        stem = stem_of(request.text, request.options)
        scored = self._engine.score(self._asked(request, stem), texts)
        if self._answers == "text":
            pairs = zip(scored.logs, request.options, strict=True)
            scores = tuple(per_character(logs, option=option) for logs, option in pairs)
            return ranked_reply(scores, raw={"text": scored.logs}, prompt_tokens=scored.prompt_tokens)
        prior = self._engine.score(self._asked(request, stem, is_prior=True), texts)
        return ranked_reply(
            gains(scored.logs, prior=prior.logs),
            raw={"text": scored.logs, "prior": prior.logs},
            prompt_tokens=scored.prompt_tokens + prior.prompt_tokens,
        )

    def _asked(self, request: ChatRequest, stem: str, *, is_prior: bool = False) -> ChatRequest:
        """Return the question before an option: in the model's template, or as a text to be continued."""
        if self._engine.has_template:
            return msgspec.structs.replace(request, text=NO_QUESTION if is_prior else stem)
        text = prior_prompt(stem) if is_prior else cloze_prompt(stem)
        return msgspec.structs.replace(request, text=text, system="")

    def _written(self, request: ChatRequest, *, deadline: float) -> ChatReply:
        ticket = _Ticket(request=request, deadline=deadline)
        with self._list:
            self._waiting.append(ticket)
        # The thread that gets the lock answers all waiting requests; the others find their answer when they
        # get it.
        has_turn = self._turn.acquire(timeout=max(0.0, deadline - time.monotonic()))
        try:
            if has_turn and ticket.result is None:
                self._answer_with(ticket)
        finally:
            if has_turn:
                self._turn.release()
        with self._list:
            if ticket in self._waiting:
                self._waiting.remove(ticket)
        if ticket.result is None:
            raise _too_late()
        if isinstance(ticket.result, VantageError):
            raise ticket.result
        return ticket.result

    def _take_batch(self, ticket: _Ticket) -> list[_Ticket]:
        """Take a ticket from those that wait, and as many like it as the engine writes together."""
        with self._list:
            alike = [each for each in self._waiting if each.key == ticket.key and each is not ticket]
            taken = [ticket, *alike[: self._engine.rows - 1]]
            self._waiting = [each for each in self._waiting if each not in taken]
        return taken

    def _answer_with(self, ticket: _Ticket) -> None:
        taken = self._take_batch(ticket)
        left_s = max(0.0, min(each.deadline for each in taken) - time.monotonic())
        try:
            found: Sequence[GeneratedText] = self._engine.write(
                [each.request for each in taken], time_s=left_s
            )
        except VantageError as failure:
            for each in taken:
                each.result = failure
            return
        for each, written in zip(taken, found, strict=True):
            is_late = not written.is_whole and written.tokens < each.request.max_tokens
            each.result = _too_late() if is_late else _written_reply(written)


def open_model(profile: ModelProfile, *, progress: Progress | None = None) -> LocalCheckpoint:
    """Load the model of a profile's folder.

    Args:
        profile: The profile.
        progress: Raises ``Cancelled``, until loading itself begins; None if not cancellable.

    Raises:
        UserError: The folder is not a valid checkpoint, or an option is unknown.
        EnvironmentFailure: It cannot be read, or the device or its memory is insufficient.
        Cancelled: The model is no longer needed.
    """
    options = options_of(profile, CheckpointOptions)
    folder = Path(profile.path)
    require_safe(folder)
    # First, because hashing can be cancelled and loading cannot; it also brings the files into the system's
    # cache.
    sha256 = folder_digest(folder, progress=progress)
    engine = CheckpointEngine(
        folder, device=options.device, precision=options.precision, rows=max(1, options.batch)
    )
    identity = ModelIdentity(
        name=profile.model or folder.name,
        kind="chat",
        revision=profile.revision,
        sha256=sha256,
        parameters={
            "device": engine.device.partition(":")[0],
            "precision": engine.precision,
            "batch": options.batch,
            "answers": options.answers,
        },
    )
    return LocalCheckpoint(engine, identity=identity, answers=options.answers)


def ranked_reply(
    scores: tuple[float, ...], *, raw: Mapping[str, Sequence[Sequence[float]]], prompt_tokens: int
) -> ChatReply:
    """Return the reply that the scores of options make.

    Args:
        scores: Of each option.
        raw: Log-probabilities from which they are.
        prompt_tokens: Tokens read.
    """
    return ChatReply(
        text=LETTERS[chosen(scores)],
        raw=msgspec.json.encode(raw),
        prompt_tokens=prompt_tokens,
        finish="stop",
        option_scores=scores,
    )


def _written_reply(written: GeneratedText) -> ChatReply:
    return ChatReply(
        text=written.text,
        raw=msgspec.json.encode({"text": written.text}),
        prompt_tokens=written.prompt_tokens,
        completion_tokens=written.tokens,
        finish="stop" if written.is_whole else "length",
    )


def _too_late() -> CallFailed:
    return CallFailed("The local model exceeded its time limit.", kind="timeout", is_retryable=True)
