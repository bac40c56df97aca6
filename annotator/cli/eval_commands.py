"""Verbs that put items to models: the blind filter, and the consensus of sighted models."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeVar

import click
import msgspec

from annotator.cli.blind_report import BlindPolicyOptions, ending_options
from annotator.cli.consensus_report import flag_disagreements
from annotator.cli.console import Console
from annotator.cli.options import json_option, open_session, project_argument, workers_option
from annotator.cli.run_execution import limit_micro
from annotator.cli.run_status import execute_run
from annotator.domain.eval_settings import DrawnOverlay, EvalSettings
from annotator.domain.run import Run
from annotator.domain.work import RunOrder
from annotator.errors import UserError
from annotator.jobs.job_types.evaluation_prompt import read_prompt
from annotator.quality.consensus import FEWEST_MODELS
from annotator.quality.policy import DEFAULT_POLICY
from annotator.session import Session

C = TypeVar("C", bound=Callable[..., Any])


def item_options(function: C) -> C:
    """Give a verb the choice of items and models, handed over by name."""
    options = (
        click.option("--models", required=True, metavar="A,B", help="Names of model profiles."),
        click.option("--task-set", "task_sets", multiple=True, help="Only items of this task set."),
        click.option("--tasks", "--task", "tasks", multiple=True, metavar="ID,…", help="Only these tasks."),
        click.option("--state", "states", multiple=True, help="Only items in this state."),
        click.option("--rotations", default="1", metavar="N|all", help="Number of option rotations."),
        click.option(
            "--samples",
            type=click.IntRange(min=1),
            default=1,
            show_default=True,
            help="Number of option shuffles.",
        ),
        click.option("--seed", type=int, default=0, show_default=True, help="Seed of the shuffles."),
        click.option("--prompt", type=click.Path(path_type=Path), help="File with a custom prompt."),
        click.option("--limit-cost", type=float, metavar="X", help="Maximum cost of the run."),
        workers_option,
    )
    for option in reversed(options):
        function = option(function)
    return function


@click.command()
@project_argument
@item_options
@ending_options(policy=DEFAULT_POLICY.text, outcome="author")
@json_option
def blind(
    project: Path,
    *,
    ending: BlindPolicyOptions,
    console: Console,
    **chosen: Any,  # noqa: ANN401 - the options of item_options, as click hands them over
) -> int:
    """Ask models about PROJECT's items without images, and return or filter the items that they guess.

    Exit status 1: an item was guessed, or a question has no answer.
    """
    settings = msgspec.structs.replace(
        eval_settings("blind", chosen), policy=ending.policy.text, outcome=ending.outcome
    )
    with open_session(project) as session:
        run = _run_questions(session, "blind", settings, chosen, console=console)
        if run.state == "stopped":
            # A partial run decides nothing, and flags on items without an answer are of no use.
            console.warn("The run stopped before its end: no items were changed.")
            ending = msgspec.structs.replace(ending, outcome="none")
        return ending.apply(session, run, console=console).print_summary(console)


@click.command()
@project_argument
@item_options
@click.option(
    "--agree",
    type=click.IntRange(min=FEWEST_MODELS),
    metavar="K",
    help="Number of models that must agree, at least 2; default: all models.",
)
@click.option(
    "--rendering",
    type=click.Choice(["clean", "detected", "annotated"]),
    help="Overlay drawn on the images; default: depends on the task.",
)
@json_option
def consensus(
    project: Path,
    *,
    agree: int | None,
    rendering: DrawnOverlay | None,
    console: Console,
    **chosen: Any,  # noqa: ANN401 - the options of item_options, as click hands them over
) -> int:
    """Ask models about PROJECT's items with images, and flag items whose answer key they doubt.

    Exit status 1: an item was flagged, or a question has no answer.
    """
    _require_enough_models(len(chosen_models(chosen)), agree=agree, chosen=chosen)
    settings = msgspec.structs.replace(eval_settings("sighted", chosen), rendering=rendering or "")
    with open_session(project) as session:
        run = _run_questions(session, "consensus", settings, chosen, console=console)
        return flag_disagreements(session, run, agreeing=agree, console=console).print_summary(console)


def _run_questions(
    session: Session,
    kind: Literal["blind", "consensus"],
    settings: EvalSettings,
    chosen: dict[str, Any],
    *,
    console: Console,
) -> Run:
    models = chosen_models(chosen)
    order = RunOrder(
        kind=kind, models=models, settings=settings.to_json(), limit_micro=limit_micro(chosen["limit_cost"])
    )
    return execute_run(session, order, workers=chosen["workers"], console=console)


def chosen_models(chosen: dict[str, Any]) -> tuple[str, ...]:
    """Return the names of the models that ``--models`` lists.

    Raises:
        UserError: There is none.
    """
    models = tuple(dict.fromkeys(name.strip() for name in chosen["models"].split(",") if name.strip()))
    if not models:
        raise UserError("No model is given.", hint="Set --models A,B. List all models with: models list")
    return models


def _require_enough_models(models: int, *, agree: int | None, chosen: dict[str, Any]) -> None:
    """Refuse a run that cannot give a result.

    Raises:
        UserError: There are fewer models than must agree; add models.
    """
    is_asked_once = chosen["rotations"].strip() == "1" and chosen["samples"] == 1
    if models < FEWEST_MODELS and is_asked_once:
        raise UserError(
            "A consensus run needs at least two models.",
            hint="Add models with --models A,B, or ask one model several times with --rotations all.",
        )
    if agree is not None and agree > models:
        raise UserError(f"--agree is {agree}, but the run has only {models} models.", hint="Lower --agree.")


def eval_settings(visual_input: Literal["blind", "sighted"], chosen: dict[str, Any]) -> EvalSettings:
    """Return the settings that ``item_options`` name.

    Raises:
        UserError: The file of the prompt is invalid.
    """
    rotations = chosen["rotations"].strip().lower()
    if rotations != "all" and not (rotations.isdigit() and int(rotations) > 0):
        raise click.BadParameter("must be a number of at least 1, or 'all'.", param_hint="--rotations")
    return EvalSettings(
        visual_input=visual_input,
        task_sets=chosen["task_sets"],
        tasks=tuple(task.strip() for text in chosen["tasks"] for task in text.split(",") if task.strip()),
        states=chosen["states"],
        rotations=0 if rotations == "all" else int(rotations),
        samples=chosen["samples"],
        seed=chosen["seed"],
        prompt=read_prompt(chosen["prompt"]) if chosen["prompt"] else None,
    )


VERBS = (blind, consensus)
