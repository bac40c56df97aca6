"""The read-only form of a record: sections with headings and named fields, always plain text."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QGridLayout,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from annotator.domain.record import FieldCorrection
from widgets import icons, theme
from widgets.field_text import value_text
from widgets.field_titles import field_title
from widgets.labels import caption, cut, label
from widgets.message_text import message_text
from widgets.translation import tr

MARGIN_PX = 16
NAME_PX = 92
JSON_LINES = 16


class RecordForm(QScrollArea):
    """A scrollable column of sections, rebuilt for each record."""

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.column = QVBoxLayout()
        self.clear()

    def clear(self) -> None:
        """Remove all sections."""
        # A new container widget: Qt deletes the old one with all its children at once.
        inner = QWidget()
        self.column = QVBoxLayout(inner)
        self.column.setContentsMargins(MARGIN_PX, 8, MARGIN_PX, MARGIN_PX)
        self.column.setSpacing(4)
        self.setWidget(inner)

    def end(self) -> None:
        """Add the stretch below the last section."""
        self.column.addStretch(1)

    def add(self, part: QWidget) -> None:
        """Add a widget."""
        self.column.addWidget(part)

    def add_heading(self, text: str) -> None:
        """Add the heading of a section."""
        if self.column.count():
            self.column.addSpacing(12)
        self.column.addWidget(caption(text))

    def add_text(self, text: str, *, role: str = "body") -> None:
        """Add a selectable paragraph."""
        self.column.addWidget(label(text, role=role, wrap=True, selectable=True))

    def add_fields(self, fields: list[tuple[str, str, str]]) -> None:
        """Add rows of name, value and the value's role; empty values are skipped."""
        grid = QGridLayout()
        grid.setContentsMargins(0, 2, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(4)
        grid.setColumnMinimumWidth(0, NAME_PX)
        grid.setColumnStretch(1, 1)
        for row, (name, value, role) in enumerate(field for field in fields if field[1]):
            grid.addWidget(label(name, role="dim"), row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(label(value, role=role, wrap=True, selectable=True), row, 1)
        self.column.addLayout(grid)

    def add_normalised(self, changes: tuple[FieldCorrection, ...]) -> None:
        """Add the field corrections of an importer: before, after and reason."""
        if not changes:
            return
        self.add_heading(tr("Normalised at import"))
        for change in changes:
            before, after = (value_text(change.field, value) for value in (change.original, change.value))
            self.add_fields([(field_title(change.field), f"{before}  →  {after}", "body")])
            self.column.addWidget(_indented(message_text(change.reason)))

    def add_json(self, title: str, raw: bytes) -> None:
        """Add an original record as collapsed JSON."""
        if raw != b"null":
            self.column.addSpacing(12)
            self.column.addWidget(FoldButton(title, raw))


class FoldButton(QWidget):
    """Button that expands the JSON of a record below itself."""

    def __init__(self, title: str, raw: bytes) -> None:
        super().__init__()
        self._raw = raw
        self.button = QPushButton(title)
        self.button.setProperty("kind", "row")
        self.button.setCheckable(True)
        self.button.setIcon(icons.icon("chevron-right"))
        self.button.toggled.connect(self._on_button_toggled)
        self.text: QPlainTextEdit | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self._column.addWidget(self.button)

    def _on_button_toggled(self, is_open: bool) -> None:
        self.button.setIcon(icons.icon("chevron-down" if is_open else "chevron-right"))
        if self.text is None:
            self.text = _json_view(self._raw)
            self._column.addWidget(self.text)
        self.text.setVisible(is_open)


def _json_view(raw: bytes) -> QPlainTextEdit:
    made = QPlainTextEdit()
    made.setReadOnly(True)
    made.setFont(theme.font("mono"))
    made.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
    # Imported text is shown as plain text, never as markup.
    made.setPlainText(cut(msgspec.json.format(raw, indent=2).decode("utf-8", "replace")))
    lines = min(JSON_LINES, made.document().blockCount() + 1)
    made.setFixedHeight(lines * made.fontMetrics().lineSpacing() + 16)
    return made


def _indented(text: str) -> QWidget:
    made = label(text, role="label", wrap=True)
    made.setContentsMargins(NAME_PX + 12, 0, 0, 4)
    return made
