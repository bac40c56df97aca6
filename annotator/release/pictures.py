"""The pictures of a release: what its records show, as a model gets it, each once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from annotator.domain.medium import Medium
from annotator.domain.record import Record
from annotator.errors import HostError, UserError
from annotator.media.content import content_digest
from annotator.media.pictures import encode_png
from annotator.media.render import Rendering
from annotator.media.roots import MediaRoots
from annotator.media.video.sampling import FRAMES_OF_A_RUN
from annotator.media.visual import RENDERER, FramesWanted, Visual, pictures_of
from annotator.progress import Progress
from annotator.release.folder import ReleaseFolder
from annotator.release.manifest import (
    PICTURE_LIST,
    PICTURES,
    MissingMedium,
    PictureEntry,
    PicturesTaken,
)
from annotator.release.media_names import place_of
from annotator.store.marks import read_marks
from annotator.store.reader import Reader


@dataclass(frozen=True, kw_only=True)
class PictureOrder:
    """Which pictures a release carries.

    Attributes:
        rendering: What is drawn into them.
        roots: Where the project's media lie on this machine.
        most_frames: Most frames of one film, at even distances; 1 or more.
    """

    rendering: Rendering
    roots: MediaRoots
    most_frames: int = FRAMES_OF_A_RUN


def write_pictures(
    reader: Reader, media: Iterable[str], *, order: PictureOrder, folder: ReleaseFolder, progress: Progress
) -> PicturesTaken:
    """Write the pictures of media, and their list, into a release folder.

    Their names are numbers in the order of the media: a name must not tell what is seen. The same media,
    marks and order give the same bytes.

    Args:
        reader: The project.
        media: Ids of the media, each once.
        order: Which pictures.
        folder: The release.
        progress: Stepped once a medium.

    Raises:
        UserError: No medium has a picture here, or no frames are wanted.
        HostError: The disk refused to take them.
        Cancelled: The user stopped it.
    """
    wanted = list(media)
    if order.most_frames < 1:
        raise UserError(
            f"{order.most_frames:,} frames cannot be taken of a film.", hint="Ask for one or more."
        )
    taking = _Taking(reader=reader, order=order, folder=folder, progress=progress)
    progress.begin(f"Rendering pictures ({order.rendering})", total=len(wanted))
    listed, missing = folder.file(PICTURE_LIST), []
    for place, medium_id in enumerate(wanted, start=1):
        medium = reader.get("medium", medium_id)
        try:
            for entry in taking.entries(medium, place=place):
                listed.write(msgspec.json.encode(entry) + b"\n", records=1)
        except UserError as error:
            name = medium.name if isinstance(medium, Medium) else medium_id
            # The frames before a damaged one are whole, and stay: 'missing' means not all of them are there.
            missing.append(MissingMedium(medium=name, why=error.message))
        progress.step()
    progress.end()
    if missing and not listed.records:
        raise UserError(
            f"None of the {len(wanted):,} media has a picture here: {missing[0].medium}: {missing[0].why}",
            hint="Locate the media, or release without pictures.",
        )
    return PicturesTaken(
        rendering=order.rendering,
        renderer=RENDERER,
        most_frames=order.most_frames,
        media=len(wanted),
        pictures=listed.records,
        missing=tuple(missing),
    )


@dataclass(frozen=True, kw_only=True)
class _Taking:
    """What taking the pictures of one medium after the other needs."""

    reader: Reader
    order: PictureOrder
    folder: ReleaseFolder
    progress: Progress

    def entries(self, medium: Record | None, *, place: int) -> Iterator[PictureEntry]:
        """Write the pictures of a medium and yield their lines."""
        if not isinstance(medium, Medium):
            raise UserError("It is not in the project.")
        visuals = pictures_of(
            medium,
            file=_sound_file(medium, roots=self.order.roots, progress=self.progress),
            marks=read_marks(self.reader, medium=medium.id),
            rendering=self.order.rendering,
            frames=FramesWanted(most=self.order.most_frames),
        )
        for visual in visuals:
            yield self._entry(medium, visual, place=place)
            # Films take long: a cancel is heard between their frames.
            self.progress.step(0)

    def _entry(self, medium: Medium, visual: Visual, *, place: int) -> PictureEntry:
        frame = "" if visual.number is None else f"_{visual.number:06d}"
        released = self.folder.put(f"{PICTURES}/{place:06d}{frame}.png", encode_png(visual.picture))
        height, width = visual.picture.shape[:2]
        return PictureEntry(
            file=released.name,
            medium=medium.name,
            path=place_of(medium),
            dataset=medium.dataset,
            frame=visual.number,
            width_px=width,
            height_px=height,
            bytes=released.bytes,
            sha256=released.sha256,
        )


def _sound_file(medium: Medium, *, roots: MediaRoots, progress: Progress) -> Path | None:
    """Return where the file or folder of a medium lies, None where it is nowhere.

    Raises:
        UserError: Another content lies there, or it cannot be read.
        Cancelled: The user stopped it.
    """
    file = roots.file_of(medium.path or medium.name)
    if file is None or not medium.sha256 or not file.exists():
        return file
    try:
        # The picture must be the one that people annotated, not what lies there by now.
        if content_digest(file, progress=progress) != medium.sha256:
            raise UserError("Its content is not what it was when it was entered.")
    except HostError as error:
        # One file that the disk does not give is listed as missing; the rest of the release is written.
        raise UserError(error.message) from error
    return file
