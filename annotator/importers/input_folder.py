"""A folder, or an archive, that somebody else made: its files by name, read with limits and without trust."""

from __future__ import annotations

import hashlib
import lzma
import os
import re
import stat
import struct
import zipfile
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from annotator.database_files import is_database_file
from annotator.errors import EnvironmentFailure, UserError
from annotator.importers.input_file import HEAD_BYTES, LARGEST_TEXT_BYTES, InputFile, printable

MOST_FILES = 200_000
LARGEST_ARCHIVE_BYTES = 64 * 1024**3
"""All files of an archive unpacked; real datasets of videos come in parts below it."""
HIGHEST_RATIO = 200
"""Deflate packs text 3 to 20 times and zeros 1,000 times; nothing real comes near this."""
SMALL_BYTES = 16 * 1024 * 1024
"""A file this small may be packed as tight as it likes."""
_ARCHIVE_MARK = b"PK\x03\x04"
_OFFICE_LIST = "[Content_Types].xml"
_DRIVE = re.compile(r"[A-Za-z]:")
_IN_PARTS = "Import it in parts."
_ARCHIVE_FAULTS = (
    zipfile.BadZipFile,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    struct.error,
    zlib.error,
    lzma.LZMAError,
)
"""What the standard library raises for archives that are damaged, encrypted or of another method."""


class InputFolder(ABC):
    """Files below one place, by their names relative to it.

    Attributes:
        path: The folder or archive.
        name: Its name, printable.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = printable(path.name or path.resolve().name)
        self._opened: set[str] = set()

    @classmethod
    def open(cls, path: Path) -> InputFolder:
        """Return a folder or a .zip archive after a look at its list of files.

        Raises:
            UserError: It is neither, or an archive that is damaged or not safe to read.
            EnvironmentFailure: The disk refused.
        """
        return Directory(path) if path.is_dir() else Archive(path)

    @cached_property
    @abstractmethod
    def sizes(self) -> dict[str, int]:
        """Bytes of each file by its name, sorted; names have "/" between parts and never lead out.

        Raises:
            UserError: There are too many, or an archive is not safe to read.
            EnvironmentFailure: The disk refused.
        """

    @abstractmethod
    def _file(self, name: str) -> InputFile: ...

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all files, sorted."""
        return tuple(self.sizes)

    @property
    def stem(self) -> str:
        """The name without an archive's ending."""
        return self.name.removesuffix(".zip")

    @property
    def size_bytes(self) -> int:
        """Bytes of all files together."""
        return sum(self.sizes.values())

    @property
    def sha256(self) -> str:
        """Hex digest of the list of files with their sizes, and of the content of those opened so far."""
        digest = hashlib.sha256()
        for name, size in self.sizes.items():
            # Read again for the digest: what a reader has seen is what the source stands for.
            is_read = name in self._opened and size <= LARGEST_TEXT_BYTES
            content = self._file(name).sha256 if is_read else ""
            digest.update(f"{name}\0{size}\0{content}\n".encode())
        return digest.hexdigest()

    def has(self, name: str) -> bool:
        """Tell whether there is a file of this name."""
        return name in self.sizes

    def under(self, prefix: str) -> tuple[str, ...]:
        """Return the names that begin with a prefix."""
        return tuple(name for name in self.sizes if name.startswith(prefix))

    def find_file(self, name: str) -> InputFile | None:
        """Return one of the files after a first look at it, None where it was deleted since it was listed.

        Raises:
            EnvironmentFailure: The disk refused.
        """
        try:
            return self.file(name)
        except (UserError, EnvironmentFailure):
            if self._is_there(name):
                raise
            return None

    def _is_there(self, name: str) -> bool:
        """Tell whether a listed file can still be found."""
        return name in self.sizes

    def file(self, name: str) -> InputFile:
        """Return one of the files after a first look at it.

        Raises:
            UserError: There is no such file.
            EnvironmentFailure: The disk refused.
        """
        if name not in self.sizes:
            raise UserError(f"{self.name} has no file {printable(name)}.", hint="Check the folder.")
        # Its digest waits until somebody wants it: most files are opened for a look at their beginning.
        self._opened.add(name)
        return self._file(name)


class Directory(InputFolder):
    """A folder on disk; links that lead out of it are passed over."""

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Bytes of each file by its name, sorted."""
        found: dict[str, int] = {}
        try:
            for name, size in _walk(self.path):
                found[name] = size
                if len(found) > MOST_FILES:
                    raise UserError(f"{self.name} has more than {MOST_FILES:,} files.", hint=_IN_PARTS)
        except OSError as error:
            raise EnvironmentFailure(
                f"{printable(str(self.path))} cannot be read: {error.strerror}."
            ) from error
        return dict(sorted(found.items()))

    def _file(self, name: str) -> InputFile:
        return InputFile.open(self.path / name)

    def _is_there(self, name: str) -> bool:
        return (self.path / name).exists()


class Archive(InputFolder):
    """A .zip archive, read in place: nothing of it is ever unpacked to the disk."""

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Bytes of each file by its name, sorted."""
        with self._converting_zip_errors():
            entries = [entry for entry in self._zip.infolist() if not entry.is_dir()]
        if fault := _fault_of(entries):
            raise UserError(
                f"{self.name} cannot be read: {fault}.",
                hint="If you trust the archive, unpack it and import the folder.",
            )
        # zipfile gives no more bytes than are stated here, so that limits on these sizes hold.
        return {entry.filename: entry.file_size for entry in sorted(entries, key=lambda e: e.filename)}

    def content(self, name: str, *, limit: int = -1) -> bytes:
        """Return the bytes of one file, or their beginning.

        Raises:
            UserError: The archive is damaged.
            EnvironmentFailure: The disk refused.
        """
        with self._converting_zip_errors(), self._zip.open(name) as stream:
            return stream.read(limit)

    def _file(self, name: str) -> InputFile:
        return ArchivedFile(self, name)

    @cached_property
    def _zip(self) -> zipfile.ZipFile:
        # Open as long as the archive is in use: its list of files is read once, not once a file.
        return zipfile.ZipFile(self.path)

    @contextmanager
    def _converting_zip_errors(self) -> Iterator[None]:
        try:
            yield
        except (OSError, *_ARCHIVE_FAULTS) as error:
            # The standard library's bz2 raises an OSError without a number for damaged data.
            if isinstance(error, OSError) and error.errno is not None:
                raise EnvironmentFailure(
                    f"{printable(str(self.path))} cannot be read: {error.strerror}."
                ) from error
            hint = "Create the archive again, or unpack it and select the folder."
            raise UserError(f"{self.name} is a damaged or unsupported archive.", hint=hint) from error


