"""What threads of a worker know of the project: a reader each, and the profiles of each run."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import msgspec

from annotator.domain.profile import ModelProfile
from annotator.domain.project import Project
from annotator.errors import UserError
from annotator.jobs.confirmed_runs import ConfirmedRuns, refusal
from annotator.jobs.job_type import WorkerContext
from annotator.media.media_roots import MediaRoots, own_folder
from annotator.queries.reader import Reader

TYPES = threading.RLock()
"""Held while records of a type are read for the first time: msgspec (seen in 0.22.0) learns a type at its
first use, and a second thread that uses it meanwhile crashes the process. Goes once msgspec guards itself."""
REFUSED_S = 2.0
"""A run that is not confirmed is checked again after so long: the person may confirm it meanwhile."""


class WorkerContexts:
    """Gives the calling thread the worker_context of a run.

    Args:
        path: The project file.
        confirmed: The runs that the person at this machine allows, in the settings with the media folders.
    """

    def __init__(self, path: Path, *, confirmed: ConfirmedRuns) -> None:
        self.path = path
        self._allowed = confirmed
        # A connection of SQLite is for one thread at a time, so each thread has a reader.
        self._own = threading.local()
        self._confirmed: set[str] = set()
        self._refused_at: dict[str, float] = {}

    def reader(self) -> Reader:
        """Return the calling thread's reader."""
        if not hasattr(self._own, "reader"):
            self._own.reader = Reader.open(self.path)
            self._own.worker_contexts = {}
        reader: Reader = self._own.reader
        return reader

    def is_confirmed(self, run_id: str) -> bool:
        """Return whether the person at this machine allows a run; on the dispatcher's thread."""
        if run_id in self._confirmed:
            return True
        now = time.monotonic()
        if now - self._refused_at.get(run_id, -REFUSED_S) < REFUSED_S:
            return False
        run = self.reader().runs.get(run_id)
        if run is not None and run in self._allowed:
            self._confirmed.add(run_id)
            return True
        self._refused_at[run_id] = now
        return False

    def of(self, run_id: str) -> WorkerContext:
        """Return the worker_context of a run.

        Raises:
            UserError: There is no such run, or it is not confirmed as it is now.
        """
        reader = self.reader()
        worker_contexts: dict[str, WorkerContext] = self._own.worker_contexts
        if run_id not in worker_contexts:
            with TYPES:
                worker_contexts[run_id] = self._context(reader, run_id)
        return worker_contexts[run_id]

    def _context(self, reader: Reader, run_id: str) -> WorkerContext:
        # Profiles are the run's own and not the person's: it goes on as it was planned, on any machine.
        run = reader.runs.get(run_id)
        if run is None:
            raise UserError("There is no such run.", hint="List them with: runs")
        # Checked again here, where servers and paths are taken from: the row may have changed since.
        if run not in self._allowed:
            raise refusal()
        profiles = {name: msgspec.convert(value, ModelProfile) for name, value in run.profiles.items()}
        return WorkerContext(
            reader=reader,
            roots=self._roots(reader.project),
            profiles=profiles,
            settings=self._allowed.settings,
        )

    def _roots(self, project: Project) -> MediaRoots:
        own = own_folder(self.path, project.media_root)
        return MediaRoots.of_project(
            self.path, own=own, project_id=project.id, settings=self._allowed.settings
        )

    def leave(self) -> None:
        """Close the calling thread's reader."""
        if hasattr(self._own, "reader"):
            self._own.reader.close()
            del self._own.reader
