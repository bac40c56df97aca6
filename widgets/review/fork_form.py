"""The versions of fields side by side, one of which is chosen for each field."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QGridLayout, QPushButton, QSizePolicy, QWidget

from widgets.box_layout import column_layout
from widgets.field_titles import field_title
from widgets.labels import caption, label
from widgets.review.field_versions import FieldVersions, Version
from widgets.translation import tr

COLUMNS = 2


class ForkRow(QWidget):
    """One field with its versions.

    Signals:
        chosen: A version was chosen.
    """

    chosen = Signal()

    def __init__(self, choice: FieldVersions) -> None:
        super().__init__()
        self.field = choice
        self.version = ""
        self.buttons: list[QPushButton] = []
        self._group = QButtonGroup(self)
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(8)
        for at, value in enumerate(choice.versions):
            grid.addWidget(self._make_version(at, value), at // COLUMNS, at % COLUMNS)
        for column in range(COLUMNS):
            grid.setColumnStretch(column, 1)
        whole = column_layout(self, margins_px=(0, 4, 0, 0), spacing_px=4)
        whole.addWidget(label(field_title(choice.field), role="strong"))
        whole.addLayout(grid)

    def choose(self, at: int) -> bool:
        """Choose a version by its place; return whether there is one."""
        if at < len(self.buttons):
            self.buttons[at].click()
        return at < len(self.buttons)

    def _make_version(self, at: int, value: Version) -> QWidget:
        # A button takes its size from a text in one line; its label has as many as it needs.
        made = QPushButton()
        made.setProperty("kind", "version")
        made.setCheckable(True)
        made.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        text = value.text or tr("empty")
        about = f"{at + 1}   {' · '.join(filter(None, (value.who, value.note)))}"
        column = column_layout(made, margins_px=(12, 8, 12, 8), spacing_px=4)
        for part in (label(about, role="label"), label(text, wrap=True)):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            column.addWidget(part)
        column.addStretch(1)
        made.setAccessibleName(f"{field_title(self.field.field)}: {text}, {value.who}")
        made.clicked.connect(partial(self._on_version_clicked, value.id))
        self._group.addButton(made)
        self.buttons.append(made)
        return made

    def _on_version_clicked(self, version: str) -> None:
        self.version = version
        self.chosen.emit()


class ForkForm(QWidget):
    """All fields of a record that have several versions.

    Signals:
        chosen: A version of a field was chosen.
    """

    chosen = Signal()

    def __init__(self, title: str) -> None:
        super().__init__()
        self.rows: list[ForkRow] = []
        self._fields: tuple[FieldVersions, ...] = ()
        self._column = column_layout(self, margins_px=0, spacing_px=8)
        self.hint = label(role="dim", wrap=True)
        self._column.addWidget(caption(title))
        self._column.addWidget(self.hint)

    def show_fields(self, fields: Sequence[FieldVersions], *, hint: str = "") -> None:
        """Show fields; what was chosen stays while they are the same.

        Args:
            fields: The fields.
            hint: What else a person can press, "" for nothing.
        """
        self.hint.setText(hint)
        self.hint.setVisible(bool(hint))
        if tuple(fields) == self._fields:
            return
        self._fields = tuple(fields)
        for row in self.rows:
            row.hide()
            row.deleteLater()
        self.rows = [ForkRow(field) for field in fields]
        for row in self.rows:
            row.chosen.connect(self.chosen)
            self._column.addWidget(row)

    def choose(self, at: int) -> bool:
        """Choose a version of the first field without one, or of the last field; return whether it exists."""
        open_rows = [row for row in self.rows if not row.version] or self.rows[-1:]
        return bool(open_rows) and open_rows[0].choose(at)

    def choose_all(self, at: int) -> None:
        """Choose the version at one place in all fields."""
        for row in self.rows:
            row.choose(at)

    def open_row(self) -> ForkRow | None:
        """Return the first field without a choice, None if all have one."""
        return next((row for row in self.rows if not row.version), None)

    def choices(self) -> tuple[tuple[FieldVersions, str], ...]:
        """Return the fields with the id of the version that was chosen."""
        return tuple((row.field, row.version) for row in self.rows if row.version)
