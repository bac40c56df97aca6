"""Calls models on the workers of a Dask cluster; only the dispatcher writes the project file.

A call is a task of the cluster: inputs and answers are transferred as values. Vantage has to be installed on
the workers, and each opens a model once for all calls. The workers have no part of the queue: when one dies,
its calls are lost, but no recorded prediction.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from annotator.domain.profile import ModelProfile
from annotator.errors import EnvironmentFailure, UserError, VantageError
from annotator.jobs.calls import CallDone, CallResult, ModelCall, OnCallDone, SharedModel, make_call
from annotator.jobs.cluster_file import ClusterAddress
from annotator.jobs.gpus import runs_on_each_gpu
from annotator.jobs.job_type import JobType
from annotator.jobs.scheduler_check import check_scheduler
from annotator.model_api import CallFailed, FailureKind, Model, ModelCatalog, ModelIdentity
from annotator.progress import Progress

if TYPE_CHECKING:
    from distributed import Client, Future

CONNECT_S = 20.0
GPU = "GPU"
"""Resource that workers with a GPU declare: ``dask worker ADDRESS --resources GPU=1``."""
INSTALL = "./vantage setup cluster"


@dataclass(frozen=True, kw_only=True)
class RemoteFailure:
    """A failure as a plain value: exceptions with further attributes cannot be pickled.

    Attributes:
        message: The message.
        kind: That of the ``CallFailed``; "" if the model could not be opened.
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
class RemoteResult:
    """The result of a call on the cluster.

    Attributes:
        results: One per input; empty for a failed call.
        failed: The failure, None for none.
        model: Identity of the model, None if it could not be opened.
        took_s: Duration of the call in seconds.
    """

    results: tuple[object, ...]
    failed: RemoteFailure | None
    model: ModelIdentity | None
    took_s: float


class Cluster:
    """A connection to a Dask scheduler, as a context manager.

    Args:
        place: Address and certificates of the scheduler.
        catalogue: Opens models on the workers. It is pickled by reference, so its module has to exist there.

    Raises:
        UserError: Dask is not installed, or the certificates of the two sides do not match.
        EnvironmentFailure: The scheduler cannot be reached.
    """

    def __init__(self, address: ClusterAddress, *, catalogue: ModelCatalog) -> None:
        try:
            from distributed import Client, Security
        except ImportError as error:
            raise UserError("Dask is not installed.", hint=f"Install it with: {INSTALL}") from error
        check_scheduler(address)
        security = None
        if address.is_secret:
            security = Security(
                require_encryption=True,
                tls_ca_file=address.ca_file,
                tls_client_cert=address.cert_file,
                tls_client_key=address.key_file,
            )
        self._catalogue = catalogue
        try:
            self._client: Client = Client(
                # Not the default: other users of Dask in this process must not send their work there.
                address.address,
                security=security,
                timeout=CONNECT_S,
                set_as_default=False,
            )
        except (OSError, TimeoutError) as error:
            raise EnvironmentFailure(
                f"The Dask scheduler at {address.address} does not answer: {error}.",
                hint="Start the scheduler, or check its address.",
            ) from error

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    @property
    def threads(self) -> int:
        """How many calls its workers can make at once; 0 while none has joined."""
        return sum(self._client.nthreads().values())

    def calls(self, profile: ModelProfile, on_done: OnCallDone) -> ClusterCallExecutor:
        """Return what makes the calls of a profile."""
        return ClusterCallExecutor(profile, client=self._client, catalogue=self._catalogue, on_done=on_done)


