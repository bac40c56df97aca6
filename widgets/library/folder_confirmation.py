"""The dialog about media folders that are not confirmed for the project file on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from annotator.errors import VantageError
from annotator.media.media_roots import OWN, MediaRoots
from annotator.queries.reader import Reader
from annotator.session import Session
from widgets.bridge import Bridge
from widgets.dialog import FormDialog
from widgets.labels import label
from widgets.library.record_form import RecordForm
from widgets.project_controller import ProjectController
from widgets.translation import tr

FOLDERS_PX = 140


class FolderDialog(FormDialog):
    """Asks whether the project may use folders that were not chosen on this machine.

    Signals:
        decided: Emitted with whether the folders may be used; Escape decides nothing.
    """

    decided = Signal(bool)

    def __init__(self, window: QWidget, *, offers: Mapping[str, Path]) -> None:
        super().__init__(window, width=620, title=tr("Use the media folders that the project names?"))
        text = tr(
            "The project names folders that you have not chosen on this computer. If you use them, Vantage "
            "reads images and videos from them, and models that you run receive them. Use them only if you "
            "know all of them; a project from somebody else can name any folder. You are asked again after "
            "the project file was moved or renamed."
        )
        self.body.addWidget(label(text, wrap=True))
        self.folders = RecordForm()
        self.folders.setAccessibleName(tr("Media folders"))
        self.folders.setMinimumHeight(FOLDERS_PX)
        for name, folder in offers.items():
            self.folders.add_heading(tr("The project's own folder") if name == OWN else name)
            self.folders.add_text(str(folder))
        self.folders.end()
        self.body.addWidget(self.folders)
        self.main = self.add_warning_buttons(tr("Do not use"), act=tr("Use folders"))
        self.keep_button.clicked.disconnect(self.reject)
        self.keep_button.clicked.connect(partial(self._decide, False))
        self.main.clicked.connect(partial(self._decide, True))

    def _decide(self, is_allowed: bool, _checked: bool = False) -> None:
        self.accept()
        self.decided.emit(is_allowed)


class FolderConfirmation(QObject):
    """Asks once about the folders that a project names, after it was opened.

    Signals:
        confirmed: Emitted when folders may be used.
    """

    confirmed = Signal()

    def __init__(
        self,
        session: Session,
        *,
        controller: ProjectController,
        bridge: Bridge,
        window: QWidget,
        parent: QObject,
    ) -> None:
        """Create the object and look for folders, on the reading thread.

        Args:
            session: The project.
            controller: Reports a failure.
            bridge: Delivers what is found.
            window: Parent of the dialog.
            parent: Qt object that it is deleted with.
        """
        super().__init__(parent)
        self._roots, self._controller, self._bridge = session.roots, controller, bridge
        self._window = window
        self._channel = (id(self), "offers")
        bridge.query(session, partial(_offers, roots=session.roots), done=self._ask, channel=self._channel)

    def stop(self) -> None:
        """Ask nothing any more, before the project is closed."""
        self._bridge.drop(self._channel)

    def _ask(self, offers: dict[str, Path]) -> None:
        if not offers:
            return
        dialog = FolderDialog(self._window, offers=offers)
        dialog.decided.connect(partial(self._on_decided, offers))
        dialog.open(dialog.keep_button)

    def _on_decided(self, offers: dict[str, Path], is_allowed: bool) -> None:
        try:
            if is_allowed:
                self._roots.allow(offers)
                self.confirmed.emit()
            else:
                self._roots.decline(offers)
        except VantageError as error:
            self._controller.failed.emit(error, tr("Media folders"))


def _offers(_reader: Reader, *, roots: MediaRoots) -> dict[str, Path]:
    return roots.offers()
