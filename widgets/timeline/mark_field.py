"""The input field for the in or the out point, as a time or a frame number."""

from __future__ import annotations

from typing import Literal

from PySide6.QtWidgets import QWidget

from annotator.domain.timecode import read_timecode
from annotator.errors import UserError
from annotator.media.video.moments import frame_at
from widgets.message_text import message_text
from widgets.timeline.lanes import TimelineLane
from widgets.timeline.popup_field import PopupField
from widgets.timeline.ruler import clock_text
from widgets.translation import tr

MarkName = Literal["in", "out"]


class MarkField(PopupField):
    """The field over a mark; its number is the clock time at which the frame of the mark begins."""

    def __init__(
        self, lane: TimelineLane, which: MarkName, *, time_s: float, other_s: float | None, parent: QWidget
    ) -> None:
        """Create the field.

        Args:
            lane: The video whose frames are counted.
            which: The mark.
            time_s: Its clock time, seconds.
            other_s: Clock time of the other mark, None if it is not set.
            parent: Parent window.
        """
        frame_s = float(lane.video.times_s[lane.number_at(time_s)])
        title = tr("In point") if which == "in" else tr("Out point")
        super().__init__(title, text=clock_text(frame_s), parent=parent)
        self._lane, self._which, self._other_s = lane, which, other_s

    def read(self, text: str) -> tuple[float | None, str]:
        """Return the clock time of the frame that is meant, and its number."""
        video = self._lane.video
        try:
            number = frame_at(read_timecode(text), video)
        except UserError as error:
            return None, f"{message_text(error.message)} {message_text(error.hint)}"
        time_s = self._lane.offset_s + float(video.times_s[number])
        if not self._is_in_order(time_s):
            return None, tr("The in point must be before the out point.")
        return time_s, tr("Frame {n} of this video. Press Enter to apply.", n=f"{number:,}")

    def _is_in_order(self, time_s: float) -> bool:
        if self._other_s is None:
            return True
        return time_s < self._other_s if self._which == "in" else time_s > self._other_s
