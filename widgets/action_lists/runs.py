"""Actions that start, control and evaluate runs."""

from __future__ import annotations

from widgets.action import ActionNeed, ActionSpec
from widgets.translation import mark as _

RUN_ACTIONS: tuple[tuple[str, str, str, str, ActionNeed, str], ...] = (
    ("pause", _("Pause run"), "P", "pause", "run_going", "runs.pause"),
    ("resume", _("Resume run"), "R", "play", "run_halted", "runs.resume"),
    ("retry", _("Retry failed jobs"), "F", "restore", "run_failed", "runs.retry"),
    ("limit", _("Set run limit…"), "L", "", "run_open", "runs.ask_limit"),
    ("compare", _("Compare with another run…"), "C", "", "run", "runs.ask_compare"),
    ("score", _("Score run"), "S", "scores", "run_scored", "run_scoring.score"),
    ("cancel", _("Cancel run…"), "Del", "reject", "run_open", "runs.ask_cancel"),
    ("predictions", _("Show predictions"), "V", "", "run_page", "run_page.show_predictions"),
    ("errors", _("Show errors"), "E", "", "run_page", "run_page.show_errors"),
    ("outcome", _("Show outcome"), "O", "", "run_page", "run_page.show_outcome"),
    ("search", _("Search predictions"), "Ctrl+F", "search", "run_page", "run_page.focus_search"),
    ("back", _("Back to run list"), "Esc", "chevron-left", "run_page", "run_page.go_back"),
)
"""Name, words, key, icon, need and handler of what is done to the run at hand."""
CONTROLS = frozenset({"pause", "resume", "retry", "limit", "cancel"})
"""Those that change a run, which is part of the project."""

RUNS = (
    ActionSpec(
        id="runs.new",
        writes=True,
        text=_("New run…"),
        key="Ctrl+R",
        icon="plus",
        menu="Runs",
        needs="project",
        handler="runs.ask_new",
    ),
    *(
        ActionSpec(
            id=f"runs.new_{kind}",
            text=text,
            icon=icon,
            menu="Runs",
            needs="project",
            handler="runs.ask_new",
            choice=kind,
            writes=True,
        )
        for kind, text, icon in (
            ("blind", _("New blind filter…"), "filter"),
            ("consensus", _("New consensus…"), "together"),
            ("evaluation", _("New evaluation…"), "measure"),
            ("detect", _("New detection…"), "box"),
            ("draft", _("New drafting by model…"), "draft"),
        )
    ),
    ActionSpec(
        id="runs.models",
        text=_("Models…"),
        key="Ctrl+Shift+M",
        icon="model",
        menu="Runs",
        needs="project",
        handler="runs.ask_models",
    ),
    ActionSpec(
        id="runs.limits",
        writes=True,
        text=_("Set cost limits…"),
        menu="Runs",
        needs="project",
        handler="runs.ask_limits",
    ),
    ActionSpec(
        id="runs.work",
        writes=True,
        text=_("Start worker"),
        icon="play",
        menu="Runs",
        opens="runs",
        needs="project",
        handler="runs.start_worker",
    ),
    *(
        ActionSpec(
            id=f"runs.{name}",
            text=text,
            key=key,
            icon=icon,
            menu="Runs",
            context="runs",
            needs=needs,
            handler=handler,
            writes=name in CONTROLS,
        )
        for name, text, key, icon, needs, handler in RUN_ACTIONS
    ),
)
"""Actions of the Runs workspace; those that start a run work everywhere."""
