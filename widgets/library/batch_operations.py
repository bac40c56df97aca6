"""Long operations on a project: import, checks, drafting, release; each ends with a report."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from annotator.domain.changes import Changes
from annotator.domain.flag import Flag
from annotator.domain.query import ItemQuery
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.session import Session
from widgets.bridge import Bridge
from widgets.dialog import OPENING
from widgets.library import reports
from widgets.library.record_list import RecordList
from widgets.project_controller import ProjectController
from widgets.settings import Settings
from widgets.task import while_exists
from widgets.translation import tr

if TYPE_CHECKING:
    # The commands are imported where they are used: importing all of them takes about 170 ms, which
    # would delay the start of the window.
    from annotator.commands.drafts import DraftItems
    from annotator.commands.findings import RecordFindings
    from annotator.commands.media_import import MediaImportReport
    from annotator.commands.releases import CreateRelease
    from annotator.draft.report import DraftReport
    from annotator.importers.report import ImportReport
    from annotator.queries.media_survey import MediaSurvey
    from annotator.release.preview import ReleasePreview
    from annotator.release.split_preview import SplitPreview
    from widgets.draft_dialog import DraftDialog
    from widgets.import_wizard.choices import Choice
    from widgets.new_release.release_dialog import ReleaseDialog, SplitPreviewRequest


class BatchOperations(QObject):
    """Asks for settings, starts the operation and shows its report."""

    def __init__(
        self,
        *,
        controller: ProjectController,
        bridge: Bridge,
        settings: Settings,
        items: RecordList,
        show_kind: reports.ShowKind,
        window: QWidget,
        parent: QObject,
    ) -> None:
        """Set up the operations.

        Args:
            controller: Executes the commands.
            bridge: Delivers results of other threads to the GUI thread.
            settings: Stores folders and form values.
            items: The list of items, whose filters a release can take.
            show_kind: Shows the records with one kind of flag.
            window: Window that dialogs belong to.
            parent: Qt object that it is deleted with.
        """
        super().__init__(parent)
        self._controller, self._bridge, self._settings = controller, bridge, settings
        self._items, self._show_kind, self._window = items, show_kind, window

    def ask_import(self) -> None:
        """Ask which files to import."""
        self.offer_import(())

    def offer_import(self, paths: tuple[Path, ...]) -> None:
        """Offer to import files and folders that are known already, for instance dropped ones."""
        from widgets.import_wizard.wizard import ImportWizard

        wizard = ImportWizard(self._window, controller=self._controller, settings=self._settings, paths=paths)
        wizard.submitted.connect(self._on_import_accepted)
        wizard.open(wizard.main if paths else wizard.files)

    def _on_import_accepted(self, choices: list[Choice]) -> None:
        from widgets.import_wizard.import_run import ImportRun

        run = ImportRun(choices, controller=self._controller)
        run.finished.connect(self._on_imported)
        run.start()

    def ask_locate(self) -> None:
        """Ask for a further media folder, then search it."""
        dialog = QFileDialog(
            self._window, tr("Folder with media"), self._settings.text("folders/media", str(Path.home()))
        )
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self.locate_media)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def locate_media(self, folder: str) -> None:
        """Add a media folder, search for all media files, and register the results."""
        self._settings.keep("folders/media", folder)
        query = partial(_survey_with, folder=Path(folder))
        self._controller.run_query(query, title=tr("Searching for media files")).finished.connect(
            self._on_surveyed
        )

    def find_media(self) -> None:
        """Search the media folders for the files of all media, then register the results."""
        work = self._controller.run_query(_survey, title=tr("Searching for media files"))
        work.finished.connect(self._on_surveyed)

    def run_checks(self) -> None:
        """Run all checks and store their findings as flags."""
        from annotator.commands.findings import RecordFindings

        command = RecordFindings()
        work = self._controller.execute(command, title=tr("Checking items"))
        work.finished.connect(while_exists(self, partial(self._on_checked, command)))

    def ask_draft(self) -> None:
        """Ask what to draft by rule."""
        if self._controller.session is not None:
            self._bridge.query(
                self._controller.session,
                _read_task_set,
                done=self._open_draft,
                channel=OPENING,
            )

    def _open_draft(self, task_set: str) -> None:
        from widgets.draft_dialog import DraftDialog

        session = self._controller.session
        if session is None:
            return
        sheet = DraftDialog(self._window, project=session.path, chosen=task_set)
        sheet.count_requested.connect(partial(self._count_drafts, sheet))
        sheet.submitted.connect(self.draft)
        sheet.open(sheet.main)

    def _count_drafts(self, dialog: DraftDialog, task_set: str, seed: int) -> None:
        count = partial(_preview_draft, task_set=task_set, seed=seed)
        dialog.follow_count(self._controller.run_query(count, title=tr("Counting items")))

    def draft(self, task_set: str, seed: int, tasks: tuple[str, ...] | None = None) -> None:
        """Draft the items of a task set by rule.

        Args:
            task_set: Id of the task set.
            seed: Seed of all draws.
            tasks: Ids of its tasks, None for all with a rule.
        """
        from annotator.commands.drafts import DraftItems

        command = DraftItems(task_set=task_set, seed=seed, tasks=tasks)
        work = self._controller.execute(command, title=tr("Drafting items"))
        work.finished.connect(while_exists(self, partial(self._on_drafted, command)))

    def ask_release(self) -> None:
        """Ask what to release, in which export format, and to which folder."""
        session, query = self._controller.session, self._items.query
        if session is not None and isinstance(query, ItemQuery):
            question = partial(_preview_releases, query=query)
            show = partial(self._open_release, project=session.path, query=query)
            self._bridge.query(session, question, done=show, channel=OPENING)

    def _open_release(
        self, previews: tuple[ReleasePreview, ReleasePreview, str], *, project: Path, query: ItemQuery
    ) -> None:
        from widgets.new_release.release_dialog import ReleaseDialog

        everything, listed, project_id = previews
        sheet = ReleaseDialog(
            self._window,
            settings=self._settings,
            project=project,
            project_id=project_id,
            query=query,
            everything=everything,
            listed=listed,
        )
        sheet.submitted.connect(self.release)
        sheet.preview_requested.connect(partial(self._preview_splits, sheet))
        sheet.open(sheet.main)

    def _preview_splits(self, dialog: ReleaseDialog, request: SplitPreviewRequest) -> None:
        session = self._controller.session
        if session is not None:
            question = partial(_preview_division, request=request)
            show = partial(dialog.show_split_preview, request)
            self._bridge.query(session, question, done=show, channel=(id(self), "splits"))

    def release(self, command: CreateRelease) -> None:
        """Freeze and write a release."""
        work = self._controller.execute(command, title=tr("Writing the release"))
        work.finished.connect(while_exists(self, partial(self._on_released, command)))

    def _on_imported(self, report: ImportReport | None, media: MediaImportReport | None) -> None:
        reports.imported(self._window, report, media=media, show_kind=self._show_kind).open_report()

    def _on_surveyed(self, survey: MediaSurvey) -> None:
        from annotator.commands.media import RegisterMedia

        # Also without results: missing files become flags.
        work = self._controller.execute(RegisterMedia(survey=survey), title=tr("Registering media files"))
        work.finished.connect(while_exists(self, partial(self._on_registered, survey)))

    def _on_registered(self, survey: MediaSurvey, _changes: Changes) -> None:
        reports.surveyed(self._window, survey).open_report()

    def _on_checked(self, command: RecordFindings, _changes: Changes) -> None:
        if self._controller.session is not None:
            self._bridge.query(
                self._controller.session, _task_flags, done=partial(self._show_checked, command)
            )

    def _show_checked(self, command: RecordFindings, flags: list[Flag]) -> None:
        report = reports.checked(self._window, command.report, task_flags=flags, show_kind=self._show_kind)
        report.open_report()

    def _on_drafted(self, command: DraftItems, _changes: Changes) -> None:
        reports.drafted(self._window, command.report).open_report()

    def _on_released(self, command: CreateRelease, _changes: Changes) -> None:
        if command.report is not None:
            reports.released(self._window, command.report).open_report()


def _survey_with(session: Session, progress: Progress, *, folder: Path) -> MediaSurvey:
    # Stored even without results: a drive can be filled later.
    session.roots.add(folder)
    return _survey(session, progress)


def _survey(session: Session, progress: Progress) -> MediaSurvey:
    from annotator.queries.media_survey import survey_media

    return survey_media(session.reader, root=session.roots, progress=progress)


def _preview_releases(reader: Reader, *, query: ItemQuery) -> tuple[ReleasePreview, ReleasePreview, str]:
    from annotator.release.preview import preview_release

    with reader.snapshot():
        listed = preview_release(reader, query)
        return preview_release(reader, ItemQuery()), listed, reader.project.id


def _preview_division(reader: Reader, *, request: SplitPreviewRequest) -> SplitPreview:
    from annotator.release.exporters import EXPORTERS
    from annotator.release.split_preview import preview_division

    with reader.snapshot():
        return preview_division(
            reader,
            request.selection,
            exporter=EXPORTERS[request.export_format],
            include_flagged=request.include_flagged,
            splits=request.division.splits,
            subset=request.division.subset,
        )


def _preview_draft(session: Session, progress: Progress, *, task_set: str, seed: int) -> DraftReport:
    """Return what drafting would give, without changing the project."""
    from annotator.commands.drafts import DraftItems

    command = DraftItems(task_set=task_set, seed=seed)
    with session.reader.snapshot():
        for _ in command.plan(session.reader, progress=progress):
            pass
    return command.report


def _task_flags(reader: Reader) -> list[Flag]:
    """Return the open flags on tasks as a whole; their target is ``<task set>/<task>``."""
    facets = reader.items.facets(ItemQuery())
    targets = [task.value for task in facets["task"]]
    flags = [flag for target in targets for flag in reader.flags_of(target)]
    return [flag for flag in flags if flag.state == "open"]


def _read_task_set(reader: Reader) -> str:
    return reader.project.task_set
