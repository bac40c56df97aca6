"""Keyboard handling of the timeline; playback keys work as on the stage."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

if TYPE_CHECKING:
    from widgets.timeline.timeline_view import TimelineView

KEY_FACTOR = 1.5
_NONE = Qt.KeyboardModifier.NoModifier
_SHIFT = Qt.KeyboardModifier.ShiftModifier
_CTRL_SHIFT = Qt.KeyboardModifier.ControlModifier | _SHIFT
_SIGNS = {Qt.Key.Key_Plus, Qt.Key.Key_Minus, Qt.Key.Key_Equal}
"""Typed with Shift on some keyboard layouts, without it on others."""


class TimelineKeys:
    """Maps keys to operations of the timeline.

    Args:
        timeline_view: The timeline view with the keyboard focus.
    """

    def __init__(self, timeline_view: TimelineView) -> None:
        self._timeline_view = timeline_view
        step = timeline_view.player.step
        key = Qt.Key
        self._table: dict[tuple[Qt.Key, Qt.KeyboardModifier], Callable[[], None]] = {
            (key.Key_Left, _NONE): partial(step, "-1"),
            (key.Key_Right, _NONE): partial(step, "1"),
            (key.Key_Left, _SHIFT): partial(step, "-10"),
            (key.Key_Right, _SHIFT): partial(step, "10"),
            (key.Key_Plus, _NONE): partial(timeline_view.zoom, KEY_FACTOR),
            (key.Key_Equal, _NONE): partial(timeline_view.zoom, KEY_FACTOR),
            (key.Key_Minus, _NONE): partial(timeline_view.zoom, 1 / KEY_FACTOR),
            (key.Key_F, _NONE): timeline_view.fit,
            (key.Key_Up, _NONE): partial(timeline_view.sign.step, -1),
            (key.Key_Down, _NONE): partial(timeline_view.sign.step, 1),
            (key.Key_Return, _NONE): self._ask_offset,
            (key.Key_Enter, _NONE): self._ask_offset,
            (key.Key_Left, _CTRL_SHIFT): partial(self._shift, -1),
            (key.Key_Right, _CTRL_SHIFT): partial(self._shift, 1),
            (key.Key_Escape, _NONE): self._give_up,
        }

    def wants(self, event: QKeyEvent) -> bool:
        """Return whether a key is handled here, so that no shortcut of the window may take it."""
        return self._found(event) is not None

    def press(self, event: QKeyEvent) -> bool:
        """Execute the operation of a key; return whether there is one."""
        do = self._found(event)
        if do is not None:
            do()
        return do is not None

    def _found(self, event: QKeyEvent) -> Callable[[], None] | None:
        pressed = Qt.Key(event.key())
        # Without a gesture to cancel, Esc is left to the window.
        if pressed == Qt.Key.Key_Escape and self._timeline_view.gesture is None:
            return None
        # Keys of the keypad work like the others.
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        return self._table.get((pressed, _NONE if pressed in _SIGNS else modifiers))

    def _ask_offset(self) -> None:
        if self._timeline_view.lanes:
            self._timeline_view.offset_requested.emit(self._timeline_view.chosen)

    def _shift(self, frames: int) -> None:
        """Shift the selected view by a number of its own frames."""
        timeline_view = self._timeline_view
        if timeline_view.lanes:
            lane = timeline_view.lanes[timeline_view.chosen]
            # Rounded to milliseconds, as by dragging and typing.
            timeline_view.player.shift(
                timeline_view.video_of(lane), round(lane.offset_s + frames / lane.video.fps, 3)
            )

    def _give_up(self) -> None:
        gesture, self._timeline_view.gesture = self._timeline_view.gesture, None
        if gesture is not None:
            gesture.give_up()
