"""Exports and merges bundles for the actions of the menu Project, and shows what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.session import Session
from widgets.banner import Banner
from widgets.bridge import Bridge
from widgets.bundles.bundle_files import SUFFIX
from widgets.dialog import OPENING
from widgets.project_controller import ProjectController
from widgets.settings import Settings
from widgets.task import while_exists
from widgets.translation import tr, trn

if TYPE_CHECKING:
    # Imported where they are used, to keep the start of the window short.
    from annotator.domain.actor import Actor
    from annotator.domain.changes import Changes
    from annotator.exchange.carried_predictions import CarriedCount
    from annotator.exchange.media_exchange import MediaToCarry
    from annotator.exchange.merge_report import MergeOutcome, NamedFork
    from widgets.bundles.export_dialog import BundleChoice
    from widgets.bundles.forks_dialog import ForksDialog
    from widgets.bundles.signing_choice import SigningChoice, SigningKey

FOLDER = "folders/bundles"


class BundleActions(QObject):
    """Asks for files, starts the exchange, and shows its report.

    Signals:
        locate_requested: Emitted when the person wants to search a folder for missing media files.
    """

    locate_requested = Signal()

    def __init__(
        self,
        *,
        controller: ProjectController,
        bridge: Bridge,
        settings: Settings,
        banner: Banner,
        window: QWidget,
        parent: QObject,
    ) -> None:
        """Set up the actions.

        Args:
            controller: Runs the tasks.
            bridge: Delivers results of other threads to the GUI thread.
            settings: Stores the folder.
            banner: Reports a bundle that was written.
            window: Window that dialogs belong to.
            parent: Qt object that it is deleted with.
        """
        super().__init__(parent)
        self._controller, self._bridge, self._settings = controller, bridge, settings
        self._banner, self._window = banner, window

    def ask_export(self) -> None:
        """Ask what to write as a bundle, and where."""
        from widgets.bundles.signing_choice import read_signing_key

        session = self._controller.session
        if session is None:
            return
        reading = self._controller.run_quietly(partial(read_signing_key, session.actor))
        self._bridge.wait_for(reading, done=partial(self._open_export, session), channel=OPENING)

    def export(self, choice: BundleChoice) -> None:
        """Write a bundle."""
        self._settings.keep(FOLDER, str(choice.file.parent))
        work = self._controller.run_query(partial(_export, choice=choice), title=tr("Exporting bundle"))
        work.finished.connect(while_exists(self, partial(self._on_exported, choice.file)))

    def ask_merge(self) -> None:
        """Ask for bundles to merge."""
        session = self._controller.session
        if session is None:
            return
        dialog = QFileDialog(
            self._window, tr("Merge bundles"), self._settings.text(FOLDER) or str(session.path.parent)
        )
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.setNameFilter(tr("Bundles (*{suffix})", suffix=SUFFIX))
        dialog.filesSelected.connect(self._on_files_selected)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def merge(self, bundles: Sequence[Path]) -> None:
        """Merge bundles into the project."""
        call = partial(_merge, bundles=tuple(bundles))
        work = self._controller.run_query(call, title=tr("Merging bundles"))
        work.finished.connect(self._on_merged)

    def ask_forks(self) -> None:
        """Show the forks of the project, to choose their values."""
        session = self._controller.session
        if session is not None:
            self._bridge.query(session, _forks, done=self._open_forks, channel=OPENING)

    def _open_export(self, session: Session, key: SigningKey) -> None:
        from widgets.bundles.export_dialog import ExportBundleDialog

        if session is not self._controller.session:
            return
        folder = Path(self._settings.text(FOLDER) or session.path.parent)
        dialog = ExportBundleDialog(self._window, project=session.path, folder=folder, key=key)
        dialog.submitted.connect(self.export)
        dialog.signing.key_requested.connect(partial(self._make_key, dialog.signing, session.actor))
        dialog.open(dialog.file)
        counting = self._controller.run_quietly(partial(_media_to_carry, session, dialog.counting))
        self._bridge.wait_for(counting, done=dialog.show_media, failed=dialog.show_no_media)
        found = self._controller.run_quietly(partial(_predictions, session))
        self._bridge.wait_for(found, done=dialog.show_predictions, failed=dialog.show_no_predictions)

    def _make_key(self, signing: SigningChoice, actor: Actor) -> None:
        from widgets.bundles.signing_choice import make_signing_key

        making = self._controller.run_quietly(partial(make_signing_key, actor))
        self._bridge.wait_for(making, done=signing.show_key)

    def _on_files_selected(self, files: list[str]) -> None:
        self._settings.keep(FOLDER, str(Path(files[0]).parent))
        self.merge([Path(file) for file in files])

    def _on_exported(self, file: Path, events: int) -> None:
        self._banner.show_message(
            trn("Bundle with {n} event written.", "Bundle with {n} events written.", n=events),
            advice=tr("{file}. On the other workstation, choose 'Merge bundle…' in the menu.", file=file),
            tone="good",
        )

    def _on_merged(self, outcome: MergeOutcome) -> None:
        from widgets.bundles.merge_report import merged

        report = merged(
            self._window, outcome, show_forks=self.ask_forks, locate_media=self.locate_requested.emit
        )
        report.open_report()

    def _open_forks(self, forks: tuple[NamedFork, ...]) -> None:
        from widgets.bundles.forks_dialog import ForksDialog

        dialog = ForksDialog(self._window, forks=forks)
        dialog.chosen.connect(partial(self._resolve, dialog))
        dialog.open(dialog.table)

    def _resolve(self, dialog: ForksDialog, fork: NamedFork, event: str) -> None:
        from annotator.commands.forks import ResolveFork

        command = ResolveFork(entity_id=fork.fork.entity_id, field=fork.fork.field, event=event)
        work = self._controller.execute(command, title=tr("Choosing a value"))
        work.finished.connect(while_exists(self, partial(self._on_resolved, dialog)))

    def _on_resolved(self, dialog: ForksDialog, _changes: Changes) -> None:
        session = self._controller.session
        if session is not None:
            self._bridge.query(session, _forks, done=dialog.show_forks, channel=(id(self), "forks"))


def _export(session: Session, progress: Progress, *, choice: BundleChoice) -> int:
    from annotator.exchange.media_exchange import export_with_media
    from annotator.exchange.prediction_exchange import predictions_writer

    writer = None
    if choice.is_with_predictions:
        writer = predictions_writer(session, since=choice.since, progress=progress)
    export = partial(export_with_media, session) if choice.is_with_media else session.export_bundle
    manifest = export(
        choice.file,
        since=choice.since,
        write_predictions=writer,
        is_signed=choice.is_signed,
        progress=progress,
    )
    return manifest.events


def _predictions(session: Session) -> CarriedCount:
    from annotator.exchange.carried_predictions import predictions_to_carry

    return predictions_to_carry(session.reader)


def _media_to_carry(session: Session, progress: Progress) -> MediaToCarry:
    from annotator.exchange.media_exchange import media_to_carry

    return media_to_carry(session, progress=progress)


def _merge(session: Session, progress: Progress, *, bundles: tuple[Path, ...]) -> MergeOutcome:
    from annotator.exchange.merge_report import merge_bundles

    return merge_bundles(session, bundles, progress=progress)


def _forks(reader: Reader) -> tuple[NamedFork, ...]:
    from annotator.exchange.merge_report import named_forks

    return named_forks(reader)
