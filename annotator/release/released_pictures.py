"""The images of a release folder, read back and compared with their digests."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from annotator.domain.medium import Medium
from annotator.errors import EnvironmentFailure, UserError
from annotator.media.image_decoder import decode_image
from annotator.media.model_images import ModelImageFrame
from annotator.media.video.sampling import evenly_spaced
from annotator.release.listed_file import read_listed_file
from annotator.release.manifest import PICTURE_LIST, ImageEntry
from annotator.release.media_names import is_safe_path, release_path

if TYPE_CHECKING:
    from annotator.media.image_decoder import Rgb

OPENED = 4
"""Lists of images that are kept in memory."""


class ReleasedPictures:
    """The images of one release.

    Args:
        folder: The release folder.
        entries: The lines of its list of images.
    """

    def __init__(self, folder: Path, entries: Sequence[ImageEntry]) -> None:
        self._folder = folder
        self._entries: dict[tuple[str, str, str], list[ImageEntry]] = {}
        for entry in entries:
            self._entries.setdefault((entry.dataset, entry.medium, entry.path), []).append(entry)

    def holds(self, medium: Medium) -> bool:
        """Return whether the release has an image of a medium."""
        return _key(medium) in self._entries

    def of(self, medium: Medium, *, most: int) -> list[ImageEntry]:
        """Return the images of a medium, of a video at most so many, evenly spaced.

        Raises:
            UserError: The release has no image of it.
        """
        found = self._entries.get(_key(medium), [])
        if not found:
            raise UserError(
                f"The release contains no image of {medium.name}.",
                hint="Evaluate a release that was made with images of all media.",
            )
        return [found[index] for index in evenly_spaced(len(found), most=most)]

    def read(self, entry: ImageEntry, medium: Medium) -> ModelImageFrame:
        """Return one image.

        Raises:
            UserError: It is missing, or is not the image that was released.
            EnvironmentFailure: It cannot be read.
        """
        if not is_safe_path(entry.file):
            raise UserError(f"The list of images names a file outside the release: {entry.file!r}.")
        path = self._folder / entry.file
        try:
            content = path.read_bytes()
        except FileNotFoundError as error:
            raise UserError(f"The image {entry.file} of the release is missing.") from error
        except OSError as error:
            raise EnvironmentFailure(f"{path} cannot be read: {error.strerror}.") from error
        if hashlib.sha256(content).hexdigest() != entry.sha256:
            raise UserError(
                f"The image {entry.file} is not the one that was released.",
                hint="Restore the release folder, and retry the failed jobs.",
            )
        picture: Rgb = decode_image(path)
        return ModelImageFrame(number=entry.frame, time_s=_time_s(entry, medium), picture=picture)


@lru_cache(OPENED)
def open_pictures(folder: Path, sha256: str) -> ReleasedPictures:
    """Return the images of a release folder.

    Args:
        folder: The folder.
        sha256: Digest of its list of images.

    Raises:
        UserError: The list is missing, damaged, or another one.
    """
    try:
        content = read_listed_file(folder / PICTURE_LIST)
        if hashlib.sha256(content).hexdigest() != sha256:
            raise UserError(f"The list of images in {folder} is not the one of the release.")
        return ReleasedPictures(folder, msgspec.json.Decoder(ImageEntry).decode_lines(content))
    except (OSError, msgspec.MsgspecError) as error:
        raise UserError(
            f"The list of images in {folder} cannot be read: {error}.",
            hint="Choose the release folder again with a new run.",
        ) from error


def _key(medium: Medium) -> tuple[str, str, str]:
    return medium.dataset, medium.name, release_path(medium)


def _time_s(entry: ImageEntry, medium: Medium) -> float | None:
    if entry.frame is None:
        return None
    # The list has no times; frames of the recorded media have nearly the same duration.
    return entry.frame * medium.duration_s / medium.frames if medium.frames else None
