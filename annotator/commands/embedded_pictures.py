"""Pictures that stand inside the tables of an import, written out as files of the project."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol, runtime_checkable

from annotator.commands.imports import ImportFiles
from annotator.errors import HostError
from annotator.progress import Progress
from annotator.sources.embedded_pictures import EmbeddedPicture
from annotator.sources.importer import ReadContext
from annotator.sources.input_file import InputFile
from annotator.sources.intake import look_at


@runtime_checkable
class HoldsPictures(Protocol):
    """A reader whose files hold pictures beside their records."""

    def pictures(self, file: InputFile, *, context: ReadContext) -> Iterator[EmbeddedPicture]:
        """Yield each picture once."""


def write_pictures(command: ImportFiles, *, root: Path, progress: Progress) -> int:
    """Write the pictures of an import's files below the media root, under the names that its media have.

    Files that are there already stay: their names are digests of their content.

    Args:
        command: The import, done.
        root: The project's own media folder; it is made where there are pictures.
        progress: Told of each row.

    Returns:
        Number of files written.

    Raises:
        HostError: The disk refused.
        UserError: A file can no longer be read.
        Cancelled: The user stopped it; what is written stays and is right.
    """
    written = 0
    for path in command.paths:
        looked = look_at(path, format_id=command.format, is_mapped=bool(command.mapping), progress=progress)
        for intake in looked.found:
            if isinstance(intake.reader, HoldsPictures) and isinstance(intake.source, InputFile):
                context = ReadContext(mapping=command.mapping, progress=progress)
                progress.begin(f"Writing the pictures of {intake.source.name}")
                for picture in intake.reader.pictures(intake.source, context=context):
                    written += _write(picture, root)
    progress.end()
    return written


def _write(picture: EmbeddedPicture, root: Path) -> bool:
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
        raise HostError(f"{target} cannot be written: {error.strerror}.", hint="Free disk space.") from error
    return True
