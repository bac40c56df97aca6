"""The media that a thread takes pictures of for models: known to be the ones entered, films kept open."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from annotator.domain.medium import Medium
from annotator.errors import UserError
from annotator.media.content import KnownContents
from annotator.media.facts import is_video_head, read_head
from annotator.media.render import Marks, Rendering, render
from annotator.media.video.film import Film
from annotator.media.visual import NO_MARKS, FramesWanted, Visual, open_medium_film, pictures_of
from annotator.progress import Progress

OPEN_FILMS = 2
"""Of each thread: the frames of one film are asked for one after the other, and a scene may have two."""
CONTENTS = KnownContents()
"""Of this process, all threads together: a film of gigabytes is read once."""


@dataclass(frozen=True, kw_only=True)
class _Place:
    """What an open film stays open for: its file as it is, at the rate that the project knows."""

    file: Path
    stamp: str
    sha256: str
    frames: int
    duration_s: float


class OpenMedia:
    """Takes the pictures of media for models; for one thread.

    Args:
        progress: Asked whether to go on, while files are read and between pictures.
    """

    def __init__(self, *, progress: Progress | None = None) -> None:
        self._progress = progress or Progress()
        self._films: dict[_Place, Film] = {}

    def __del__(self) -> None:
        # A thread that ends without ``leave_media``: decoders refer to themselves and would stay for long.
        self.close()

    def pictures(
        self,
        medium: Medium,
        *,
        file: Path | None,
        marks: Marks = NO_MARKS,
        rendering: Rendering = "clean",
        frames: FramesWanted | None = None,
    ) -> Iterator[Visual]:
        """Yield the pictures of a medium, the same as ``pictures_of`` yields.

        Args:
            medium: The medium.
            file: Where its file or folder lies, None where it is nowhere.
            marks: What is marked in it.
            rendering: What is drawn into the pictures.
            frames: Which frames of a film; None for up to 32 at even distances.

        Raises:
            UserError: Its file is not there, damaged or another one than was entered, or has no such frame.
            HostError: The disk refused to read it.
            Cancelled: The work is being stopped.
        """
        if file is None or not file.exists() or medium.kind == "trajectory":
            # Where there is nothing to be compared, the same words are said as everywhere.
            yield from pictures_of(medium, file=file)
            return
        stamp = self._require_same(medium, file)
        if file.is_dir() or is_video_head(read_head(file)):
            yield from self._frames(medium, file, stamp, frames or FramesWanted(), marks, rendering)
        else:
            yield from pictures_of(medium, file=file, marks=marks, rendering=rendering)
        # Once more: what was shown is worth nothing if somebody wrote to the file meanwhile.
        if CONTENTS.stamp(file) != stamp:
            raise UserError(f"{medium.name} was changed while it was read.", hint="Retry what failed later.")

    def close(self) -> None:
        """Close all films."""
        while self._films:
            self._films.pop(next(iter(self._films))).close()

    def _require_same(self, medium: Medium, file: Path) -> str:
        """Return the stamp of a medium's file, which is the one that was entered.

        Raises:
            UserError: It is another one.
        """
        stamp = CONTENTS.stamp(file)
        if medium.sha256 and CONTENTS.digest(file, progress=self._progress) != medium.sha256:
            raise UserError(
                f"The file of {medium.name} is not the one that was entered: its content has changed.",
                hint="Put the old file back and retry what failed, or enter the new one as another medium. "
                "All such files are listed by: media PROJECT health",
            )
        return stamp

    def _frames(
        self,
        medium: Medium,
        file: Path,
        stamp: str,
        wanted: FramesWanted,
        marks: Marks,
        rendering: Rendering,
    ) -> Iterator[Visual]:
        place = _Place(
            file=file,
            stamp=stamp,
            sha256=medium.sha256,
            frames=medium.frames,
            duration_s=medium.duration_s,
        )
        film = self._film(place, medium)
        try:
            for frame in film.frames(wanted.of(film)):
                self._progress.raise_if_cancelled()
                shown = render(
                    frame.rgb(), marks=marks.of(medium.id, frame=frame.number), rendering=rendering
                )
                yield Visual(number=frame.number, time_s=frame.time_s, picture=shown)
        except Exception:
            # Whatever it was: a decoder that failed in the middle gives wrong frames from then on, or none.
            self._films.pop(place, film).close()
            raise

    def _film(self, place: _Place, medium: Medium) -> Film:
        film = self._films.pop(place, None)
        while film is None and len(self._films) >= OPEN_FILMS:
            self._films.pop(next(iter(self._films))).close()
        # At the end of the row: the first one is the one that nobody asked for longest.
        self._films[place] = film or open_medium_film(medium, place.file)
        return self._films[place]


class _Own(threading.local):
    media: OpenMedia | None = None


_OWN = _Own()


def open_media() -> OpenMedia:
    """Return what the calling thread has open; what it never left is closed with the thread."""
    if _OWN.media is None:
        _OWN.media = OpenMedia()
    return _OWN.media


def enter_media(progress: Progress) -> None:
    """Have the calling thread ask a progress whether to go on, from now on until ``leave_media``."""
    leave_media()
    _OWN.media = OpenMedia(progress=progress)


def leave_media() -> None:
    """Close what the calling thread has open."""
    if _OWN.media is not None:
        _OWN.media.close()
        _OWN.media = None
