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
        strip: The timeline view with the keyboard focus.
    """

    def __init__(self, strip: TimelineView) -> None:
        self._strip = strip
        step = strip.player.step
        key = Qt.Key
        self._table: dict[tuple[Qt.Key, Qt.KeyboardModifier], Callable[[], None]] = {
            (key.Key_Left, _NONE): partial(step, "-1"),
            (key.Key_Right, _NONE): partial(step, "1"),
            (key.Key_Left, _SHIFT): partial(step, "-10"),
            (key.Key_Right, _SHIFT): partial(step, "10"),
            (key.Key_Plus, _NONE): partial(strip.zoom, KEY_FACTOR),
            (key.Key_Equal, _NONE): partial(strip.zoom, KEY_FACTOR),
            (key.Key_Minus, _NONE): partial(strip.zoom, 1 / KEY_FACTOR),
            (key.Key_F, _NONE): strip.fit,
            (key.Key_Up, _NONE): partial(strip.sign.step, -1),
            (key.Key_Down, _NONE): partial(strip.sign.step, 1),
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
        if pressed == Qt.Key.Key_Escape and self._strip.gesture is None:
            return None
        # Keys of the keypad work like the others.
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        return self._table.get((pressed, _NONE if pressed in _SIGNS else modifiers))

    def _ask_offset(self) -> None:
        if self._strip.lanes:
            self._strip.offset_asked.emit(self._strip.chosen)

    def _shift(self, frames: int) -> None:
        """Shift the selected view by a number of its own frames."""
        strip = self._strip
        if strip.lanes:
            lane = strip.lanes[strip.chosen]
            # Rounded to milliseconds, as by dragging and typing.
            strip.player.shift(strip.film_of(lane), round(lane.offset_s + frames / lane.film.fps, 3))

    def _give_up(self) -> None:
        gesture, self._strip.gesture = self._strip.gesture, None
        if gesture is not None:
            gesture.give_up()
