"""A worker: works on a project's queue in this process until it is stopped or nothing is left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from annotator.domain.profile import Profile
from annotator.errors import UserError
from annotator.jobs.dispatcher import Dispatcher, MakeCalls
from annotator.predictor import Catalogue, Model
from annotator.store.reader import Reader


@contextmanager
def worker(
    project: Path,
    *,
    catalogue: Catalogue,
    run: str = "",
    make_calls: MakeCalls | None = None,
    recorded: Callable[[int], None] | None = None,
) -> Iterator[Dispatcher]:
    """Give a dispatcher that opens models of a catalogue; ``work`` and ``stop`` are its caller's.

    Args:
        project: The project file, of this version.
        catalogue: Opens models.
        run: Id of the one run to work on, "" for all.
        make_calls: Makes calls somewhere else than in this process.
        recorded: Told after each commit how many jobs ended with it.

    Raises:
        UserError: There is no such project or run.
        HostError: The file cannot be opened.
    """
    if run:
        require_run(project, run)

    def open_model(profile: Profile) -> Model:
        return catalogue.open(msgspec.to_builtins(profile))

    with Dispatcher(
        project, open_model=open_model, run=run, make_calls=make_calls, recorded=recorded
    ) as dispatcher:
        yield dispatcher


def require_run(project: Path, run: str) -> None:
    """Refuse to work on a run that is not there.

    Raises:
        UserError: There is no such project or run.
        HostError: The file cannot be opened.
    """
    reader = Reader.open(project)
    try:
        if reader.run(run) is None:
            raise UserError(f"There is no run {run!r}.", hint="List them with: runs")
    finally:
        reader.close()
