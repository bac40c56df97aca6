"""The exchange folder in the window: its dialog, its state in the status bar, and its failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from annotator.queries.reader import Reader
from annotator.session import Session
from widgets.banner import Banner
from widgets.bridge import Bridge
from widgets.message_text import message_text
from widgets.project_controller import ProjectController
from widgets.translation import join_texts, tr, trn

if TYPE_CHECKING:
    # Imported where they are used, to keep the start of the window short.
    from annotator.exchange.exchange_scheduler import ExchangeScheduler, ExchangeStatus

SHOWN_PEOPLE = 3
KEPT_LINES = 200


class ExchangeActions(QObject):
    """Starts the exchange of a project whose folder was chosen, and shows what it does.

    Attributes:
        lines: What came in and what failed since the project was opened, newest first.

    Signals:
        state_changed: Emitted with the text for the status bar, "" without a folder.
        forks_requested: Emitted to show the forks of the project.
    """

    state_changed = Signal(str)
    forks_requested = Signal()

    def __init__(
        self,
        session: Session,
        *,
        controller: ProjectController,
        bridge: Bridge,
        banner: Banner,
        window: QWidget,
        parent: QObject,
    ) -> None:
        """Create the object, and read from the settings whether there is a folder.

        Args:
            session: The project.
            controller: Runs the short tasks.
            bridge: Delivers what the exchange found.
            banner: Shows failures, each once.
            window: Window that the dialog belongs to.
            parent: Qt object that it is deleted with.
        """
        super().__init__(parent)
        self._session, self._controller, self._bridge = session, controller, bridge
        self._banner, self._window = banner, window
        self._scheduler: ExchangeScheduler | None = None
        self._last, self._forks = "", 0
        self.lines: list[str] = []
        bridge.exchanged.connect(self._on_bridge_exchanged)
        if not session.is_read_only:
            self._query(self._on_folder_read)

    def ask_folder(self) -> None:
        """Ask for the exchange folder, and show what was exchanged."""
        self._query(self._open)

    def look_now(self) -> None:
        """Look at the folder without waiting."""
        if self._scheduler is not None:
            self._scheduler.look_now()

    def end(self) -> None:
        """Let the exchange end, before the project is closed; own edits are written beside."""
        if self._scheduler is not None:
            self._scheduler.end()

    def choose(self, folder: Path | None) -> None:
        """Exchange with a folder from now on, None to end the exchange."""
        work = self._controller.run_task(
            partial(_choose, self._session, folder), title=tr("Choosing the exchange folder")
        )
        work.finished.connect(self._on_folder_read)

    def _query(self, done: Callable[[Path | None], None]) -> None:
        question = partial(_read_folder, session=self._session)
        self._bridge.query(self._session, question, done=done, channel=(id(self), "folder"))

    def _open(self, folder: Path | None) -> None:
        from widgets.bundles.exchange_dialog import ExchangeDialog

        dialog = ExchangeDialog(self._window, folder=folder, lines=tuple(self.lines))
        dialog.submitted.connect(self.choose)
        dialog.open(dialog.folder)

    def _on_folder_read(self, folder: Path | None) -> None:
        if folder is None:
            self.state_changed.emit("")
        elif self._scheduler is None:
            from annotator.exchange.exchange_scheduler import ExchangeScheduler

            self._scheduler = ExchangeScheduler(
                self._session, report=partial(self._bridge.post_exchange, self._session)
            )
        self.look_now()

    def _on_bridge_exchanged(self, _session: Session, status: ExchangeStatus) -> None:
        if status.folder is None and status.failure is None:
            self.state_changed.emit("")
            return
        time = datetime.fromtimestamp(status.at).astimezone().strftime("%H:%M")
        self._show_failures(status, time=time)
        if status.report.outcome.added:
            self._show_forks(len(status.report.outcome.forks))
        if came := _received_text(status):
            self._last = tr("{what}, {time}", what=came, time=time)
            self._note(self._last)
        self.state_changed.emit(self._text(status, time=time))

    def _text(self, status: ExchangeStatus, *, time: str) -> str:
        if status.failure is not None:
            return tr("Exchange: interrupted, {time}", time=time)
        if status.report.pending and not self._last:
            return tr("Exchange: waiting for a file to be complete")
        return tr("Exchange: {what}", what=self._last or tr("up to date, {time}", time=time))

    def _show_failures(self, status: ExchangeStatus, *, time: str) -> None:
        if status.failure is not None and status.is_new_failure:
            self._say(time, message_text(status.failure.message), message_text(status.failure.hint))
        for name, message, hint in status.report.problems:
            advice = message_text(hint) or tr("The file is {name}.", name=name)
            self._say(time, message_text(message), advice)

    def _show_forks(self, count: int) -> None:
        """Say that there are more forks than before; those that were said are in the menu."""
        if count > self._forks:
            self._banner.show_message(
                trn("The project has {n} fork.", "The project has {n} forks.", n=count),
                advice=tr("Two people changed the same field; both values are kept until one is chosen."),
                offer=tr("Resolve forks"),
                call=self.forks_requested.emit,
                workspace="",
                cause=self,
            )
        self._forks = count

    def _say(self, time: str, headline: str, advice: str) -> None:
        advice = f"{tr('The project is unchanged.')} {advice}".strip()
        self._banner.show_message(headline, advice=advice, workspace="", cause=self)
        self._note(f"{time}  {headline}")

    def _note(self, line: str) -> None:
        self.lines.insert(0, line)
        del self.lines[KEPT_LINES:]


def _received_text(status: ExchangeStatus) -> str:
    """Return what came in: '2 new from Ann'; "" for nothing."""
    counts: Counter[str] = Counter()
    for row in status.report.outcome.received:
        counts[row.person] += row.records
    people = counts.most_common(SHOWN_PEOPLE)
    return join_texts(tr("{n} new from {person}", n=f"{count:,}", person=name) for name, count in people)


def _read_folder(_reader: Reader, *, session: Session) -> Path | None:
    from annotator.exchange.exchange_folder import exchange_folder_of

    return exchange_folder_of(session)


def _choose(session: Session, folder: Path | None) -> Path | None:
    from annotator.exchange.exchange_folder import choose_exchange_folder, exchange_folder_of

    choose_exchange_folder(session, folder)
    return exchange_folder_of(session)
