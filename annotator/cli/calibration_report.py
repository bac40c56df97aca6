"""Print what the calibrated policy states about a set, and write the decisions about items to a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

import msgspec

from annotator.cli.console import Console
from annotator.quality.blind import ItemDecision, evidence_of
from annotator.quality.calibrated.calibration import CurvePoint
from annotator.quality.calibrated.decisions import CalibrationReport
from annotator.quality.calibrated.option_logit import FOLDS
from annotator.quality.policy import Policy


def print_calibration(report: CalibrationReport, console: Console) -> None:
    """Print the bound, its basis and the curve of found items."""
    console.print(_bound_text(report))
    console.print(_basis_text(report))
    if report.unused_models:
        console.print(
            f"Answers of {', '.join(report.unused_models)} are not used, because the answer keys were not "
            "shown evenly under all letters. Ask in every rotation (--rotations 0)."
        )
    if report.pool_leaks:
        console.print(
            f"{report.pool_leaks:,} items have a pool leak: their wrong options are wrong in other items "
            "too and never right, and their right option is never wrong."
        )
    if report.letter_p_value is not None:
        console.print(
            f"Letters of the answer keys: p = {report.letter_p_value:.2g}. Uneven letters are repaired by "
            "re-lettering; they remove no item."
        )
    rows = [
        (f"{one.alpha:.1%}", f"{one.found:,}", f"{one.expected:.1f}", *_bound_cells(one))
        for one in report.curve
    ]
    head = ("good items lost", "found", "good among them (expected)", "at most", "shortcuts at least")
    console.table("Calibrated policy: found items by permitted loss", head=head, rows=rows)


def write_decisions(decided: Iterable[ItemDecision], policy: Policy, *, run: str, file: BinaryIO) -> int:
    """Write one JSON object per item with its public id, and return their number."""
    count = 0
    for line in decision_lines(decided, policy, run=run):
        file.write(msgspec.json.encode(line) + b"\n")
        count += 1
    return count


def decision_lines(decided: Iterable[ItemDecision], policy: Policy, *, run: str) -> Iterator[dict[str, Any]]:
    """Yield the decision about each item with its evidence: everything that a rebuttal needs."""
    for one in decided:
        item = one.item_predictions.item
        yield {
            "item": item.name,
            "id": item.id,
            "task_set": item.task_set,
            "task": item.task,
            "question": item.question,
            "options": {option.letter: option.text for option in item.options},
            **evidence_of(one, run=run, policy=policy),
            "statistics": _statistics(one),
        }


def _statistics(decided: ItemDecision) -> dict[str, float]:
    """Return the statistic of each option by its letter, none under another policy."""
    if decided.calibrated is None:
        return {}
    item, others = decided.item_predictions.item, iter(decided.calibrated.others)
    return {
        option.letter: decided.calibrated.statistic if option.letter == item.answer_key else next(others)
        for option in item.options
    }


def _bound_cells(point: CurvePoint) -> tuple[str, str]:
    return (f"{point.bound:,}", f"{point.beyond:,}") if point.is_bounded else ("–", "–")


def _bound_text(report: CalibrationReport) -> str:
    point = report.point
    if report.threshold is None:
        return (
            f"{report.items:,} items with options are too few: no threshold keeps the loss at "
            f"{point.alpha:.1%}."
        )
    found = f"{point.found:,} of {report.items:,} items with options are found. "
    if report.rule == "largest":
        return (
            f"{found}Too few good items are left to tell how many are among them; the threshold is not below "
            "any of their wrong options."
        )
    expected = f"{found}Expected good items among them: {point.expected:.1f}"
    if not point.is_bounded:
        return f"{expected}, without a bound."
    text = (
        f"{expected}, with 95 % confidence at most {point.bound:,}; at least {point.beyond:,} have a "
        "shortcut."
    )
    if report.rule == "expected":
        return f"{text} Too few good items are left: the permitted loss holds only on average."
    return text


def _basis_text(report: CalibrationReport) -> str:
    if report.is_learnt:
        return f"The weights are learnt from this set, for each item from the others ({FOLDS} folds)."
    return (
        f"The set is too small to learn from: the weights are those of version {report.weights_version} that "
        "come with Vantage. They find fewer items than learnt ones, and the permitted loss is not guaranteed."
    )
