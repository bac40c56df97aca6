"""The part of Vantage in the worker processes of a Dask cluster: makes calls, each by one worker only."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from annotator.domain.profile import ModelProfile
from annotator.errors import Cancelled, EnvironmentFailure, VantageError
from annotator.jobs.calls import make_call
from annotator.jobs.cluster_marks import mark_begun
from annotator.jobs.cluster_payloads import PackedMaterials, unpack
from annotator.jobs.job_type import JobType
from annotator.jobs.shared_model import SharedModel
from annotator.model_api import CallFailed, FailureKind, Model, ModelCatalog, ModelIdentity
from annotator.progress import Progress

if TYPE_CHECKING:
    from annotator.jobs.cluster_payloads import Payload

REMEMBERED = 20_000
"""Begun calls that a process remembers; far more than one can hold."""


@dataclass(frozen=True, kw_only=True)
class RemoteFailure:
    """A failure as a plain value: exceptions with further attributes cannot be pickled.

    Attributes:
        message: The message.
        kind: That of the ``CallFailed``; None if the model could not be opened.
        is_retryable: As in ``CallFailed``, like the other attributes.
    """

    message: str
    kind: FailureKind | None = None
    is_retryable: bool = False
    retry_after_s: float | None = None
    status: int = 0
    raw: bytes = b""
    was_sent: bool = True

    @classmethod
    def of(cls, error: VantageError) -> RemoteFailure:
        """Return a failure as a value."""
        if not isinstance(error, CallFailed):
            return cls(message=str(error))
        return cls(
            message=str(error),
            kind=error.kind,
            is_retryable=error.is_retryable,
            retry_after_s=error.retry_after_s,
            status=error.status,
            raw=error.raw,
            was_sent=error.was_sent,
        )

    @property
    def error(self) -> VantageError:
        """The failure as it was raised."""
        if self.kind is None:
            return EnvironmentFailure(self.message)
        return CallFailed(
            self.message,
            kind=self.kind,
            is_retryable=self.is_retryable,
            retry_after_s=self.retry_after_s,
            status=self.status,
            raw=self.raw,
            was_sent=self.was_sent,
        )


@dataclass(frozen=True, kw_only=True)
class RemoteCall:
    """A call as it is sent to the cluster.

    Attributes:
        key: Key of its task.
        kind: The job type, which makes the call.
        materials: The model's input without its large values.
        profile: The model.
        catalogue: Opens it. It is pickled by reference, so its module has to exist on the worker.
    """

    key: str
    kind: JobType
    materials: PackedMaterials
    profile: ModelProfile
    catalogue: ModelCatalog


@dataclass(frozen=True, kw_only=True)
class RemoteResult:
    """The result of a call on the cluster.

    Attributes:
        results: One per input; empty for a failed call.
        failed: The failure, None for none.
        model: Identity of the model, None if it could not be opened.
        took_s: Duration of the call in seconds.
        is_cancelled: Whether the call was withdrawn before it was made, or broken off.
        is_repeated: Whether another worker has begun it, so that it was not made here.
    """

    results: tuple[object, ...] = ()
    failed: RemoteFailure | None = None
    model: ModelIdentity | None = None
    took_s: float = 0.0
    is_cancelled: bool = False
    is_repeated: bool = False


def call_here(call: RemoteCall, *payloads: Payload) -> RemoteResult:
    """Make a call in this process, a worker of a cluster, whose models stay open between calls."""
    # Before the mark: whoever sees it and breaks the call off has to find the call here.
    progress = _begun.begin(call.key)
    # Dask gives a task to another worker where the first one is lost; what was begun is not paid for twice.
    try:
        beginning = mark_begun(call.key)
    except OSError as error:
        return RemoteResult(failed=_unmarked_failure(error))
    if beginning != "first":
        return RemoteResult(is_repeated=beginning == "repeated", is_cancelled=beginning == "withdrawn")
    model = _model(call.profile, call.catalogue)
    materials = unpack(call.materials, payloads)
    made = make_call(model, call.kind, materials, profile=call.profile, progress=progress)
    if isinstance(made.error, Cancelled):
        return RemoteResult(is_cancelled=True)
    failed = RemoteFailure.of(made.error) if made.error is not None else None
    return RemoteResult(results=made.results, failed=failed, model=made.model, took_s=made.took_s)


def _unmarked_failure(error: OSError) -> RemoteFailure:
    message = f"The call was not made: the scheduler does not answer its worker ({type(error).__name__})."
    return RemoteFailure(message=message, kind="cluster", is_retryable=True, was_sent=False)


def break_off_here(keys: Sequence[str]) -> None:
    """Cancel what can be of begun calls: the opening of a model, batches of one of our own."""
    _begun.break_off(keys)


class BegunCalls:
    """The calls that a process has begun, so that they can be broken off."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._begun: OrderedDict[str, Progress] = OrderedDict()

    def begin(self, key: str) -> Progress:
        """Note that a call begins, and return its progress."""
        with self._lock:
            progress = self._begun[key] = Progress()
            if len(self._begun) > REMEMBERED:
                self._begun.popitem(last=False)
            return progress

    def break_off(self, keys: Sequence[str]) -> None:
        """Cancel those of the calls that were begun here."""
        with self._lock:
            for key in keys:
                if key in self._begun:
                    self._begun[key].cancel()


# Of a process of the cluster, which has no end that we are told of: models stay open as long as it lives.
_models: dict[bytes, SharedModel] = {}
_models_lock = threading.Lock()
_begun = BegunCalls()


def _model(profile: ModelProfile, catalogue: ModelCatalog) -> SharedModel:
    def open_model(wanted: ModelProfile, progress: Progress) -> Model:
        return catalogue.open(msgspec.to_builtins(wanted), progress=progress)

    key = msgspec.json.encode(profile)
    with _models_lock:
        if key not in _models:
            _models[key] = SharedModel(profile, open_model=open_model)
        return _models[key]
