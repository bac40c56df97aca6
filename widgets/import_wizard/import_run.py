"""Runs an import with the selected settings: media first, then files, each with progress and cancel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from PySide6.QtCore import QObject, Signal

from annotator.commands.imports import ImportFiles
from annotator.commands.media_import import ImportMedia, MediaImportReport
from annotator.importers.report import ImportReport
from annotator.importing.embedded_images import write_embedded_images
from annotator.media.file_import import FileImport, import_files
from annotator.progress import Progress
from annotator.session import Session
from widgets.import_wizard.choices import Choice, FileChoice, MediaChoice
from widgets.project_controller import ProjectController
from widgets.task import while_exists
from widgets.translation import tr


class ImportRun(QObject):
    """One import from its start to its report.

    Steps that completed before a cancellation or a failure stay in the project: each can be undone.

    Signals:
        finished: Emitted at the end; carries the reports of the files and of the media, None for none.
            After a cancellation or a failure it carries the results of the completed steps.
    """

    finished = Signal(object, object)

    def __init__(self, choices: Iterable[Choice], *, controller: ProjectController) -> None:
        super().__init__(controller)
        self._controller = controller
        listed = list(choices)
        self._media = [choice for choice in listed if isinstance(choice, MediaChoice)]
        self._files = list(_commands(choice for choice in listed if isinstance(choice, FileChoice)))
        self._media_reports: list[MediaImportReport] = []
        self._reports: list[ImportReport] = []

    def start(self) -> None:
        """Start the import."""
        self._go_on()

    def _go_on(self) -> None:
        if self._media:
            choice = self._media.pop(0)
            # Read outside a command: a command blocks all other changes while it runs.
            work = self._controller.run_query(
                partial(_import_files, choice=choice), title=tr("Reading media files")
            )
            work.finished.connect(while_exists(self, partial(self._on_media_imported, choice)))
        elif self._files:
            command = self._files.pop(0)
            work = self._controller.execute(command, title=tr("Importing"))
            work.finished.connect(while_exists(self, partial(self._on_files_done, command)))
        else:
            self._end()
            return
        work.failed.connect(self._on_failed)

    def _on_media_imported(self, choice: MediaChoice, file_import: FileImport) -> None:
        command = ImportMedia(file_import=file_import, dataset=choice.dataset, licence=choice.licence)
        work = self._controller.execute(command, title=tr("Adding media"))
        work.finished.connect(while_exists(self, partial(self._on_media_done, command)))
        work.failed.connect(self._on_failed)

    def _on_media_done(self, command: ImportMedia, _changes: object) -> None:
        self._media_reports.append(command.report)
        self._go_on()

    def _on_files_done(self, command: ImportFiles, _changes: object) -> None:
        self._reports.append(command.report)
        work = self._controller.run_query(
            partial(_pictures_written, command=command), title=tr("Writing images")
        )
        work.finished.connect(self._on_pictures_written)
        work.failed.connect(self._on_failed)

    def _on_pictures_written(self, _written: int) -> None:
        self._go_on()

    def _on_failed(self, _error: BaseException) -> None:
        # The controller has reported the failure; the completed steps are reported as well.
        self._media, self._files = [], []
        if self._reports or self._media_reports:
            self._end()
        else:
            self.deleteLater()

    def _end(self) -> None:
        report = ImportReport(
            tuple(file for one in self._reports for file in one.files),
            skipped=tuple(over for one in self._reports for over in one.skipped),
        )
        media = MediaImportReport.merge(self._media_reports) if self._media_reports else None
        self.finished.emit(report if self._reports else None, media)
        self.deleteLater()


def _commands(choices: Iterable[FileChoice]) -> Iterator[ImportFiles]:
    """Yield import commands; files that are read in the same way form one undo step."""
    alike: dict[tuple[object, ...], list[FileChoice]] = {}
    for choice in choices:
        key = (choice.format, choice.dataset, choice.licence, tuple(sorted(choice.mapping.items())))
        alike.setdefault(key, []).append(choice)
    for group in alike.values():
        first = group[0]
        yield ImportFiles(
            paths=tuple(choice.part.path for choice in group),
            format=first.format,
            dataset=first.dataset,
            licence=first.licence,
            mapping=dict(first.mapping),
        )


def _import_files(session: Session, progress: Progress, *, choice: MediaChoice) -> FileImport:
    if choice.grouping is None:
        raise RuntimeError("media are imported as they were grouped")
    return import_files(
        choice.part.listing,
        choice.grouping,
        roots=session.roots,
        keep="stay" if choice.stays else "link",
        progress=progress,
    )


def _pictures_written(session: Session, progress: Progress, *, command: ImportFiles) -> int:
    return write_embedded_images(command, roots=session.roots, progress=progress)
