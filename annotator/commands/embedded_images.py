"""Pictures that stand inside the tables of an import, written out as files of the project."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol, runtime_checkable

from annotator.commands.imports import ImportFiles
from annotator.errors import EnvironmentFailure
from annotator.importers.embedded_images import EmbeddedImage
from annotator.importers.importer import ImportContext
from annotator.importers.input_detection import detect_inputs
from annotator.importers.input_file import InputFile
from annotator.progress import Progress


@runtime_checkable
class HasEmbeddedImages(Protocol):
    """A reader whose files hold pictures beside their records."""

    def pictures(self, file: InputFile, *, context: ImportContext) -> Iterator[EmbeddedImage]:
        """Yield each picture once."""


def write_embedded_images(command: ImportFiles, *, root: Path, progress: Progress) -> int:
    """Write the pictures of an import's files below the media root, under the names that its media have.

    Files that are there already stay: their names are digests of their content.

    Args:
        command: The import, done.
        root: The project's own media folder; it is made where there are pictures.
        progress: Told of each row.

    Returns:
        Number of files written.

    Raises:
        EnvironmentFailure: The disk refused.
        UserError: A file can no longer be read.
        Cancelled: The user stopped it; what is written stays and is right.
    """
    written = 0
    for path in command.paths:
        looked = detect_inputs(
            path, format_id=command.format, is_mapped=bool(command.mapping), progress=progress
        )
        for intake in looked.found:
            if isinstance(intake.reader, HasEmbeddedImages) and isinstance(intake.source, InputFile):
                context = ImportContext(mapping=command.mapping, progress=progress)
                progress.begin(f"Writing the images of {intake.source.name}")
                for picture in intake.reader.pictures(intake.source, context=context):
                    written += _write(picture, root)
    progress.end()
    return written


def _write(picture: EmbeddedImage, root: Path) -> bool:
    target = root / picture.name
    if target.exists():
        return False
    # Under another name until it is whole: a file that is there already is believed and never written again.
    passing = target.with_name(f".{target.name}.part")
    try:
        root.mkdir(parents=True, exist_ok=True)
        passing.write_bytes(picture.data)
        passing.replace(target)
    except OSError as error:
        raise EnvironmentFailure(
            f"{target} cannot be written: {error.strerror}.", hint="Free disk space."
        ) from error
    return True
