"""Reads images of media for models: verifies the files' digests once, and keeps videos open."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from annotator.domain.medium import Medium
from annotator.errors import UserError
from annotator.media.content_hash import DigestCache
from annotator.media.media_roots import MediaRoots
from annotator.media.model_images import (
    NO_OVERLAY,
    FrameSelection,
    ModelImageFrame,
    model_images,
    open_medium_video,
)
from annotator.media.probe import is_video_head, read_head
from annotator.media.render import Overlay, Rendering, render
from annotator.media.video.video import Video
from annotator.progress import Progress

OPEN_VIDEOS = 2
"""Videos kept open per thread: frames of one video are requested in sequence, and a scene may have two."""
CONTENTS = DigestCache()
"""Of this process, all threads together: a video of gigabytes is read once."""


@dataclass(frozen=True, kw_only=True)
class _OpenVideo:
    """Identity of an open video: its file, unchanged, at the frame rate of the record."""

    file: Path
    stamp: str
    sha256: str
    frames: int
    duration_s: float


def file_for_job(medium: Medium, *, roots: MediaRoots) -> Path | None:
    """Return where a medium's file should be, None where its path leads out of the media folders.

    Raises:
        LostFolderError: Its whole folder is gone, so all jobs with its files would fail.
    """
    path = medium.path or medium.name
    file = roots.file_of(path)
    if file is None or not file.exists():
        roots.require_root(path)
    return file


class OpenMedia:
    """Reads images of media for models; for one thread.

    Args:
        progress: Checked for cancel while files are read and between images.
    """

    def __init__(self, *, progress: Progress | None = None) -> None:
        self._progress = progress or Progress()
        self._videos: dict[_OpenVideo, Video] = {}

    def __del__(self) -> None:
        # A thread that ends without ``leave_media``: decoders refer to themselves and would stay for long.
        self.close()

    def pictures(
        self,
        medium: Medium,
        *,
        file: Path | None,
        marks: Overlay = NO_OVERLAY,
        rendering: Rendering = "clean",
        frames: FrameSelection | None = None,
    ) -> Iterator[ModelImageFrame]:
        """Yield the images of a medium, as ``model_images`` does.

        Args:
            medium: The medium.
            file: Its file or folder, None if missing.
            marks: Its regions, paths and links.
            rendering: The overlays drawn into the images.
            frames: Frames of a video; None for up to 32, evenly spaced.

        Raises:
            UserError: The file is missing, damaged or changed since it was recorded, or has no such frame.
            EnvironmentFailure: The file cannot be read.
            Cancelled: The worker is being stopped.
        """
        if file is None or not file.exists() or medium.media_type == "trajectory":
            # Without a recorded digest there is nothing to compare; a missing file is reported as elsewhere.
            yield from model_images(medium, file=file)
            return
        stamp = self._require_same(medium, file)
        if file.is_dir() or is_video_head(read_head(file)):
            yield from self._frames(medium, file, stamp, frames or FrameSelection(), marks, rendering)
        else:
            yield from model_images(medium, file=file, marks=marks, rendering=rendering)
        # Once more: what was shown is worth nothing if somebody wrote to the file meanwhile.
        if CONTENTS.stamp(file) != stamp:
            raise UserError(
                f"{medium.name} was changed while it was read.", hint="Retry the failed jobs later."
            )

    def close(self) -> None:
        """Close all videos."""
        while self._videos:
            self._videos.pop(next(iter(self._videos))).close()

    def _require_same(self, medium: Medium, file: Path) -> str:
        """Return the stamp of a medium's file, which is the one that was entered.

        Raises:
            UserError: It is another one.
        """
        stamp = CONTENTS.stamp(file)
        if medium.sha256 and CONTENTS.digest(file, progress=self._progress) != medium.sha256:
            raise UserError(
                f"The content of the file of {medium.name} has changed since the file was added.",
                hint="Restore the old file and retry the failed jobs, or add the new file as a new medium. "
                "List such files with: media PROJECT health",
            )
        return stamp

    def _frames(
        self,
        medium: Medium,
        file: Path,
        stamp: str,
        wanted: FrameSelection,
        marks: Overlay,
        rendering: Rendering,
    ) -> Iterator[ModelImageFrame]:
        location = _OpenVideo(
            file=file,
            stamp=stamp,
            sha256=medium.sha256,
            frames=medium.frames,
            duration_s=medium.duration_s,
        )
        video = self._video(location, medium)
        try:
            for frame in video.frames(wanted.of(video)):
                self._progress.raise_if_cancelled()
                shown = render(
                    frame.rgb(), marks=marks.of(medium.id, frame=frame.number), rendering=rendering
                )
                yield ModelImageFrame(number=frame.number, time_s=frame.time_s, picture=shown)
        except Exception:
            # Whatever it was: a decoder that failed in the middle gives wrong frames from then on, or none.
            self._videos.pop(location, video).close()
            raise

    def _video(self, location: _OpenVideo, medium: Medium) -> Video:
        video = self._videos.pop(location, None)
        while video is None and len(self._videos) >= OPEN_VIDEOS:
            self._videos.pop(next(iter(self._videos))).close()
        # Moved to the end: the first entry is always the least recently used.
        self._videos[location] = video or open_medium_video(medium, location.file)
        return self._videos[location]


class _ThreadMedia(threading.local):
    media: OpenMedia | None = None


_OWN = _ThreadMedia()


def open_media() -> OpenMedia:
    """Return what the calling thread has open; what it never left is closed with the thread."""
    if _OWN.media is None:
        _OWN.media = OpenMedia()
    return _OWN.media


def enter_media(progress: Progress) -> None:
    """Set the progress that the calling thread checks for cancel, until ``leave_media``."""
    leave_media()
    _OWN.media = OpenMedia(progress=progress)


def leave_media() -> None:
    """Close what the calling thread has open."""
    if _OWN.media is not None:
        _OWN.media.close()
        _OWN.media = None
