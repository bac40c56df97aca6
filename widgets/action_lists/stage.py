"""Actions of the stage: tools, and operations on the selection."""

from __future__ import annotations

from widgets.action import ActionNeed, ActionSpec
from widgets.translation import mark as _

STEPS = frozenset({"next_scene", "scene_before"})
"""Those that step through scenes, which Refine does not list."""
LOOKING = STEPS | {"select", "measure", "select_all", "next", "previous", "give_up"}
"""Those that make sense where scenes are only looked at."""
ON_SELECTION = frozenset(
    {
        "set_category",
        "edit_place",
        "room",
        "copy",
        "duplicate",
        "lock",
        "abnormal",
        "visible",
        "occluded",
        "out_of_view",
        "hide",
        "interpolate",
        "repeat",
        "link_selected",
        "split_link",
        "unlink",
        "remove",
    }
)
"""Those that act on what is selected."""
SHOWING = frozenset(
    {
        "event_form",
        "ask_category_after_drawing",
        "copy",
        "hide",
        "show_hidden",
        "next_proposal",
        "previous_proposal",
        "trajectory",
        "link_table",
    }
)
"""Those that need regions, or a stage to draw on, and change nothing of the project."""


def _need(name: str) -> ActionNeed:
    if name in LOOKING:
        return "stage"
    return "selection" if name in ON_SELECTION else "marking"


