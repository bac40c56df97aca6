"""The input field for a view's offset, in seconds or in frames."""

from __future__ import annotations

import math
import re

from PySide6.QtWidgets import QWidget

from annotator.commands.views import FARTHEST_S
from widgets.timeline.lanes import TimelineLane, lane_name
from widgets.timeline.popup_field import PopupField
from widgets.translation import tr

_TYPED = re.compile(r"\s*([+-]?\d+(?:\.\d*)?|[+-]?\.\d+)\s*(s|f)?\s*", re.IGNORECASE)


def read_offset(text: str, *, fps: float) -> float | None:
    """Return the typed offset in seconds, or None if the text is invalid.

    Args:
        text: ``0.12``, ``-1.5 s``, or ``3 f`` for frames; a decimal comma and U+2212 (minus) are valid.
        fps: Frames per second of the video.
    """
    found = _TYPED.fullmatch(text.replace(",", ".").replace("−", "-"))
    if found is None:
        return None
    number = float(found[1])
    offset_s = number / fps if (found[2] or "s").lower() == "f" else number
    return offset_s if math.isfinite(offset_s) and abs(offset_s) <= FARTHEST_S else None


class OffsetField(PopupField):
    """The field over a lane's name; its number is the offset in seconds."""

    def __init__(self, lane: TimelineLane, *, parent: QWidget) -> None:
        title = tr("Offset of {view}", view=lane_name(lane.view))
        super().__init__(title, text=f"{lane.offset_s:.3f}", parent=parent)
        self._fps = lane.video.fps

    def read(self, text: str) -> tuple[float | None, str]:
        """Return the offset in seconds, and how many frames it is."""
        offset_s = read_offset(text, fps=self._fps)
        if offset_s is None:
            return None, tr("Enter seconds (−0.120) or frames (3 f)")
        frames = f"{offset_s * self._fps:+.1f}".replace("-", "−") if offset_s else "0"
        return offset_s, tr("{n} frames of this video. Press Enter to apply.", n=frames)
