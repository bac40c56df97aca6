"""Dialog about unfinished runs when the window closes, and the offer to resume them later."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from widgets import run_text
from widgets.banner import Banner
from widgets.dialog import FormDialog
from widgets.labels import label
from widgets.runs.run_status import RunRow
from widgets.translation import join_texts, tr, trn


class QuitDialog(FormDialog):
    """Asks whether to quit while runs are in progress, and describes the consequences.

    Signals:
        submitted: Emitted when the user confirms.
    """

    submitted = Signal()

    def __init__(self, window: QWidget, *, rows: Sequence[RunRow], is_worker_ours: bool) -> None:
        """Create the dialog.

        Args:
            window: Parent window.
            rows: The runs in progress.
            is_worker_ours: Whether their worker stops with the window.
        """
        super().__init__(window, width=560, title=tr("Quit while runs are in progress?"))
        for row in rows:
            self.body.addWidget(label(run_text.status_text(row.run, row.condition, row.progress)))
        stops = tr(
            "The worker completes the requests in progress, then it stops. The runs wait; when you open the "
            "project again, you can continue them. No answer is lost and none is requested twice."
        )
        goes_on = tr("The runs continue: their worker is another process.")
        self.body.addWidget(label(stops if is_worker_ours else goes_on, role="dim", wrap=True))
        self.main = self.add_warning_buttons(tr("Keep window open"), act=tr("Quit"))
        self.main.clicked.connect(self._on_main_clicked)

    def _on_main_clicked(self) -> None:
        self.accept()
        self.submitted.emit()


class WaitingNotice:
    """Banner that offers to continue runs without a worker after a project is opened.

    Args:
        banner: Shows the offer.
    """

    def __init__(self, banner: Banner) -> None:
        self._banner = banner
        self._is_due = self._is_foreign_due = False

    def expect(self) -> None:
        """Enable the offer for a project that was just opened."""
        self._is_due = self._is_foreign_due = True

    def follow(self, rows: Sequence[RunRow], *, has_worker: bool, start_worker: Callable[[], object]) -> None:
        """Show the offer while runs wait for a worker, and remove it when none waits.

        Args:
            rows: The unfinished runs.
            has_worker: Whether the window has a worker of its own; it may not be registered yet.
            start_worker: Starts a worker.
        """
        waiting = [row for row in rows if row.condition == "waiting"]
        if foreign := [row for row in rows if not row.is_confirmed]:
            if self._is_foreign_due:
                self._is_foreign_due = False
                self._show_foreign(foreign)
        elif not waiting:
            self.clear()
        elif self._is_due and not has_worker:
            # Offered once: the worker of a closed window may still complete its requests for a moment.
            self._is_due = False
            self._show(waiting, start_worker=start_worker)

    def clear(self) -> None:
        """Remove the offer."""
        self._banner.end_cause(self)

    def show_left(self, rows: Sequence[RunRow]) -> None:
        """Report the runs of a closed project whose worker was still active."""
        if rows:
            self._banner.show_message(
                tr("Runs in progress stop: {names}.", names=_names(rows)),
                advice=tr(
                    "The worker completes the requests in progress. Open the project again to continue the "
                    "runs."
                ),
                workspace="",
            )

    def _show_foreign(self, foreign: Sequence[RunRow]) -> None:
        self._banner.show_message(
            trn(
                "{n} run was started on another machine: {names}.",
                "{n} runs were started on another machine: {names}.",
                n=len(foreign),
                names=_names(foreign),
            ),
            advice=tr(
                "It sends nothing from here. To see the addresses, API keys and paths that it uses and to "
                "allow it, select it in Runs and choose Resume."
            ),
            workspace="",
            cause=self,
        )

    def _show(self, waiting: Sequence[RunRow], *, start_worker: Callable[[], object]) -> None:
        headline = trn(
            "{n} unfinished run waits for a worker: {names}.",
            "{n} unfinished runs wait for a worker: {names}.",
            n=len(waiting),
            names=_names(waiting),
        )
        self._banner.show_message(
            headline,
            advice=tr("All answers so far are saved. Continuing sends the remaining requests."),
            offer=tr("Continue runs"),
            call=start_worker,
            workspace="",
            cause=self,
        )


def _names(rows: Sequence[RunRow]) -> str:
    return join_texts(run_text.title_of(row.run) for row in rows)
