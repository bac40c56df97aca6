"""The file dialogs of the Scores workspace: release, hidden answer keys, published questions, predictions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal, SignalInstance
from PySide6.QtWidgets import QFileDialog, QWidget

from widgets.scores.score_choice import ScoreChoice
from widgets.translation import tr


class SetupDialogs(QObject):
    """Asks for what is scored.

    Signals:
        release_chosen: A release folder, or a published file of questions; carries a list of one path.
        keys_chosen: A folder of hidden answer keys; carries a list of one path.
        files_chosen: Files or a folder of predictions; carries their paths.
    """

    release_chosen = Signal(list)
    keys_chosen = Signal(list)
    files_chosen = Signal(list)

    def __init__(self, parent: QWidget, *, choice: Callable[[], ScoreChoice]) -> None:
        """Create the dialogs.

        Args:
            parent: Where they are opened.
            choice: Returns what is scored now; they start near it.
        """
        super().__init__(parent)
        self._parent, self._choice = parent, choice

    def ask_release(self) -> None:
        """Ask for the release folder."""
        choice = self._choice()
        start = Path(choice.release).parent if choice.release else Path.home()
        self._ask(tr("Release folder"), start, QFileDialog.FileMode.Directory, self.release_chosen)

    def ask_keys(self) -> None:
        """Ask for the folder of the answer keys that the release hides."""
        choice = self._choice()
        start = Path(choice.keys or choice.release).parent
        self._ask(tr("Folder of hidden answer keys"), start, QFileDialog.FileMode.Directory, self.keys_chosen)

    def ask_questions(self) -> None:
        """Ask for a published file of questions."""
        mode = QFileDialog.FileMode.ExistingFile
        self._ask(tr("Published file of questions"), Path.home(), mode, self.release_chosen)

    def ask_files(self) -> None:
        """Ask for files of predictions."""
        mode = QFileDialog.FileMode.ExistingFiles
        self._ask(tr("Files of predictions"), self._start(), mode, self.files_chosen)

    def ask_folder(self) -> None:
        """Ask for a folder of predictions."""
        mode = QFileDialog.FileMode.Directory
        self._ask(tr("Folder of predictions"), self._start(), mode, self.files_chosen)

    def _ask(self, title: str, start: Path, mode: QFileDialog.FileMode, chosen: SignalInstance) -> None:
        dialog = QFileDialog(self._parent, title, str(start))
        dialog.setFileMode(mode)
        dialog.filesSelected.connect(chosen.emit)
        # open(), not exec(): a nested event loop would allow commands while the dialog is open.
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _start(self) -> Path:
        """Return the folder in which the dialog of predictions opens."""
        choice = self._choice()
        near = choice.files[-1].path if choice.files else choice.release
        return Path(near).parent if near else Path.home()
