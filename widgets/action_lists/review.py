"""Actions of Review: decisions on the current case, its renderings, and steps in the queue."""

from __future__ import annotations

from widgets.action import ActionNeed, ActionSpec
from widgets.translation import mark as _

REVIEW_ACTIONS: tuple[tuple[str, str, str, str, ActionNeed, str, str | None], ...] = (
    ("keep", _("Keep as it is…"), "K", "check", "case_shown", "case_decisions.ask_keep", None),
    ("change", _("Change answer key…"), "Y", "", "case_shown", "case_decisions.ask_change", None),
    ("edit", _("Edit record"), "M", "draft", "case_shown", "case_decisions.edit", None),
    (
        "send_back",
        _("Send back…"),
        "X",
        "restore",
        "case_shown",
        "case_decisions.ask_send_back",
        None,
    ),
    ("reject", _("Reject…"), "Del", "reject", "case_shown", "case_decisions.ask_reject", None),
    ("resolve", _("Mark as corrected…"), "R", "", "case_shown", "case_decisions.ask_resolve", None),
    ("merge", _("Choose versions…"), "U", "", "case_shown", "case_decisions.ask_merge", None),
    ("next", _("Next case"), "PgDown", "chevron-right", "case_shown", "cases.step", "1"),
    ("previous", _("Previous case"), "PgUp", "chevron-left", "case_shown", "cases.step", "-1"),
    ("all", _("Show all cases"), "Ctrl+Shift+A", "", "project", "cases.clear_filters", None),
    ("rules", _("Review rules…"), "", "", "project", "review_rules.ask_rules", None),
    ("next_tab", _("Next panel tab"), "Ctrl+Tab", "", "case_shown", "case_panel.show_next_tab", None),
    ("clean", _("Clean"), "F7", "", "case_shown", "stage.choose_rendering", "clean"),
    ("detected", _("Detected"), "F8", "", "case_shown", "stage.choose_rendering", "detected"),
    ("annotated", _("Annotated"), "F9", "", "case_shown", "stage.choose_rendering", "annotated"),
    ("model", _("Model input"), "F5", "model", "case_shown", "stage.toggle_model", None),
)
"""Name, words, key, icon, need, handler and choice."""

REVIEW = tuple(
    ActionSpec(
        id=f"review.{name}",
        text=text,
        key=key,
        icon=icon,
        menu="Review",
        context="review",
        needs=needs,
        handler=handler,
        choice=choice,
        # A held key must not decide on cases that nobody has looked at.
        repeats=not handler.startswith("case_decisions."),
        writes=handler.startswith(("case_decisions.", "review_rules.")),
    )
    for name, text, key, icon, needs, handler, choice in REVIEW_ACTIONS
)
"""Decisions, renderings and steps."""
