"""What the command ``score`` says: the scores as JSON or as tables of text, and what they do not contain."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from typing import Any

from annotator.cli.console import Console
from annotator.scoring.comparison import ALL_TASKS, Comparison, ModelEvaluation
from annotator.scoring.evaluation import Evaluation
from annotator.scoring.forms import FORMS
from annotator.scoring.prediction_rows import InputProblem
from annotator.scoring.score_tables import FormatRate, GroupScore, ScoreInterval, ScoreTables, ScoreTotal
from annotator.scoring.task_correlation import correlate_tasks

SUCCESS, FOUND_PROBLEMS = 0, 1
PROBLEMS_SHOWN = 20
NONE = "–"
SCORE_HEAD = ("predictions", "unparsed", "score %", "95 %", "right %", "95 %", "format %")


def status_of(comparison: Comparison) -> int:
    """Return the exit status: whether a prediction is missing or cannot be used."""
    return FOUND_PROBLEMS if problem_counts(comparison) else SUCCESS


def problem_counts(comparison: Comparison) -> Counter[str]:
    """Return the number of problems of all models by kind."""
    counts = Counter(comparison.problems.counts)
    for one in comparison.models:
        counts.update(one.evaluation.problems.counts)
    return counts


def scores_json(comparison: Comparison) -> dict[str, Any]:
    """Return the scores as JSON: those of a single model at the top, of several in a list."""
    shared = {"counts": dict(comparison.problems.counts), "listed": comparison.problems.listed}
    if len(comparison.models) == 1:
        found = _model_json(comparison.models[0])
        own = found["problems"]
        counts = dict(Counter(own["counts"]) + Counter(shared["counts"]))
        return {**found, "problems": {"counts": counts, "listed": [*own["listed"], *shared["listed"]]}}
    return {
        "models": [_model_json(one) for one in comparison.models],
        "common": {name: _tables_json(tables) for name, tables in comparison.common.items()},
        "differences": comparison.differences,
        "correlation": correlate_tasks(comparison.tables),
        "coverage": comparison.coverage,
        "problems": shared,
    }


def _model_json(one: ModelEvaluation) -> dict[str, Any]:
    problems = one.evaluation.problems
    return {
        "model": one.model,
        "file": str(one.file),
        "form": {"id": one.form_id, "reason": one.form_reason},
        **_tables_json(one.evaluation.tables),
        "coverage": one.evaluation.coverage,
        "problems": {"counts": dict(problems.counts), "listed": problems.listed},
    }


def _tables_json(tables: ScoreTables) -> dict[str, Any]:
    return {
        "overall": tables.overall,
        "tasks": tables.tasks,
        "groups": tables.groups,
        "formats": tables.formats,
        "sources": tables.sources,
        "variants": tables.variants,
        "intervals": {
            "overall": tables.overall_interval,
            "tasks": tables.task_intervals,
            "groups": tables.group_intervals,
            "formats": tables.format_intervals,
            "sources": tables.source_intervals,
            "variants": tables.variant_intervals,
        },
        "navigation": tables.navigation,
        "format_correct_pct": tables.format_correct.correct_pct,
        "format_correct": {"overall": tables.format_correct, "tasks": tables.task_format_correct},
    }


def print_table(text: str, comparison: Comparison, *, console: Console) -> None:
    """Print a table alone on standard output, and on standard error what it does not contain."""
    sys.stdout.write(text)
    for one in comparison.models:
        console.warn(f"{one.model}: {one.evaluation.coverage.statement}")
    counts = problem_counts(comparison)
    if counts:
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in sorted(counts.items()))
        console.warn(f"Not in the score, or to be looked at: {kinds}. --json lists them.")


def print_comparison(comparison: Comparison, others: Mapping[str, ScoreTotal], *, console: Console) -> None:
    """Print the scores: those of a single model in full, of several side by side.

    Args:
        comparison: The models.
        others: ``random`` for random answers, ``overall`` for people.
        console: Where to.
    """
    if len(comparison.models) == 1:
        _print_model(comparison.models[0], others, console=console)
    else:
        _print_models(comparison, others, console=console)
        _print_differences(comparison, console=console)
    _print_problems(comparison, console=console)


def _print_model(one: ModelEvaluation, others: Mapping[str, ScoreTotal], *, console: Console) -> None:
    tables = one.evaluation.tables
    console.print(f"Model: {one.model}")
    console.print(f"Form: {FORMS[one.form_id].title} ({one.form_reason})")
    console.print(one.evaluation.coverage.statement)
    rows = _score_rows(tables.tasks, tables.task_intervals, tables.task_format_correct)
    rows.append(_overall_row("all tasks", tables))
    rows += _other_rows(others)
    console.table("Scores", head=("task", *SCORE_HEAD), rows=rows)
    groupings = (
        ("Groups", tables.groups, tables.group_intervals),
        ("Formats", tables.formats, tables.format_intervals),
        ("Images", tables.sources, tables.source_intervals),
        ("Variants", tables.variants, tables.variant_intervals),
    )
    for title, groups, intervals in groupings:
        if groups:
            console.table(title, head=("name", *SCORE_HEAD[:-1]), rows=_score_rows(groups, intervals))
    _print_navigation(one.evaluation, console=console)


def _print_models(comparison: Comparison, others: Mapping[str, ScoreTotal], *, console: Console) -> None:
    for one in comparison.models:
        form = FORMS[one.form_id].title
        console.print(f"{one.model}: {one.file.name}, {form}. {one.evaluation.coverage.statement}")
    console.print(comparison.coverage.statement)
    rows = [_overall_row(name, tables) for name, tables in comparison.tables.items()]
    console.table("All tasks", head=("model", *SCORE_HEAD), rows=[*rows, *_other_rows(others)])
    if comparison.common != comparison.tables:
        rows = [_overall_row(name, tables) for name, tables in comparison.common.items()]
        console.table("Common items", head=("model", *SCORE_HEAD), rows=rows)
    tasks = sorted({task for tables in comparison.tables.values() for task in tables.tasks})
    found = [(task, *(_task_score(tables, task) for tables in comparison.tables.values())) for task in tasks]
    console.table("Score % by task", head=("task", *comparison.names), rows=found)


def _task_score(tables: ScoreTables, task: str) -> str:
    return _percent(tables.tasks[task].score_pct) if task in tables.tasks else NONE


def _print_differences(comparison: Comparison, *, console: Console) -> None:
    rows = [
        (
            one.first,
            one.second,
            f"{one.items:,}",
            _difference(one.score),
            _range(one.score_low, one.score_high),
            _difference(one.exact),
            _range(one.exact_low, one.exact_high),
        )
        for one in comparison.differences
        if one.task == ALL_TASKS
    ]
    head = ("model", "less", "items of both", "score", "95 %", "right", "95 %")
    console.table("Differences in percentage points, items paired", head=head, rows=rows)


def _score_rows(
    groups: Mapping[str, GroupScore],
    intervals: Mapping[str, ScoreInterval],
    formats: Mapping[str, FormatRate] | None = None,
) -> list[tuple[str, ...]]:
    return [
        (
            name,
            f"{one.total:,}",
            f"{one.unparsed:,}",
            *_percents(one, intervals[name]),
            *(() if formats is None else (_percent(formats[name].correct_pct),)),
        )
        for name, one in groups.items()
    ]


def _overall_row(name: str, tables: ScoreTables) -> tuple[str, ...]:
    unparsed = sum(one.unparsed for one in tables.tasks.values())
    return (
        name,
        f"{tables.overall.total:,}",
        f"{unparsed:,}",
        *_percents(tables.overall, tables.overall_interval),
        _percent(tables.format_correct.correct_pct),
    )


def _other_rows(others: Mapping[str, ScoreTotal]) -> list[tuple[str, ...]]:
    names = {"random": "random answers", "overall": "people"}
    return [
        (
            names[key],
            f"{one.total:,}",
            NONE,
            _percent(one.score_pct),
            NONE,
            _percent(one.exact_pct),
            NONE,
            NONE,
        )
        for key, one in others.items()
        if key in names
    ]


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


def _print_problems(comparison: Comparison, *, console: Console) -> None:
    counts = problem_counts(comparison)
    if not counts:
        return
    rows = [(kind, f"{count:,}") for kind, count in sorted(counts.items())]
    console.table("Not in the score, or to be looked at", head=("problem", "count"), rows=rows)
    is_several = len(comparison.models) > 1
    listed = [
        (f"{one.model}: " if is_several else "", problem)
        for one in comparison.models
        for problem in one.evaluation.problems.listed
    ]
    listed += [("", problem) for problem in comparison.problems.listed]
    for model, problem in listed[:PROBLEMS_SHOWN]:
        console.print(f"{model}{_problem_text(problem)}")
    if counts.total() > PROBLEMS_SHOWN:
        console.print(f"{counts.total() - PROBLEMS_SHOWN:,} more; --json lists them.")


def _problem_text(problem: InputProblem) -> str:
    location = f"{problem.file} line {problem.line}: ".lstrip() if problem.line else ""
    return f"{location}{problem.item or problem.kind}: {problem.message}"


def _percents(total: ScoreTotal, interval: ScoreInterval) -> tuple[str, ...]:
    return (
        _percent(total.score_pct),
        _range(interval.score_low, interval.score_high),
        _percent(total.exact_pct),
        _range(interval.exact_low, interval.exact_high),
    )


def _difference(value: float | None) -> str:
    return NONE if value is None else f"{value:+.1f}"


def _percent(value: float | None) -> str:
    return NONE if value is None else f"{value:.1f}"


def _range(low: float | None, high: float | None) -> str:
    return NONE if low is None or high is None else f"{low:.1f} to {high:.1f}"
