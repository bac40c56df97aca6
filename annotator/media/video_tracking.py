"""Tracks boxes through a video file, frame after frame, until all are lost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from annotator.domain.medium import Medium
from annotator.domain.region import Box
from annotator.errors import UserError
from annotator.media.model_images import open_medium_video
from annotator.media.tracking import LEAST_SIDE_PX, BoxTracker, TrackedBox
from annotator.progress import Progress


@dataclass(frozen=True, kw_only=True)
class Track:
    """Where a box is on the frames after the one on which it was given.

    Attributes:
        boxes: The box on each following frame, until it is lost.
        is_lost: Whether it was lost before the last frame that was asked for.
    """

    boxes: tuple[TrackedBox, ...]
    is_lost: bool


def _require_large(boxes: Iterable[Box]) -> None:
    if any(min(box.x2 - box.x1, box.y2 - box.y1) < LEAST_SIDE_PX for box in boxes):
        raise UserError(
            f"A box is smaller than {LEAST_SIDE_PX:.0f} pixels, which is too small to be tracked.",
            hint="Select larger boxes, or mark the object on two frames and interpolate.",
        )


def track_boxes(
    medium: Medium,
    file: Path | None,
    *,
    boxes: Sequence[Box],
    frame: int,
    last: int,
    progress: Progress,
) -> list[Track]:
    """Return the track of each box; reading stops where all of them are lost.

    Args:
        medium: The video.
        file: Its file or folder, None if missing.
        boxes: Boxes on one frame, image pixels.
        frame: Number of that frame.
        last: Number of the last frame to be tracked; the video may end before.
        progress: One step a frame.

    Raises:
        UserError: The file is missing or damaged, a box is too small, or there is no later frame.
        EnvironmentFailure: The file cannot be read.
        Cancelled: The user cancelled.
    """
    if file is None or not file.exists():
        raise UserError(f"The file of {medium.name} is missing.", hint="Locate the media file first.")
    _require_large(boxes)
    video = open_medium_video(medium, file)
    last = min(last, video.frame_count - 1)
    if last <= frame:
        raise UserError("The video has no later frame.", hint="Go to an earlier frame.")
    progress.begin("Tracking", total=last - frame)
    frames = video.frames(range(frame, last + 1))
    tracker = BoxTracker(next(frames).rgb(), boxes)
    found: list[list[TrackedBox]] = [[] for _ in boxes]
    for shown in frames:
        progress.step()
        for track, box in zip(found, tracker.follow(shown.rgb()), strict=True):
            if box is not None:
                track.append(box)
        if not tracker.is_following:
            break
    progress.end()
    return [Track(boxes=tuple(track), is_lost=len(track) < last - frame) for track in found]
