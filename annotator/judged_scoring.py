"""Scoring with the help of models, in a child process: the models are opened in it, too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.model_api import ModelCatalog
from annotator.process_call import call_in_process
from annotator.progress import Progress

if TYPE_CHECKING:
    from annotator.scoring.judged_scores import JudgeOptions
    from annotator.scoring.score_report import ScoreOrder, ScoreReport

GRACE_S = 5.0
"""So long a cancelled scoring waits for the requests that are in flight, whose replies are paid for."""


def score_with_models(
    order: ScoreOrder,
    options: JudgeOptions,
    *,
    settings: Path,
    data: Path,
    make_catalogue: Callable[[], ModelCatalog],
    progress: Progress,
) -> ScoreReport:
    """Return the scores of an order, with what models read and grade.

    Args:
        order: What is scored.
        options: Which models help, and at what cost.
        settings: Folder of the person's settings, with the model profiles.
        data: Folder of the kept replies.
        make_catalogue: A class or function of a module that returns what opens models.
        progress: Advances as predictions are scored and requests are answered; may cancel.

    Raises:
        UserError: The release cannot be used; or a model is unknown or cannot be opened.
        EnvironmentFailure: The disk refused, or the process cannot be started or has ended early.
        Cancelled: The user cancelled it; replies that arrive within ``GRACE_S`` are kept.
    """
    from annotator.scoring.score_report import ScoreReport

    progress.begin("Starting to score")
    return call_in_process(
        _score,
        order,
        options,
        settings,
        data,
        make_catalogue,
        kind=ScoreReport,
        progress=progress,
        grace_s=0.0 if options.is_offline else GRACE_S,
    )


def _score(
    order: ScoreOrder,
    options: JudgeOptions,
    settings: Path,
    data: Path,
    make_catalogue: Callable[[], ModelCatalog],
    *,
    progress: Progress,
) -> ScoreReport:
    """Score an order with models; what the child process does."""
    from annotator.jobs.score_judging import ScoreJudging
    from annotator.scoring.score_report import score_sources

    judging = ScoreJudging(options, settings=settings, data=data, make_catalogue=make_catalogue)
    return score_sources(order, judging=judging, progress=progress)
