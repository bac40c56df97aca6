"""The schedulers of all models that a worker asks, one for each profile."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from annotator.domain.profile import ModelProfile
from annotator.jobs.calls import CallExecutor
from annotator.jobs.model_scheduler import ModelScheduler

IDLE_MODEL_S = 30.0
"""Seconds without a call after which a model is closed to free its memory."""


class ModelSchedulers:
    """Finds the scheduler of a model by run and name, and closes idle ones; for one thread.

    Args:
        profile_of: Returns the profile of a model, by the id of a run and the name of the model in it.
        make_calls: Makes what calls a model.
    """

    def __init__(
        self,
        *,
        profile_of: Callable[[str, str], ModelProfile],
        make_calls: Callable[[ModelProfile], CallExecutor],
    ) -> None:
        self._profile_of, self._make_calls = profile_of, make_calls
        self._by_profile: dict[bytes, ModelScheduler] = {}
        self._by_model: dict[tuple[str, str], ModelScheduler] = {}

    def __iter__(self) -> Iterator[ModelScheduler]:
        return iter(self._by_profile.values())

    def of(self, run: str, model: str) -> ModelScheduler:
        """Return the scheduler of a model of a run; runs whose profile is the same share it."""
        run_and_model = (run, model)
        if run_and_model not in self._by_model:
            profile = self._profile_of(run, model)
            # By content: profiles are those of the runs, and two of one name may differ.
            key = msgspec.json.encode(profile)
            if key not in self._by_profile:
                calls = self._make_calls(profile)
                self._by_profile[key] = ModelScheduler(profile=profile, calls=calls, now=time.monotonic())
            self._by_model[run_and_model] = self._by_profile[key]
        return self._by_model[run_and_model]

    def close_idle(self, wanted: Sequence[tuple[str, str]]) -> None:
        """Close the models that have not been called for ``IDLE_MODEL_S``, other than the wanted ones.

        Args:
            wanted: Runs and names of models that have jobs.
        """
        now = time.monotonic()
        kept = [self.of(run, model) for run, model in wanted]
        for key, scheduler in list(self._by_profile.items()):
            if not scheduler.held and scheduler not in kept and now - scheduler.used_at > IDLE_MODEL_S:
                scheduler.calls.close()
                del self._by_profile[key]
                known = self._by_model.items()
                self._by_model = {pair: one for pair, one in known if one is not scheduler}

    def share_paces(self, holders: Iterable[tuple[str, str, str]], *, own: str) -> None:
        """Have each paced model asked by all who hold jobs of it no faster than by one.

        Args:
            holders: Run, name of the model and id of the worker of each job that is held; not iterated over
                unless a model is paced.
            own: Id of this worker.
        """
        paced = {key: one for key, one in self._by_profile.items() if one.pace.is_limited}
        if not paced:
            return
        workers = {key: {own} for key in paced}
        for run, model, worker in holders:
            key = msgspec.json.encode(self._profile_of(run, model))
            if key in workers:
                workers[key].add(worker)
        for key, scheduler in paced.items():
            scheduler.pace.share(len(workers[key]), now=time.monotonic())
