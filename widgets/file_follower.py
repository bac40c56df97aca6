"""Looks regularly at the file of the open project: what others changed, what waits, whether it is there."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from annotator.errors import EnvironmentFailure, ReplacedFileError
from annotator.session import Session
from widgets.banner import Banner
from widgets.bridge import Bridge
from widgets.message_text import message_text
from widgets.project_controller import ProjectController
from widgets.translation import tr

INTERVAL_MS = 500


class FileFollower(QObject):
    """Has the changes of other programs told, and reports edits that wait for the disk and a lost file.

    Signals:
        saving_changed: Emitted when edits begin or cease to wait; carries "", ``saving``, ``refused`` or,
            for a file that is lost, ``lost``.
    """

    saving_changed = Signal(str)

    def __init__(
        self,
        session: Session,
        *,
        controller: ProjectController,
        bridge: Bridge,
        banner: Banner,
        parent: QObject,
    ) -> None:
        """Start to look.

        Args:
            session: The project; it tells its listeners what others have changed.
            controller: Opens the copy of a project whose file is lost.
            bridge: Delivers the failure to the GUI thread.
            banner: Reports it.
            parent: Owner, which ends with the project.
        """
        super().__init__(parent)
        self._session, self._controller = session, controller
        self._bridge, self._banner = bridge, banner
        self._is_looking, self._is_pending, self._saving = False, False, ""
        self._backup_failure: EnvironmentFailure | None = None
        self._timer = QTimer(self, interval=INTERVAL_MS)
        self._timer.timeout.connect(self._on_timer_timeout)
        self._timer.start()

    def end(self) -> None:
        """End the looks: the project is being closed."""
        self._timer.stop()

    def _on_timer_timeout(self) -> None:
        if self._controller.session is not self._session:
            return
        self._show_saving()
        self._show_backups()
        # During a long transaction the looks would pile up behind it.
        if self._is_looking:
            return
        self._is_looking = True
        self._bridge.wait_for(
            self._session.look_for_foreign_changes(), done=self._on_looked, failed=self._on_look_failed
        )

    def ask_quit(self, quit_window: Callable[[], object]) -> bool:
        """Ask before edits are lost that the disk refuses.

        Args:
            quit_window: Called when the user gives the edits up.

        Returns:
            Whether there are any: the window stays open.
        """
        failure = self._session.unsaved.failure
        if failure is None:
            return False
        count = sum(work.is_gesture for work in self._controller.works)
        text = tr("{count} edits are not saved.", count=count) if count > 1 else tr("An edit is not saved.")
        self._report(text, failure=failure, offer=tr("Quit without saving"), call=quit_window)
        return True

    def _show_saving(self) -> None:
        failure = self._session.unsaved.failure
        was_pending = self._is_pending
        self._is_pending = any(work.is_gesture for work in self._controller.works)
        before = self._saving
        if failure is not None:
            self._saving = "refused"
        else:
            # Waiting at two looks: a usual edit takes a few milliseconds.
            self._saving = "saving" if was_pending and self._is_pending else ""
        if before == self._saving:
            return
        if failure is not None:
            self._report(
                tr("Not saved: {reason}", reason=message_text(failure.message)),
                failure=failure,
                offer=tr("Save now"),
                call=self._session.unsaved.try_now,
            )
        elif before == "refused":
            self._banner.end_cause(self._session.unsaved)
        self.saving_changed.emit(self._saving)

    def _show_backups(self) -> None:
        """Report once that backups fail or are damaged; edits go on."""
        scheduler, before = self._session.backups, self._backup_failure
        self._backup_failure = scheduler.failure if scheduler else None
        if self._backup_failure is before:
            return
        if before is not None:
            self._banner.end_cause(before)
        # An edit that the disk refuses is the more important message.
        if self._backup_failure is not None and self._session.unsaved.failure is None:
            self._banner.show_message(
                message_text(self._backup_failure.message),
                advice=message_text(self._backup_failure.hint),
                workspace="",
                cause=self._backup_failure,
            )

    def _report(
        self, headline: str, *, failure: EnvironmentFailure, offer: str, call: Callable[[], object]
    ) -> None:
        waits = tr("The edit waits, and is tried again every 3 seconds.")
        self._banner.show_message(
            headline,
            advice=f"{message_text(failure.hint)} {waits}",
            tone="bad",
            offer=offer,
            call=call,
            workspace="",
            cause=self._session.unsaved,
        )

    def _on_looked(self, _nothing: None) -> None:
        self._is_looking = False

    def _on_look_failed(self, error: BaseException) -> None:
        self._is_looking = False
        # A disk that does not answer now may answer the next time; an edit reports it otherwise.
        if not isinstance(error, ReplacedFileError):
            return
        self._timer.stop()
        self.saving_changed.emit("lost")
        open_copy = None if error.copy is None else partial(self._open_copy, error.copy)
        self._banner.show_message(
            message_text(error.message),
            advice=message_text(error.hint),
            tone="bad",
            offer=tr("Open the copy") if open_copy else "",
            call=open_copy,
            workspace="",
        )

    def _open_copy(self, copy: Path) -> None:
        # What was typed before the loss was found is done in the copy.
        self._controller.open_copy(copy)
