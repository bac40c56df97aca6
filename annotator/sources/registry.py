"""The readers by id, and which of them a file is for."""

from __future__ import annotations

import importlib
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar

from annotator import sources
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.sources.found import Found, Rejected
from annotator.sources.input_file import InputFile
from annotator.sources.input_folder import InputFolder


def _no_views(_dataset: str, _scene: str) -> Set[str]:
    return frozenset()


def _no_size(_dataset: str, _name: str) -> tuple[int, int] | None:
    return None


@dataclass(frozen=True, kw_only=True)
class ReadContext:
    """What a reader may know beside the file.

    Attributes:
        dataset: Name of the collection that the user gave, "" where the file is to tell.
        views_of: Names of the views that the project has for a dataset's scene.
        size_of: Width and height in pixels of a dataset's medium, None where the project does not know it.
        mapping: Name of a field in the file for the name that the reader expects: a person's correction.
        progress: Counts the records; the reader begins the phases.
    """

    dataset: str = ""
    views_of: Callable[[str, str], Set[str]] = _no_views
    size_of: Callable[[str, str], tuple[int, int] | None] = _no_size
    mapping: Mapping[str, str] = field(default_factory=dict)
    progress: Progress = field(default_factory=Progress)


class AnyReader(ABC):
    """One format of other people's files or folders. Has no state; a module's ``READER`` is an instance.

    Attributes:
        id: What ``--format`` and sources call it.
        title: What people read.
        holds_others: Whether its files hold records of other formats inside, as they came; it is asked
            before the others then.
        fields: Names of the fields that it expects in a record; a person can map them to others.
        is_told: Whether its files look like nothing in particular, so that a person has to name it.
    """

    id: ClassVar[str]
    title: ClassVar[str]
    holds_others: ClassVar[bool] = False
    fields: ClassVar[tuple[str, ...]] = ()
    is_told: ClassVar[bool] = False


class Reader(AnyReader):
    """A format of single files."""

    @abstractmethod
    def recognises(self, file: InputFile) -> bool:
        """Tell from the beginning of a file whether it is of this format; never raises."""

    @abstractmethod
    def read(self, file: InputFile, *, context: ReadContext) -> Iterator[Found | Rejected]:
        """Yield what the file holds, in its order.

        Raises:
            UserError: The file as a whole cannot be of this format.
            HostError: The disk refused.
            Cancelled: The user stopped it.
        """


class FolderReader(AnyReader):
    """A format of folders, which may come as a .zip archive."""

    @abstractmethod
    def recognises(self, folder: InputFolder) -> bool:
        """Tell from names, and few of the files, whether a folder is of this format; never raises."""

    @abstractmethod
    def read(self, folder: InputFolder, *, context: ReadContext) -> Iterator[Found | Rejected]:
        """Yield what the folder holds, in order of the names of its files.

        Raises:
            UserError: The folder as a whole cannot be of this format.
            HostError: The disk refused.
            Cancelled: The user stopped it.
        """


@cache
def readers() -> dict[str, Reader | FolderReader]:
    """Return all readers by id, sorted."""
    found = []
    # Looked up by name, so that a new format is one file and nothing else.
    for module in pkgutil.iter_modules(sources.__path__):
        reader = getattr(importlib.import_module(f"{sources.__name__}.{module.name}"), "READER", None)
        if isinstance(reader, Reader | FolderReader):
            found.append(reader)
    return {reader.id: reader for reader in sorted(found, key=lambda reader: reader.id)}


def get(format_id: str) -> Reader | FolderReader:
    """Return the reader of a format.

    Raises:
        UserError: There is none with this id.
    """
    if format_id not in readers():
        raise UserError(f"There is no format '{format_id}'.", hint=_known())
    return readers()[format_id]


def recognising(file: InputFile) -> list[Reader]:
    """Return the readers that take a file for their own, by id."""
    found = [r for r in readers().values() if isinstance(r, Reader) and r.recognises(file)]
    # A native record carries the original of a label or question inside, which looks like one.
    return [reader for reader in found if reader.holds_others] or found


def recognising_folder(folder: InputFolder) -> list[FolderReader]:
    """Return the readers that take a folder as a whole for their own, by id."""
    return [r for r in readers().values() if isinstance(r, FolderReader) and r.recognises(folder)]


def detect(file: InputFile) -> Reader:
    """Return the reader that a file is for, found from its content.

    Raises:
        UserError: No reader, or more than one, takes it for its own.
    """
    found = recognising(file)
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(reader.id for reader in found)
        raise UserError(f"{file.name} can be of several formats: {ids}.", hint="Say which with --format.")
    raise UserError(f"{file.name} is of no format that is known here.", hint=_known())


def _known() -> str:
    return "Known are: " + ", ".join(f"{reader.id} ({reader.title})" for reader in readers().values()) + "."
