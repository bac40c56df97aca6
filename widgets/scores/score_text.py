"""Texts about scores: problems, coverage, and what has changed since the last time."""

from __future__ import annotations

from annotator.scoring.prediction_rows import InputProblem
from annotator.scoring.score_report import ModelScore, ScoreReport
from widgets.translation import join_clauses, mark, tr, trn

PROBLEMS = {
    "unreadable_row": mark("Unreadable row"),
    "overlong_line": mark("Line too long"),
    "wrong_encoding": mark("Wrong encoding"),
    "unknown_item": mark("Unknown item"),
    "ambiguous_item": mark("Ambiguous item"),
    "duplicate": mark("Second prediction"),
    "missing": mark("No prediction"),
    "unreadable_item": mark("Unreadable item"),
    "no_answer_key": mark("No answer key"),
    "unknown_format": mark("Unknown answer format"),
    "failed_request": mark("Failed request"),
    "settled_not_used": mark("Decision not used"),
    "unnamed_model": mark("Row without model"),
}
"""English titles of the kinds of problems."""
MOST_STATEMENTS = 4
"""Models whose coverage is stated line by line."""


def problem_kind_title(kind: str) -> str:
    """Return the title of a kind of problems."""
    return tr(PROBLEMS.get(kind, kind))


def location_text(problem: InputProblem) -> str:
    """Return file and line of a problem, "" for one without."""
    if not problem.line:
        return problem.file
    line = tr("line {n}", n=f"{problem.line:,}")
    return f"{problem.file}, {line}" if problem.file else line


def coverage_text(report: ScoreReport, *, current: str) -> str:
    """Return over how many items the models are scored; the current one is said first.

    Args:
        report: The scores.
        current: Name of the current model, "" for none.
    """
    ordered = sorted(report.models, key=lambda model: model.name != current)
    lines = [_coverage_line(model, is_named=len(ordered) > 1) for model in ordered[:MOST_STATEMENTS]]
    if len(ordered) > MOST_STATEMENTS:
        more = len(ordered) - MOST_STATEMENTS
        lines.append(trn("and {n} more model", "and {n} more models", n=more))
    if len(ordered) > 1 and report.shared.scored_by_all < report.shared.scored_by_any:
        common = f"{report.shared.scored_by_all:,}"
        lines.append(tr("{n} items are common to all models", n=common))
    return "\n".join(lines)


def _coverage_line(model: ModelScore, *, is_named: bool) -> str:
    coverage = model.coverage
    text = tr("Over {n} of {total} items", n=f"{model.tables.overall.total:,}", total=f"{coverage.items:,}")
    notes = [text]
    if coverage.missing:
        wrong = trn("{n} without prediction is wrong", "{n} without prediction are wrong", n=coverage.missing)
        none = trn("{n} has no prediction", "{n} have no prediction", n=coverage.missing)
        notes.append(wrong if coverage.missing_scored else none)
    if coverage.left_out:
        notes.append(trn("{n} does not count", "{n} do not count", n=coverage.left_out))
    if coverage.settled:
        notes.append(trn("{n} settled by people", "{n} settled by people", n=coverage.settled))
    if coverage.read_by_model:
        notes.append(trn("{n} read by a model", "{n} read by a model", n=coverage.read_by_model))
    if coverage.strict_tasks:
        strict = trn("{n} task scored strictly", "{n} tasks scored strictly", n=len(coverage.strict_tasks))
        notes.append(strict)
    line = join_clauses(notes)
    return f"{model.name}: {line}" if is_named else line
