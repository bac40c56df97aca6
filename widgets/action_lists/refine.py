"""Actions of Refine: decisions on the current item, its fields, its renderings, and steps in the queue."""

from __future__ import annotations

from widgets.action import ActionSpec
from widgets.translation import mark as _

EDITING = frozenset({"modify", "answer", "add_option", "remove_option", "option_up", "option_down", "repair"})
"""Those that change the item beside the decisions."""
REFINE = tuple(
    ActionSpec(
        id=f"refine.{name}",
        text=text,
        key=key,
        icon=icon,
        menu="Question",
        context="refine",
        needs="item_shown",
        handler=handler,
        choice=choice,
        # A held key must not decide on items that nobody has looked at.
        repeats=not handler.startswith("item_decisions."),
        writes=handler.startswith("item_decisions.") or name in EDITING,
    )
    for name, text, key, icon, handler, choice in (
        ("accept", _("Accept and show next"), "Return", "check", "item_decisions.accept", None),
        ("keep", _("Keep unchanged and show next"), "K", "", "item_decisions.keep", None),
        ("modify", _("Modify question"), "M", "draft", "item_editor.edit_question", None),
        ("answer", _("Correct answer"), "Y", "", "item_editor.edit_answer", None),
        ("skip", _("Skip with reason…"), "S", "", "item_decisions.ask_skip", None),
        ("send_back", _("Send back with reason…"), "X", "restore", "item_decisions.ask_send_back", None),
        ("reject", _("Reject item with reason…"), "Del", "reject", "item_decisions.ask_reject", None),
        ("next", _("Next item"), "PgDown", "chevron-right", "queue.step", "1"),
        ("previous", _("Previous item"), "PgUp", "chevron-left", "queue.step", "-1"),
        ("next_unfinished", _("Next unfinished item"), "Shift+PgDown", "", "queue.step_unfinished", None),
        ("add_option", _("Add option"), "Ctrl+Return", "plus", "item_form.add_option", None),
        ("remove_option", _("Remove option"), "Ctrl+Shift+Del", "", "item_form.remove_option", None),
        ("option_up", _("Move option up"), "Ctrl+Up", "", "item_form.move_option", "-1"),
        ("option_down", _("Move option down"), "Ctrl+Down", "", "item_form.move_option", "1"),
        ("repair", _("Repair first finding"), "R", "", "item_form.repair", None),
        ("draft", _("Show / hide changes to the draft"), "P", "", "item_form.toggle_tints", None),
        ("next_tab", _("Next editor tab"), "Ctrl+Tab", "", "item_editor.show_next_tab", None),
        ("clean", _("Clean"), "F7", "", "stage.choose_rendering", "clean"),
        ("detected", _("Detected"), "F8", "", "stage.choose_rendering", "detected"),
        ("annotated", _("Annotated"), "F9", "", "stage.choose_rendering", "annotated"),
        ("model", _("Model input"), "F5", "model", "stage.toggle_model", None),
    )
)
"""Decisions, fields, renderings and steps."""
