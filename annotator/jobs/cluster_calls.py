"""Calls as tasks of a Dask cluster: submitted, withdrawn before they begin, given up in a bounded time."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from annotator.domain.answers.numerals import write_number
from annotator.domain.profile import ModelProfile
from annotator.domain.record import new_id
from annotator.errors import Cancelled, EnvironmentFailure
from annotator.jobs.calls import CallDone, CallResult, ModelCall, OnCallDone
from annotator.jobs.cluster_marks import ANSWER_S, CallMarks
from annotator.jobs.cluster_payloads import HeldPayloads, pack
from annotator.jobs.cluster_watch import Resources, SchedulerWatch
from annotator.jobs.cluster_worker import RemoteCall, RemoteResult, break_off_here, call_here
from annotator.jobs.gpus import runs_on_each_gpu
from annotator.model_api import CallFailed, ModelCatalog

if TYPE_CHECKING:
    from distributed import Client, Future

GPU = "GPU"
"""Resource that workers with a GPU declare: ``dask worker ADDRESS --resources GPU=1``."""
GRACE_S = 30.0
"""Seconds beyond the time limit of a call after which a worker that ends no longer waits for it."""
ASK_AGAIN_S = 1.0
"""Seconds after a vain attempt to withdraw calls before the next one."""
log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class _Submitted:
    """A call under way.

    Attributes:
        task: The call.
        future: Its task on the cluster.
        is_sent: Whether it may have been sent: Dask holds back what is submitted while it reconnects.
    """

    task: ModelCall
    future: Future
    is_sent: bool


class ClusterCallExecutor:
    """Makes calls as tasks of a cluster; the dispatcher limits the number of simultaneous calls.

    Args:
        profile: The model.
        client: The connection.
        watch: Notices that the scheduler is lost.
        payloads: Large values that the cluster holds.
        marks: Which calls are begun or withdrawn.
        catalogue: Opens the model on a worker.
        on_done: Receives the results, on any thread; must not wait.
    """

    def __init__(
        self,
        profile: ModelProfile,
        *,
        client: Client,
        watch: SchedulerWatch,
        payloads: HeldPayloads,
        marks: CallMarks,
        catalogue: ModelCatalog,
        on_done: OnCallDone,
    ) -> None:
        self._profile, self._client, self._watch, self._tell = profile, client, watch, on_done
        self._payloads, self._marks, self._catalogue = payloads, marks, catalogue
        self._id = new_id()
        self._under_way: dict[str, _Submitted] = {}
        self._none_left = threading.Condition()
        self._withdrawn: set[str] = set()
        self._unbegun: set[str] = set()
        self._withdrawing: threading.Thread | None = None
        self._tried_at = self._cancelled_at = 0.0

    def make(self, task: ModelCall) -> None:
        """Submit a call to the cluster, under a key of job and claim.

        Raises:
            EnvironmentFailure: The scheduler is lost.
        """
        self._watch.require_scheduler()
        resources = self._profile.resources or self._usual_resources()
        if self._profile.resources and self._watch.workers and not self._has_worker(resources):
            self._tell(CallDone(task=task, made=CallResult(error=self._lack_failure())))
            return
        first = task.claims[0]
        # With fence and id: Dask answers a key that it has with the result of the earlier task, which may be
        # one of another project, whose attempts have the same numbers.
        key = f"vantage-{self._id}-{first.request_key.hex()}-{first.fence}"
        is_sent = self._client.status == "running"
        future = self._submitted(task, key, resources=resources)
        with self._none_left:
            self._under_way[key] = _Submitted(task=task, future=future, is_sent=is_sent)
        future.add_done_callback(partial(self._on_result, key))

    def withdraw(self, *, running: Collection[str]) -> None:
        """Take back the calls of runs that do not go on, as far as no worker has begun them."""
        self._withdraw(running=running, breaks_off=False)

    def cancel(self) -> None:
        """Take back what is not begun, break off what can be, and give up what takes too long."""
        now = time.monotonic()
        self._cancelled_at = self._cancelled_at or now
        self._withdraw(running=(), breaks_off=True)
        if now - self._cancelled_at > self._profile.timeout_s + GRACE_S:
            self._give_up()

    def close(self) -> None:
        """Take back what is not begun, and wait for the rest, as long as one call may take."""
        while self._under_way:
            # Again and again: an attempt to take calls back may have failed or just begun.
            self.cancel()
            with self._none_left:
                self._none_left.wait_for(lambda: not self._under_way, timeout=ASK_AGAIN_S)

    def fail_lost_calls(self) -> None:
        """Report all calls under way as lost, since the scheduler is."""
        self._give_up()

    def _submitted(self, task: ModelCall, key: str, *, resources: Resources | None) -> Future:
        packed, payloads = pack(task.materials)
        call = RemoteCall(
            key=key, kind=task.kind, materials=packed, profile=self._profile, catalogue=self._catalogue
        )
        try:
            return self._client.submit(
                call_here,
                call,
                *self._payloads.references(payloads),
                key=key,
                # Whether a call is made again, and paid again, is decided by the dispatcher alone.
                retries=0,
                pure=False,
                resources=resources,
            )
        except Exception:
            # Dask has closed the client since it was checked: as words, and not as its own exception.
            self._watch.require_scheduler()
            raise

    def _usual_resources(self) -> Resources | None:
        """Return what a call needs where its profile does not say so: one GPU, if any worker declares one."""
        is_declared = any(GPU in worker for worker in self._watch.workers)
        return {GPU: 1} if is_declared and runs_on_each_gpu(self._profile) else None

    def _has_worker(self, resources: Resources | None) -> bool:
        wanted = (resources or {}).items()
        return any(
            all(worker.get(name, 0) >= amount for name, amount in wanted) for worker in self._watch.workers
        )

    def _lack_failure(self) -> EnvironmentFailure:
        wanted = " ".join(
            f"{name}={write_number(amount)}" for name, amount in self._profile.resources.items()
        )
        return EnvironmentFailure(
            f"No worker of the cluster declares the resources of the model {self._profile.name!r}: {wanted}.",
            hint=f"Start workers with: dask worker ADDRESS --resources '{wanted}'. Then resume the run.",
        )

    def _withdraw(self, *, running: Collection[str], breaks_off: bool) -> None:
        with self._none_left:
            stale = [
                key
                for key, call in self._under_way.items()
                if call.task.claims[0].run not in running and (breaks_off or key not in self._withdrawn)
            ]
        is_busy = self._withdrawing is not None and self._withdrawing.is_alive()
        if not stale or is_busy or time.monotonic() - self._tried_at < ASK_AGAIN_S:
            return
        self._tried_at = time.monotonic()
        self._withdrawing = threading.Thread(
            target=self._withdraw_now,
            args=(stale,),
            kwargs={"breaks_off": breaks_off},
            name="vantage-cluster-cancel",
            daemon=True,
        )
        self._withdrawing.start()

    def _withdraw_now(self, keys: Sequence[str], *, breaks_off: bool) -> None:
        """Have no worker begin calls any more, and cancel those that none has begun: no answer is lost."""
        try:
            begun = self._marks.withdraw(keys)
            with self._none_left:
                withdrawn = self._under_way.keys() & set(keys)
                self._withdrawn |= withdrawn
                self._unbegun |= withdrawn - begun
                futures = [self._under_way[key].future for key in withdrawn - begun]
            self._client.cancel(futures)
            if breaks_off and begun:
                self._client.run(break_off_here, sorted(begun), on_error="return", callback_timeout=ANSWER_S)
        except Exception as error:  # noqa: BLE001 - Dask raises what it likes while it reconnects or closes
            log.debug("calls cannot be withdrawn: %r", error)

    def _on_result(self, key: str, future: Future) -> None:
        try:
            made = self._made(key, future)
        except Exception as error:  # noqa: BLE001 - the scheduler or worker was lost while it sent the result
            made = CallResult(error=_lost_failure(f"{type(error).__name__}: {error}"))
        self._finish(key, made)
        # Forgotten by the scheduler only now, after what it brought is in hand.
        future.release()
        self._marks.forget(key)

    def _made(self, key: str, future: Future) -> CallResult:
        with self._none_left:
            call = self._under_way.get(key)
            is_unbegun = key in self._unbegun
        if future.status == "finished":
            return _result_of(future.result())
        if future.status == "error":
            message = f"The call failed on the cluster: {future.exception()}."
            return CallResult(error=CallFailed(message, kind="connection", is_retryable=True))
        if is_unbegun or call is None or not call.is_sent:
            return CallResult(error=Cancelled())
        return CallResult(error=_lost_failure(future.status))

    def _finish(self, key: str, made: CallResult) -> None:
        with self._none_left:
            call = self._under_way.pop(key, None)
            self._withdrawn.discard(key)
            self._unbegun.discard(key)
            # Told already where it was given up; told before ``close`` returns.
            if call is not None:
                self._tell(CallDone(task=call.task, made=made))
            self._none_left.notify_all()

    def _give_up(self) -> None:
        with self._none_left:
            keys = list(self._under_way)
        for key in keys:
            self._finish(key, CallResult(error=_lost_failure("no answer in time")))


def _result_of(answered: RemoteResult) -> CallResult:
    if answered.is_repeated:
        # Dask has handed a call of a dead worker to another one: it may have been answered and billed.
        return CallResult(error=_lost_failure("its worker died"))
    if answered.is_cancelled:
        return CallResult(error=Cancelled())
    error = answered.failed.error if answered.failed else None
    return CallResult(results=answered.results, error=error, model=answered.model, took_s=answered.took_s)


def _lost_failure(reason: str) -> CallFailed:
    return CallFailed(f"The cluster lost the call ({reason}).", kind="cluster", is_retryable=True)
