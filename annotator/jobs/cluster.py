"""Calls models on the workers of a Dask cluster; only the dispatcher writes the project file.

A call is a task of the cluster: inputs and answers are transferred as values. Vantage has to be installed on
the workers, and each opens a model once for all calls. The workers have no part of the queue: when one dies,
its calls are lost, but no recorded prediction.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import TYPE_CHECKING
from weakref import WeakSet

from annotator.domain.profile import ModelProfile
from annotator.errors import EnvironmentFailure, UserError
from annotator.jobs.calls import OnCallDone
from annotator.jobs.cluster_calls import ClusterCallExecutor
from annotator.jobs.cluster_file import ClusterAddress
from annotator.jobs.cluster_marks import CallMarks
from annotator.jobs.cluster_payloads import HeldPayloads
from annotator.jobs.cluster_watch import SchedulerWatch
from annotator.jobs.scheduler_check import check_scheduler
from annotator.model_api import ModelCatalog

if TYPE_CHECKING:
    from distributed import Client

CONNECT_S = 20.0
"""Seconds for the first connection, and for reconnecting after it broke."""
CLOSE_S = 10.0
"""Seconds to say goodbye to the scheduler."""
INSTALL = "./vantage setup cluster"
log = logging.getLogger(__name__)


class Cluster:
    """A connection to a Dask scheduler, as a context manager.

    Args:
        address: Address and certificates of the scheduler.
        catalogue: Opens models on the workers. It is pickled by reference, so its module has to exist there.

    Raises:
        UserError: Dask is not installed, or the certificates of the two sides do not match.
        EnvironmentFailure: The scheduler cannot be reached.
    """

    def __init__(self, address: ClusterAddress, *, catalogue: ModelCatalog) -> None:
        self._catalogue = catalogue
        self._client = _connected(address)
        self._payloads, self._marks = HeldPayloads(self._client), CallMarks(self._client)
        self._executors: WeakSet[ClusterCallExecutor] = WeakSet()
        self._watch = SchedulerWatch(self._client, address=address.address, on_lost=self._on_scheduler_lost)
        self._watch.start()

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self._watch.stop()
        try:
            self._marks.close()
            self._client.close(timeout=CLOSE_S)
        except TimeoutError:
            log.warning("The scheduler does not answer; the connection to it is dropped.")
            # Else Dask tries the same once more when the object is deleted.
            self._client.status = "closed"

    @property
    def threads(self) -> int:
        """How many calls its workers can make at once; 0 while none has joined."""
        return sum(self._client.nthreads().values())

    def calls(self, profile: ModelProfile, on_done: OnCallDone) -> ClusterCallExecutor:
        """Return what makes the calls of a profile."""
        executor = ClusterCallExecutor(
            profile,
            client=self._client,
            watch=self._watch,
            payloads=self._payloads,
            marks=self._marks,
            catalogue=self._catalogue,
            on_done=on_done,
        )
        self._executors.add(executor)
        return executor

    def _on_scheduler_lost(self) -> None:
        for executor in list(self._executors):
            executor.fail_lost_calls()
        # Dask logs each coroutine that ends with the connection as an error with its trace.
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
        # Without waiting for what is left to send: nobody reads it.
        with suppress(AttributeError):
            self._client.loop.add_callback(self._client.scheduler_comm.abort)


def _connected(address: ClusterAddress) -> Client:
    try:
        import dask
        from distributed import Client, Security
    except ImportError as error:
        raise UserError("Dask is not installed.", hint=f"Install it with: {INSTALL}") from error
    check_scheduler(address)
    # What is on its way when a connection closes is logged with its trace; the watch says it in words.
    logging.getLogger("distributed.batched").setLevel(logging.WARNING)
    # Images are sent on purpose, each once.
    dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GB"})
    security = None
    if address.is_secret:
        security = Security(
            require_encryption=True,
            tls_ca_file=address.ca_file,
            tls_client_cert=address.cert_file,
            tls_client_key=address.key_file,
        )
    try:
        # Not the default: other users of Dask in this process must not send their work there.
        return Client(address.address, security=security, timeout=CONNECT_S, set_as_default=False)
    except (OSError, TimeoutError) as error:
        raise EnvironmentFailure(
            f"The Dask scheduler at {address.address} does not answer: {error}.",
            hint="Start the scheduler, or check its address.",
        ) from error
