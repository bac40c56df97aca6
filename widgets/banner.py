"""The non-modal banner below the top bar: what happened, what is saved, what to do."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QPushButton, QSizePolicy, QToolButton

from annotator.diagnostics.crash_report import CrashReport
from annotator.errors import EnvironmentFailure, UserError, VantageError
from widgets import icons
from widgets.box_layout import column_layout, row_layout
from widgets.labels import label, set_role
from widgets.message_text import message_text
from widgets.translation import tr


@dataclass(frozen=True, kw_only=True)
class BannerMessage:
    """One message.

    Attributes:
        headline: One sentence about the event.
        advice: State of the data, and what to do.
        tone: ``good``, ``warn`` or ``bad``.
        offer: Text of a button, "" for none.
        call: Called when the button is clicked.
        cause: Object that the message is about, for ``end_cause``; None for none.
    """

    headline: str
    advice: str = ""
    tone: str = "warn"
    offer: str = ""
    call: Callable[[], object] | None = None
    cause: object = None


class Banner(QFrame):
    """Shows the message of the current place; a new message replaces the previous one of its place."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("banner")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._mark = label(role="warn")
        self.headline = label(wrap=True, role="strong", selectable=True)
        self.advice = label(wrap=True, role="dim", selectable=True)
        self.offer_button = QPushButton()
        self._messages: dict[str, BannerMessage] = {}
        self._workspace = ""
        self.offer_button.clicked.connect(self._on_offer_clicked)
        close = QToolButton()
        close.setIcon(icons.icon("close"))
        close.setIconSize(icons.SMALL)
        close.setToolTip(tr("Dismiss message"))
        close.setAccessibleName(tr("Dismiss message"))
        close.clicked.connect(self.dismiss)
        text_layout = column_layout(spacing_px=0)
        text_layout.addWidget(self.headline)
        text_layout.addWidget(self.advice)
        row = row_layout(self, margins_px=(16, 8, 12, 8), spacing_px=12)
        row.addWidget(self._mark)
        row.addLayout(text_layout, 1)
        row.addWidget(self.offer_button)
        row.addWidget(close)
        self.hide()

    def show_workspace(self, workspace: str) -> None:
        """Show the message of a workspace that became current, or nothing."""
        self._workspace = workspace
        self._refresh()

    def show_message(
        self,
        headline: str,
        *,
        advice: str = "",
        tone: str = "warn",
        offer: str = "",
        call: Callable[[], object] | None = None,
        workspace: str | None = None,
        cause: object = None,
    ) -> None:
        """Show a message.

        Args:
            headline: One sentence about the event.
            advice: State of the data, and what to do.
            tone: ``good``, ``warn`` or ``bad``.
            offer: Text of a button, "" for none.
            call: Called when the button is clicked.
            workspace: Workspace in which it is shown, "" for all; None for the current one.
            cause: Object that the message is about, for ``end_cause``.
        """
        message = BannerMessage(
            headline=headline, advice=advice, tone=tone, offer=offer, call=call, cause=cause
        )
        self._messages[self._workspace if workspace is None else workspace] = message
        self._refresh()

    def dismiss(self) -> None:
        """Remove the message that is shown."""
        self._messages.pop(self._key(), None)
        self._refresh()

    def message_of(self, workspace: str) -> BannerMessage | None:
        """Return the message of a workspace, None for none."""
        return self._messages.get(workspace)

    def clear_message(self, workspace: str, message: BannerMessage | None) -> None:
        """Remove a message of a workspace; a newer one stays."""
        if message is not None and self._messages.get(workspace) is message:
            del self._messages[workspace]
            self._refresh()

    def end_cause(self, cause: object) -> None:
        """Remove the messages about an object."""
        self._messages = {location: one for location, one in self._messages.items() if one.cause is not cause}
        self._refresh()

    def clear(self) -> None:
        """Remove all messages, because their project is being closed."""
        self._messages.clear()
        self._refresh()

    def show_error(self, error: BaseException, *, during: str = "", workspace: str | None = None) -> None:
        """Show an error with its message and hint.

        Args:
            error: The error.
            during: Title of the failed operation, "" if the message contains it.
            workspace: As in ``show_message``.
        """
        if isinstance(error, VantageError):
            tone = "warn" if isinstance(error, UserError) else "bad"
            self.show_message(
                message_text(error.message), advice=_advice(error), tone=tone, workspace=workspace
            )
            return
        report = CrashReport.of(error, process="window", thread=threading.current_thread().name)
        self.show_message(
            tr("Internal error during “{what}”.", what=during)
            if during
            else tr("An internal error occurred in Vantage."),
            advice=tr("The project is unchanged. All earlier edits are saved."),
            tone="bad",
            offer=tr("Copy report"),
            call=partial(_copy, report),
            workspace=workspace,
        )

    def _key(self) -> str:
        """Return the place whose message is shown: a message for all places takes precedence."""
        return "" if "" in self._messages else self._workspace

    def _refresh(self) -> None:
        message = self._messages.get(self._key())
        self.setVisible(message is not None)
        if message is None:
            return
        # A symbol in addition to the colour, for users who cannot tell the colours apart.
        self._mark.setText({"good": "✓", "warn": "!", "bad": "▲"}[message.tone])
        set_role(self._mark, message.tone)
        self.headline.setText(message.headline)
        self.advice.setText(message.advice)
        self.advice.setVisible(bool(message.advice))
        self.offer_button.setText(message.offer)
        self.offer_button.setVisible(bool(message.offer))
        self.setAccessibleName(message.headline)

    def _on_offer_clicked(self) -> None:
        message = self._messages.get(self._key())
        # First: the call may show a message of its own.
        self.dismiss()
        if message is not None and message.call is not None:
            message.call()


def _copy(report: CrashReport) -> None:
    QGuiApplication.clipboard().setText(report.text())


def _advice(error: VantageError) -> str:
    safe = (
        tr("Saved data is not affected.")
        if isinstance(error, EnvironmentFailure)
        else tr("The project is unchanged.")
    )
    return f"{safe} {message_text(error.hint)}".strip()
