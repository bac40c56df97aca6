"""Actions on the films of a scene: playing, stepping, in and out marks."""

from __future__ import annotations

from widgets.action import ActionSpec
from widgets.translation import mark as _

FILM = tuple(
    ActionSpec(
        id=f"film.{name}",
        text=text,
        key=key,
        icon=icon,
        menu="Film",
        place="stage",
        needs="film",
        handler=f"player.{method}",
        choice=choice,
    )
    for name, text, key, icon, method, choice in (
        ("play", _("Play or pause"), "Space", "play", "play_or_pause", None),
        ("backwards", _("Play backwards, then faster"), "J", "", "play_faster", "-1"),
        ("pause", _("Pause"), "K", "pause", "pause", None),
        ("forwards", _("Play, then faster"), "L", "", "play_faster", "1"),
        ("slower", _("Play slower"), "Shift+L", "", "slower", None),
        ("before", _("Frame before"), ",", "frame-before", "step", "-1"),
        ("next", _("Next frame"), ".", "frame-next", "step", "1"),
        ("far_before", _("Ten frames back"), "<", "", "step", "-10"),
        ("far_next", _("Ten frames on"), ">", "", "step", "10"),
        ("key_before", _("Key frame before"), "Ctrl+Left", "", "step_key", "-1"),
        ("key_next", _("Next key frame"), "Ctrl+Right", "", "step_key", "1"),
        ("second_before", _("A second back"), "Alt+Left", "", "step_second", "-1"),
        ("second_next", _("A second on"), "Alt+Right", "", "step_second", "1"),
        ("first", _("First frame"), "Home", "film-first", "go_end", "-1"),
        ("last", _("Last frame"), "End", "film-last", "go_end", "1"),
        ("mark_in", _("In mark at this frame"), "I", "mark-in", "mark_in", None),
        ("mark_out", _("Out mark at this frame"), "O", "mark-out", "mark_out", None),
        ("clear_marks", _("Take the in and out marks away"), "Shift+I", "", "clear_marks", None),
        ("loop", _("Loop between the marks"), "Q", "loop", "toggle_loop", None),
    )
)
"""Keys of films."""
