"""Actions of the Release workspace: what is done to the current gate, and to releases."""

from __future__ import annotations

from widgets.action import ActionNeed, ActionSpec
from widgets.translation import mark as _

RELEASE_ACTIONS: tuple[tuple[str, str, str, str, ActionNeed, str], ...] = (
    ("show", _("Show what fails"), "S", "search", "gate", "release_gates.show_failing"),
    ("waive", _("Waive gate…"), "W", "", "gate_fails", "release_gates.ask_waive"),
    ("withdraw", _("Withdraw waiver"), "Del", "", "gate_waived", "release_gates.withdraw"),
    ("report", _("Make report…"), "P", "", "project", "release_report.ask_report"),
    ("require", _("Require gate, or not"), "R", "", "gate_rule", "release_gates.toggle_required"),
    ("compare", _("Compare releases…"), "C", "", "release_page", "release_gates.ask_comparison"),
)
"""Name, words, key, icon, need and handler."""

RELEASE = tuple(
    ActionSpec(
        id=f"release.{name}",
        text=text,
        key=key,
        icon=icon,
        menu="Release",
        context="release",
        needs=needs,
        handler=handler,
        repeats=False,
        writes=name in {"waive", "withdraw", "require"},
    )
    for name, text, key, icon, needs, handler in RELEASE_ACTIONS
)
"""Steps on the current gate, and on releases."""
