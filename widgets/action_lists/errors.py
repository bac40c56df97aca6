"""Actions of the error browser: filters and steps of the list, labels, counts and renderings."""

from __future__ import annotations

from widgets.action import ActionNeed, ActionSpec
from widgets.translation import mark as _

ERROR_ACTIONS: tuple[tuple[str, str, str, str, ActionNeed, str, str | None], ...] = (
    ("back", _("Back to scores"), "B", "chevron-left", "errors_page", "errors.go_back", None),
    ("next", _("Next prediction"), "PgDown", "chevron-right", "errors_page", "error_list.step", "1"),
    ("previous", _("Previous prediction"), "PgUp", "", "errors_page", "error_list.step", "-1"),
    ("next_outcome", _("Next outcome"), "O", "", "errors_page", "error_list.choose_next", "outcome"),
    ("next_model", _("Next model"), "M", "", "errors_page", "error_list.choose_next", "model"),
    ("next_task", _("Next task"), "K", "", "errors_page", "error_list.choose_next", "task"),
    ("next_error_class", _("Next class"), "C", "", "errors_page", "error_list.choose_next", "error_class"),
    ("next_order", _("Next order"), "S", "", "errors_page", "error_list.choose_next", "order"),
    ("search", _("Search replies"), "Ctrl+F", "search", "errors_page", "error_list.focus_search", None),
    ("clear", _("List all predictions"), "X", "filter", "errors_page", "error_list.clear_filters", None),
    ("withdraw", _("Withdraw error label"), "Del", "", "error_shown", "error_labels.label_error", ""),
    ("note", _("Note on error"), "Y", "", "error_shown", "error_classes.focus_note", None),
    ("next_set", _("Next set of error classes"), "D", "", "errors_page", "error_labels.next_set", None),
    ("counts", _("Counts by error class"), "G", "grid", "errors_page", "error_panel.toggle", None),
    ("count_by", _("Count by model or task"), "U", "", "errors_page", "error_panel.turn", None),
    (
        "copy_counts",
        _("Copy counts as CSV"),
        "Ctrl+Shift+C",
        "copy",
        "errors_page",
        "error_counts.copy_csv",
        None,
    ),
    ("flight", _("Flight or images"), "A", "", "error_flight", "errors.toggle_flight", None),
    ("clean", _("Clean"), "F7", "", "error_shown", "stage.choose_rendering", "clean"),
    ("detected", _("Detected"), "F8", "", "error_shown", "stage.choose_rendering", "detected"),
    ("annotated", _("Annotated"), "F9", "", "error_shown", "stage.choose_rendering", "annotated"),
    ("model", _("Model input"), "F5", "model", "error_shown", "stage.toggle_model", None),
)
"""Name, words, key, icon, need, handler and choice."""

ERRORS = tuple(
    ActionSpec(
        id=f"errors.{name}",
        text=text,
        key=key,
        icon=icon,
        menu="Scores",
        context="errors",
        needs=needs,
        handler=handler,
        choice=choice,
        # A held key must not label or filter what nobody has looked at.
        repeats=handler == "error_list.step",
        writes=name in {"withdraw", "note"},
    )
    for name, text, key, icon, needs, handler, choice in ERROR_ACTIONS
)
"""Steps of the error browser."""
