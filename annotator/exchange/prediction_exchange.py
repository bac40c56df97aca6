"""Predictions in bundles: those that are written, and what was taken of those of others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from annotator.domain.run_condition import KIND_TITLES
from annotator.exchange.carried_predictions import write_predictions
from annotator.progress import Progress
from annotator.session import Session
from annotator.store.bundles.bundle_file import WritePredictions, read_manifest
from annotator.store.bundles.bundle_predictions import BundledPredictions


@dataclass(frozen=True, kw_only=True)
class ReceivedPredictions:
    """What was taken of the runs of bundles.

    Attributes:
        runs: Number of runs that were entered, or got answers that they lacked.
        known: Number of runs that were here already.
        refused: Titles of runs that are here with other contents.
    """

    runs: int = 0
    known: int = 0
    refused: tuple[str, ...] = ()


def predictions_writer(session: Session, *, since: Path | None, progress: Progress) -> WritePredictions:
    """Return what writes the predictions of finished runs that an earlier bundle does not have.

    Raises:
        UserError: The earlier file is no sound bundle.
        EnvironmentFailure: It cannot be read.
    """
    known = read_manifest(since).predictions if since is not None else {}
    return lambda archive: write_predictions(archive, session.reader, known=known, progress=progress)


def receive_predictions(
    session: Session, bundles: Iterable[Path], *, progress: Progress
) -> ReceivedPredictions:
    """Enter the runs of bundles with their predictions: finished, and each once.

    Raises:
        UserError: A bundle is damaged; nothing of its runs is entered.
        EnvironmentFailure: A file cannot be read or written.
        Cancelled: The user stopped it; runs that were entered before stay.
    """
    added, known, refused = 0, 0, []
    for bundle in bundles:
        manifest = read_manifest(bundle)
        if not manifest.predictions or manifest.project != session.reader.project.id:
            continue
        predictions = BundledPredictions(bundle, manifest)
        predictions.require_sound()
        progress.begin("Entering predictions", total=None)
        for run_id in predictions.runs:
            with predictions.open_run(run_id) as (run, jobs):
                receipt = session.runs.receive(run, jobs, progress=progress).result()
            added += receipt == "added"
            known += receipt == "known"
            refused += [run.title or f"{KIND_TITLES[run.kind]} {run.id}"] if receipt == "refused" else []
        progress.end()
    return ReceivedPredictions(runs=added, known=known, refused=tuple(refused))
