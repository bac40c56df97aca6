"""Moments of a video as people type them: seconds, minutes and seconds, or a frame number."""

from __future__ import annotations

import math
import re

from annotator.domain.record import ValueObject
from annotator.errors import UserError

_FRAME = re.compile(r"(?:(\d{1,12})\s*f|f\s*(\d{1,12}))", re.IGNORECASE | re.ASCII)
_TIME = re.compile(r"(?:(?:(\d{1,4}):)?(\d{1,5}):)?(\d{1,9}(?:\.\d*)?|\.\d+)\s*s?", re.IGNORECASE | re.ASCII)
_HINT = "Enter seconds (13.5), minutes and seconds (1:02.5) or a frame number (412 f)."


class Moment(ValueObject, frozen=True, kw_only=True):
    """A moment of a video: exactly one of the two is set.

    Attributes:
        frame: Frame number from 0.
        time_s: Seconds since the first frame.
    """

    frame: int | None = None
    time_s: float | None = None


def read_timecode(text: str) -> Moment:
    """Return the moment that a text means.

    Args:
        text: ``13.5``, ``13.5 s``, ``1:02.5``, ``1:02:03.250`` or ``412 f``; a decimal comma is valid.

    Raises:
        UserError: It is none of these.
    """
    typed = text.strip().replace(",", ".")
    if found := _FRAME.fullmatch(typed):
        return Moment(frame=int(found[1] or found[2]))
    found = _TIME.fullmatch(typed)
    if found is None:
        raise UserError(f"'{text.strip()}' is not a time or a frame number.", hint=_HINT)
    hours, minutes, seconds = int(found[1] or 0), int(found[2] or 0), float(found[3])
    # 90 seconds alone are a time, 1:90 is a typing error.
    if (found[2] is not None and seconds >= 60) or (found[1] is not None and minutes >= 60):
        raise UserError(f"'{text.strip()}' has 60 or more minutes or seconds.", hint=_HINT)
    time_s = math.fsum((hours * 3600.0, minutes * 60.0, seconds))
    return Moment(time_s=time_s)
