"""Calls of models, made on threads here; what comes back is told to a queue of events."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

from annotator.domain.profile import Profile
from annotator.domain.work import Claim
from annotator.errors import Cancelled, VantageError
from annotator.jobs.kind import BatchKind, ChatKind, Kind
from annotator.predictor import CallFailed, ChatModel, ChatRequest, Model, ModelIdentity
from annotator.progress import Progress


@dataclass(frozen=True, kw_only=True)
class Task:
    """One call that is to be made.

    Attributes:
        kind: Knows how.
        claims: The jobs that it answers; one for a chat model.
        materials: What the model is given, one per claim.
    """

    kind: Kind
    claims: tuple[Claim, ...]
    materials: tuple[object, ...]


@dataclass(frozen=True, kw_only=True)
class Called:
    """What came of a call.

    Attributes:
        task: The call.
        results: One per claim; empty where it failed.
        error: Why it failed: ``CallFailed``, or what kept the model from being opened.
        model: Which model it was, None where it could not be opened.
    """

    task: Task
    results: tuple[object, ...] = ()
    error: VantageError | None = None
    model: ModelIdentity | None = None


Tell = Callable[[Called], None]


class Calls(Protocol):
    """Makes the calls of one profile, so many at once."""

    def make(self, task: Task) -> None:
        """Make a call; what comes of it is told."""

    def close(self) -> None:
        """Make no further call; those under way are told still."""


class ThreadCalls:
    """Makes calls on threads of this process.

    Args:
        profile: The model.
        open_model: Opens it; on the first thread that needs it.
        tell: Gets what came; called on the threads.
    """

    def __init__(self, profile: Profile, *, open_model: Callable[[Profile], Model], tell: Tell) -> None:
        self._profile, self._open, self._tell = profile, open_model, tell
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._model: Model | None = None
        self._opening = threading.Lock()
        self._progress = Progress()
        self._threads = [
            threading.Thread(target=self._work, name=f"vantage-call-{profile.name[:20]}", daemon=True)
            for _ in range(profile.in_flight)
        ]
        for thread in self._threads:
            thread.start()

    def make(self, task: Task) -> None:
        """Make a call as soon as a thread is free."""
        self._tasks.put(task)

    def close(self) -> None:
        """End the threads; a call that a thread is in is told before."""
        self._progress.cancel()
        for _ in self._threads:
            self._tasks.put(None)
        for thread in self._threads:
            thread.join()
        if self._model is not None:
            self._model.close()

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            self._tell(self._called(task))

    def _called(self, task: Task) -> Called:
        try:
            model = self._opened()
        except VantageError as error:
            return Called(task=task, error=error)
        try:
            results = predict(
                task.kind, model, task.materials, profile=self._profile, progress=self._progress
            )
        except VantageError as error:
            return Called(task=task, error=error, model=model.identity)
        return Called(task=task, results=tuple(results), model=model.identity)

    def _opened(self) -> Model:
        with self._opening:
            if self._model is None:
                self._model = self._open(self._profile)
            return self._model


def predict(
    kind: Kind, model: Model, materials: Sequence[object], *, profile: Profile, progress: Progress
) -> list[object]:
    """Call a model; may run in another process, and knows nothing of the project.

    Raises:
        CallFailed: No answer came; a bug of a model's program is one too, since it must not end the worker.
        Cancelled: The worker is being stopped.
    """
    try:
        if isinstance(kind, BatchKind):
            return kind.predict(model, materials, progress=progress)
        return [_ask(kind, model, material, timeout_s=profile.timeout_s) for material in materials]
    except (CallFailed, Cancelled):
        raise
    except Exception as error:
        raise CallFailed(
            f"The model's program failed: {type(error).__name__}: {error}", kind="model", is_retryable=False
        ) from error


def _ask(kind: Kind, model: Model, material: object, *, timeout_s: float) -> object:
    if not isinstance(kind, ChatKind) or not isinstance(material, ChatRequest):
        raise TypeError(f"{type(kind).__name__} asks no chat model")
    # A profile's adapter decides what is opened; one of another kind fails with a name.
    return cast("ChatModel", model).ask(material, timeout_s=timeout_s)
