"""The command ``score``: predictions of a model against the answer keys of a release."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import msgspec

from annotator.cli.console import Console
from annotator.cli.options import json_option, read_session
from annotator.domain.answers import Mode
from annotator.progress import Progress
from annotator.scoring.comparison import Comparison, ScoringSettings, compare_predictions
from annotator.scoring.evaluation import Evaluation
from annotator.scoring.forms import FORMS
from annotator.scoring.human_scores import human_scores
from annotator.scoring.prediction_file import PredictionFile
from annotator.scoring.released_items import ReleasedItems
from annotator.scoring.score_tables import GroupScore, ScoreInterval, ScoreTotal, random_tables
from annotator.scoring.settled_texts import SettledTexts, write_unsettled

FOUND_PROBLEMS = 1
PROBLEMS_SHOWN = 20
NONE = "–"


@click.command()
@click.argument("release", type=click.Path(exists=True, path_type=Path))
@click.argument("predictions", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--form",
    "form_id",
    type=click.Choice(list(FORMS)),
    help="Form of the predictions; by default found from the fields.",
)
@click.option(
    "--mode",
    type=click.Choice([mode.value for mode in Mode]),
    default=Mode.STRICT.value,
    show_default=True,
    help="strict: only certain answers are read; compatible: replies are read as the published scorers do.",
)
@click.option("--model", default="", help="Score this model of a file of several.")
@click.option(
    "--missing",
    type=click.Choice(["left-out", "wrong"]),
    default="left-out",
    show_default=True,
    help="Leave items without a prediction out, or count them as wrong.",
)
@click.option(
    "--settled",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="CSV table with the columns id, text, answer: what texts mean that cannot be read.",
)
@click.option(
    "--unparsed",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the texts that cannot be read into this file, as a table for --settled.",
)
@click.option(
    "--project",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Add the human reference of this project.",
)
@click.option(
    "--keys",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of the hidden answer keys of RELEASE; by default the folder beside it: RELEASE-keys.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the intervals.")
@json_option
def score(
    release: Path,
    predictions: Path,
    *,
    form_id: str | None,
    project: Path | None,
    unparsed: Path | None,
    console: Console,
    **chosen: Any,  # noqa: ANN401 - mode, model, missing, settled, seed
) -> int:
    """Score PREDICTIONS against the answer keys of RELEASE.

    RELEASE is a release folder or a published file of questions; PREDICTIONS a file, or a folder of files, in
    one of the published forms. Predictions that cannot be used are listed and counted; the status is then 1.
    """
    with console.progress() as progress:
        released = ReleasedItems.read(release, keys=chosen["keys"], progress=progress)
        file = PredictionFile(predictions, form_id=form_id or "")
        comparison = _compared(released, file, chosen, progress=progress)
        evaluation = comparison.models[0].evaluation
        random, random_tasks = random_tables(
            released, [one.place for one in evaluation.scored], progress=progress
        )
    if released.hidden:
        console.warn(f"Hidden answer keys: {released.hidden:,}. Name their folder with --keys to score them.")
    people = _human_scores(project, seed=chosen["seed"], console=console) if project is not None else {}
    written = write_unsettled(unparsed, evaluation.unparsed_texts(released)) if unparsed is not None else 0
    result = {
        **_scores_json(evaluation),
        "mode": chosen["mode"],
        "form": {"id": file.form.id, "reason": file.reason},
        "release": {"sha256": released.sha256, "items": len(released.items), "hidden": released.hidden},
        "random": {"overall": random, "tasks": random_tasks},
        "human": people,
        "unparsed_written": written,
    }
    console.result(
        msgspec.to_builtins(result),
        print_text=lambda: _print(evaluation, file, {"random": random, **people}, console=console),
    )
    return FOUND_PROBLEMS if evaluation.problems.counts else 0


def _compared(
    released: ReleasedItems, file: PredictionFile, chosen: Mapping[str, Any], *, progress: Progress
) -> Comparison:
    settled = chosen["settled"]
    settings = ScoringSettings(
        mode=Mode(chosen["mode"]),
        only=(chosen["model"],) if chosen["model"] else (),
        settled=SettledTexts(settled) if settled is not None else None,
        scores_missing=chosen["missing"] == "wrong",
        seed=chosen["seed"],
    )
    return compare_predictions(released, [file], settings, progress=progress)


def _human_scores(project: Path, *, seed: int, console: Console) -> dict[str, ScoreTotal]:
    with read_session(project) as session, session.reader.snapshot(), console.progress() as progress:
        return human_scores(session.reader, seed=seed, progress=progress)


def _scores_json(evaluation: Evaluation) -> dict[str, Any]:
    tables = evaluation.tables
    intervals = {"overall": tables.overall_interval, "tasks": tables.task_intervals}
    problems = evaluation.problems
    return {
        "overall": tables.overall,
        "tasks": tables.tasks,
        "groups": tables.groups,
        "formats": tables.formats,
        "sources": tables.sources,
        "intervals": intervals,
        "navigation": tables.navigation,
        "format_correct_pct": tables.format_correct.correct_pct,
        "coverage": evaluation.coverage,
        "problems": {"counts": dict(problems.counts), "listed": problems.listed},
    }


def _print(
    evaluation: Evaluation, file: PredictionFile, others: Mapping[str, ScoreTotal], *, console: Console
) -> None:
    tables = evaluation.tables
    console.print(f"Form: {file.form.title} ({file.reason})")
    console.print(evaluation.coverage.statement)
    head = ("task", "predictions", "unparsed", "score %", "95 %", "right %", "95 %")
    rows = [
        (task, f"{one.total:,}", f"{one.unparsed:,}", *_percents(one, tables.task_intervals[task]))
        for task, one in tables.tasks.items()
    ]
    unparsed = sum(one.unparsed for one in tables.tasks.values())
    every = _percents(tables.overall, tables.overall_interval)
    rows.append(("all tasks", f"{tables.overall.total:,}", f"{unparsed:,}", *every))
    rows += [_other_row(name, one) for name, one in others.items() if name in ("random", "overall")]
    console.table("Scores", head=head, rows=rows)
    for title, groups in (("Groups", tables.groups), ("Formats", tables.formats), ("Images", tables.sources)):
        _print_groups(title, groups, console=console)
    _print_navigation(evaluation, console=console)
    _print_problems(evaluation, console=console)


def _print_groups(title: str, groups: Mapping[str, GroupScore], *, console: Console) -> None:
    rows = [
        (name, f"{one.total:,}", f"{one.unparsed:,}", _percent(one.score_pct), _percent(one.exact_pct))
        for name, one in groups.items()
    ]
    console.table(title, head=("name", "predictions", "unparsed", "score %", "right %"), rows=rows)


def _print_navigation(evaluation: Evaluation, *, console: Console) -> None:
    rows = [
        (
            task,
            f"{one.episodes:,}",
            f"{one.left_out:,}",
            NONE if one.ne_m is None else f"{one.ne_m:.2f}",
            _percent(one.sr_pct),
            _percent(one.osr_pct),
            _percent(one.ndtw_pct),
        )
        for task, one in evaluation.tables.navigation.items()
    ]
    if rows:
        head = ("task", "flights", "left out", "NE m", "SR %", "OSR %", "nDTW %")
        console.table("Navigation", head=head, rows=rows)


def _print_problems(evaluation: Evaluation, *, console: Console) -> None:
    problems = evaluation.problems
    if not problems.counts:
        return
    rows = [(kind, f"{count:,}") for kind, count in sorted(problems.counts.items())]
    console.table("Not in the score, or to be looked at", head=("problem", "count"), rows=rows)
    for problem in problems.listed[:PROBLEMS_SHOWN]:
        place = f"{problem.file} line {problem.line}: ".lstrip() if problem.line else ""
        console.print(f"{place}{problem.item or problem.kind}: {problem.message}")
    if problems.counts.total() > PROBLEMS_SHOWN:
        console.print(f"{problems.counts.total() - PROBLEMS_SHOWN:,} more; --json lists them.")


def _percents(total: ScoreTotal, interval: ScoreInterval) -> tuple[str, ...]:
    return (
        _percent(total.score_pct),
        _range(interval.score_low, interval.score_high),
        _percent(total.exact_pct),
        _range(interval.exact_low, interval.exact_high),
    )


def _other_row(name: str, total: ScoreTotal) -> tuple[str, ...]:
    who = "random answers" if name == "random" else "people"
    return (who, f"{total.total:,}", NONE, _percent(total.score_pct), NONE, _percent(total.exact_pct), NONE)


def _percent(value: float | None) -> str:
    return NONE if value is None else f"{value:.1f}"


def _range(low: float | None, high: float | None) -> str:
    return NONE if low is None or high is None else f"{low:.1f} to {high:.1f}"


VERBS = (score,)
