"""The command ``evaluate``: models answer the items of a release, or of a selection, with images."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from annotator.cli.console import Console
from annotator.cli.eval_commands import chosen_models, eval_settings, item_options
from annotator.cli.options import json_option, open_session, project_argument
from annotator.cli.run_execution import limit_micro
from annotator.cli.run_status import RunStatus, execute_run
from annotator.domain.eval_settings import DrawnOverlay, EvaluationSettings
from annotator.domain.input_variants import (
    ABLATIONS,
    FRAME_SEQUENCES,
    MOST_FRAMES,
    MOST_PX,
    AnyVariant,
    FrameSequence,
    variant_grid,
)
from annotator.domain.run import MICRO
from annotator.domain.study import study_orders
from annotator.domain.work import Estimate, RunOrder
from annotator.errors import UserError
from annotator.quality.study_results import VariantResult, study_results
from annotator.session import Session

FULL_SIZE, WHOLE_INPUT = "full size", "whole"


@click.command()
@project_argument
@item_options
@click.option(
    "--release",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Ask the items of this release folder, with its images, as they were released.",
)
@click.option(
    "--image-size", "sizes", default="", metavar="PX,…", help="Longer sides of the images; 0 for full size."
)
@click.option("--frames", default="", metavar="N,…", help="Numbers of frames per video; 1 is the first.")
@click.option(
    "--frame-order",
    "orders",
    default="",
    metavar="ORDER,…",
    help=f"Of: {', '.join(FRAME_SEQUENCES)}; default: forward.",
)
@click.option(
    "--ablate",
    "ablations",
    default="",
    metavar="PART,…",
    help=f"Ask with the whole input, and again without a part of it, each of: {', '.join(ABLATIONS)}.",
)
@click.option(
    "--rendering",
    type=click.Choice(["clean", "detected", "annotated"]),
    help="Overlay drawn on images of media files; default: depends on the task.",
)
@click.option("--estimate", "is_estimate", is_flag=True, help="Only print the requests and their cost.")
@json_option
def evaluate(
    project: Path,
    *,
    release: Path | None,
    rendering: DrawnOverlay | None,
    is_estimate: bool,
    console: Console,
    **chosen: Any,  # noqa: ANN401 - the options of item_options, as click hands them over
) -> int:
    """Ask models about PROJECT's items with images, one run per model and input variant.

    The result is the accuracy by model and variant. Score the runs by the rules of the benchmark with:
    score RELEASE --run RUN --project PROJECT. Exit status 1: a question has no answer.
    """
    grid = variant_grid(
        sizes=_numbers(chosen["sizes"], "--image-size", lowest=0, highest=MOST_PX),
        frames=_numbers(chosen["frames"], "--frames", lowest=1, highest=MOST_FRAMES),
        orders=_orders(chosen["orders"]),
        ablations=_ablations(chosen["ablations"]),
    )
    with open_session(project) as session:
        settings = _settings(session, release, chosen, rendering=rendering, console=console)
        order = RunOrder(
            kind="evaluation", models=chosen_models(chosen), limit_micro=limit_micro(chosen["limit_cost"])
        )
        orders = study_orders(order, settings, grid)
        if is_estimate:
            return _estimate(session, orders, console=console)
        return _evaluate(session, orders, workers=chosen["workers"], console=console)


def _settings(
    session: Session,
    release: Path | None,
    chosen: dict[str, Any],
    *,
    rendering: DrawnOverlay | None,
    console: Console,
) -> EvaluationSettings:
    plain = msgspec.to_builtins(eval_settings("sighted", chosen)) | {"rendering": rendering or ""}
    settings = msgspec.convert(plain, EvaluationSettings)
    if release is None:
        return settings
    if settings.task_sets or settings.tasks or settings.states:
        raise UserError(
            "A release is evaluated as a whole.", hint="Leave --task-set, --tasks and --state out."
        )
    with console.progress() as progress:
        scope = console.wait(session.runs.release_scope(release, progress=progress), progress=progress)
    if scope.unknown:
        console.warn(f"{scope.unknown:,} items of the release are not in the project and are not asked.")
    if not scope.images:
        console.warn("The release contains no images; images of the media files are sent.")
    return msgspec.structs.replace(settings, items=scope.items, given=scope.given)


def _estimate(session: Session, orders: Sequence[RunOrder], *, console: Console) -> int:
    with console.progress() as progress:
        found = console.wait(session.runs.estimate(*orders, progress=progress), progress=progress)
    console.result(
        {"runs": len(orders), **msgspec.to_builtins(found), "worst_cost": found.worst_micro / MICRO},
        print_text=lambda: _print_estimate(found, len(orders), console=console),
    )
    return 0


def _print_estimate(found: Estimate, runs: int, *, console: Console) -> None:
    console.print(
        f"{runs:,} runs, {found.jobs:,} questions about {found.targets:,} items, {found.cached:,} of them "
        f"already answered. Maximum cost: {found.worst_micro / MICRO:,.4f}."
    )
    for reason, count in found.left_out.items():
        console.print(f"{count:,} skipped: {reason}.")


def _evaluate(session: Session, orders: Sequence[RunOrder], *, workers: int | None, console: Console) -> int:
    runs = [execute_run(session, order, workers=workers, console=console) for order in orders]
    with console.progress() as progress:
        results = study_results(session.reader, runs[0], progress=progress)
    statuses = [RunStatus.of(session, run.id) for run in runs]
    console.result(
        {
            "study": orders[0].settings["study"],
            "runs": [status.to_json() for status in statuses],
            "results": msgspec.to_builtins(results),
        },
        print_text=lambda: print_results(results, console=console),
    )
    return max(status.status for status in statuses)


def print_results(results: Sequence[VariantResult], *, console: Console) -> None:
    """Print accuracy by model and variant."""
    head = (
        "model",
        "image size",
        "frames",
        "order",
        "input",
        "items",
        "unparsed",
        "open",
        "right %",
        "95 %",
        "run",
    )
    console.table("Accuracy by input variant", head=head, rows=[_row(result) for result in results])


def _row(result: VariantResult) -> tuple[str, ...]:
    accuracy = result.accuracy
    return (
        result.model,
        f"{result.longest_px} px" if result.longest_px else FULL_SIZE,
        f"{result.frames}",
        result.frame_order,
        result.input or WHOLE_INPUT,
        f"{result.items:,}",
        f"{result.unparsed:,}",
        f"{result.open:,}",
        f"{100 * accuracy.share:.1f}" if accuracy else "n/a",
        f"{100 * accuracy.low:.1f} to {100 * accuracy.high:.1f}" if accuracy else "n/a",
        result.run[-12:],
    )


def _numbers(text: str, option: str, *, lowest: int, highest: int) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not all(part.isdigit() and lowest <= int(part) <= highest for part in parts):
        raise click.BadParameter(f"must be numbers from {lowest} to {highest}.", param_hint=option)
    return tuple(int(part) for part in parts)


def _orders(text: str) -> tuple[FrameSequence, ...]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if unknown := [part for part in parts if part not in FRAME_SEQUENCES]:
        raise click.BadParameter(
            f"{unknown[0]!r} is none of {', '.join(FRAME_SEQUENCES)}.", param_hint="--frame-order"
        )
    return tuple(order for order in FRAME_SEQUENCES if order in parts)


def _ablations(text: str) -> tuple[AnyVariant, ...]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if unknown := [part for part in parts if part not in ABLATIONS]:
        raise click.BadParameter(f"{unknown[0]!r} is none of {', '.join(ABLATIONS)}.", param_hint="--ablate")
    return tuple(ABLATIONS[part] for part in parts)


VERBS = (evaluate,)
