"""Actions that mark something on the stage: its tools, and what they do to what is selected."""

from __future__ import annotations

from widgets.action import ActionSpec
from widgets.translation import mark as _

LOOKING = frozenset(
    {"select", "measure", "select_all", "next", "previous", "give_up", "next_scene", "scene_before"}
)
"""Those that make sense where scenes are only looked at."""

STAGE = tuple(
    ActionSpec(
        id=f"stage.{name}",
        text=text,
        key=key,
        icon=icon,
        menu="Stage",
        place="stage",
        needs="stage" if name in LOOKING else "marking",
        handler=handler,
        choice=choice,
    )
    for name, text, key, icon, handler, choice in (
        ("select", _("Select and move"), "V", "select", "stage.choose_tool", "select"),
        ("box", _("Draw boxes"), "B", "box", "stage.choose_tool", "box"),
        ("polygon", _("Draw polygons"), "G", "polygon", "stage.choose_tool", "polygon"),
        ("point", _("Set points"), "X", "point", "stage.choose_tool", "point"),
        ("link", _("Link regions of two views"), "S", "link", "stage.choose_tool", "link"),
        ("path", _("Draw paths"), "P", "path", "stage.choose_tool", "path"),
        ("measure", _("Measure"), "W", "measure", "stage.choose_tool", "measure"),
        ("select_all", _("Select all regions of the view"), "Ctrl+A", "", "gestures.select_all", None),
        ("next", _("Next region"), "N", "", "stage.select_next", "1"),
        ("previous", _("Region before"), "Shift+N", "", "stage.select_next", "-1"),
        ("repeat", _("Repeat the regions on this frame"), "Ctrl+D", "copy", "gestures.repeat", None),
        ("unlink", _("Unlink what is selected"), "U", "", "annotate.unlink_selected", None),
        ("remove", _("Remove what is selected"), "Del", "reject", "annotate.remove_selected", None),
        ("give_up", _("Drop the draft or the selection"), "Esc", "", "stage.give_up", None),
        ("ground", _("Match the ground of the views"), "Y", "ground", "annotate.match_ground", None),
        ("next_scene", _("Next scene"), "PgDown", "chevron-right", "scenes.step_scene", "1"),
        ("scene_before", _("Scene before"), "PgUp", "chevron-left", "scenes.step_scene", "-1"),
    )
)
"""Tools and their gestures."""
