"""The contents of chosen or dropped files and folders that a project can import."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from annotator.commands.imports import ImportFiles
from annotator.errors import UserError
from annotator.importers import registry
from annotator.importers.input_detection import READABLE, SkippedFile
from annotator.importers.input_folder import InputFolder, is_archive
from annotator.importing.preview import FilePreview, fields_alone, preview
from annotator.media.listing import MediaListing, kind_by_name, list_media
from annotator.media.naming_presets import PresetMatch, recognise
from annotator.progress import Progress
from annotator.queries.reader import Reader

MOST_FOLDERS = 24
"""Above this number of unrecognised folders, media are not divided by folder: the list would be too long to
review.
"""


@dataclass(frozen=True, kw_only=True)
class FilePart:
    """A file, a folder as a whole, or an archive with annotations or questions.

    Attributes:
        path: The path to import.
        previews: Its first records, one entry per file that is read; empty if it cannot be read.
        skipped: Files in it that are not read.
        fault: Why it cannot be read, "" if it can.
        hint: How to correct it.
        similar: Ids of the formats that a file of unknown format resembles most, the best first.
    """

    path: Path
    previews: tuple[FilePreview, ...] = ()
    skipped: tuple[SkippedFile, ...] = ()
    fault: str = ""
    hint: str = ""
    similar: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class MediaPart:
    """Pictures, videos and other media that belong together.

    Attributes:
        folder: Their folder, relative to the listing's base, "" for several.
        listing: Their names.
        recognised: The naming schemes that fit them, best first.
    """

    folder: str
    listing: MediaListing
    recognised: tuple[PresetMatch, ...]


@dataclass(frozen=True, kw_only=True)
class ImportSurvey:
    """The parts that can be imported.

    Attributes:
        files: Annotations and questions, also those that cannot be read.
        media: The media: one part if one naming scheme fits most of them, else one per folder.
    """

    files: tuple[FilePart, ...]
    media: tuple[MediaPart, ...]


def scan_paths(reader: Reader, paths: Sequence[Path], *, progress: Progress) -> ImportSurvey:
    """Scan files and folders for annotations, questions and media.

    A folder that one format reads as a whole is one part. Otherwise each readable file is a part, and files
    of unknown format are omitted, since every dataset has some.

    Args:
        reader: The project.
        paths: Files, folders and .zip archives.
        progress: Advanced for each file.

    Raises:
        UserError: A path does not exist.
        EnvironmentFailure: A file cannot be read from the disk.
        Cancelled: The user cancelled the operation.
    """
    readable, media_paths = [], []
    for path in paths:
        if not path.exists():
            raise UserError(f"There is no file or folder {path}.", hint="Check the path.")
        if path.is_dir() or kind_by_name(path.name):
            media_paths.append(path)
        if path.is_dir():
            readable += list(_parts_of(path, progress=progress))
        elif path.suffix.lower() in READABLE or not kind_by_name(path.name):
            readable.append(path)
    listing = list_media(media_paths, progress=progress) if media_paths else None
    files = []
    for path in readable:
        progress.step(0)
        files.append(rescan_part(reader, ImportFiles(paths=(path,)), progress=progress))
    return ImportSurvey(files=tuple(files), media=tuple(_media_parts(listing)))


def rescan_part(reader: Reader, command: ImportFiles, *, progress: Progress) -> FilePart:
    """Return the part for one path, read with its format and mapping.

    Raises:
        EnvironmentFailure: A file cannot be read from the disk.
    """
    (path,) = command.paths
    try:
        found = preview(reader, command, progress=progress)
    except registry.UnknownFormatError as error:
        similar = tuple(importer.id for importer in error.similar)
        return FilePart(path=path, fault=error.message, hint=error.hint, similar=similar)
    except UserError as error:
        # A file that cannot be read must not hide the others: it is shown with its reason. With the fields of
        # a format that the user chose, it may still be readable.
        previews = fields_alone(path, command.format)
        return FilePart(path=path, previews=previews, fault=error.message, hint=error.hint)
    return FilePart(path=path, previews=found.previews, skipped=found.skipped)


def _parts_of(path: Path, *, progress: Progress) -> Iterator[Path]:
    folder = InputFolder.open(path)
    if registry.detect_folder_importers(folder):
        yield path
        return
    progress.begin(f"Scanning {folder.name}", total=len(folder.names))
    for name in folder.names:
        progress.step()
        inside = path / name
        if is_archive(inside) or (inside.suffix.lower() in READABLE and _is_recognised(folder, name)):
            yield inside


def _is_recognised(folder: InputFolder, name: str) -> bool:
    file = folder.find_file(name)
    return file is not None and bool(registry.detect_importers(file))


def _media_parts(listing: MediaListing | None) -> Iterator[MediaPart]:
    if listing is None or not listing.names:
        return
    recognised = tuple(recognise(listing.names))
    folders: dict[str, list[str]] = {}
    for name in listing.names:
        folders.setdefault(name.rpartition("/")[0], []).append(name)
    fits_most = any(2 * found.matched >= len(listing.names) for found in recognised)
    if fits_most or not 1 < len(folders) <= MOST_FOLDERS:
        folder = next(iter(folders)) if len(folders) == 1 else ""
        yield MediaPart(folder=folder, listing=listing, recognised=recognised)
        return
    for folder, names in folders.items():
        part = MediaListing(base=listing.base, names=tuple(names), others=())
        yield MediaPart(folder=folder, listing=part, recognised=tuple(recognise(names)))
