"""Tables of the calibrated policy: found items by permitted loss, and why items count as guessed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from annotator.quality.blind import ItemDecision
from annotator.quality.calibrated.calibration import CurvePoint
from annotator.quality.calibrated.decisions import CalibrationReport
from widgets import display_text, run_text
from widgets.message_text import message_text
from widgets.report_dialog import ReportSection
from widgets.translation import join_texts, tr

MOST_GUESSED = 50
"""Rows of the table of guessed items: the ones nearest to the threshold are those that people doubt."""


def curve_section(calibration: CalibrationReport) -> ReportSection:
    """Return the table of what other permitted losses find."""
    return ReportSection(
        title=tr("Found items by permitted loss"),
        columns=(
            tr("Permitted loss"),
            tr("Found"),
            tr("Good, expected"),
            tr("Good, at most"),
            tr("Shortcuts, at least"),
        ),
        rows=tuple(_curve_row(point) for point in calibration.curve),
    )


def guessed_section(
    decided: Sequence[ItemDecision], *, open_item: Callable[[str], object]
) -> ReportSection | None:
    """Return the table of guessed items with the signals that carried them, None without one.

    Args:
        decided: Decisions of the calibrated policy.
        open_item: Called with the id of an item whose row is opened.
    """
    guessed = sorted(
        (one.calibrated.statistic, index)
        for index, one in enumerate(decided)
        if one.calibrated is not None and one.decision == "guessed"
    )
    if not guessed:
        return None
    shown = [decided[index] for _statistic, index in guessed[:MOST_GUESSED]]
    return ReportSection(
        title=tr("Why items count as guessed"),
        columns=(tr("Item"), tr("Task"), tr("Statistic"), tr("Right option, by its text")),
        rows=tuple(_guessed_row(one) for one in shown),
        note=tr(
            "{n} of {total} items that are guessed by their text, the nearest to the threshold first. "
            "Double-click a row, or press Enter on it, to open the item.",
            n=f"{len(shown):,}",
            total=f"{len(guessed):,}",
        ),
        open_row=lambda row: open_item(shown[row].item_predictions.item.id),
    )


def _curve_row(point: CurvePoint) -> tuple[str, ...]:
    bound = (f"{point.bound:,}", f"{point.beyond:,}") if point.is_bounded else ("–", "–")
    return (run_text.share(point.alpha), f"{point.found:,}", f"{point.expected:.1f}", *bound)


def _guessed_row(one: ItemDecision) -> tuple[str, ...]:
    item, calibrated = one.item_predictions.item, one.calibrated
    return (
        item.name,
        display_text.task_title(item.task, item.task_set),
        f"{calibrated.statistic:.2f}".replace("-", "−") if calibrated is not None else "–",
        join_texts(message_text(reason.text) for reason in calibrated.reasons) if calibrated else "",
    )
