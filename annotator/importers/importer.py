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
    """Information for an importer besides the file.

    Attributes:
        dataset: Name of the dataset given by the user, "" to derive it from the file.
        views_of: Returns the names of the project's views of a dataset's scene.
        size_of: Returns width and height in pixels of a dataset's medium, None if unknown.
        coco_ids: Images and categories by their ids in COCO files, for files with ids only.
        task_sets: The task sets of the project.
        mapping: Names of fields in the file by the expected names, assigned by the user.
        progress: One step per record; the importer begins the phases.
    """

    dataset: str = ""
    views_of: Callable[[str, str], Set[str]] = _no_views
    size_of: Callable[[str, str], tuple[int, int] | None] = _no_size
    coco_ids: CocoIds = field(default_factory=CocoIds)
    task_sets: TaskSetCatalogue = field(default_factory=TaskSetCatalogue)
    mapping: Mapping[str, str] = field(default_factory=dict)
    progress: Progress = field(default_factory=Progress)


class Importer(ABC):
    """One format of files or folders. Stateless.

    Attributes:
        id: Value of ``--format`` and ``Source.format``.
        title: Displayed name.
        files: The files that it reads, for the documentation.
        gives: The records that it creates, for the documentation.
        holds_others: Whether its files contain records of other formats in their original form; it is then
            tested before the other formats.
        fields: Names of the expected fields of a record, which the user can map.
        marks: Further names in its files; an unknown file is compared with them and with the fields.
        is_chosen_by_user: Whether its files cannot be recognised, so that the user has to choose the format.
    """

    id: ClassVar[str]
    title: ClassVar[str]
    files: ClassVar[str]
    gives: ClassVar[str]
    holds_others: ClassVar[bool] = False
    fields: ClassVar[tuple[str, ...]] = ()
    marks: ClassVar[tuple[str, ...]] = ()
    is_chosen_by_user: ClassVar[bool] = False


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
