"""The non-modal banner below the top bar: what happened, what is saved, what to do."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QToolButton, QVBoxLayout

from annotator.diagnostics.crash_report import CrashReport
from annotator.errors import EnvironmentFailure, UserError, VantageError
from widgets import icons
from widgets.labels import label, set_role
from widgets.message_text import message_text
from widgets.translation import tr


class Banner(QFrame):
    """One message at a time; the newest replaces the one before."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("banner")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._mark = label(role="warn")
        self.headline = label(wrap=True, role="strong", selectable=True)
        self.advice = label(wrap=True, role="dim", selectable=True)
        self._offer = QPushButton()
        self._call: Callable[[], object] | None = None
        self._offer.clicked.connect(self._on_offer_clicked)
        close = QToolButton()
        close.setIcon(icons.icon("close"))
        close.setIconSize(icons.SMALL)
        close.setToolTip(tr("Dismiss message"))
        close.setAccessibleName(tr("Dismiss message"))
        close.clicked.connect(self.hide)
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(self.headline)
        words.addWidget(self.advice)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 8, 12, 8)
        row.setSpacing(12)
        row.addWidget(self._mark)
        row.addLayout(words, 1)
        row.addWidget(self._offer)
        row.addWidget(close)
        self.hide()

    def show_message(
        self,
        headline: str,
        *,
        advice: str = "",
        tone: str = "warn",
        offer: str = "",
        call: Callable[[], object] | None = None,
    ) -> None:
        """Show a message.

        Args:
            headline: One sentence about the event.
            advice: State of the data, and what to do.
            tone: ``good``, ``warn`` or ``bad``.
            offer: Text of a button, "" for none.
            call: Called when the button is clicked.
        """
        # A shape beside the colour: colour is never the only sign.
        self._mark.setText({"good": "✓", "warn": "!", "bad": "▲"}[tone])
        set_role(self._mark, tone)
        self.headline.setText(headline)
        self.advice.setText(advice)
        self.advice.setVisible(bool(advice))
        self._offer.setText(offer)
        self._offer.setVisible(bool(offer))
        self._call = call
        self.setAccessibleName(headline)
        self.show()

    def show_error(self, error: BaseException, *, during: str = "") -> None:
        """Show an error with its message and hint.

        Args:
            error: The error.
            during: Title of the failed operation, "" if the message contains it.
        """
        if isinstance(error, VantageError):
            self.show_message(
                message_text(error.message),
                advice=_advice(error),
                tone="warn" if isinstance(error, UserError) else "bad",
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
        )

    def _on_offer_clicked(self) -> None:
        self.hide()
        if self._call is not None:
            self._call()


def _copy(report: CrashReport) -> None:
    QGuiApplication.clipboard().setText(report.text())


def _advice(error: VantageError) -> str:
    safe = (
        tr("Saved data is not affected.")
        if isinstance(error, EnvironmentFailure)
        else tr("The project is unchanged.")
    )
    return f"{safe} {message_text(error.hint)}".strip()
