"""Actions of the second look: the answer, the decision on the answer key, and the renderings."""

from __future__ import annotations

from widgets.action import ActionNeed, ActionSpec
from widgets.translation import mark as _

NEEDS: dict[str, ActionNeed] = {
    "hand_in": "answering",
    "hand_in_text": "answering",
    "keep": "key_shown",
    "object": "key_shown",
    "next": "project",
    "previous": "project",
}
"""Preconditions of actions; the others need a stage."""
SECOND_LOOK = tuple(
    ActionSpec(
        id=f"second_look.{name}",
        text=text,
        key=key,
        icon=icon,
        menu="Question",
        context="second_look",
        needs=NEEDS.get(name, "stage"),
        handler=handler,
        choice=choice,
        writes=handler.startswith("answering."),
        # A held key must not answer items that nobody has looked at.
        repeats=handler.startswith("second_queue."),
    )
    for name, text, key, icon, handler, choice in (
        ("hand_in", _("Hand in answer"), "Return", "check", "answering.hand_in", None),
        ("hand_in_text", _("Hand in answer while typing"), "Ctrl+Return", "", "answering.hand_in", None),
        ("keep", _("Keep answer key and show next"), "K", "check", "answering.keep_key", None),
        ("object", _("Object to answer key"), "O", "flag", "answering.object_to_key", None),
        ("next", _("Next item"), "PgDown", "chevron-right", "second_queue.step", "1"),
        ("previous", _("Previous item"), "PgUp", "chevron-left", "second_queue.step", "-1"),
        ("clean", _("Clean"), "F7", "", "stage.choose_rendering", "clean"),
        ("detected", _("Detected"), "F8", "", "stage.choose_rendering", "detected"),
        ("annotated", _("Annotated"), "F9", "", "stage.choose_rendering", "annotated"),
        ("model", _("Model input"), "F5", "model", "stage.toggle_model", None),
    )
)
"""Answer, decision, steps in the queue and renderings."""
