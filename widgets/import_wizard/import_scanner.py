"""Scans files off the GUI thread: their formats, their record counts and the grouping of media."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from annotator.commands.imports import ImportFiles
from annotator.errors import Cancelled, VantageError
from annotator.importers.report import ImportReport
from annotator.importing.preview import dry_run
from annotator.importing.survey import FilePart, ImportSurvey, rescan_part, scan_paths
from annotator.media.scene_grouping import Grouping
from annotator.progress import Progress, ProgressUpdate
from annotator.session import Session
from widgets.import_wizard.choices import Choice, FileChoice, MediaChoice
from widgets.import_wizard.media_grouping import grouped
from widgets.message_text import error_text, message_text
from widgets.project_controller import ProjectController
from widgets.task import Task, while_exists
from widgets.translation import tr

_Call = Callable[[Session, Progress], object]


class ImportScanner(QObject):
    """Scans the parts of an import; one count runs at a time, so that disk reads stay sequential.

    Signals:
        found: Emitted when parts were detected; carries the list of new choices.
        part_changed: Emitted when a part changed; carries the choice and whether it was read again.
        counted: Emitted during a count; carries the choice whose records are counted.
        progress_changed: Emitted on progress; carries the text, "" for none, and whether work is in progress.
    """

    found = Signal(object)
    part_changed = Signal(object, bool)
    counted = Signal(object)
    progress_changed = Signal(str, bool)

    def __init__(self, controller: ProjectController, *, parent: QObject) -> None:
        super().__init__(parent)
        self._controller = controller
        self._works: list[Task] = []
        self._waiting: list[FileChoice] = []
        self._counting: FileChoice | None = None
        self._count: Task | None = None
        # The newest scan of each part. An older one may end later on another thread: its result is
        # discarded.
        self._readings: dict[FileChoice, Task] = {}
        self._groupings: dict[MediaChoice, Task] = {}
        self._is_over = False

    def is_settled(self) -> bool:
        """Return whether all parts are scanned and counted."""
        return not self._works

    def scan(self, paths: tuple[Path, ...]) -> None:
        """Scan files and folders."""
        self.progress_changed.emit(tr("Scanning {name}…", name=paths[0].name), True)
        work = self._scan(partial(_survey, paths=paths), title=tr("Scanning files"))
        work.finished.connect(self._on(self._on_surveyed))
        work.failed.connect(self._on(self._on_survey_failed))

    def read_again(self, choice: FileChoice) -> None:
        """Read a file with its current settings, and count its records again."""
        choice.report = None
        if choice is self._counting and self._count is not None:
            # The count ends as cancelled and then starts the next one; its report is ignored.
            self._count.supersede()
            self._count = None
        if choice in self._readings:
            self._readings[choice].supersede()
        work = self._scan(partial(_read_again, command=choice.command()), title=tr("Scanning files"))
        self._readings[choice] = work
        work.finished.connect(self._on(self._on_read_again, work, choice))

    def group(self, choice: MediaChoice) -> None:
        """Group media with their current settings; an older grouping that still runs is cancelled."""
        if choice in self._groupings:
            self._groupings[choice].supersede()
        work = self._scan(partial(_grouped, choice=choice), title=tr("Grouping media"))
        self._groupings[choice] = work
        work.finished.connect(self._on(self._on_grouped, work, choice))
        work.failed.connect(self._on(self._on_group_failed, work, choice))

    def stop(self) -> None:
        """Cancel all work and emit no more signals."""
        self._is_over = True
        self._waiting.clear()
        # Superseded, not cancelled: no message appears after the wizard is closed.
        for work in self._works:
            work.supersede()

    def _scan(self, call: _Call, *, title: str) -> Task:
        work = self._controller.run_query(call, title=title)
        self._works.append(work)
        work.finished.connect(while_exists(self, partial(self._on_work_over, work)))
        work.failed.connect(while_exists(self, partial(self._on_work_over, work)))
        return work

    def _on(self, call: Callable[..., None], *known: object) -> Callable[..., None]:
        """Return a slot that calls a method while the wizard exists.

        Without it, work that ends later would call a deleted object: Qt never disconnects a ``partial``.
        """
        return partial(self._call_on, call, *known)

    def _call_on(self, call: Callable[..., None], *arguments: object) -> None:
        if not self._is_over:
            call(*arguments)

    def _ask_count(self, choice: FileChoice) -> None:
        if choice.can_be_read and choice not in self._waiting:
            self._waiting.append(choice)
        self._count_next()

    def _count_next(self) -> None:
        if self._counting is not None:
            return
        if not self._waiting:
            self.progress_changed.emit("", False)
            return
        choice = self._counting = self._waiting.pop(0)
        choice.counted = 0
        text = tr("Counting {name}…", name=choice.part.path.name)
        self.progress_changed.emit(text, True)
        work = self._count = self._scan(partial(_counted, command=choice.command()), title=text)
        work.stepped.connect(self._on(self._on_counted_so_far, choice))
        work.finished.connect(self._on(self._on_counted, work, choice))
        work.failed.connect(self._on(self._on_count_failed, choice))

    def _on_surveyed(self, found: ImportSurvey) -> None:
        media = [MediaChoice(part=part) for part in found.media]
        files = [FileChoice(part=part) for part in found.files]
        choices: list[Choice] = [*media, *files]
        self.found.emit(choices)
        # Shown before the records are counted: settings can be corrected meanwhile.
        for medium in media:
            self.group(medium)
        self._waiting += [choice for choice in files if choice.can_be_read]
        self._count_next()

    def _on_survey_failed(self, error: BaseException) -> None:
        self.progress_changed.emit("" if isinstance(error, Cancelled) else message_text(str(error)), False)

    def _on_read_again(self, work: Task, choice: FileChoice, part: FilePart) -> None:
        if work is self._readings[choice]:
            choice.part = part
            self.part_changed.emit(choice, True)
            self._ask_count(choice)

    def _on_counted_so_far(self, choice: FileChoice, step: ProgressUpdate) -> None:
        choice.counted = step.done
        self.counted.emit(choice)

    def _on_counted(self, work: Task, choice: FileChoice, report: ImportReport) -> None:
        if work is self._count:
            choice.report = report
        self._end_count(choice)

    def _on_count_failed(self, choice: FileChoice, error: BaseException) -> None:
        # A file that cannot be counted cannot be imported either: it is shown with the reason, and
        # excluded.
        if isinstance(error, VantageError) and not isinstance(error, Cancelled):
            choice.part = FilePart(path=choice.part.path, fault=error.message, hint=error.hint)
        self._end_count(choice)

    def _end_count(self, choice: FileChoice) -> None:
        self._counting, choice.counted = None, None
        self.part_changed.emit(choice, False)
        self._count_next()

    def _on_grouped(self, work: Task, choice: MediaChoice, grouping: Grouping) -> None:
        if work is self._groupings[choice]:
            choice.grouping, choice.fault = grouping, ""
            self.part_changed.emit(choice, False)

    def _on_group_failed(self, work: Task, choice: MediaChoice, error: BaseException) -> None:
        if work is self._groupings[choice] and isinstance(error, VantageError):
            choice.grouping, choice.fault = None, error_text(error)
            self.part_changed.emit(choice, False)

    def _on_work_over(self, work: Task, _result: object) -> None:
        self._works.remove(work)


def _survey(session: Session, progress: Progress, *, paths: tuple[Path, ...]) -> ImportSurvey:
    return scan_paths(session.reader, paths, progress=progress)


def _read_again(session: Session, progress: Progress, *, command: ImportFiles) -> FilePart:
    return rescan_part(session.reader, command, progress=progress)


def _counted(session: Session, progress: Progress, *, command: ImportFiles) -> ImportReport:
    return dry_run(session.reader, command, progress=progress)


def _grouped(_session: Session, progress: Progress, *, choice: MediaChoice) -> Grouping:
    return grouped(choice, progress=progress)
