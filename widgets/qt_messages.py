"""Redirects the messages of Qt to the log."""

from __future__ import annotations

import logging

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    # After a fatal message Qt aborts the process; the fault handler writes the stacks.
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}
log = logging.getLogger("qt")


def log_qt_messages() -> None:
    """Write all further messages of Qt to the logger ``qt``."""
    qInstallMessageHandler(_on_message)


def _on_message(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
    log.log(LEVELS.get(kind, logging.WARNING), "%s: %s", context.category, text)
