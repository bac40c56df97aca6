"""Texts about gates in the language of the window."""

from __future__ import annotations

from annotator.release.gates import GateReport
from annotator.release_examination.outlook import ReleaseOutlook
from widgets import display_text
from widgets.message_text import message_text
from widgets.translation import mark as _
from widgets.translation import tr

STATES = {
    "holds": _("Holds"),
    "fails": _("Fails"),
    "waived": _("Waived"),
    "not_applicable": _("Does not apply"),
}
ICONS = {"holds": "check", "fails": "close", "waived": "restore", "not_applicable": ""}


def state_token(report: GateReport) -> str:
    """Return the colour token of a gate: only what stops the release is red."""
    if report.result.state == "fails":
        return "bad" if report.is_blocking else "warn"
    return {"holds": "good", "waived": "warn"}.get(report.result.state, "text_dim")


def gate_rule_text(report: GateReport) -> str:
    """Return whether a gate is required."""
    if report.gate.is_informative:
        return tr("For information")
    return tr("Required") if report.is_required else tr("Not required")


def left_text(report: GateReport) -> str:
    """Return the number of a gate without words, for the list; "" where it does not apply."""
    result = report.result
    if result.state == "not_applicable":
        return ""
    return f"{result.failing:,} / {result.total:,}" if result.total else f"{result.failing:,}"


def number_text(report: GateReport) -> str:
    """Return the number of a gate, "" where it does not apply."""
    result = report.result
    if result.state == "not_applicable":
        return ""
    return tr(report.gate.counted, n=f"{result.failing:,}", total=f"{result.total:,}")


def detail_text(report: GateReport, outlook: ReleaseOutlook) -> str:
    """Return what to do about a gate, or why it is waived and by whom."""
    waiver, result = report.waiver, report.result
    if report.unwaivable:
        never = tr(
            "Files that the checks cannot use: {n}. No waiver covers them.", n=f"{report.unwaivable:,}"
        )
        return f"{never} {message_text(report.gate.advice)}"
    if waiver is not None and result.failing:
        who = outlook.people.get(waiver.person, "")
        values = {"person": who, "time": display_text.local_time(waiver.waived_at), "reason": waiver.reason}
        text = tr("Waived by {person}, {time}: {reason}", **values)
        if result.state == "waived":
            return text
        more = tr("The waiver covers {n}; more fails now.", n=f"{waiver.failing:,}")
        return f"{text}\n{more} {message_text(report.gate.advice)}"
    return message_text(report.gate.advice) if result.state == "fails" else ""


def standing_text(outlook: ReleaseOutlook) -> str:
    """Return in one line whether a release is possible."""
    blocking = len(outlook.blocking)
    if not outlook.items:
        return tr("No accepted item can be released yet.")
    if not blocking:
        return tr("All required gates hold or are waived.")
    return tr("Required gates that fail: {n}. Correct what they count, or waive them.", n=blocking)
