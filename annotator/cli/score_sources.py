"""The predictions that ``score`` reads: files, and runs of a project."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import click

from annotator.cli.options import read_session
from annotator.cli.run_commands import found_run
from annotator.scoring.model_predictions import PredictionSource
from annotator.scoring.prediction_file import PredictionFile
from annotator.scoring.released_items import ReleasedItems
from annotator.scoring.run_answers import SCORED_KINDS, RunAnswers


@contextmanager
def prediction_sources(
    files: Sequence[Path],
    runs: Sequence[str],
    released: ReleasedItems,
    *,
    form_id: str,
    project: Path | None,
) -> Iterator[list[PredictionSource]]:
    """Open the files and runs of a comparison; the project stays open until the end of the block.

    Args:
        files: Files of predictions.
        runs: Runs of the project: ids, their beginnings or ends, or ``last``.
        released: The items that are scored.
        form_id: Form of the files, "" to find it.
        project: The project of the runs.

    Raises:
        UserError: There is no such run, or a file is not of a known form.
        EnvironmentFailure: The disk refused.
    """
    if not files and not runs:
        raise click.UsageError("Name PREDICTIONS, or a run with --run and --project.")
    with ExitStack() as opened:
        found: list[PredictionSource] = [PredictionFile(path, form_id=form_id) for path in files]
        if runs:
            if project is None:
                raise click.UsageError("--run requires --project.")
            session = opened.enter_context(read_session(project))
            for run_id in runs:
                run = found_run(session, run_id, kinds=SCORED_KINDS)
                found.append(RunAnswers(session.reader, run, released=released))
        yield found
