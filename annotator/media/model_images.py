"""The very pictures that a model gets of a medium: what releases, exports and model runs take, in one way."""

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
RENDERER = "vantage 1"
"""What drew the pictures; another number where the same marks give other pixels."""
NO_OVERLAY = Overlay()


class FrameSelection(ValueObject, frozen=True, kw_only=True):
    """Which frames of a film are taken; one way at a time, and of stills the one picture in any case.

    Attributes:
        numbers: These, each once, in this order.
        every_s: One each so many seconds, from the first on: the frame that is shown at that time.
        most: So many at most, at even distances (``sampling.evenly_spaced``), where neither is given.
    """

    numbers: tuple[int, ...] = ()
    every_s: float = 0.0
    most: int = FRAMES_OF_A_RUN

    def of(self, film: Video) -> tuple[int, ...]:
        """Return the numbers of a film's frames that are taken.

        Raises:
            UserError: There is no frame of such a number, or the distance is none.
        """
        if self.numbers:
            beyond = [number for number in self.numbers if not 0 <= number < film.frame_count]
            if beyond:
                raise UserError(f"{film.path.name} has no frame {beyond[0]:,}: it has {film.frame_count:,}.")
            return tuple(dict.fromkeys(self.numbers))
        if self.every_s:
            return self._at_times(film)
        if self.most < 1:
            raise UserError(f"{self.most:,} is not a valid number of frames.", hint="Use 1 or more.")
        return evenly_spaced(film.frame_count, most=self.most)

    def _at_times(self, film: Video) -> tuple[int, ...]:
        if not 0 < self.every_s < math.inf:
            raise UserError(f"{self.every_s:g} s is not a valid interval between frames.")
        # Steps shorter than any frame meet all of them, and need not be walked.
        if self.every_s <= np.diff(film.times_s).min(initial=math.inf):
            return tuple(range(film.frame_count))
        times_s = np.arange(int((film.times_s[-1] + TIME_TOLERANCE_S) / self.every_s) + 1) * self.every_s
        return tuple(dict.fromkeys(film.number_at(float(time_s)) for time_s in times_s))


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
    film: Video | None = None,
    progress: Progress | None = None,
) -> Iterator[ModelImageFrame]:
    """Yield the pictures of a medium that a release, an export or a model run takes.

    Args:
        medium: The medium.
        file: Where its file or folder lies, None where it is nowhere.
        marks: What is marked in it, for all frames, with all links of its scene
            (``store.marks.read_overlay``).
        rendering: What is drawn into the pictures.
        frames: Which frames of a film; None for up to 32 at even distances.
        film: The film at ``file`` where the caller has it open (``open_medium_video``): it is used, and left
            open. None to open it for this one time, which costs a look at all of its packets.
        progress: Begun with the medium's name and stepped once a picture; None where somebody else counts.

    Raises:
        UserError: Its file is not there or damaged, or has no pictures, or no such frame.
        EnvironmentFailure: The disk refused to read it.
        Cancelled: The user stopped it.
    """
    if medium.media_type == "trajectory":
        raise UserError(f"{medium.name} is a trajectory and has no image.")
    if file is None or not file.exists():
        raise UserError(
            f"The file of {medium.name} is missing.", hint="Connect its disk, or locate the file again."
        )
    counted = progress or Progress()
    if film is not None:
        found = _frames_of(medium, film, frames or FrameSelection(), counted)
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
    """Write the pictures of a medium as PNG files, named after it and the numbers of the frames.

    Args:
        medium: The medium.
        file: Where its file or folder lies, None where it is nowhere.
        folder: Where to write; made where it is not there. Files that are there are replaced.
        marks: What is marked in it.
        rendering: What is drawn into the pictures.
        frames: Which frames of a film; None for up to 32 at even distances.
        progress: Stepped once a picture.

    Returns:
        The files, in the order of the frames.

    Raises:
        UserError: Its file is not there or damaged, or has no pictures, or no such frame.
        EnvironmentFailure: The disk refused.
        Cancelled: The user stopped it; what is written so far stays.
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
    """Open the film that a medium is; a folder of frames at the rate that the medium's length tells.

    Raises:
        UserError: It is no film, or a damaged one.
        EnvironmentFailure: It cannot be read.
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
    film = open_medium_video(medium, file)
    try:
        yield from _frames_of(medium, film, wanted, progress)
    finally:
        film.close()


def _frames_of(
    medium: Medium, film: Video, wanted: FrameSelection, progress: Progress
) -> Iterator[ModelImageFrame]:
    numbers = wanted.of(film)
    progress.begin(f"Reading images of {medium.name}", total=len(numbers))
    for frame in film.frames(numbers):
        yield ModelImageFrame(number=frame.number, time_s=frame.time_s, picture=frame.rgb())
