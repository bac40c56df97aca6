"""Actions on the videos of a scene: playback, stepping, in and out points."""

from __future__ import annotations

from widgets.action import ActionSpec
from widgets.translation import mark as _

# In Refine, K keeps an item, and Space pauses as well; in the second look, O objects to the answer key.
WORKSPACES_OF = {"pause": ("library", "annotate"), "mark_out": ("library", "annotate", "refine")}
"""Workspaces of actions whose key has another meaning elsewhere."""
PLAYBACK = tuple(
    ActionSpec(
        id=f"video.{name}",
        text=text,
        key=key,
        icon=icon,
        menu="Video",
        context="stage",
        workspaces=WORKSPACES_OF.get(name, ()),
        needs="video",
        handler=f"player.{method}",
        choice=choice,
    )
    for name, text, key, icon, method, choice in (
        ("play", _("Play or pause"), "Space", "play", "play_or_pause", None),
        ("backwards", _("Play backwards / faster"), "J", "", "play_faster", "-1"),
        ("pause", _("Pause"), "K", "pause", "pause", None),
        ("forwards", _("Play / faster"), "L", "", "play_faster", "1"),
        ("slower", _("Play slower"), "Shift+L", "", "slower", None),
        ("before", _("Previous frame"), ",", "frame-before", "step", "-1"),
        ("next", _("Next frame"), ".", "frame-next", "step", "1"),
        ("far_before", _("Back 10 frames"), "<", "", "step", "-10"),
        ("far_next", _("Forward 10 frames"), ">", "", "step", "10"),
        ("key_before", _("Previous key frame"), "Ctrl+,", "", "step_key", "-1"),
        ("key_next", _("Next key frame"), "Ctrl+.", "", "step_key", "1"),
        ("second_before", _("Back 1 second"), "Alt+Left", "", "step_second", "-1"),
        ("second_next", _("Forward 1 second"), "Alt+Right", "", "step_second", "1"),
        ("first", _("First frame"), "Home", "video-first", "go_end", "-1"),
        ("last", _("Last frame"), "End", "video-last", "go_end", "1"),
        ("mark_in", _("Set in point"), "I", "mark-in", "mark_in", None),
        ("mark_out", _("Set out point"), "O", "mark-out", "mark_out", None),
        ("clear_marks", _("Clear in and out points"), "Shift+I", "", "clear_marks", None),
        ("loop", _("Loop between in and out points"), "Q", "loop", "toggle_loop", None),
    )
)
"""Shortcuts of video playback."""

VIDEO = (
    *PLAYBACK,
    ActionSpec(
        id="video.make_clip",
        text=_("Make clip…"),
        key="Shift+O",
        icon="",
        menu="Video",
        context="stage",
        workspaces=("annotate",),
        needs="video",
        handler="clips.ask_clip",
        writes=True,
    ),
)
"""Actions of the menu 'Video'."""
