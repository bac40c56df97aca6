"""A model that several calls share: built once, taken by threads in turn, and closed."""

from __future__ import annotations

import logging
import threading
import time
import traceback
from collections.abc import Callable

from annotator.domain.profile import ModelProfile
from annotator.errors import Cancelled, EnvironmentFailure, VantageError
from annotator.model_api import CallFailed, Model
from annotator.progress import Progress

OPEN_AGAIN_S = 5.0
"""Seconds after a model failed to open, or broke down, before it is opened again. Calls that were already
queued fail at once meanwhile, instead of loading the model again for a run that is about to stop."""
OpenModel = Callable[[ModelProfile, Progress], Model]
"""Opens a model; checks the progress for cancel during long operations."""

log = logging.getLogger(__name__)


class SharedModel:
    """A model that several threads use: opened by the first that needs it.

    Args:
        profile: The model.
        open_model: Opens it.
    """

    def __init__(self, profile: ModelProfile, *, open_model: OpenModel) -> None:
        self._profile, self._open = profile, open_model
        self._lock = threading.Lock()
        self._model: Model | None = None
        self._broken: list[Model] = []
        self._reported: set[tuple[str, int | None]] = set()
        self._failure: VantageError | None = None
        self._failed_at = 0.0

    def opened(self, progress: Progress) -> Model:
        """Return the model.

        Args:
            progress: Checked for cancel while the model is opened.

        Raises:
            UserError: The model is not installed, or its profile is invalid.
            EnvironmentFailure: The driver, the disk or the model's process failed.
            Cancelled: The model is no longer needed.
        """
        with self._lock:
            # Those who waited for the lock need not try in vain once more, each for as long.
            if self._failure is not None and time.monotonic() - self._failed_at < OPEN_AGAIN_S:
                raise self._failure
            if self._model is None:
                progress.raise_if_cancelled()
                self._model = self._opened_now(progress)
            return self._model

    def give_up(self, model: Model, error: EnvironmentFailure) -> None:
        """Drop a model whose device or server failed, so that the next call opens it again.

        The model is closed together with all others at the end: another thread may be inside a call, and
        would report the error of a closed model as a failure of its own request.
        """
        with self._lock:
            if self._model is model:
                self._model = None
                self._broken.append(model)
                self._failure, self._failed_at = error, time.monotonic()

    def note_failure(self, error: CallFailed) -> None:
        """Log how a model's own program failed: the first time at each place of it.

        A bug fails job after job, and a trace for each would fill the disk.
        """
        if error.kind != "model" or error.__cause__ is None:
            return
        frames = traceback.extract_tb(error.__cause__.__traceback__)
        location = (frames[-1].filename, frames[-1].lineno) if frames else ("", None)
        with self._lock:
            is_new = location not in self._reported
            self._reported.add(location)
        if is_new:
            log.error("the program of the model %r failed", self._profile.name, exc_info=error.__cause__)

    def close(self) -> None:
        """Give back what it holds."""
        with self._lock:
            held = [*self._broken, *([] if self._model is None else [self._model])]
            self._broken, self._model = [], None
            for model in held:
                self._close(model)

    def _close(self, model: Model) -> None:
        try:
            model.close()
        except Exception:
            # A driver that broke down fails here too, with errors of its packages; what was answered has to
            # be recorded all the same.
            log.exception("closing the model %r", self._profile.name)

    def _opened_now(self, progress: Progress) -> Model:
        try:
            return self._open(self._profile, progress)
        except Cancelled:
            raise
        except VantageError as error:
            self._failure = error
        except Exception as error:
            # Packages raise what they like; on this thread it would end no more than the thread, and the jobs
            # in hand would wait for ever.
            log.exception("the model %r", self._profile.name)
            self._failure = EnvironmentFailure(
                f"The model {self._profile.name!r} cannot be opened: {type(error).__name__}: {error}."
            )
        self._failed_at = time.monotonic()
        raise self._failure
