"""What there is to read at a path, and which reader each part is for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from annotator.database_files import require_no_database
from annotator.errors import UserError
from annotator.importers import registry
from annotator.importers.imported_record import ImportedRecord, ImportIssue
from annotator.importers.importer import FileImporter, FolderImporter, ImportContext, Importer
from annotator.importers.input_file import InputFile
from annotator.importers.input_folder import InputFolder, is_archive
from annotator.progress import Progress

READABLE = frozenset(
    {".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".txt", ".xml", ".xlsx", ".parquet", ".pq"}
)
"""Endings of files in a folder that are looked at; the others are media or nothing that is known here."""


@dataclass(frozen=True, kw_only=True)
class DetectedInput:
    """One file or folder, with the reader that it is for.

    Attributes:
        source: The file or folder.
        reader: A ``FileImporter`` for a file, a ``FolderImporter`` for a folder.
    """

    source: InputFile | InputFolder
    reader: Importer

    def read(self, *, context: ImportContext) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield what it holds.

        Raises:
            UserError: It cannot be of this format as a whole.
            EnvironmentFailure: The disk refused.
            Cancelled: The user stopped it.
        """
        if isinstance(self.source, InputFile) and isinstance(self.reader, FileImporter):
            return self.reader.read(self.source, context=context)
        if isinstance(self.source, InputFolder) and isinstance(self.reader, FolderImporter):
            return self.reader.read(self.source, context=context)
        raise TypeError(f"{self.reader.id} does not read {type(self.source).__name__}.")


@dataclass(frozen=True, kw_only=True)
class SkippedFile:
    """A file of a folder that nobody reads.

    Attributes:
        name: Its name in the folder.
        reason: Why, in words.
    """

    name: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class DetectedInputs:
    """What there is to read at a path.

    Attributes:
        found: The parts in a supported format.
        skipped: Files that look as if they were to be read, and cannot be.
    """

    found: tuple[DetectedInput, ...]
    skipped: tuple[SkippedFile, ...] = ()


def detect_inputs(
    path: Path, *, format_id: str = "", is_mapped: bool = False, progress: Progress | None = None
) -> DetectedInputs:
    """Return the inputs at a path: the file, the folder as a whole, or the files in it.

    Args:
        path: A file, a folder or a .zip archive.
        format_id: Id of the importer, "" to detect it from the content.
        is_mapped: Whether the user has assigned the fields, so that the content need not match the format.
        progress: One step per examined file of a folder; None for no progress.

    Raises:
        UserError: The path does not exist, or contains no file of a supported or of the given format.
        EnvironmentFailure: A file cannot be read.
        Cancelled: The user cancelled.
    """
    if not path.is_dir():
        require_no_database(path)
    if path.is_dir() or (path.is_file() and is_archive(path)):
        return _in_folder(InputFolder.open(path), format_id, progress=progress or Progress())
    file = InputFile.open(path)
    return DetectedInputs(
        found=(DetectedInput(source=file, reader=_reader_of(file, format_id, is_mapped=is_mapped)),)
    )


def _reader_of(file: InputFile, format_id: str, *, is_mapped: bool) -> FileImporter:
    if not format_id:
        return registry.detect(file)
    registry.require_content(file)
    reader = registry.get(format_id)
    if isinstance(reader, FolderImporter):
        raise UserError(
            f"{file.name} is a file; the format {format_id} requires a folder.", hint="Select its folder."
        )
    # An empty list is of any format: nothing of it can be wrong.
    if (
        is_mapped
        or reader.is_chosen_by_user
        or reader.recognizes(file)
        or file.head.strip() in registry.NO_RECORDS
    ):
        return reader
    seems = ", ".join(other.id for other in registry.detect_importers(file))
    hint = (
        f"The file appears to have the format {seems}."
        if seems
        else "Omit the format to detect it automatically."
    )
    raise UserError(f"{file.name} does not have the format {format_id}.", hint=hint)


def _in_folder(folder: InputFolder, format_id: str, *, progress: Progress) -> DetectedInputs:
    chosen = registry.get(format_id) if format_id else None
    if isinstance(chosen, FolderImporter):
        if not chosen.recognizes(folder):
            raise UserError(
                f"{folder.name} does not have the format {format_id}.", hint="See docs/formats.md."
            )
        return DetectedInputs(found=(DetectedInput(source=folder, reader=chosen),))
    whole = [] if chosen else registry.detect_folder_importers(folder)
    if len(whole) > 1:
        ids = ", ".join(reader.id for reader in whole)
        raise UserError(f"{folder.name} matches several formats: {ids}.", hint="Specify the format.")
    if whole:
        return DetectedInputs(found=(DetectedInput(source=folder, reader=whole[0]),))
    return _files_of(folder, format_id, progress=progress)


def _files_of(folder: InputFolder, format_id: str, *, progress: Progress) -> DetectedInputs:
    found, skipped = [], []
    names = [name for name in folder.names if Path(name).suffix.lower() in READABLE]
    # Each is opened, and on a network disk that takes long: 10,000 label files are no rarity.
    progress.begin(f"Looking through {folder.name}", total=len(names))
    for name in names:
        progress.step()
        # A format that somebody named is looked for in each file; others pass over.
        file = folder.find_file(name)
        if file is None:
            continue
        readers = [r for r in registry.detect_importers(file) if format_id in ("", r.id)]
        if len(readers) == 1:
            found.append(DetectedInput(source=file, reader=readers[0]))
        else:
            ids = ", ".join(reader.id for reader in readers)
            skipped.append(SkippedFile(name=name, reason=_reason_to_skip(file, ids)))
    progress.end()
    if not found:
        raise _no_inputs(folder, format_id, has_skipped=bool(skipped))
    return DetectedInputs(found=tuple(found), skipped=tuple(skipped))


def _no_inputs(folder: InputFolder, format_id: str, *, has_skipped: bool) -> UserError:
    what = f"of the format {format_id}" if format_id else "in a supported format"
    hint = "Select its files individually." if has_skipped else "Add images and videos as media files."
    return UserError(f"{folder.name} contains no annotations or questions {what}.", hint=hint)


def _reason_to_skip(file: InputFile, ids: str) -> str:
    """Return why no importer reads a file of a folder, from the ids of those that would."""
    if not file.head.strip(registry.BLANKS):
        return "The file is empty."
    return (
        f"The file matches several formats: {ids}." if ids else "The file has none of the requested formats."
    )
