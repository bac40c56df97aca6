"""Calls models on threads of this process and reports each outcome to a callback."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

from annotator.domain.profile import ModelProfile
from annotator.domain.work import Claim
from annotator.errors import Cancelled, EnvironmentFailure, UserError, VantageError
from annotator.jobs.job_type import BatchJobType, ChatJobType, JobType
from annotator.jobs.shared_model import OpenModel, SharedModel
from annotator.model_api import CallFailed, ChatModel, ChatRequest, Model, ModelIdentity
from annotator.progress import Progress


@dataclass(frozen=True, kw_only=True)
class ModelCall:
    """One call to make.

    Attributes:
        kind: The job type, which makes the call.
        claims: The jobs that it answers; one for a chat model.
        materials: The model's input, one per claim.
        bodies: The logged form of the input, one per claim.
    """

    kind: JobType
    claims: tuple[Claim, ...]
    materials: tuple[object, ...]
    bodies: tuple[bytes, ...]


@dataclass(frozen=True, kw_only=True)
class CallResult:
    """The result of a call.

    Attributes:
        results: One per claim; empty for a failed call.
        error: The failure: ``CallFailed``, or the error that prevented the model from being opened.
        model: Identity of the model, None if it could not be opened.
        took_s: Duration of the call in seconds, without opening the model.
    """

    results: tuple[object, ...] = ()
    error: VantageError | None = None
    model: ModelIdentity | None = None
    took_s: float = 0.0


@dataclass(frozen=True, kw_only=True)
class CallDone:
    """A finished call of a dispatcher.

    Attributes:
        task: The call.
        made: Its result.
    """

    task: ModelCall
    made: CallResult


OnCallDone = Callable[[CallDone], None]


class CallExecutor(Protocol):
    """Makes the calls of one profile, so many at once."""

    def make(self, task: ModelCall) -> None:
        """Make a call and report its result."""

    def withdraw(self, *, running: Collection[str]) -> None:
        """Take back the calls of runs that do not go on, as far as they are not begun.

        Args:
            running: Ids of the runs that go on. Calls of others are reported as cancelled.
        """

    def cancel(self) -> None:
        """Break off what can be: the opening of a model, batches of one of our own.

        Repeated until no call is left. A question that was sent is waited for: it may be answered and billed
        by now.
        """

    def close(self) -> None:
        """Make no further call; those under way are told still."""


class ThreadCallExecutor:
    """Makes calls on threads of this process.

    Args:
        profile: The model.
        open_model: Opens the model; called on the first thread that needs it.
        on_done: Receives the results; called on the threads.
    """

    def __init__(self, profile: ModelProfile, *, open_model: OpenModel, on_done: OnCallDone) -> None:
        self._profile, self._tell = profile, on_done
        self._model = SharedModel(profile, open_model=open_model)
        self._tasks: queue.SimpleQueue[ModelCall | None] = queue.SimpleQueue()
        self._progress = Progress()
        self._running: Collection[str] | None = None
        self._is_closing = False
        self._threads = [
            threading.Thread(target=self._work, name=f"vantage-call-{profile.name[:20]}", daemon=True)
            for _ in range(profile.in_flight)
        ]
        for thread in self._threads:
            thread.start()

    def make(self, task: ModelCall) -> None:
        """Make a call as soon as a thread is free."""
        self._tasks.put(task)

    def withdraw(self, *, running: Collection[str]) -> None:
        """Make no queued call of other runs any more."""
        self._running = frozenset(running)

    def cancel(self) -> None:
        """Cancel the operations that check for it."""
        self._progress.cancel()

    def close(self) -> None:
        """End the threads; a call that a thread is in is told before, one that none has begun is not made."""
        self._is_closing = True
        self._progress.cancel()
        for _ in self._threads:
            self._tasks.put(None)
        for thread in self._threads:
            thread.join()
        self._model.close()

    def _work(self) -> None:
        # A queued call that is not begun is dropped: its claims go back to the queue when the
        # dispatcher ends.
        while (task := self._tasks.get()) is not None and not self._is_closing:
            self._tell(self._called(task))

    def _called(self, task: ModelCall) -> CallDone:
        if self._running is not None and task.claims[0].run not in self._running:
            return CallDone(task=task, made=CallResult(error=Cancelled()))
        made = make_call(
            self._model, task.kind, task.materials, profile=self._profile, progress=self._progress
        )
        return CallDone(task=task, made=made)


def make_call(
    shared: SharedModel,
    kind: JobType,
    materials: Sequence[object],
    *,
    profile: ModelProfile,
    progress: Progress,
) -> CallResult:
    """Call a model and return its result or failure, without access to the project."""
    try:
        model = shared.opened(progress)
    except VantageError as refusal:
        return CallResult(error=refusal)
    began = time.perf_counter()
    results: list[object] = []
    error: VantageError | None = None
    try:
        results = predict(kind, model, materials, profile=profile, progress=progress)
    except VantageError as failure:
        error = failure
    if isinstance(error, CallFailed):
        shared.note_failure(error)
    elif isinstance(error, EnvironmentFailure):
        shared.give_up(model, error)
    took_s = time.perf_counter() - began
    return CallResult(results=tuple(results), error=error, model=model.identity, took_s=took_s)


def predict(
    kind: JobType, model: Model, materials: Sequence[object], *, profile: ModelProfile, progress: Progress
) -> list[object]:
    """Call a model without access to the project; can run in another process.

    Raises:
        CallFailed: There is no answer. Unexpected exceptions of a model count as such, so that a bug in a
            model does not end the worker.
        EnvironmentFailure: The device or the server failed permanently, so every further job would fail too.
        Cancelled: The worker is being stopped.
    """
    try:
        results = _results(kind, model, materials, timeout_s=profile.timeout_s, progress=progress)
    except (CallFailed, Cancelled, EnvironmentFailure):
        raise
    except UserError as error:
        # Raised by the model for its input, for instance for an image with too many slices: not a server
        # fault.
        raise CallFailed(str(error), kind="refused", is_retryable=False, was_sent=False) from error
    except Exception as error:
        # Any: what packages raise has no common base. Its trace is logged by ``SharedModel.note_failure``.
        raise CallFailed(
            f"The model failed: {type(error).__name__}: {error}", kind="model", is_retryable=False
        ) from error
    if len(results) != len(materials):
        message = f"The model returned {len(results)} answers to {len(materials)} requests."
        raise CallFailed(message, kind="model", is_retryable=False)
    return results


def _results(
    kind: JobType, model: Model, materials: Sequence[object], *, timeout_s: float, progress: Progress
) -> list[object]:
    if isinstance(kind, BatchJobType):
        return kind.predict(model, materials, progress=progress)
    return [_ask(kind, model, material, timeout_s=timeout_s) for material in materials]


def _ask(kind: JobType, model: Model, material: object, *, timeout_s: float) -> object:
    if not isinstance(kind, ChatJobType) or not isinstance(material, ChatRequest):
        raise TypeError(f"{type(kind).__name__} asks no chat model")
    # A profile's adapter decides what is opened; one of another kind fails with a name.
    return cast("ChatModel", model).ask(material, timeout_s=timeout_s)
