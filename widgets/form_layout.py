"""Form layouts whose fields are aligned across the sections of a dialog."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFormLayout, QLabel, QWidget

from widgets.labels import label

NAME_PX = 128
"""Width of field names, px: the same in all sections, so that their fields are aligned."""


def form_layout(owner: QWidget | None = None, *, indent_px: int = 0) -> QFormLayout:
    """Return an empty form layout with field names on the left, for a widget or a parent layout."""
    made = QFormLayout(owner)
    made.setContentsMargins(indent_px, 0, 0, 0)
    made.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    made.setHorizontalSpacing(16)
    made.setVerticalSpacing(4)
    return made


def field_label(name: str) -> QLabel:
    """Return the label of a field, aligned with its text."""
    made = label(name, role="dim")
    made.setMinimumWidth(NAME_PX)
    made.setFixedHeight(32)
    return made
