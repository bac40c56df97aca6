"""Actions of the Scores workspace: what is scored, and how its scores are shown."""

from __future__ import annotations

from widgets.action import ActionNeed, ActionSpec
from widgets.translation import mark as _

SCORE_ACTIONS: tuple[tuple[str, str, str, str, ActionNeed, str], ...] = (
    ("release", _("Choose release…"), "R", "release", "scores_page", "score_dialogs.ask_release"),
    ("keys", _("Choose hidden answer keys…"), "H", "folder", "scores_release", "score_dialogs.ask_keys"),
    ("add", _("Add predictions…"), "A", "plus", "scores_page", "score_dialogs.ask_files"),
    (
        "add_folder",
        _("Add folder of predictions…"),
        "Shift+A",
        "folder",
        "scores_page",
        "score_dialogs.ask_folder",
    ),
    ("rename", _("Rename model…"), "N", "", "scores_file", "score_setup.ask_name"),
    ("remove", _("Remove predictions"), "Del", "reject", "scores_file", "score_setup.remove"),
    ("mode", _("Strict or compatible"), "M", "", "scores_page", "score_setup.toggle_mode"),
    ("missing", _("Missing left out or wrong"), "W", "", "scores_page", "score_setup.toggle_missing"),
    ("score", _("Score predictions"), "F5", "scores", "scores_ready", "scores.score"),
    ("tables", _("Show scores as table"), "T", "grid", "scores_shown", "score_page.show_tables"),
    ("differences", _("Differences of models"), "D", "", "scores_shown", "score_page.show_differences"),
    ("plots", _("Show plots"), "P", "measure", "scores_shown", "score_page.show_plots"),
    ("next_plot", _("Next plot"), "K", "", "scores_shown", "score_plots.choose_next_plot"),
    ("problems", _("Show problems"), "B", "flag", "scores_shown", "score_page.show_problems"),
    ("texts", _("Settle unreadable replies"), "U", "", "scores_shown", "score_page.show_texts"),
    ("settled", _("Show settled replies"), "I", "", "scores_shown", "score_page.show_settled"),
    (
        "change_settled",
        _("Change settled reply…"),
        "Ctrl+Return",
        "",
        "scores_settled",
        "settled_texts.ask_answer",
    ),
    (
        "withdraw_settled",
        _("Withdraw settled reply"),
        "Shift+Del",
        "",
        "scores_settled",
        "settled_texts.withdraw",
    ),
    ("models", _("Show help of models"), "J", "", "scores_shown", "score_page.show_models"),
    ("ask_models", _("Ask models…"), "Shift+J", "", "scores_ready", "score_models.ask_models"),
    ("no_answer", _("Reply is no answer"), "0", "", "scores_text", "score_texts.decline"),
    ("for_all", _("For all replies with this text"), "Y", "", "scores_text", "score_texts.toggle_all"),
    ("errors", _("Browse errors"), "E", "search", "scores_shown", "scores.browse_errors"),
    ("group", _("Next grouping"), "G", "", "scores_shown", "score_tables.choose_next_grouping"),
    ("measure", _("Mean score or right answers"), "S", "", "scores_shown", "score_tables.toggle_measure"),
    ("turn", _("Turn table"), "X", "up-down", "scores_shown", "score_tables.turn"),
    ("save", _("Save table or plot…"), "Ctrl+S", "", "scores_shown", "score_page.ask_save"),
)
"""Name, words, key, icon, need and handler."""
DECIDING = frozenset({"change_settled", "withdraw_settled", "ask_models", "no_answer", "for_all"})
"""Those that record decisions on replies in the project."""

COPIES = (
    ("markdown", _("Copy table as Markdown"), "C"),
    ("latex", _("Copy table as LaTeX"), "L"),
    ("csv", _("Copy table as CSV"), "V"),
)
"""Form, words and key of the ways to copy the table."""

SCORES = tuple(
    ActionSpec(
        id=f"scores.{name}",
        text=text,
        key=key,
        icon=icon,
        menu="Scores",
        context="scores",
        needs=needs,
        handler=handler,
        repeats=False,
        writes=name in DECIDING,
    )
    for name, text, key, icon, needs, handler in SCORE_ACTIONS
) + tuple(
    ActionSpec(
        id=f"scores.copy_{form}",
        text=text,
        key=key,
        icon="copy",
        menu="Scores",
        context="scores",
        needs="scores_shown",
        handler="score_tables.copy",
        choice=form,
        repeats=False,
    )
    for form, text, key in COPIES
)
"""Steps of the Scores workspace."""
