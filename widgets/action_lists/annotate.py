"""Actions of Annotate: the queue of scenes, and the end of work on a scene."""

from __future__ import annotations

from widgets.action import ActionSpec
from widgets.translation import mark as _

ANNOTATE = tuple(
    ActionSpec(
        id=f"annotate.{name}",
        text=text,
        key=key,
        icon=icon,
        menu="Stage",
        workspaces=("annotate",),
        needs="project",
        handler=handler,
        choice=choice,
        # A held key must not finish a scene and reopen it.
        repeats=handler != "scene_finish.finish_or_reopen",
    )
    for name, text, key, icon, handler, choice in (
        (
            "next_unfinished",
            _("Next unfinished scene"),
            "Shift+PgDown",
            "",
            "queue_of_scenes.step_unfinished",
            "1",
        ),
        (
            "unfinished_before",
            _("Previous unfinished scene"),
            "Shift+PgUp",
            "",
            "queue_of_scenes.step_unfinished",
            "-1",
        ),
        (
            "finish_scene",
            _("Finish or reopen scene"),
            "Ctrl+E",
            "check",
            "scene_finish.finish_or_reopen",
            None,
        ),
    )
)
"""Of the whole window: they also work in the event-level form and in the lists beside the stage."""
