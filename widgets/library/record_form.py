"""The read-only form of a record: sections with headings and named fields, always plain text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar, cast

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QGridLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from annotator.domain.record import FieldCorrection
from widgets import icons, theme
from widgets.box_layout import column_layout
from widgets.field_text import value_text
from widgets.field_titles import field_title
from widgets.labels import caption, cut, label, set_role
from widgets.message_text import message_text
from widgets.translation import tr

MARGIN_PX = 16
NAME_PX = 92
JSON_LINES = 16
SECTION_PX = 12
"""Space above a section."""
Part = TypeVar("Part", bound=QWidget)
Row = TypeVar("Row", bound=tuple[QWidget, ...])


class RecordForm(QScrollArea):
    """A scrollable column of sections.

    A form that is filled between ``begin`` and ``end`` keeps its widgets: the next record changes their
    texts, which is faster than creating, styling and laying out forty labels.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.column = QVBoxLayout()
        self._parts: list[tuple[str, QWidget]] = []
        self._next: int | None = None
        self.clear()

    def clear(self) -> None:
        """Remove all sections."""
        # A new container widget: Qt deletes the old one with all its children at once.
        inner = QWidget()
        self.column = column_layout(inner, margins_px=(MARGIN_PX, 8, MARGIN_PX, MARGIN_PX), spacing_px=4)
        self._parts, self._next = [], None
        self.setWidget(inner)

    def begin(self) -> None:
        """Start to fill the form again; parts of the same kinds in the same order keep their widgets."""
        if not self._parts:
            self.clear()
            self.column.addStretch(1)
        self._next = 0

    def end(self) -> None:
        """Complete the form: remove what is left of the last filling."""
        if self._next is None:
            self.column.addStretch(1)
            return
        self._remove(self._next, len(self._parts))

    def add(self, part: QWidget) -> None:
        """Add a widget."""
        self.next_part("", lambda: part)

    def next_part(self, kind: str, make: Callable[[], Part]) -> Part:
        """Return the next part: that of the last filling if it is of the same kind, otherwise a new one.

        Args:
            kind: Kind of the part, "" for one that is not kept.
            make: Makes a new one.
        """
        at = self._next
        if at is None:
            made = make()
            self.column.addWidget(made)
            return made
        kinds = [known for known, _ in self._parts[at:]]
        if kind and kind in kinds:
            # What stands before it belongs to sections that this record does not have.
            self._remove(at, at + kinds.index(kind))
        else:
            made = make()
            self.column.insertWidget(at, made)
            self._parts.insert(at, (kind, made))
        self._next = at + 1
        return cast("Part", self._parts[at][1])

    def add_heading(self, text: str) -> None:
        """Add the heading of a section."""
        is_first = self._next == 0 if self._next is not None else not self.column.count()
        heading = self.next_part("heading", lambda: caption(""))
        heading.setText(text.upper())
        heading.setContentsMargins(0, 0 if is_first else SECTION_PX, 0, 0)

    def add_text(self, text: str, *, role: str = "body") -> None:
        """Add a selectable paragraph."""
        shown = self.next_part("text", lambda: label(role=role, wrap=True, selectable=True))
        shown.setText(cut(text))
        set_role(shown, role)

    def add_fields(self, fields: list[tuple[str, str, str]]) -> None:
        """Add rows of name, value and the value's role; empty values are skipped."""
        self.next_part("fields", FieldRows).show_fields([field for field in fields if field[1]])

    def add_normalised(self, changes: tuple[FieldCorrection, ...]) -> None:
        """Add the field corrections of an importer: before, after and reason."""
        if not changes:
            return
        self.add_heading(tr("Normalised at import"))
        for change in changes:
            before, after = (value_text(change.field, value) for value in (change.original, change.value))
            self.add_fields([(field_title(change.field), f"{before}  →  {after}", "body")])
            self.next_part("reason", _indented).setText(cut(message_text(change.reason)))

    def add_json(self, title: str, raw: bytes) -> None:
        """Add an original record as collapsed JSON."""
        if raw != b"null":
            fold = self.next_part("json", FoldButton)
            fold.show_record(title, raw)
            fold.setContentsMargins(0, SECTION_PX, 0, 0)

    def _remove(self, first: int, end: int) -> None:
        for _, part in self._parts[first:end]:
            self.column.removeWidget(part)
            # Deleted later, and until then it would be painted where it was.
            part.hide()
            part.deleteLater()
        del self._parts[first:end]


class KeptRows(QWidget, Generic[Row]):
    """Rows of widgets in a grid; those that are there already are kept when the number of rows changes."""

    def __init__(self, make: Callable[[], Row], *, spacing_px: int, is_tall: tuple[bool, ...]) -> None:
        """Create no rows.

        Args:
            make: Makes the widgets of one row.
            spacing_px: Space between columns.
            is_tall: Whether each column fills the height of its row; the others stand at its top.
        """
        super().__init__()
        self._make, self._is_tall = make, is_tall
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(spacing_px)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(len(is_tall) - 1, 1)
        self._rows: list[Row] = []

    def rows(self, count: int) -> list[Row]:
        """Return so many rows: kept ones, and new ones where there were fewer."""
        while len(self._rows) < count:
            self._add_row()
        for part in (part for row in self._rows[count:] for part in row):
            self._grid.removeWidget(part)
            part.hide()
            part.deleteLater()
        del self._rows[count:]
        return self._rows

    def _add_row(self) -> None:
        row = self._make()
        for column, (part, is_tall) in enumerate(zip(row, self._is_tall, strict=True)):
            position = Qt.AlignmentFlag(0) if is_tall else Qt.AlignmentFlag.AlignTop
            self._grid.addWidget(part, len(self._rows), column, position)
        self._rows.append(row)


class FieldRows(KeptRows[tuple[QLabel, QLabel]]):
    """Rows of a name and a value."""

    def __init__(self) -> None:
        super().__init__(_make_field, spacing_px=12, is_tall=(False, True))
        self.setContentsMargins(0, 2, 0, 0)

    def show_fields(self, fields: list[tuple[str, str, str]]) -> None:
        """Show rows of name, value and the value's role."""
        for (name, value), (title, text, role) in zip(self.rows(len(fields)), fields, strict=True):
            name.setText(cut(title))
            value.setText(cut(text))
            set_role(value, role)


def _make_field() -> tuple[QLabel, QLabel]:
    name = label(role="dim")
    name.setMinimumWidth(NAME_PX)
    return name, label(wrap=True, selectable=True)


class FoldButton(QWidget):
    """Button that expands the JSON of a record below itself."""

    def __init__(self, title: str = "", raw: bytes = b"") -> None:
        super().__init__()
        self._raw = raw
        self.button = QPushButton(title)
        self.button.setProperty("kind", "row")
        self.button.setCheckable(True)
        self.button.setIcon(icons.icon("chevron-right"))
        self.button.toggled.connect(self._on_button_toggled)
        self.text: QPlainTextEdit | None = None
        self._column = column_layout(self, margins_px=0, spacing_px=4)
        self._column.addWidget(self.button)

    def show_record(self, title: str, raw: bytes) -> None:
        """Show another record, collapsed."""
        self.button.setChecked(False)
        self.button.setText(title)
        self._raw = raw
        if self.text is not None:
            self.text.deleteLater()
            self.text = None

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


def _indented() -> QLabel:
    made = label(role="label", wrap=True)
    made.setContentsMargins(NAME_PX + 12, 0, 0, 4)
    return made
