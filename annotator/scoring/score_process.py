"""Scoring in a child process: seconds of Python beside which a window stays quick."""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotator.process_call import call_in_process
from annotator.progress import Progress

if TYPE_CHECKING:
    from annotator.scoring.score_report import ScoreOrder, ScoreReport


def score_in_process(order: ScoreOrder, *, progress: Progress) -> ScoreReport:
    """Return the scores of an order.

    Raises:
        UserError: The release cannot be used.
        EnvironmentFailure: The disk refused, or the process cannot be started or has ended early.
        Cancelled: The user cancelled it; the process is ended.
    """
    from annotator.scoring.score_report import ScoreReport

    progress.begin("Starting to score")
    return call_in_process(score_order, order, kind=ScoreReport, progress=progress)


def score_order(order: ScoreOrder, *, progress: Progress) -> ScoreReport:
    """Score an order; what the child process does."""
    from annotator.scoring.score_report import score_sources

    return score_sources(order, progress=progress)
