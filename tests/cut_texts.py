"""Finds texts of a window that are cut: wider than their widget, or outside of what shows it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QAbstractButton, QLabel, QScrollArea, QWidget

from widgets.labels import ElidedLabel
from widgets.nav_rail import RailButton

SLACK_PX = 1
"""Fonts are measured in fractions of a pixel."""


def cut_texts(window: QWidget) -> list[str]:
    """Return the texts of labels and buttons that a person cannot read to their end.

    A label that ends in three dots by design has the whole text in its tool tip, and one in a scroll area can
    be scrolled to.
    """
    parts: list[QLabel | QAbstractButton] = [
        *window.findChildren(QLabel),
        *window.findChildren(QAbstractButton),
    ]
    return [
        f"{type(part).__name__} {part.text()!r} {_where(part, window).getRect()}"
        for part in parts
        # The rail paints its words itself, and has a test of its own for their width.
        if part.isVisible() and part.text() and not isinstance(part, (ElidedLabel, RailButton))
        if _is_narrow(part) or not (_can_scroll(part) or _is_inside(part, window))
    ]


def _is_narrow(part: QLabel | QAbstractButton) -> bool:
    if isinstance(part, QLabel) and part.wordWrap():
        return part.heightForWidth(part.width()) > part.height() + SLACK_PX
    if isinstance(part, QAbstractButton):
        return part.width() + SLACK_PX < part.minimumSizeHint().width()
    lines = part.text().split("\n")
    return max(map(part.fontMetrics().horizontalAdvance, lines)) > part.contentsRect().width() + SLACK_PX


def _where(part: QWidget, window: QWidget) -> QRect:
    return QRect(part.mapTo(window, QPoint(0, 0)), part.size())


def _is_inside(part: QWidget, window: QWidget) -> bool:
    parent = part.parentWidget()
    while parent is not None and not part.isWindow():
        if not parent.rect().adjusted(-1, -1, 1, 1).contains(_where(part, parent)):
            return False
        if parent is window:
            return True
        parent = parent.parentWidget()
    return True


def _can_scroll(part: QWidget) -> bool:
    parent = part.parentWidget()
    while parent is not None:
        if isinstance(parent, QScrollArea):
            return parent.horizontalScrollBarPolicy() != Qt.ScrollBarPolicy.ScrollBarAlwaysOff or (
                _where(part, parent.viewport()).right() <= parent.viewport().width()
            )
        parent = parent.parentWidget()
    return False
