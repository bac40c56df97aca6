"""Looks regularly at the file of the open project: what others changed, and whether it is still there."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QTimer

from annotator.file_watch import ReplacedFileError
from annotator.session import Session
from widgets.banner import Banner
from widgets.bridge import Bridge
from widgets.message_text import message_text
from widgets.project_controller import ProjectController
from widgets.translation import tr

INTERVAL_MS = 500


class FileFollower(QObject):
    """Has the changes of other programs told while a project is open, and reports a lost file once."""

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
        self._is_looking = False
        self._timer = QTimer(self, interval=INTERVAL_MS)
        self._timer.timeout.connect(self._on_timer_timeout)
        self._timer.start()

    def _on_timer_timeout(self) -> None:
        # During a long transaction the looks would pile up behind it.
        if self._is_looking or self._controller.session is not self._session:
            return
        self._is_looking = True
        self._bridge.wait_for(
            self._session.look_for_foreign_changes(), done=self._on_looked, failed=self._on_look_failed
        )

    def _on_looked(self, _nothing: None) -> None:
        self._is_looking = False

    def _on_look_failed(self, error: BaseException) -> None:
        self._is_looking = False
        # A disk that does not answer now may answer the next time; an edit reports it otherwise.
        if not isinstance(error, ReplacedFileError):
            return
        self._timer.stop()
        open_copy = None if error.copy is None else partial(self._controller.open_at, str(error.copy))
        self._banner.show_message(
            message_text(error.message),
            advice=message_text(error.hint),
            tone="bad",
            offer=tr("Open the copy") if open_copy else "",
            call=open_copy,
            place="",
        )
