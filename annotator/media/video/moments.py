"""Frames of a video at moments that people type."""

from __future__ import annotations

from annotator.domain.timecode import Moment
from annotator.errors import UserError
from annotator.media.video.video import Video


def frame_at(moment: Moment, video: Video) -> int:
    """Return the frame of a video that is shown at a moment.

    Raises:
        UserError: The video has no such moment.
    """
    if moment.frame is not None:
        if moment.frame >= video.frame_count:
            raise UserError(
                f"{video.path.name} has no frame {moment.frame:,}: it has {video.frame_count:,}.",
                hint="Frames are counted from 0.",
            )
        return moment.frame
    time_s = moment.time_s or 0.0
    if time_s > video.duration_s:
        raise UserError(f"{video.path.name} lasts {video.duration_s:,.3f} s.", hint="Enter an earlier time.")
    return video.number_at(time_s)
