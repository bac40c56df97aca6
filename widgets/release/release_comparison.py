"""Compares releases of the open project: lists them, starts the comparison and exports its result."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from annotator.process_call import call_in_process
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.release_difference.difference import ReleaseDifference, compare_folders
from annotator.release_difference.difference_table import write_table
from annotator.release_difference.recorded_releases import ListedRelease, recorded_releases, release_in
from annotator.release_difference.removal_reasons import with_reasons
from annotator.session import Session
from widgets.bridge import Bridge
from widgets.dialog import OPENING
from widgets.project_controller import ProjectController
from widgets.release.comparison_dialog import ComparisonDialog
from widgets.release.difference_table import ShownDifference
from widgets.release.kept_folders import keep_release_folder, kept_release_folders
from widgets.settings import Settings
from widgets.task import Task
from widgets.translation import tr


class ReleaseComparison(QObject):
    """Opens the dialog, and does what it asks for."""

    def __init__(
        self, window: QWidget, *, controller: ProjectController, bridge: Bridge, settings: Settings
    ) -> None:
        super().__init__(window)
        self._window, self._controller = window, controller
        self._bridge, self._settings = bridge, settings
        self._work: Task | None = None

    def ask(self) -> None:
        """List the releases of the project, and let the user choose two."""
        session = self._controller.session
        if session is not None:
            question = partial(_list_releases, folders=kept_release_folders(self._settings))
            show = partial(self._open, session.path.parent)
            self._bridge.query(session, question, done=show, channel=OPENING)

    def _open(self, folder: Path, releases: list[ListedRelease]) -> None:
        dialog = ComparisonDialog(self._window.window(), releases=releases, folder=folder)
        dialog.comparison_requested.connect(partial(self._compare, dialog))
        dialog.folder_chosen.connect(partial(self._add_folder, dialog))
        dialog.export_requested.connect(partial(self._export, dialog))
        dialog.finished.connect(self._on_dialog_finished)
        dialog.open(dialog.main if dialog.main.isEnabled() else dialog.list)

    def _compare(self, dialog: ComparisonDialog, old: Path, new: Path) -> None:
        work = self._controller.run_query(
            partial(_compare_folders, old=old, new=new), title=tr("Comparing releases")
        )
        work.finished.connect(dialog.show_difference)
        work.failed.connect(dialog.show_failure)
        self._work = work

    def _add_folder(self, dialog: ComparisonDialog, folder: Path) -> None:
        work = self._controller.run_task(partial(release_in, folder), title=tr("Reading the release"))
        work.finished.connect(self._on_folder_read)
        work.finished.connect(dialog.add_release)

    def _on_folder_read(self, release: ListedRelease) -> None:
        if release.folder is not None:
            keep_release_folder(self._settings, sha256=release.sha256, folder=release.folder)

    def _export(self, dialog: ComparisonDialog, file: Path) -> None:
        if dialog.difference is not None:
            call = partial(write_table, dialog.difference, file)
            self._controller.run_task(call, title=tr("Exporting the difference"))

    def _on_dialog_finished(self, _result: int) -> None:
        if self._work is not None:
            self._work.supersede()
            self._work = None


def _list_releases(reader: Reader, *, folders: dict[str, Path]) -> list[ListedRelease]:
    with reader.snapshot():
        return recorded_releases(reader, folders)


def _compare_folders(session: Session, progress: Progress, *, old: Path, new: Path) -> ShownDifference:
    """Compare two folders in a process, and say why items are gone; called on another thread."""
    difference = call_in_process(compare_folders, old, new, kind=ReleaseDifference, progress=progress)
    with session.reader.snapshot():
        return ShownDifference.of(with_reasons(difference, session.reader))
