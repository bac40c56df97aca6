"""The command ``score``: predictions of models against the answer keys of a release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
import msgspec

from annotator.cli.console import Console
from annotator.cli.options import json_option, read_session
from annotator.cli.score_files import ScoreFiles, score_file_options
from annotator.cli.score_judge import judge_options, judged_json, print_judged, score_judging
from annotator.cli.score_report import print_comparison, print_table, scores_json, status_of
from annotator.cli.score_sources import prediction_sources
from annotator.domain.answers import Mode
from annotator.domain.settled_text import SettledText
from annotator.progress import Progress
from annotator.scoring.comparison import Comparison, ScoringSettings, compare_predictions
from annotator.scoring.forms import FORMS
from annotator.scoring.human_scores import human_scores
from annotator.scoring.judged_scores import JudgedScores, JudgeOptions
from annotator.scoring.prediction_output import write_predictions
from annotator.scoring.released_items import ReleasedItems
from annotator.scoring.result_table import ReferenceRows
from annotator.scoring.score_tables import ScoreTotal, random_chances, random_totals
from annotator.scoring.settled_texts import SettledTexts, write_unsettled


@click.command()
@click.argument("release", type=click.Path(exists=True, path_type=Path))
@click.argument("predictions", type=click.Path(exists=True, path_type=Path), nargs=-1)
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
@click.option("--model", "only", multiple=True, help="Score only this model of the files; may be repeated.")
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
    "--write-predictions",
    "carried",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the scored predictions into this file, in the form vantage with the decisions of people.",
)
@click.option(
    "--project",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Add the human reference of this project, and what its people have decided about texts.",
)
@click.option(
    "--run",
    "runs",
    multiple=True,
    metavar="RUN",
    help="Score the answers of this run of --project; id, its beginning or end, or 'last'; may be repeated.",
)
@click.option(
    "--keys",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of the hidden answer keys of RELEASE; by default the folder beside it: RELEASE-keys.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the intervals.")
@score_file_options
@judge_options
@json_option
def score(
    release: Path,
    predictions: Sequence[Path],
    *,
    project: Path | None,
    runs: Sequence[str],
    unparsed: Path | None,
    files: ScoreFiles,
    asked: JudgeOptions,
    console: Console,
    **chosen: Any,  # noqa: ANN401 - form_id, mode, only, missing, settled, seed, keys
) -> int:
    """Score PREDICTIONS against the answer keys of RELEASE.

    RELEASE is a release folder or a published file of questions; PREDICTIONS are files in one of the
    published forms, or folders of the files of one model; with --run, they are the answers of a run. Several
    models are compared. Predictions that cannot be used are listed and counted; the status is then 1.
    """
    files.require_usable(as_json=console.as_json)
    with console.progress() as progress:
        released = ReleasedItems.read(release, keys=chosen["keys"], progress=progress)
        decided, people = _of_project(project, released, seed=chosen["seed"], progress=progress)
        judge, settings = score_judging(asked, console=console), _settings(chosen, decided)
        with prediction_sources(
            predictions, runs, released, form_id=chosen["form_id"] or "", project=project
        ) as sources:
            compare = partial(compare_predictions, released, sources, progress=progress)
            comparison, judged = judge(compare, released, settings, progress=progress)
        chances = random_chances(released, comparison.scored_indices, progress=progress)
    if released.hidden:
        console.warn(f"Hidden answer keys: {released.hidden:,}. Name their folder with --keys to score them.")
    random, random_tasks = random_totals(chances, released)
    result = {
        **scores_json(comparison),
        "mode": chosen["mode"],
        "release": {"sha256": released.sha256, "items": len(released.items), "hidden": released.hidden},
        "random": {"overall": random, "tasks": random_tasks},
        "human": people,
        **_write_predicted(comparison, released, unparsed=unparsed, carried=chosen["carried"]),
        **judged_json(judged),
    }
    references = ReferenceRows(chances=chances, human=people)
    text = files.write(comparison, released, references, seed=chosen["seed"])
    console.result(
        msgspec.to_builtins(result),
        print_text=partial(_print, text, comparison, judged, {"random": random, **people}, console=console),
    )
    return status_of(comparison)


def _print(
    text: str | None,
    comparison: Comparison,
    judged: JudgedScores,
    references: Mapping[str, ScoreTotal],
    *,
    console: Console,
) -> None:
    """Print the table that was asked for, or else the scores and what models have added."""
    if text is not None:
        print_table(text, comparison, console=console)
    else:
        print_comparison(comparison, references, console=console)
        print_judged(judged, console=console)


def _write_predicted(
    comparison: Comparison, released: ReleasedItems, *, unparsed: Path | None, carried: Path | None
) -> dict[str, int]:
    """Write the texts that no rule can read and the scored predictions, each where a file is named."""
    texts = [text for one in comparison.models for text in one.evaluation.unparsed_texts(released)]
    return {
        "unparsed_written": write_unsettled(unparsed, texts) if unparsed is not None else 0,
        "predictions_written": write_predictions(carried, comparison, released) if carried is not None else 0,
    }


def _settings(chosen: Mapping[str, Any], decided: Sequence[SettledText]) -> ScoringSettings:
    table = chosen["settled"]
    return ScoringSettings(
        mode=Mode(chosen["mode"]),
        only=chosen["only"],
        settled=SettledTexts(table, records=decided) if decided or table is not None else None,
        scores_missing=chosen["missing"] == "wrong",
        seed=chosen["seed"],
    )


def _of_project(
    project: Path | None, released: ReleasedItems, *, seed: int, progress: Progress
) -> tuple[Sequence[SettledText], Mapping[str, ScoreTotal]]:
    """Return what the people of a project have decided about texts, and what they score."""
    if project is None:
        return (), {}
    with read_session(project) as session, session.reader.snapshot():
        decided = list(session.reader.find(SettledText))
        return decided, human_scores(session.reader, released, seed=seed, progress=progress)


VERBS = (score,)
