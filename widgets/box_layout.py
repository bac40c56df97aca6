"""Rows and columns of widgets: box layouts with their margins and spacing."""

from __future__ import annotations

from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QVBoxLayout, QWidget

Margins = int | tuple[int, int, int, int]
"""Pixels around a layout: the same on all sides, or left, top, right and bottom."""


def row_layout(
    owner: QWidget | None = None, *, margins_px: Margins | None = None, spacing_px: int | None = None
) -> QHBoxLayout:
    """Return an empty row, for a widget or a parent layout.

    Args:
        owner: The widget that it lays out, None for a row inside of another layout.
        margins_px: Pixels around it, None for those of the style.
        spacing_px: Pixels between its parts, None for those of the style.
    """
    row = QHBoxLayout() if owner is None else QHBoxLayout(owner)
    _set_space(row, margins_px, spacing_px)
    return row


def column_layout(
    owner: QWidget | None = None, *, margins_px: Margins | None = None, spacing_px: int | None = None
) -> QVBoxLayout:
    """Return an empty column, for a widget or a parent layout; its arguments are those of ``row_layout``."""
    column = QVBoxLayout() if owner is None else QVBoxLayout(owner)
    _set_space(column, margins_px, spacing_px)
    return column


def _set_space(layout: QBoxLayout, margins_px: Margins | None, spacing_px: int | None) -> None:
    if margins_px is not None:
        sides = (margins_px,) * 4 if isinstance(margins_px, int) else margins_px
        layout.setContentsMargins(*sides)
    if spacing_px is not None:
        layout.setSpacing(spacing_px)
