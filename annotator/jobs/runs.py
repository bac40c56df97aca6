"""The runs of an open project, for window and verbs: begun, steered, asked about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import msgspec

from annotator.domain.carried_run import CarriedJob, CarriedRun
from annotator.domain.model_families import resolved_profile
from annotator.domain.profile import ModelProfile
from annotator.domain.record import new_id
from annotator.domain.run import Run
from annotator.domain.study import ReleaseScope
from annotator.domain.work import Estimate, PlanResult, RunOrder, sum_estimates
from annotator.errors import UserError
from annotator.jobs.cluster_file import FROM_SETTINGS, is_for_window, window_warning
from annotator.jobs.confirmed_runs import ConfirmedRuns
from annotator.jobs.job_type import WorkerContext
from annotator.jobs.job_types import job_type_of
from annotator.jobs.profile_file import read_profiles, write_profiles
from annotator.jobs.release_folders import folder_of, remember_folder
from annotator.jobs.release_scope import read_release_scope
from annotator.jobs.run_plan import count_plan, count_plan_of, enter_plan, enter_plan_of, plan_context
from annotator.jobs.supervisor import Supervisor, worker_command
from annotator.media.media_roots import MediaRoots
from annotator.process_call import call_in_process
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.scoring.run_answers import RunAnswers, write_run_answers
from annotator.store.serial_executor import SerialExecutor
from annotator.store.work.queue import WorkQueue
from annotator.store.work.received_runs import Receipt
from annotator.store.work.run_repository import RunRepository

T = TypeVar("T")


PROCESS_FROM = 2_000
"""Records from which on planning is done in a process of its own, which takes most of a second to start."""


class RunService:
    """The runs of one project.

    Runs are planned and written on a separate thread, those of large projects in a process: planning many
    jobs delays edits only during the final transaction.

    Args:
        path: The project file.
        actor: Returns the id of the person who works now.
        settings: Folder of the person's settings.
        reader: Returns the reader of the calling thread.
        roots: Folders of the media.
    """

    def __init__(
        self,
        path: Path,
        *,
        actor: Callable[[], str],
        settings: Path,
        reader: Callable[[], Reader],
        roots: Callable[[], MediaRoots],
    ) -> None:
        self.path = path
        self._actor, self._settings = actor, settings
        self._reader, self._roots = reader, roots
        self._executor = SerialExecutor("vantage-runs")
        self._confirmed = ConfirmedRuns(settings)
        self._queue: WorkQueue | None = None
        self._worker: Supervisor | None = None

    @property
    def worker(self) -> Supervisor:
        """The worker of this project as a process of its own; to be started when a run is."""
        if self._worker is None:
            cluster = ("--cluster", FROM_SETTINGS) if is_for_window(self._settings) else ()
            self._worker = Supervisor(
                self.path, command=worker_command(self.path, *cluster), has_low_priority=True
            )
        return self._worker

    @property
    def has_started_worker(self) -> bool:
        """Whether the worker was wanted since the project was opened; it may have ended."""
        return self._worker is not None

    def cluster_warning(self) -> UserError | None:
        """Return the warning about the connection to the cluster that the worker uses, None for none."""
        return window_warning(self._settings)

    def close(self) -> None:
        """Do what was asked for, then end the thread; a worker finishes its calls by itself, however long."""
        if self._worker is not None:
            self._worker.stop(wait_s=0)
        closed = self._executor.submit(self._close_queue)
        self._executor.close()
        closed.result()

    def profiles(self) -> dict[str, ModelProfile]:
        """Return the model profiles of this person by their names.

        Raises:
            UserError: Their file cannot be understood.
            EnvironmentFailure: It cannot be read.
        """
        return read_profiles(self._settings)

    def save_profiles(self, profiles: Mapping[str, ModelProfile]) -> None:
        """Keep the model profiles of this person.

        Raises:
            UserError: One cannot work, or holds a secret.
            EnvironmentFailure: The file cannot be written.
        """
        write_profiles(self._settings, profiles.values())

    def estimate(self, *orders: RunOrder, progress: Progress | None = None) -> Future[Estimate]:
        """Work out what runs would ask and cost together; nothing is entered."""
        active_progress = progress or Progress()
        return self._executor.submit(
            lambda: sum_estimates([self._estimate(order, progress=active_progress) for order in orders])
        )

    def release_scope(self, folder: Path, *, progress: Progress) -> Future[ReleaseScope]:
        """Read the items of a release folder for an evaluation run, and keep where the folder is.

        The future carries a UserError if the folder is no sound release of this project.
        """
        return self._executor.submit(lambda: self._release_scope(folder, progress=progress))

    def write_answers(self, run: Run, *, progress: Progress) -> Path:
        """Write the answers of a run as a file of predictions that can be scored, and return where it is.

        Raises:
            UserError: The run asks no items.
            EnvironmentFailure: The file cannot be written.
            Cancelled: The user stopped it.
        """
        path = self._settings / "predictions" / f"{run.id}.jsonl"
        write_run_answers(RunAnswers(self._reader(), run), path, progress=progress)
        return path

    def known_release_folder(self, run: Run) -> str:
        """Return the release folder whose items a run asked, "" for none, or where it is not known here."""
        release = run.settings.get("given", {}).get("release", "")
        try:
            return str(folder_of(self._settings, release=release)) if release else ""
        except UserError:
            return ""

    def start(self, *orders: RunOrder, progress: Progress | None = None) -> Future[tuple[Run, PlanResult]]:
        """Create runs with their jobs, which workers can claim from then on.

        The future carries the last run, or a UserError if there is nothing to ask or a model is unknown, or
        Cancelled.
        """
        active, actor = progress or Progress(), self._actor()
        return self._executor.submit(
            lambda: [self._start(order, actor=actor, progress=active) for order in orders][-1]
        )

    def is_confirmed(self, run: Run) -> bool:
        """Return whether a run was started on this machine by this person, or confirmed; from any thread.

        Raises:
            EnvironmentFailure: The list of confirmed runs cannot be read.
        """
        return run in self._confirmed

    def confirm(self, run: Run) -> Future[None]:
        """Allow a run that was started elsewhere to use what its model profiles name.

        Args:
            run: The run as the person has seen it; if it is changed, it has to be confirmed again.
        """
        return self._executor.submit(lambda: self._confirmed.add(run))

    def receive(self, run: CarriedRun, jobs: Iterable[CarriedJob], *, progress: Progress) -> Future[Receipt]:
        """Enter a finished run of a bundle, in short transactions; Cancelled if the user stops it."""
        return self._change_state(lambda book: book.receive(run, jobs, progress=progress))

    def pause(self, run: str) -> Future[None]:
        """Hand out no more jobs; what is in flight is still recorded."""
        return self._change_state(lambda book: book.pause(run))

    def resume(self, run: str) -> Future[None]:
        """Go on with a run that was paused or stopped."""
        return self._change_state(lambda book: book.resume(run))

    def cancel(self, run: str) -> Future[None]:
        """Give a run up; what is in flight is still recorded."""
        return self._change_state(lambda book: book.cancel(run))

    def retry_failed(self, run: str) -> Future[int]:
        """Let what failed wait again; the future carries how many."""
        return self._change_state(lambda book: book.retry_failed(run))

    def limit_run(self, run: str, limit_micro: int | None) -> Future[None]:
        """Give a run another limit, millionths; None for none."""
        return self._change_state(lambda book: book.limit_run(run, limit_micro))

    def limit_all(self, scope: str, limit_micro: int | None) -> Future[None]:
        """Limit all runs together: of a ``day``, or of the ``project``; None for no limit."""
        return self._change_state(lambda book: book.limit_all(scope, limit_micro))

    def _change_state(self, step: Callable[[RunRepository], T]) -> Future[T]:
        return self._executor.submit(lambda: step(self._opened().runs))

    def _opened(self) -> WorkQueue:
        if self._queue is None:
            self._queue = WorkQueue.open(self.path)
        return self._queue

    def _close_queue(self) -> None:
        if self._queue is not None:
            self._queue.close()

    def _run(self, order: RunOrder, *, actor: str = "") -> Run:
        known = self.profiles()
        for name in order.models:
            if name not in known:
                raise UserError(f"There is no model {name!r}.", hint=f"There are: {', '.join(known)}.")
        return Run(
            id=new_id(),
            kind=order.kind,
            title=order.title,
            models=order.models,
            settings=job_type_of(order.kind).prepared(order.settings, project=self.path),
            profiles={name: msgspec.to_builtins(resolved_profile(known[name])) for name in order.models},
            limit_micro=order.limit_micro,
            created_by=actor,
            created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        )

    def _start(self, order: RunOrder, *, actor: str, progress: Progress) -> tuple[Run, PlanResult]:
        run = self._run(order, actor=actor)
        # Before workers can see it.
        self._confirmed.add(run)
        if _is_large(self._reader()):
            return run, call_in_process(enter_plan_of, *self._sent(run), kind=PlanResult, progress=progress)
        return run, enter_plan(run, self._context(run), self._opened(), progress=progress)

    def _release_scope(self, folder: Path, *, progress: Progress) -> ReleaseScope:
        scope = read_release_scope(self._reader(), folder, progress=progress)
        # Also of a release without images: the run is scored against it later.
        remember_folder(self._settings, release=scope.given.release, folder=folder.resolve())
        return scope

    def _estimate(self, order: RunOrder, *, progress: Progress) -> Estimate:
        run = self._run(order)
        if _is_large(self._reader()):
            return call_in_process(count_plan_of, *self._sent(run), kind=Estimate, progress=progress)
        return count_plan(run, self._context(run), progress=progress)

    def _context(self, run: Run) -> WorkerContext:
        return plan_context(run, reader=self._reader(), roots=self._roots(), settings=self._settings)

    def _sent(self, run: Run) -> tuple[str, bytes, str]:
        return str(self.path), msgspec.json.encode(run), str(self._settings)


def _is_large(reader: Reader) -> bool:
    counts = reader.counts()
    return max(counts["item"], counts["medium"], counts["scene"]) >= PROCESS_FROM
