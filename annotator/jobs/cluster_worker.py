"""The part of Vantage in the worker processes of a Dask cluster: makes calls, or drops withdrawn ones."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from annotator.domain.profile import ModelProfile
from annotator.errors import Cancelled, EnvironmentFailure, VantageError
from annotator.jobs.calls import SharedModel, make_call
from annotator.jobs.cluster_payloads import PackedMaterials, unpack
from annotator.jobs.job_type import JobType
from annotator.model_api import CallFailed, FailureKind, Model, ModelCatalog, ModelIdentity
from annotator.progress import Progress

if TYPE_CHECKING:
    from annotator.jobs.cluster_payloads import Payload

REMEMBERED = 20_000
"""Calls of which a process remembers whether they were begun or withdrawn; far more than one can hold."""


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
        is_begun: Whether this process has begun it.
    """

    results: tuple[object, ...] = ()
    failed: RemoteFailure | None = None
    model: ModelIdentity | None = None
    took_s: float = 0.0
    is_cancelled: bool = False
    is_begun: bool = True


def call_here(call: RemoteCall, *payloads: Payload) -> RemoteResult:
    """Make a call in this process, a worker of a cluster, whose models stay open between calls."""
    progress = _register.begin(call.key)
    if progress is None:
        return RemoteResult(is_cancelled=True, is_begun=False)
    model = _model(call.profile, call.catalogue)
    materials = unpack(call.materials, payloads)
    made = make_call(model, call.kind, materials, profile=call.profile, progress=progress)
    if isinstance(made.error, Cancelled):
        return RemoteResult(is_cancelled=True)
    failed = RemoteFailure.of(made.error) if made.error is not None else None
    return RemoteResult(results=made.results, failed=failed, model=made.model, took_s=made.took_s)


def withdraw_here(keys: Sequence[str], *, breaks_off: bool) -> list[str]:
    """Have this process not begin calls any more, and return those that it has begun already.

    Args:
        keys: Keys of the calls.
        breaks_off: Cancel what can be of the begun ones: the opening of a model, batches of one of our own.
    """
    return _register.withdraw(keys, breaks_off=breaks_off)


class CallRegister:
    """Which calls a process has begun, and which it must not begin."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._begun: OrderedDict[str, Progress] = OrderedDict()
        self._withdrawn: OrderedDict[str, None] = OrderedDict()

    def begin(self, key: str) -> Progress | None:
        """Note that a call begins and return its progress; None if it is withdrawn."""
        with self._lock:
            if key in self._withdrawn:
                return None
            # Kept after its end: its result may not have arrived when it is withdrawn.
            progress = self._begun[key] = Progress()
            if len(self._begun) > REMEMBERED:
                self._begun.popitem(last=False)
            return progress

    def withdraw(self, keys: Sequence[str], *, breaks_off: bool) -> list[str]:
        """Withdraw calls, and return those that were begun before."""
        with self._lock:
            begun = [key for key in keys if key in self._begun]
            if breaks_off:
                for key in begun:
                    self._begun[key].cancel()
            # Noted for the begun ones too: if their worker dies, Dask hands them to another one.
            self._withdrawn.update(dict.fromkeys(keys))
            while len(self._withdrawn) > REMEMBERED:
                self._withdrawn.popitem(last=False)
            return begun


# Of a process of the cluster, which has no end that we are told of: models stay open as long as it lives.
_models: dict[bytes, SharedModel] = {}
_models_lock = threading.Lock()
_register = CallRegister()


def _model(profile: ModelProfile, catalogue: ModelCatalog) -> SharedModel:
    def open_model(wanted: ModelProfile, progress: Progress) -> Model:
        return catalogue.open(msgspec.to_builtins(wanted), progress=progress)

    key = msgspec.json.encode(profile)
    with _models_lock:
        if key not in _models:
            _models[key] = SharedModel(profile, open_model=open_model)
        return _models[key]
