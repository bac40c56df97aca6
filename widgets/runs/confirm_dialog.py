"""The dialog that shows what a run from another machine uses, before it may run here."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from annotator.domain.run import Run
from annotator.domain.run_connections import Connection, connections_of
from annotator.session import Session
from widgets import run_text
from widgets.dialog import FormDialog
from widgets.labels import label
from widgets.library.record_form import RecordForm
from widgets.runs.run_status import RunRow
from widgets.translation import mark as _
from widgets.translation import tr

FIELDS = {
    "base_url": _("Server URL"),
    "key_from": _("API key"),
    "path": _("Weights"),
    "revision": _("Revision"),
}
"""English titles of what a model uses outside the project."""
USES_PX = 180


class ConfirmDialog(FormDialog):
    """Asks whether a run that was not started on this machine may use its servers, keys and paths.

    Signals:
        submitted: Emitted when the user confirms.
    """

    submitted = Signal()

    def __init__(self, window: QWidget, *, run: Run) -> None:
        super().__init__(window, width=620, title=tr("Confirm a run from another machine?"))
        message = tr(
            "{name} was not started by you on this machine. If you confirm it, this machine sends images "
            "and questions of the project, and the API keys named here, to these addresses, and starts "
            "these programs. Confirm it only if you know all of them.",
            name=run_text.title_of(run),
        )
        self.body.addWidget(label(message, wrap=True))
        # A stranger decides how many models there are and how long their texts are: the list scrolls.
        self.uses = RecordForm()
        self.uses.setAccessibleName(tr("What the run uses"))
        self.uses.setMinimumHeight(USES_PX)
        for connection in connections_of(run):
            self.uses.add_heading(tr("Model {name}", name=connection.model))
            for text in connection_texts(connection):
                self.uses.add_text(text)
        self.uses.end()
        self.body.addWidget(self.uses)
        self.main = self.add_warning_buttons(tr("Do not run"), act=tr("Confirm run"))
        self.main.clicked.connect(self._on_main_clicked)

    def _on_main_clicked(self) -> None:
        self.accept()
        self.submitted.emit()


class RunConfirmation:
    """Asks about a run from another machine before it is resumed.

    Args:
        window: Parent of the dialog.
        session: The open project.
        change_state: Executes a change of a run's state, with a title for its failure.
        start_worker: Starts a worker.
    """

    def __init__(
        self,
        window: QWidget,
        *,
        session: Session,
        change_state: Callable[..., None],
        start_worker: Callable[[], None],
    ) -> None:
        self._window, self._session = window, session
        self._change_state, self._start_worker = change_state, start_worker

    def asks(self, row: RunRow | None) -> bool:
        """Open the dialog if a run is not confirmed, and return whether it was opened."""
        if row is None or row.is_confirmed:
            return False
        dialog = ConfirmDialog(self._window, run=row.run)
        dialog.submitted.connect(partial(self._on_confirmed, row.run))
        dialog.open(dialog.keep_button)
        return True

    def _on_confirmed(self, run: Run) -> None:
        self._change_state(partial(self._session.runs.confirm, run), title=tr("Confirm the run"))
        self._change_state(partial(self._session.runs.resume, run.id), title=tr("Resume the run"))
        self._start_worker()


def connection_texts(connection: Connection) -> list[str]:
    """Return what a model uses outside the project, one line per field."""
    used = [f"{_field_title(field)}: {value}" for field, value in connection.uses.items()]
    return [run_text.adapter_title(connection.adapter), *(used or [tr("Uses nothing outside the project.")])]


def _field_title(field: str) -> str:
    option = field.removeprefix("options.")
    return tr(FIELDS[field]) if field in FIELDS else tr("Option {name}", name=option)