class ArchivedFile(InputFile):
    """One file inside an archive."""

    is_archived = True

    def __init__(self, archive: Archive, name: str) -> None:
        super().__init__(Path(name))
        self._archive, self._inner = archive, name
        self.head = self.decoded(self.read_bytes(HEAD_BYTES))

    @cached_property
    def size_bytes(self) -> int:
        """Size of the file, unpacked."""
        return self._archive.sizes[self._inner]

    @cached_property
    def sha256(self) -> str:
        """Hex digest of the content."""
        return hashlib.sha256(self.read_bytes()).hexdigest()

    def read_bytes(self, limit: int = -1) -> bytes:
        """Return the content, or its beginning.

        Raises:
            UserError: The archive is damaged, or the file too large to be read in one piece.
            EnvironmentFailure: The disk refused.
        """
        if limit < 0 and self.size_bytes > LARGEST_TEXT_BYTES:
            raise UserError(f"{self.name} in {self._archive.name} is too large.", hint="Unpack the archive.")
        return self._archive.content(self._inner, limit=limit)

    def read_end(self, count: int) -> bytes:
        """Return the last bytes of the content; what is packed has no end without its beginning.

        Raises:
            UserError: The archive is damaged, or the file too large to be read in one piece.
            EnvironmentFailure: The disk refused.
        """
        return self.read_bytes()[-count:]


def is_archive(path: Path) -> bool:
    """Tell whether a file is a .zip archive and not a document that is one inside."""
    if is_database_file(path):
        return False
    try:
        with path.open("rb") as stream:
            # NumPy's archives hold arrays, and Office documents are archives inside.
            if stream.read(4) != _ARCHIVE_MARK or path.suffix.lower() == ".npz":
                return False
        with zipfile.ZipFile(path) as archive:
            return _OFFICE_LIST not in archive.namelist()
    except OSError:
        return False
    except _ARCHIVE_FAULTS:
        # A damaged one is an archive still: opening it says so in words.
        return path.suffix.lower() == ".zip"


def _walk(root: Path) -> Iterator[tuple[str, int]]:
    real_root = root.resolve()

    def refuse(error: OSError) -> None:
        # Without this, a folder that cannot be read would look empty, and nobody would miss its files.
        if not _is_gone(error) or not root.exists():
            raise error

    for folder, _, files in os.walk(root, onerror=refuse):
        for name in files:
            path = Path(folder, name)
            size = _size_of(path, real_root=real_root)
            if size is not None:
                yield path.relative_to(root).as_posix(), size


def _size_of(path: Path, *, real_root: Path) -> int | None:
    """Return the bytes of a file to read, None for what is left out."""
    try:
        # A link without its target is no file, and no reason to refuse the others.
        if path.is_symlink() and not (path.exists() and path.resolve().is_relative_to(real_root)):
            return None
        found = path.stat()
    except OSError as error:
        # Others go on working in the folder: their temporary files come and go while it is walked.
        if _is_gone(error):
            return None
        raise
    return found.st_size if stat.S_ISREG(found.st_mode) and not is_database_file(path) else None


def _is_gone(error: OSError) -> bool:
    return isinstance(error, FileNotFoundError | NotADirectoryError)


def _fault_of(entries: list[zipfile.ZipInfo]) -> str:
    """Say why an archive is not safe to read, "" where it is."""
    if len(entries) > MOST_FILES:
        return f"it has more than {MOST_FILES:,} files"
    # Before any of them is opened: a bomb must not be unpacked to be found out.
    if sum(entry.file_size for entry in entries) > LARGEST_ARCHIVE_BYTES:
        return f"unpacked it takes more than {LARGEST_ARCHIVE_BYTES >> 30} GiB"
    if len({entry.filename for entry in entries}) < len(entries):
        return "two of its files have the same name"
    faults = (_fault_of_entry(entry) for entry in entries)
    return next((fault for fault in faults if fault), "")


def _fault_of_entry(entry: zipfile.ZipInfo) -> str:
    shown = printable(entry.filename)
    parts = entry.filename.replace("\\", "/").split("/")
    # A backslash parts folders on Windows, whatever the standard says.
    if entry.filename.startswith(("/", "\\")) or ".." in parts or _DRIVE.match(entry.filename):
        return f"'{shown}' is outside the archive"
    # Its target would be read in its place.
    if stat.S_ISLNK(entry.external_attr >> 16):
        return f"'{shown}' is a link"
    if entry.flag_bits & 1:
        return f"'{shown}' is encrypted"
    if entry.file_size > max(SMALL_BYTES, HIGHEST_RATIO * entry.compress_size):
        return f"'{shown}' would unpack to {HIGHEST_RATIO} times its size or more"
    return ""
