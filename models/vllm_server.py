"""A vLLM server for a profile: started, monitored, restarted if it ends, and stopped with its worker."""

from __future__ import annotations

import http.client
import importlib.metadata
import os
import shutil
import socket
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec

from annotator.domain.profile import ModelProfile
from annotator.errors import EnvironmentFailure, UserError, VantageError
from annotator.model_api import CallFailed, ChatReply, ChatRequest, ModelIdentity
from annotator.progress import Progress
from models.chat import ChatEndpoint
from models.chat_options import chat_options
from models.child_process import ChildProcess
from models.profile_options import options_of
from models.weights_folder import folder_digest, require_safe

HOST = "127.0.0.1"
SAID_LINES = 5
PROBE_S = 2.0
PAUSE_S = 0.2
"""Seconds between two checks whether the server is ready, or no longer needed."""
STARTS = 5
"""Failed starts in sequence before giving up: an occupied port or GPU memory is usually free by then."""
FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 60.0


class VllmOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The options of a profile.

    Attributes:
        device: Number of the GPU, as ``CUDA_VISIBLE_DEVICES`` has it; "" for all.
        arguments: Further arguments of ``vllm serve``, for instance ``["--max-model-len", "8192"]``.
        start_s: Seconds within which it must be ready: a large model is read from disk and compiled.
        first_wait_s: Seconds before a restart, doubled each time it ends before it was ready, up to 60 s.
        chat: Options of the endpoint, as of an ``openai`` profile.
    """

    device: str = ""
    arguments: tuple[str, ...] = ()
    start_s: float = 900.0
    first_wait_s: float = FIRST_WAIT_S
    chat: dict[str, object] = {}


class VllmServer:
    """A model behind a server of our own; an ``annotator.model_api.ChatModel``.

    Args:
        profile: With the folder of the model.
        program: The ``vllm`` that is run.
        identity: Which model it is.
        options: How it is run.
        progress: Asked whether to go on whenever it is waited for, also later, where it is started again.

    Raises:
        EnvironmentFailure: It did not get ready; says its last words.
        Cancelled: The model is no longer needed.
    """

    def __init__(
        self,
        profile: ModelProfile,
        *,
        program: str,
        identity: ModelIdentity,
        options: VllmOptions,
        progress: Progress | None = None,
    ) -> None:
        self._profile, self._program, self._identity, self._options = profile, program, identity, options
        self._progress = progress or Progress()
        self._starting = threading.Lock()
        self._closed = threading.Event()
        self._process: ChildProcess | None = None
        self._endpoint: ChatEndpoint | None = None
        self._failed = 0
        try:
            self._start_first(deadline=time.monotonic() + options.start_s)
        except VantageError:
            # No caller has the object yet to close it, and the program would run as long as this process.
            self.close()
            raise

    @property
    def identity(self) -> ModelIdentity:
        """Which model it is, with the hash of its files."""
        return self._identity

    @property
    def is_running(self) -> bool:
        """Whether the server runs."""
        return self._process is not None and self._process.is_running

    def ask(self, request: ChatRequest, *, timeout_s: float) -> ChatReply:
        """Send a request once; a server that has ended is restarted first, which may take minutes.

        Raises:
            CallFailed: No answer came, or the server did not come back.
            EnvironmentFailure: The server cannot be started.
            Cancelled: The model is no longer needed during a restart; no request was sent.
        """
        return self._ready().ask(request, timeout_s=timeout_s)

    def close(self) -> None:
        """End the server and all that it started."""
        self._closed.set()
        with self._starting:
            self._end()

    def _start_first(self, *, deadline: float) -> None:
        while not self._start(deadline=deadline):
            if self._failed >= STARTS or time.monotonic() >= deadline:
                raise EnvironmentFailure(
                    f"The server of {self._profile.name!r} was not ready within "
                    f"{self._options.start_s:.0f} s.",
                    hint=self._last_text(),
                )
            self._rest(min(self._wait_s(), deadline - time.monotonic()))

    def _ready(self) -> ChatEndpoint:
        # Loading a large model takes longer than a request may: the request waits here.
        with self._starting:
            if self._endpoint is not None and self.is_running:
                return self._endpoint
            if self._failed < STARTS:
                self._rest(self._wait_s())
                deadline = time.monotonic() + self._options.start_s
                if (
                    not self._closed.is_set()
                    and self._start(deadline=deadline)
                    and self._endpoint is not None
                ):
                    return self._endpoint
            raise self._gone()

    def _start(self, *, deadline: float) -> bool:
        self._end()
        # A new port each time: another program may take it between the check and the start.
        port = _free_port()
        self._process = ChildProcess(self._command(port), environment=self._environment())
        while self._process.is_running and time.monotonic() < deadline:
            if _is_healthy(port):
                profile = msgspec.structs.replace(
                    self._profile, model=self._identity.name, options=self._options.chat
                )
                address = f"http://{HOST}:{port}/v1"
                self._endpoint = ChatEndpoint(profile, base_url=address, identity=self._identity)
                self._failed = 0
                return True
            self._progress.raise_if_cancelled()
            if self._closed.wait(PAUSE_S):
                break
        # The port may have been taken between the check and the start; the next start uses another one.
        self._failed += 1
        return False

    def _rest(self, pause_s: float) -> None:
        """Wait up to a minute, checking for cancellation.

        Raises:
            Cancelled: The model is no longer needed.
        """
        until = time.monotonic() + pause_s
        self._progress.raise_if_cancelled()
        while (left_s := until - time.monotonic()) > 0 and not self._closed.wait(min(PAUSE_S, left_s)):
            self._progress.raise_if_cancelled()

    def _end(self) -> None:
        endpoint, self._endpoint = self._endpoint, None
        if endpoint is not None:
            endpoint.close()
        if self._process is not None:
            self._process.close()

    def _command(self, port: int) -> list[str]:
        arguments = ["--host", HOST, "--port", str(port), "--served-model-name", self._identity.name]
        return [self._program, "serve", self._profile.path, *arguments, *self._options.arguments]

    def _environment(self) -> Mapping[str, str]:
        # No downloads and no usage statistics: the weights are in the folder.
        settings = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1"}
        if self._options.device:
            settings["CUDA_VISIBLE_DEVICES"] = self._options.device
        return os.environ | settings

    def _wait_s(self) -> float:
        return min(LONGEST_WAIT_S, self._options.first_wait_s * 2.0 ** max(0, self._failed - 1))

    def _last_text(self) -> str:
        return self._process.last_output(SAID_LINES) if self._process is not None else ""

    def _gone(self) -> VantageError:
        message = f"The server of {self._profile.name!r} is not running. {self._last_text()}".strip()
        if self._failed >= STARTS:
            return EnvironmentFailure(message)
        return CallFailed(
            message, kind="model", is_retryable=True, retry_after_s=self._wait_s(), was_sent=False
        )


def open_model(profile: ModelProfile, *, progress: Progress | None = None) -> VllmServer:
    """Start a server for the folder of a profile, and wait until it is ready.

    Args:
        profile: The profile.
        progress: Asked whether to go on; None for in any case.

    Raises:
        UserError: vLLM is not installed, an option is wrong, or the folder is not what it must be.
        EnvironmentFailure: It did not get ready.
        Cancelled: It is wanted no more; the server has ended.
    """
    options = options_of(profile, VllmOptions)
    # Checked before loading for a quarter of an hour, not after it.
    chat_options(msgspec.structs.replace(profile, options=options.chat))
    program = shutil.which("vllm")
    if program is None or os.name != "posix":
        raise UserError(
            f"{profile.name!r} needs vLLM, which is not installed.",
            hint="Install it on a Linux machine with a GPU: pip install vllm",
        )
    folder = Path(profile.path)
    require_safe(folder)
    identity = ModelIdentity(
        name=profile.model or folder.name,
        kind="chat",
        revision=profile.revision,
        sha256=folder_digest(folder, progress=progress),
        parameters={"server": _version(), "arguments": list(options.arguments)},
    )
    return VllmServer(profile, program=program, identity=identity, options=options, progress=progress)


def _version() -> str:
    try:
        return f"vllm {importlib.metadata.version('vllm')}"
    except importlib.metadata.PackageNotFoundError:
        # vLLM may be installed in another environment, with only its program on the path.
        return "vllm"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def _is_healthy(port: int) -> bool:
    connection = http.client.HTTPConnection(HOST, port, timeout=PROBE_S)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