STAGE = tuple(
    ActionSpec(
        id=f"stage.{name}",
        text=text,
        key=key,
        icon=icon,
        menu="Stage",
        context="stage",
        workspaces=() if name in LOOKING - STEPS else ("library", "annotate"),
        needs=_need(name),
        handler=handler,
        choice=choice,
        writes=_need(name) != "stage" and name not in SHOWING,
    )
    for name, text, key, icon, handler, choice in (
        ("select", _("Select and move"), "V", "select", "stage.choose_tool", "select"),
        ("box", _("Draw boxes"), "B", "box", "stage.choose_tool", "box"),
        ("polygon", _("Draw polygons"), "G", "polygon", "stage.choose_tool", "polygon"),
        ("segment", _("Outline objects by clicks"), "Shift+Z", "segment", "stage.choose_tool", "segment"),
        ("point", _("Draw points"), "X", "point", "stage.choose_tool", "point"),
        ("link", _("Link regions across views"), "S", "link", "stage.choose_tool", "link"),
        ("hidden_place", _("Mark hidden place"), "Shift+S", "", "stage.choose_tool", "hidden_place"),
        ("path", _("Draw paths"), "P", "path", "stage.choose_tool", "path"),
        ("directions", _("Draw direction arrows"), "Shift+P", "", "gestures.draw_directions", None),
        ("measure", _("Measure"), "W", "measure", "stage.choose_tool", "measure"),
        ("select_all", _("Select all regions in view"), "Ctrl+A", "", "gestures.select_all", None),
        ("place_box", _("Place box"), "Shift+B", "", "gestures.place_box", None),
        ("next", _("Next region"), "N", "", "regions.step_region", "1"),
        ("previous", _("Previous region"), "Shift+N", "", "regions.step_region", "-1"),
        ("set_category", _("Set category…"), "F2", "tag", "categories.ask_category", None),
        ("edit_place", _("Edit position and size"), "F4", "", "annotations.edit_place", None),
        ("event_form", _("Fill in event label"), "Shift+F", "", "annotations.toggle_form", None),
        ("room", _("Mark as room or object"), "Shift+R", "", "selection.toggle_rooms", None),
        (
            "ask_category_after_drawing",
            _("Choose category after drawing"),
            "",
            "",
            "categories.toggle_asking",
            None,
        ),
        ("copy", _("Copy selection"), "Ctrl+C", "copy", "selection.copy", None),
        ("paste", _("Paste regions"), "Ctrl+V", "", "selection.paste", None),
        ("duplicate", _("Duplicate selection"), "Shift+D", "", "selection.duplicate", None),
        ("lock", _("Lock or unlock selection"), "Shift+K", "lock", "selection.toggle_lock", None),
        ("abnormal", _("Mark as abnormal or not"), "Shift+A", "flag", "selection.toggle_abnormal", None),
        ("visible", _("Mark as visible"), "7", "", "selection.set_state", "visible"),
        ("occluded", _("Mark as occluded"), "8", "", "selection.set_state", "occluded"),
        ("out_of_view", _("Mark as out of view"), "9", "", "selection.set_state", "out_of_view"),
        ("hide", _("Hide or show selection"), "Shift+H", "", "selection.toggle_hidden", None),
        ("show_hidden", _("Show hidden regions"), "Ctrl+Shift+H", "", "selection.show_hidden", None),
        ("repeat", _("Copy regions to this frame"), "Ctrl+D", "copy", "gestures.repeat", None),
        ("interpolate", _("Interpolate track"), "Shift+T", "", "interpolation.toggle", None),
        (
            "confirm_interpolation",
            _("Confirm interpolated boxes"),
            "Ctrl+Return",
            "check",
            "interpolation.confirm",
            None,
        ),
        ("accept", _("Accept proposal"), "Shift+V", "check", "proposals.accept", None),
        ("refuse", _("Refuse proposal"), "Shift+X", "reject", "proposals.refuse", None),
        (
            "accept_in_view",
            _("Accept proposals in view and go on"),
            "Shift+C",
            "",
            "proposals.accept_in_view",
            None,
        ),
        ("track", _("Track boxes through the next frames"), "Shift+M", "", "tracking.track", None),
        (
            "propose_in_views",
            _("Propose regions in the other views"),
            "Shift+Y",
            "",
            "proposals.propose_in_other_views",
            None,
        ),
        (
            "accept_all",
            _("Accept all proposals of the scene"),
            "Ctrl+Shift+V",
            "",
            "proposals.accept_all",
            None,
        ),
        ("next_proposal", _("Next proposal"), "Alt+PgDown", "", "proposals.step", "1"),
        ("previous_proposal", _("Previous proposal"), "Alt+PgUp", "", "proposals.step", "-1"),
        ("new_item", _("New item…"), "Shift+Q", "plus", "items.ask_item", None),
        (
            "key_frame",
            _("Set or clear key frame of flight"),
            "Shift+G",
            "",
            "key_frames.toggle_key_frame",
            None,
        ),
        (
            "propose_key_frames",
            _("Propose key frames of flight"),
            "Alt+G",
            "",
            "key_frames.propose_key_frames",
            None,
        ),
        (
            "key_frame_limits",
            _("Propose key frames with limits…"),
            "",
            "",
            "key_frames.ask_limits",
            None,
        ),
        ("reverse_flight", _("Reverse flight"), "", "", "key_frames.reverse_flight", None),
        ("flight_form", _("Edit flight"), "Shift+J", "", "trajectory.toggle_form", None),
        ("trajectory", _("Show or hide trajectory plot"), "Shift+W", "", "trajectory.toggle_plot", None),
        ("link_table", _("Table of links"), "F3", "", "links.toggle_table", None),
        ("link_selected", _("Link selection"), "Ctrl+U", "link", "links.link_selected", None),
        ("split_link", _("Split link at selection"), "Shift+U", "", "links.split_selected", None),
        ("derive", _("Make derived images of scene…"), "", "", "derived_views.ask_derived", None),
        ("unlink", _("Unlink selection"), "U", "", "annotate.unlink_selected", None),
        ("remove", _("Delete selection"), "Del", "reject", "annotate.remove_selected", None),
        ("give_up", _("Cancel drawing / clear selection"), "Esc", "", "stage.give_up", None),
        ("ground", _("Align views on ground plane"), "Y", "ground", "annotate.match_ground", None),
        ("next_scene", _("Next scene"), "PgDown", "chevron-right", "scenes.step_scene", "1"),
        ("scene_before", _("Previous scene"), "PgUp", "chevron-left", "scenes.step_scene", "-1"),
    )
)
"""Tools and their gestures."""
