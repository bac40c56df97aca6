"""The images of a release: each medium of its records once, as a model receives it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
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
from annotator.queries.overlay_query import read_overlay
from annotator.queries.reader import Reader
from annotator.release.manifest import (
    PICTURE_LIST,
    PICTURES,
    ImageEntry,
    MissingMedium,
    ReleasedImages,
)
from annotator.release.media_names import release_path
from annotator.release.release_folder import ReleaseFile, ReleaseFolder


@dataclass(frozen=True, kw_only=True)
class ImageSettings:
    """The images that a release contains.

    Attributes:
        rendering: The overlay drawn into them.
        roots: The media roots on this computer.
        most_frames: Maximum number of frames per video, evenly spaced; 1 or more.
    """

    rendering: Rendering
    roots: MediaRoots
    most_frames: int = FRAMES_OF_A_RUN


def write_images(
    reader: Reader,
    media: Iterable[str],
    *,
    order: ImageSettings,
    concealed: Collection[str] = (),
    folder: ReleaseFolder,
    progress: Progress,
) -> ReleasedImages:
    """Write the images of media, and their list, into a release folder.

    File names are numbers in the order of the media, since a name must not reveal the content. The same
    media, overlays and settings give the same bytes.

    Args:
        reader: The project.
        media: Ids of the media, each once.
        order: The image settings.
        concealed: Ids of the media whose links and paths the release keeps apart, with the answer keys that
            follow from them: they are drawn with neutral regions at most.
        folder: The release.
        progress: Advanced once per medium.

    Raises:
        UserError: No media file is available, or the number of frames is less than 1.
        EnvironmentFailure: The files cannot be written.
        Cancelled: The user cancelled the operation.
    """
    wanted = list(media)
    if order.most_frames < 1:
        raise UserError(
            f"{order.most_frames:,} is not a valid number of frames per video.", hint="Use 1 or more."
        )
    writer = _ImageWriter(reader=reader, order=order, concealed=concealed, folder=folder, progress=progress)
    listed = folder.file(PICTURE_LIST)
    missing = writer.write(wanted, listed)
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
    """The state of writing the images of several media."""

    reader: Reader
    order: ImageSettings
    concealed: Collection[str]
    folder: ReleaseFolder
    progress: Progress

    def write(self, media: Sequence[str], listed: ReleaseFile) -> list[MissingMedium]:
        """Write the pictures of media, and their lines into a list; return the media of which some lack."""
        self.progress.begin(f"Rendering images ({self.order.rendering})", total=len(media))
        missing = []
        for index, medium_id in enumerate(media, start=1):
            medium = self.reader.get(Medium, medium_id)
            try:
                for entry in self._entries(medium, index=index):
                    listed.write(msgspec.json.encode(entry) + b"\n", records=1)
            except UserError as error:
                name = medium.name if medium is not None else medium_id
                # Frames before a damaged one are complete and are kept: ``missing`` means that not all frames
                # are present.
                missing.append(MissingMedium(medium=name, why=error.message))
            self.progress.step()
        self.progress.end()
        return missing

    def _entries(self, medium: Medium | None, *, index: int) -> Iterator[ImageEntry]:
        """Write the pictures of a medium and yield their lines."""
        if medium is None:
            raise UserError("The media file is not in the project.")
        visuals = model_images(
            medium,
            file=_sound_file(medium, roots=self.order.roots, progress=self.progress),
            marks=read_overlay(self.reader, medium=medium.id),
            rendering=self._rendering(medium),
            frames=FrameSelection(most=self.order.most_frames),
        )
        for visual in visuals:
            yield self._entry(medium, visual, index=index)
            # Videos take long, so cancellation is checked between frames.
            self.progress.step(0)

    def _rendering(self, medium: Medium) -> Rendering:
        # Colours of links, and paths, show the answer; regions under neutral ids do not.
        is_concealed = self.order.rendering == "annotated" and medium.id in self.concealed
        return "detected" if is_concealed else self.order.rendering

    def _entry(self, medium: Medium, visual: ModelImageFrame, *, index: int) -> ImageEntry:
        frame = "" if visual.number is None else f"_{visual.number:06d}"
        released = self.folder.put(f"{PICTURES}/{index:06d}{frame}.png", encode_png(visual.picture))
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
    """Return the path of a medium's file or folder, None if it is not found.

    Raises:
        UserError: The file has other content, or it cannot be read.
        Cancelled: The user cancelled the operation.
    """
    file = roots.file_of(medium.path or medium.name)
    if file is None or not medium.sha256 or not file.exists():
        return file
    try:
        # The image must be the annotated one, not another file that has replaced it.
        if content_digest(file, progress=progress) != medium.sha256:
            raise UserError("The content of the file has changed since it was imported.")
    except EnvironmentFailure as error:
        # An unreadable file is listed as missing; the rest of the release is written.
        raise UserError(error.message) from error
    return file
