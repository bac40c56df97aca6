"""The pictures of a release: what its records show, as a model gets it, each once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from annotator.domain.medium import Medium
from annotator.errors import EnvironmentFailure, UserError
from annotator.media.content_hash import content_digest
from annotator.media.image_decoder import encode_png
from annotator.media.media_roots import MediaRoots
from annotator.media.model_images import RENDERER, FrameSelection, ModelImageFrame, model_images
from annotator.media.render import Rendering
from annotator.media.video.sampling import FRAMES_OF_A_RUN
from annotator.progress import Progress
from annotator.release.manifest import (
    PICTURE_LIST,
    PICTURES,
    ImageEntry,
    MissingMedium,
    ReleasedImages,
)
from annotator.release.media_names import release_path
from annotator.release.release_folder import ReleaseFolder
from annotator.store.overlay_query import read_overlay
from annotator.store.reader import Reader


@dataclass(frozen=True, kw_only=True)
class ImageSettings:
    """Which pictures a release carries.

    Attributes:
        rendering: What is drawn into them.
        roots: Where the project's media lie on this machine.
        most_frames: Most frames of one film, at even distances; 1 or more.
    """

    rendering: Rendering
    roots: MediaRoots
    most_frames: int = FRAMES_OF_A_RUN


def write_images(
    reader: Reader, media: Iterable[str], *, order: ImageSettings, folder: ReleaseFolder, progress: Progress
) -> ReleasedImages:
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
        EnvironmentFailure: The disk refused to take them.
        Cancelled: The user stopped it.
    """
    wanted = list(media)
    if order.most_frames < 1:
        raise UserError(
            f"{order.most_frames:,} is not a valid number of frames per video.", hint="Use 1 or more."
        )
    taking = _ImageWriter(reader=reader, order=order, folder=folder, progress=progress)
    progress.begin(f"Rendering images ({order.rendering})", total=len(wanted))
    listed, missing = folder.file(PICTURE_LIST), []
    for place, medium_id in enumerate(wanted, start=1):
        medium = reader.get(Medium, medium_id)
        try:
            for entry in taking.entries(medium, place=place):
                listed.write(msgspec.json.encode(entry) + b"\n", records=1)
        except UserError as error:
            name = medium.name if medium is not None else medium_id
            # The frames before a damaged one are whole, and stay: 'missing' means not all of them are there.
            missing.append(MissingMedium(medium=name, why=error.message))
        progress.step()
    progress.end()
    if missing and not listed.records:
        raise UserError(
            f"None of the {len(wanted):,} media files can be rendered: {missing[0].medium}: {missing[0].why}",
            hint="Locate the media files, or release without images.",
        )
    return ReleasedImages(
        rendering=order.rendering,
        renderer=RENDERER,
        most_frames=order.most_frames,
        media=len(wanted),
        pictures=listed.records,
        missing=tuple(missing),
    )


@dataclass(frozen=True, kw_only=True)
class _ImageWriter:
    """What taking the pictures of one medium after the other needs."""

    reader: Reader
    order: ImageSettings
    folder: ReleaseFolder
    progress: Progress

    def entries(self, medium: Medium | None, *, place: int) -> Iterator[ImageEntry]:
        """Write the pictures of a medium and yield their lines."""
        if medium is None:
            raise UserError("The media file is not in the project.")
        visuals = model_images(
            medium,
            file=_sound_file(medium, roots=self.order.roots, progress=self.progress),
            marks=read_overlay(self.reader, medium=medium.id),
            rendering=self.order.rendering,
            frames=FrameSelection(most=self.order.most_frames),
        )
        for visual in visuals:
            yield self._entry(medium, visual, place=place)
            # Films take long: a cancel is heard between their frames.
            self.progress.step(0)

    def _entry(self, medium: Medium, visual: ModelImageFrame, *, place: int) -> ImageEntry:
        frame = "" if visual.number is None else f"_{visual.number:06d}"
        released = self.folder.put(f"{PICTURES}/{place:06d}{frame}.png", encode_png(visual.picture))
        height, width = visual.picture.shape[:2]
        return ImageEntry(
            file=released.name,
            medium=medium.name,
            path=release_path(medium),
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
            raise UserError("The content of the file has changed since it was imported.")
    except EnvironmentFailure as error:
        # One file that the disk does not give is listed as missing; the rest of the release is written.
        raise UserError(error.message) from error
    return file
