"""The scoring of predictions as work beside the window, with the help of models where they are chosen."""

from __future__ import annotations

from collections.abc import Callable

from annotator.errors import UserError
from annotator.judged_scoring import score_with_models
from annotator.model_api import ModelCatalog
from annotator.progress import Progress
from annotator.scoring.judged_scores import JudgeOptions
from annotator.scoring.score_process import score_in_process
from annotator.scoring.score_report import ScoreOrder, ScoreReport
from annotator.session import Session
from annotator.user_profile import config_folder, data_folder
from widgets import display_text

NO_MODELS = JudgeOptions()


def compute_scores(
    session: Session,
    progress: Progress,
    *,
    order: ScoreOrder,
    options: JudgeOptions,
    make_catalogue: Callable[[], ModelCatalog] | None,
) -> ScoreReport:
    """Score an order in a process; called on another thread.

    Raises:
        UserError: The release or a model cannot be used.
        EnvironmentFailure: The disk refused, or the process cannot be started or has ended early.
        Cancelled: The user cancelled it; replies of models so far are kept.
    """
    if options.is_empty:
        report = score_in_process(order, progress=progress)
    else:
        report = score_with_models(
            order,
            options,
            settings=config_folder(),
            data=data_folder(),
            make_catalogue=make_catalogue or _without_models,
            progress=progress,
        )
    tasks = {task.partition("/")[0] for model in report.models for task in model.tables.tasks}
    display_text.load_task_set_titles(tasks, project=session.path)
    return report


def _without_models() -> ModelCatalog:
    raise UserError("The models package is not installed.", hint="Start Vantage with main.py.")
