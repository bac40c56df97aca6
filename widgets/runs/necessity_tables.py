"""Tables about the need of the input: the gain of each part by task, and the decisions by part."""

from __future__ import annotations

from annotator.quality.necessity.decision import PartDecision
from annotator.quality.necessity.report import NecessityReport, TaskGain
from widgets import display_text, run_text
from widgets.report_dialog import ReportSection
from widgets.translation import tr


def decision_section(report: NecessityReport) -> ReportSection:
    """Return the table of the items that do not need a part of their input."""
    return ReportSection(
        title=tr("Items that do not need a part of the input"),
        columns=(
            tr("Finding"),
            tr("Compared"),
            tr("Found"),
            tr("False, at most"),
            tr("Rule"),
        ),
        rows=tuple(_decision_row(decision) for decision in report.decisions),
        note=_advice(report),
    )


def gain_section(report: NecessityReport) -> ReportSection:
    """Return the table of the gain of each part of the input, over all tasks and by task."""
    return ReportSection(
        title=tr("Gain of each part of the input"),
        columns=(
            tr("Task"),
            tr("Without it"),
            tr("Items"),
            tr("Whole"),
            tr("Without"),
            tr("Gain"),
            tr("95 % interval"),
            tr("p-value"),
        ),
        rows=tuple(_gain_row(one) for one in report.gains),
        note=tr(
            "An item is right if more than half of its answers are. Interval of paired shares: Newcombe "
            "1998, method 10. p-value: exact McNemar test."
        ),
    )


def _decision_row(decision: PartDecision) -> tuple[str, ...]:
    return (
        display_text.flag_kind_title(decision.kind),
        f"{decision.items:,}",
        f"{len(decision.findings):,}",
        f"{decision.expected_false:.1f}" if decision.threshold is not None else "–",
        _rule(decision),
    )


def _advice(report: NecessityReport) -> str:
    if all(one.threshold is not None or one.false_share is None for one in report.decisions):
        return ""
    return tr(
        "A part without a threshold that keeps the share flags nothing. Ask more models, or more rotations "
        "or shuffles, or permit a larger share."
    )


def _rule(decision: PartDecision) -> str:
    if decision.threshold is not None:
        return tr("at least {share} of the answers right", share=run_text.share(decision.threshold))
    if decision.false_share is None:
        return tr("no item is answered without it")
    return tr(
        "{share} of the flags would be false at least",
        share=run_text.share(min(1.0, decision.false_share)),
    )


def _gain_row(one: TaskGain) -> tuple[str, ...]:
    gain = one.gain
    task_set, _, task = one.task.partition("/")
    return (
        display_text.task_title(task, task_set) if one.task else tr("all tasks"),
        run_text.input_part_title(one.input),
        f"{gain.items:,}",
        run_text.share(gain.with_it),
        run_text.share(gain.without),
        _points(gain.gain),
        f"{_points(gain.low)} – {_points(gain.high)}",
        f"{gain.p_value:.2g}",
    )


def _points(share: float) -> str:
    """Return a difference of shares in points: "+12.5", "−3.0"."""
    return f"{100 * share:+.1f}".replace("-", "−")
