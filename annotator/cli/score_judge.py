"""The options of ``score`` that ask a model: about texts that no rule can read, and about free texts."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click
import msgspec

from annotator.cli.console import Console
from annotator.cli.options import model_catalog
from annotator.cli.run_execution import limit_micro
from annotator.domain.run import MICRO
from annotator.jobs.cached_chat import ChatEstimate
from annotator.jobs.score_judging import JudgeNotes, ScoreJudging
from annotator.scoring.judged_scores import JudgedScores, JudgeOptions, RequestFigures
from annotator.user_profile import config_folder, data_folder

Verb = Callable[..., int]
NONE = "–"


class _PrintedNotes(JudgeNotes):
    """Prints on standard error what is sent, and what is not."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def estimated(self, name: str, estimate: ChatEstimate, *, what: str) -> None:
        """Print number and maximum cost of the requests."""
        worst = (
            f"{estimate.worst_micro / MICRO:,.4f}" if estimate.is_price_known else "unknown, without a price"
        )
        self._console.warn(
            f"{name}: {estimate.requests:,} {what}, {estimate.cached:,} of them answered before. "
            f"Maximum cost of the others: {worst}."
        )

    def left_unsent(self, count: int, message: str) -> None:
        """Print how many requests were not sent, and why."""
        self._console.warn(f"{count:,} requests were not sent. {message}".strip())


def score_judging(options: JudgeOptions, *, console: Console) -> ScoreJudging:
    """Return what scores with the models of the options."""
    return ScoreJudging(
        options,
        settings=config_folder(),
        data=data_folder(),
        make_catalogue=model_catalog,
        notes=_PrintedNotes(console),
    )


def print_judged(judged: JudgedScores, *, console: Console) -> None:
    """Print what models have added."""
    reader, judge = judged.reader, judged.judge
    if reader is not None:
        texts = reader.texts
        console.print(
            f"Texts that no rule can read: {texts.texts:,}. {reader.name} reads an answer in "
            f"{texts.read:,} and none in {texts.none:,}; {texts.undecided:,} are undecided and "
            f"{texts.open:,} open."
        )
        if texts.with_people:
            kappa = texts.kappa.value
            console.print(
                f"People have decided {texts.with_people:,} of them. Agreement with the model: "
                f"{texts.agreed.value:.1%}, Cohen's kappa {NONE if kappa is None else f'{kappa:.3f}'}."
            )
    if judge is not None:
        console.print(f"Free texts are graded by {judge.name}; the scores above do not contain grades.")
        rows = [
            (one.model, task or "all tasks", f"{total.total:,}", f"{total.graded:,}",
             NONE if total.grade_pct is None else f"{total.grade_pct:.1f}",
             f"{total.undecided:,}", f"{total.open:,}")
            for one in judge.models
            for task, total in [*one.tasks.items(), ("", one.overall)]
        ]  # fmt: skip
        head = ("model", "task", "free texts", "graded", "grade %", "undecided", "open")
        console.table("Grades of free texts", head=head, rows=rows)


def judged_json(judged: JudgedScores) -> dict[str, Any]:
    """Return what models have added as JSON; empty without models."""
    found: dict[str, Any] = {}
    for name, part in (("reader", judged.reader), ("judge", judged.judge)):
        if part is not None:
            found[name] = {**msgspec.to_builtins(part), "requests": _requests_json(part.requests)}
    return found


def _requests_json(requests: RequestFigures) -> dict[str, Any]:
    return {
        **msgspec.to_builtins(requests),
        "cost": requests.cost_micro / MICRO,
        "cost_at_most": requests.maximum_micro / MICRO,
    }


def judge_options(function: Verb) -> Verb:
    """Add the options of models that help to score to a command, passed as ``asked``."""

    @wraps(function)
    def with_models(
        *arguments: Any,  # noqa: ANN401 - what click hands over
        read_with: str,
        judge: str,
        limit_cost: float | None,
        offline: bool,
        **others: Any,  # noqa: ANN401 - the same
    ) -> int:
        asked = JudgeOptions(
            reader=read_with, judge=judge, limit_micro=limit_micro(limit_cost), is_offline=offline
        )
        return function(*arguments, asked=asked, **others)

    verb: Verb = with_models
    for option in reversed(_OPTIONS):
        verb = option(verb)
    return verb


_OPTIONS = (
    click.option(
        "--read-with",
        default="",
        metavar="MODEL",
        help="Let this model read texts that no rule can read and that nobody has settled.",
    ),
    click.option(
        "--judge", default="", metavar="MODEL", help="Let this model grade free texts, beside their score."
    ),
    click.option(
        "--limit-cost", type=float, metavar="X", help="Maximum cost of the requests to these models."
    ),
    click.option(
        "--offline", is_flag=True, help="Send no requests to these models; use only replies kept from before."
    ),
)
