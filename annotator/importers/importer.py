"""Base classes of importers: one per format of other people's files or folders."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import ClassVar

from annotator.domain.task_set_catalogue import TaskSetCatalogue
from annotator.importers.coco_ids import CocoIds
from annotator.importers.imported_record import ImportedRecord, ImportIssue
from annotator.importers.input_file import InputFile
from annotator.importers.input_folder import InputFolder
from annotator.progress import Progress


def _no_views(_dataset: str, _scene: str) -> Set[str]:
    return frozenset()


def _no_size(_dataset: str, _name: str) -> tuple[int, int] | None:
    return None


@dataclass(frozen=True, kw_only=True)
class ImportContext:
    """What a reader may know beside the file.

    Attributes:
        dataset: Name of the collection that the user gave, "" where the file is to tell.
        views_of: Names of the views that the project has for a dataset's scene.
        size_of: Width and height in pixels of a dataset's medium, None where the project does not know it.
        coco_ids: Images and categories by the ids that COCO files give them, for files that have only ids.
        task_sets: The task sets that the project can use.
        mapping: Name of a field in the file for the name that the reader expects: a person's correction.
        progress: Counts the records; the reader begins the phases.
    """

    dataset: str = ""
    views_of: Callable[[str, str], Set[str]] = _no_views
    size_of: Callable[[str, str], tuple[int, int] | None] = _no_size
    coco_ids: CocoIds = field(default_factory=CocoIds)
    task_sets: TaskSetCatalogue = field(default_factory=TaskSetCatalogue)
    mapping: Mapping[str, str] = field(default_factory=dict)
    progress: Progress = field(default_factory=Progress)


class Importer(ABC):
    """One format of other people's files or folders. Has no state.

    Attributes:
        id: What ``--format`` and sources call it.
        title: Name that people read.
        files: Which files it reads, for the documents.
        gives: Which records it makes of them, for the documents.
        holds_others: Whether its files hold records of other formats inside, as they came; it is asked
            before the others then.
        fields: Names of the fields that it expects in a record; a person can map them to others.
        marks: Further names that its files contain; an unknown file is compared with them and the fields.
        is_told: Whether its files look like nothing in particular, so that a person has to name it.
    """

    id: ClassVar[str]
    title: ClassVar[str]
    files: ClassVar[str]
    gives: ClassVar[str]
    holds_others: ClassVar[bool] = False
    fields: ClassVar[tuple[str, ...]] = ()
    marks: ClassVar[tuple[str, ...]] = ()
    is_told: ClassVar[bool] = False


class FileImporter(Importer):
    """A format of single files."""

    @abstractmethod
    def recognizes(self, file: InputFile) -> bool:
        """Tell from the beginning of a file whether it is of this format; never raises."""

    @abstractmethod
    def read(self, file: InputFile, *, context: ImportContext) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield what the file holds, in its order.

        Raises:
            UserError: The file as a whole cannot be of this format.
            EnvironmentFailure: The disk refused.
            Cancelled: The user stopped it.
        """


class FolderImporter(Importer):
    """A format of folders, which may come as a .zip archive."""

    @abstractmethod
    def recognizes(self, folder: InputFolder) -> bool:
        """Tell from names, and few of the files, whether a folder is of this format; never raises."""

    @abstractmethod
    def read(self, folder: InputFolder, *, context: ImportContext) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield what the folder holds, in order of the names of its files.

        Raises:
            UserError: The folder as a whole cannot be of this format.
            EnvironmentFailure: The disk refused.
            Cancelled: The user stopped it.
        """
