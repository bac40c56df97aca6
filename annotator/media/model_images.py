"""Renders the images of a medium for models; used alike by releases, exports and model runs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from annotator.domain.medium import Medium
from annotator.domain.record import ValueObject
from annotator.errors import UserError
from annotator.media.image_decoder import decode_image
from annotator.media.probe import is_video_head, read_head
from annotator.media.render import Overlay, Rendering, render
from annotator.media.video.export import save_picture
from annotator.media.video.image_folder import FOLDER_FPS
from annotator.media.video.sampling import FRAMES_OF_A_RUN, evenly_spaced
from annotator.media.video.video import TIME_TOLERANCE_S, Video
from annotator.progress import Progress

if TYPE_CHECKING:
    from annotator.media.image_decoder import Rgb

# Part of every release and of every job's key: raised, model runs ask anew.
RENDERER = "vantage 2"
"""What drew the pictures; another number where the same marks give other pixels."""
NO_OVERLAY = Overlay()


class FrameSelection(ValueObject, frozen=True, kw_only=True):
    """A choice of frames of a video by one of three rules; a still image is always its only frame.

    Attributes:
        numbers: Frame numbers, each used once, in this order.
        every_s: Interval in seconds, from the first frame on: the frame shown at each of these times.
        most: Maximum number of evenly spaced frames (``sampling.evenly_spaced``), if neither is given.
    """

    numbers: tuple[int, ...] = ()
    every_s: float = 0.0
    most: int = FRAMES_OF_A_RUN

    def of(self, video: Video) -> tuple[int, ...]:
        """Return the numbers of the chosen frames of a video.

        Raises:
            UserError: A frame number does not exist, or the interval is not positive.
        """
        if self.numbers:
            beyond = [number for number in self.numbers if not 0 <= number < video.frame_count]
            if beyond:
                raise UserError(
                    f"{video.path.name} has no frame {beyond[0]:,}: it has {video.frame_count:,}."
                )
            return tuple(dict.fromkeys(self.numbers))
        if self.every_s:
            return self._at_times(video)
        if self.most < 1:
            raise UserError(f"{self.most:,} is not a valid number of frames.", hint="Use 1 or more.")
        return evenly_spaced(video.frame_count, most=self.most)

    def _at_times(self, video: Video) -> tuple[int, ...]:
        if not 0 < self.every_s < math.inf:
            raise UserError(f"{self.every_s:g} s is not a valid interval between frames.")
        # Steps shorter than any frame meet all of them, and need not be walked.
        if self.every_s <= np.diff(video.times_s).min(initial=math.inf):
            return tuple(range(video.frame_count))
        times_s = np.arange(int((video.times_s[-1] + TIME_TOLERANCE_S) / self.every_s) + 1) * self.every_s
        return tuple(dict.fromkeys(video.number_at(float(time_s)) for time_s in times_s))


@dataclass(frozen=True, kw_only=True)
class ModelImageFrame:
    """One picture of a medium, as a model gets it.

    Attributes:
        number: Number of the frame in presentation order, None for stills.
        time_s: Its time from the first frame, None for stills.
        picture: uint8 (height, width, 3), red, green, blue.
    """

    number: int | None
    time_s: float | None
    picture: Rgb


def model_images(
    medium: Medium,
    *,
    file: Path | None,
    marks: Overlay = NO_OVERLAY,
    rendering: Rendering = "clean",
    frames: FrameSelection | None = None,
    video: Video | None = None,
    progress: Progress | None = None,
) -> Iterator[ModelImageFrame]:
    """Yield the rendered images of a medium.

    Args:
        medium: The medium.
        file: Its file or folder, None if missing.
        marks: Regions and paths of all its frames, and all links of its scenes
            (``store.overlay_query.read_overlay``).
        rendering: The overlays drawn into the images.
        frames: Frames of a video; None for up to 32, evenly spaced.
        video: The video at ``file`` if the caller has opened it (``open_medium_video``); it is left open.
            With None it is opened for this call, which may have to index all of its packets.
        progress: Begun with the medium's name, one step per image; None if the caller counts.

    Raises:
        UserError: The file is missing or damaged, or contains no such frame.
        EnvironmentFailure: The file cannot be read.
        Cancelled: The user cancelled.
    """
    if medium.media_type == "trajectory":
        raise UserError(f"{medium.name} is a trajectory and has no image.")
    if file is None or not file.exists():
        raise UserError(
            f"The file of {medium.name} is missing.", hint="Connect its disk, or locate the file again."
        )
    counted = progress or Progress()
    if video is not None:
        found = _frames_of(medium, video, frames or FrameSelection(), counted)
    elif _is_video(file):
        found = _frames_once(medium, file, frames or FrameSelection(), counted)
    else:
        found = _still(medium, file, counted)
    for visual in found:
        drawn = render(visual.picture, marks=marks.of(medium.id, frame=visual.number), rendering=rendering)
        yield ModelImageFrame(number=visual.number, time_s=visual.time_s, picture=drawn)
        counted.step()
    counted.end()


def save_model_images(
    medium: Medium,
    *,
    file: Path | None,
    folder: Path,
    marks: Overlay = NO_OVERLAY,
    rendering: Rendering = "clean",
    frames: FrameSelection | None = None,
    progress: Progress,
) -> list[Path]:
    """Write the rendered images of a medium as PNG files, named after the medium and the frame numbers.

    Args:
        medium: The medium.
        file: Its file or folder, None if missing.
        folder: Destination, created if necessary. Existing files are replaced.
        marks: Its regions, paths and links.
        rendering: The overlays drawn into the images.
        frames: Frames of a video; None for up to 32, evenly spaced.
        progress: One step per image.

    Returns:
        The files, in the order of the frames.

    Raises:
        UserError: The file is missing or damaged, or contains no such frame.
        EnvironmentFailure: A file cannot be read or written.
        Cancelled: The user cancelled; files written so far are kept.
    """
    paths = []
    for visual in model_images(
        medium, file=file, marks=marks, rendering=rendering, frames=frames, progress=progress
    ):
        path = folder / image_name(medium, number=visual.number)
        save_picture(visual.picture, path=path)
        paths.append(path)
    return paths


def image_name(medium: Medium, *, number: int | None) -> str:
    """Return the name of the file that a picture of a medium is written to, without folders."""
    stem = medium.name.replace("\\", "/").strip("/").replace("/", "_")
    stem = stem.rpartition(".")[0] or stem
    return f"{stem}.png" if number is None else f"{stem}_{number:06d}.png"


def open_medium_video(medium: Medium, file: Path) -> Video:
    """Open the video of a medium; the frame rate of a frame folder follows from the medium's duration.

    Raises:
        UserError: The medium is not a video, or is damaged.
        EnvironmentFailure: The file cannot be read.
    """
    # A folder tells no rate; what was entered with it does.
    fps = medium.frames / medium.duration_s if medium.frames and medium.duration_s else FOLDER_FPS
    return Video.open(file, sha256=medium.sha256, fps=fps)


def _is_video(file: Path) -> bool:
    return file.is_dir() or is_video_head(read_head(file))


def _still(medium: Medium, file: Path, progress: Progress) -> Iterator[ModelImageFrame]:
    progress.begin(f"Reading the image of {medium.name}", total=1)
    yield ModelImageFrame(number=None, time_s=None, picture=decode_image(file))


def _frames_once(
    medium: Medium, file: Path, wanted: FrameSelection, progress: Progress
) -> Iterator[ModelImageFrame]:
    video = open_medium_video(medium, file)
    try:
        yield from _frames_of(medium, video, wanted, progress)
    finally:
        video.close()


def _frames_of(
    medium: Medium, video: Video, wanted: FrameSelection, progress: Progress
) -> Iterator[ModelImageFrame]:
    numbers = wanted.of(video)
    progress.begin(f"Reading images of {medium.name}", total=len(numbers))
    for frame in video.frames(numbers):
        yield ModelImageFrame(number=frame.number, time_s=frame.time_s, picture=frame.rgb())
