"""The versions of forked fields side by side, one of which is chosen for each field."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QGridLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from annotator.domain.rows import Fork, ForkValue
from widgets import display_text
from widgets.field_text import value_text
from widgets.field_titles import field_title
from widgets.labels import caption, label
from widgets.translation import tr

COLUMNS = 2


class ForkRow(QWidget):
    """One field with its versions.

    Signals:
        chosen: A version was chosen.
    """

    chosen = Signal()

    def __init__(self, fork: Fork) -> None:
        super().__init__()
        self.fork = fork
        self.version = ""
        self.buttons: list[QPushButton] = []
        self._group = QButtonGroup(self)
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(8)
        for at, value in enumerate(fork.values):
            grid.addWidget(self._make_version(at, value), at // COLUMNS, at % COLUMNS)
        for column in range(COLUMNS):
            grid.setColumnStretch(column, 1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 4, 0, 0)
        whole.setSpacing(4)
        whole.addWidget(label(field_title(fork.field), role="strong"))
        whole.addLayout(grid)

    def choose(self, at: int) -> bool:
        """Choose a version by its place; return whether there is one."""
        if at < len(self.buttons):
            self.buttons[at].click()
        return at < len(self.buttons)

    def _make_version(self, at: int, value: ForkValue) -> QWidget:
        # A button takes its size from a text in one line; its label has as many as it needs.
        made = QPushButton()
        made.setProperty("kind", "version")
        made.setCheckable(True)
        made.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        text = value_text(self.fork.field, json.loads(value.value)) or tr("empty")
        about = f"{at + 1}   {value.actor} · {display_text.local_time(value.wall_time)}"
        column = QVBoxLayout(made)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(4)
        for part in (label(about, role="label"), label(text, wrap=True)):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            column.addWidget(part)
        column.addStretch(1)
        made.setAccessibleName(f"{field_title(self.fork.field)}: {text}, {value.actor}")
        made.clicked.connect(partial(self._on_version_clicked, value.event))
        self._group.addButton(made)
        self.buttons.append(made)
        return made

    def _on_version_clicked(self, event: str) -> None:
        self.version = event
        self.chosen.emit()


class ForkForm(QWidget):
    """All forked fields of a record.

    Signals:
        chosen: A version of a field was chosen.
    """

    chosen = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[ForkRow] = []
        self._forks: tuple[Fork, ...] = ()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        self._column.addWidget(caption(tr("Versions of two workstations")))

    def show_forks(self, forks: Sequence[Fork]) -> None:
        """Show forked fields; what was chosen stays while they are the same."""
        if tuple(forks) == self._forks:
            return
        self._forks = tuple(forks)
        for row in self.rows:
            row.hide()
            row.deleteLater()
        self.rows = [ForkRow(fork) for fork in forks]
        for row in self.rows:
            row.chosen.connect(self.chosen)
            self._column.addWidget(row)

    def choose(self, at: int) -> bool:
        """Choose a version of the first field without one, or of the last field; return whether it exists."""
        open_rows = [row for row in self.rows if not row.version] or self.rows[-1:]
        return bool(open_rows) and open_rows[0].choose(at)

    def open_row(self) -> ForkRow | None:
        """Return the first field without a choice, None if all have one."""
        return next((row for row in self.rows if not row.version), None)

    def choices(self) -> tuple[tuple[Fork, str], ...]:
        """Return the fields with the id of the event whose value was chosen."""
        return tuple((row.fork, row.version) for row in self.rows if row.version)
