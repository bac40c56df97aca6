"""Reads the content of the fields of a form, to detect unsaved input."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QWidget,
)

from widgets.search_box import SearchBox

CHECKABLE = Qt.ItemFlag.ItemIsUserCheckable


def read_entries(form: QWidget) -> list[object]:
    """Return the content of every field of a form, in order of creation.

    The text of a search box is not counted as input.
    """
    return [entry for field in form.findChildren(QWidget) for entry in _read(field)]


def _read(field: QWidget) -> list[object]:
    if isinstance(field, QLineEdit):
        return [] if isinstance(field, SearchBox) else [field.text()]
    if isinstance(field, QPlainTextEdit):
        return [] if field.isReadOnly() else [field.toPlainText()]
    if isinstance(field, QComboBox):
        return [field.currentIndex()]
    if isinstance(field, QAbstractButton):
        return [field.isChecked()] if field.isCheckable() else []
    if isinstance(field, QListWidget):
        return [_state(field.item(at)) for at in range(field.count())]
    return []


def _state(entry: QListWidgetItem) -> tuple[str, object]:
    return entry.text(), entry.checkState() if entry.flags() & CHECKABLE else None
