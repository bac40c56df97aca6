"""Frames of a video at moments that people type."""

from __future__ import annotations

from annotator.domain.timecode import Moment
from annotator.errors import UserError
from annotator.media.video.video import Video


def frame_at(moment: Moment, film: Video) -> int:
    """Return the frame of a video that is shown at a moment.

    Raises:
        UserError: The video has no such moment.
    """
    if moment.frame is not None:
        if moment.frame >= film.frame_count:
            raise UserError(
                f"{film.path.name} has no frame {moment.frame:,}: it has {film.frame_count:,}.",
                hint="Frames are counted from 0.",
            )
        return moment.frame
    time_s = moment.time_s or 0.0
    if time_s > film.duration_s:
        raise UserError(f"{film.path.name} lasts {film.duration_s:,.3f} s.", hint="Enter an earlier time.")
    return film.number_at(time_s)