class ClusterCallExecutor:
    """Makes calls as tasks of a cluster; the dispatcher limits the number of simultaneous calls.

    Args:
        profile: The model.
        client: The connection.
        catalogue: Opens the model on a worker.
        tell: Receives the results; called on a thread of the client.
    """

    def __init__(
        self, profile: ModelProfile, *, client: Client, catalogue: ModelCatalog, on_done: OnCallDone
    ) -> None:
        self._profile, self._client, self._catalogue, self._tell = profile, client, catalogue, on_done
        self._under_way: dict[Any, ModelCall] = {}
        self._none_left = threading.Condition()

    def make(self, task: ModelCall) -> None:
        """Submit a call to the cluster, under a key of job and claim.

        Raises:
            EnvironmentFailure: The scheduler cannot be reached within the time that Dask tries to reconnect.
        """
        future = self._submitted(task)
        with self._none_left:
            self._under_way[future] = task
        future.add_done_callback(partial(self._on_result, task))

    def cancel(self) -> None:
        """Break nothing off: what the cluster has begun is waited for."""

    def close(self) -> None:
        """Wait for the calls under way."""
        with self._none_left:
            self._none_left.wait_for(lambda: not self._under_way)

    def _submitted(self, task: ModelCall) -> Future:
        from distributed.client import ClosedClientError

        first = task.claims[0]
        try:
            return self._client.submit(
                call_here,
                task.kind,
                task.materials,
                profile=self._profile,
                catalogue=self._catalogue,
                # With the fence: Dask answers a key that it has with the result of the earlier task.
                key=f"vantage-{first.request_key.hex()}-{first.fence}",
                # Whether a call is made again, and paid again, is decided by the dispatcher alone.
                retries=0,
                pure=False,
                resources=self._resources(),
            )
        except ClosedClientError as error:
            raise EnvironmentFailure(
                "The connection to the Dask scheduler was lost.",
                hint="Restart the scheduler and then the worker; the worker continues its runs.",
            ) from error

    def _resources(self) -> dict[str, float] | None:
        """Return what a call needs of a worker: one GPU, if workers of the cluster declare theirs."""
        if not runs_on_each_gpu(self._profile):
            return None
        workers = self._client.scheduler_info(n_workers=-1)["workers"].values()
        return {GPU: 1} if any(GPU in worker.get("resources", {}) for worker in workers) else None

    def _on_result(self, task: ModelCall, future: Future) -> None:
        self._tell(CallDone(task=task, made=_made(future)))
        # Forgotten by the scheduler only now, after what it brought is in hand.
        future.release()
        with self._none_left:
            self._under_way.pop(future, None)
            self._none_left.notify_all()


def call_here(
    kind: JobType, materials: tuple[object, ...], *, profile: ModelProfile, catalogue: ModelCatalog
) -> RemoteResult:
    """Make a call in this process, a worker of a cluster, whose models stay open between calls."""
    model = _model(profile, catalogue)
    made = make_call(model, kind, materials, profile=profile, progress=Progress())
    failed = RemoteFailure.of(made.error) if made.error is not None else None
    return RemoteResult(results=made.results, failed=failed, model=made.model, took_s=made.took_s)


# Of a process of the cluster, which has no end that we are told of: models stay open as long as it lives.
_models: dict[bytes, SharedModel] = {}
_models_lock = threading.Lock()


def _model(profile: ModelProfile, catalogue: ModelCatalog) -> SharedModel:
    def open_model(wanted: ModelProfile, progress: Progress) -> Model:
        return catalogue.open(msgspec.to_builtins(wanted), progress=progress)

    key = msgspec.json.encode(profile)
    with _models_lock:
        if key not in _models:
            _models[key] = SharedModel(profile, open_model=open_model)
        return _models[key]


def _made(future: Future) -> CallResult:
    if future.status == "finished":
        answered: RemoteResult = future.result()
        error = answered.failed.error if answered.failed else None
        return CallResult(results=answered.results, error=error, model=answered.model, took_s=answered.took_s)
    message = f"The cluster lost the call ({future.status})."
    if future.status == "error":
        message = f"The call failed on the cluster: {future.exception()}."
    return CallResult(error=CallFailed(message, kind="connection", is_retryable=True))
