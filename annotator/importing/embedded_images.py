"""Writes images that are embedded in the tables of an import to files of the project."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol, runtime_checkable

from annotator.commands.imports import ImportFiles
from annotator.domain.record import new_id
from annotator.errors import EnvironmentFailure
from annotator.importers.embedded_images import EmbeddedImage
from annotator.importers.importer import ImportContext
from annotator.importers.input_detection import detect_inputs
from annotator.importers.input_file import InputFile
from annotator.media.media_roots import MediaRoots
from annotator.progress import Progress


@runtime_checkable
class HasEmbeddedImages(Protocol):
    """An importer whose files contain images beside their records."""

    def pictures(self, file: InputFile, *, context: ImportContext) -> Iterator[EmbeddedImage]:
        """Yield each image once."""


def write_embedded_images(command: ImportFiles, *, roots: MediaRoots, progress: Progress) -> int:
    """Write the embedded images of an import below the project's media folder, under the names of its media.

    Existing files stay: their names are digests of their content.

    Args:
        command: The executed import.
        roots: The project's media roots; its own folder is created if there are images.
        progress: Advanced for each row.

    Returns:
        Number of files written.

    Raises:
        EnvironmentFailure: The disk is full or not writable.
        UserError: A file can no longer be read, or the media folder is a link that is not confirmed.
        Cancelled: The user cancelled the operation; what is written stays and is right.
    """
    written = 0
    for path in command.paths:
        detected = detect_inputs(
            path, format_id=command.format, is_mapped=bool(command.mapping), progress=progress
        )
        for detected_input in detected.found:
            if isinstance(detected_input.reader, HasEmbeddedImages) and isinstance(
                detected_input.source, InputFile
            ):
                context = ImportContext(mapping=command.mapping, progress=progress)
                progress.begin(f"Writing the images of {detected_input.source.name}")
                for picture in detected_input.reader.pictures(detected_input.source, context=context):
                    written += _write(picture, roots.folder_to_write())
    progress.end()
    return written


def _write(picture: EmbeddedImage, root: Path) -> bool:
    target = root / picture.name
    if target.exists():
        return False
    # Write to a temporary name until the file is complete: a file with the final name is trusted and never
    # rewritten.
    passing = target.with_name(f".{new_id()}.part")
    try:
        root.mkdir(parents=True, exist_ok=True)
        passing.write_bytes(picture.data)
        passing.replace(target)
    except OSError as error:
        raise EnvironmentFailure(
            f"{target} cannot be written: {error.strerror}.", hint="Free disk space."
        ) from error
    return True
