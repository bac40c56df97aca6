"""Actions of Annotate: the queue of scenes, and the end of work on a scene."""

from __future__ import annotations

from widgets.action import ActionSpec
from widgets.translation import mark as _

UNFINISHED, FINISH = "queue_of_scenes.step_unfinished", "scene_finish.finish_or_reopen"
STEPS, ANNOTATED = "frame_steps", "frame_steps.step_annotated"
WRITING = frozenset({"confirm_scene", "carry_labels", "frame_steps", "assign", "finish_scene"})
"""Those that change the project."""

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
        repeats=handler != FINISH,
        writes=name in WRITING,
    )
    for name, text, key, icon, handler, choice in (
        ("next_unfinished", _("Next unfinished scene"), "Shift+PgDown", "", UNFINISHED, "1"),
        ("unfinished_before", _("Previous unfinished scene"), "Shift+PgUp", "", UNFINISHED, "-1"),
        ("confirm_scene", _("Confirm answers of scene"), "Ctrl+J", "", f"{STEPS}.confirm_scene", None),
        (
            "next_different",
            _("Next frame that differs"),
            "Ctrl+PgDown",
            "",
            f"{STEPS}.show_different",
            None,
        ),
        ("next_annotated", _("Next frame to annotate"), "Alt+.", "", ANNOTATED, "1"),
        (
            "annotated_before",
            _("Previous frame to annotate"),
            "Alt+,",
            "",
            ANNOTATED,
            "-1",
        ),
        ("carry_labels", _("Carry labels to frames in between"), "", "", f"{STEPS}.carry_labels", None),
        ("frame_steps", _("Annotation step…"), "", "", f"{STEPS}.ask_steps", None),
        ("assign", _("Assign selected scenes"), "", "person", "assignments.open_menu", None),
        ("finish_scene", _("Finish or reopen scene"), "Ctrl+E", "check", FINISH, None),
    )
)
"""Of the whole window: they also work in the event-level form and in the lists beside the stage."""
