"""The dialog for the tags of several scenes: each tag is set on all, on some or on none of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCompleter, QLineEdit, QListWidget, QListWidgetItem, QWidget

from widgets import theme
from widgets.dialog import FormDialog
from widgets.labels import label
from widgets.translation import tr, trn

FEWEST, ROWS = 3, 8
"""Minimum and maximum number of visible tags."""
NAME = Qt.ItemDataRole.UserRole


class TagDialog(FormDialog):
    """Asks for the tags of scenes.

    Signals:
        submitted: Emitted on acceptance; carries the tags to set and the tags to clear.
    """

    submitted = Signal(object, object)

    def __init__(self, window: QWidget, *, tags: list[tuple[str, ...]], known: Iterable[str]) -> None:
        """Create the dialog.

        Args:
            window: The parent window.
            tags: The tags of each scene.
            known: All tags of the project, for completion.
        """
        title = trn("Tags of {n} scene", "Tags of {n} scenes", n=len(tags))
        super().__init__(window, width=480, title=title)
        self._scenes = len(tags)
        self._counts = Counter(tag for scene in tags for tag in scene)
        names = sorted({*known, *self._counts})
        self._known, self._written = list(names), 0
        self.field = QLineEdit()
        self.field.setPlaceholderText(tr("New tag or start of an existing tag"))
        self.field.setAccessibleName(tr("Tags"))
        completer = QCompleter(names, self.field)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self.field.setCompleter(completer)
        self.field.installEventFilter(self)
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Tags"))
        for name in sorted(names, key=lambda name: (-self._counts[name], name)):
            self._add(name)
        self.list.setFixedHeight(min(max(len(names) + 1, FEWEST), ROWS) * theme.ROW)
        hint = tr("Press Enter to add the tag. Press Space to set or clear a tag on all selected scenes.")
        self.body.addWidget(label(hint, role="dim", wrap=True))
        self.body.addWidget(self.field)
        self.body.addWidget(self.list)
        self.main = self.add_buttons(tr("Tag"))
        self.main.clicked.connect(self._on_main_clicked)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Add the tag at Enter; accept the dialog at Enter in an empty field."""
        is_enter = isinstance(event, QKeyEvent) and event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}
        if watched is self.field and is_enter and event.type() == QEvent.Type.KeyPress:
            self.take_in(self.field.text())
            return True
        return super().eventFilter(watched, event)

    def take_in(self, text: str) -> None:
        """Set the tags of a comma-separated text on all scenes; an empty text accepts the dialog."""
        names = [part.strip() for part in text.replace("，", ",").split(",") if part.strip()]
        if not names:
            self.main.click()
        for name in names:
            entry = self._entry(name) or self._add(name)
            entry.setCheckState(Qt.CheckState.Checked)
            self.list.setCurrentItem(entry)
        self.field.clear()

    def _add(self, name: str) -> QListWidgetItem:
        count = self._counts[name]
        # Tristate only if some of them have the tag: otherwise two states are sufficient.
        share = f"   {count:,} / {self._scenes:,}" if 0 < count < self._scenes else ""
        entry = QListWidgetItem(f"{name}{share}")
        entry.setData(NAME, name)
        entry.setSizeHint(QSize(0, theme.ROW))
        entry.setFlags(entry.flags() | Qt.ItemFlag.ItemIsUserCheckable)
        states = Qt.CheckState
        state = states.Checked if count and count >= self._scenes else states.Unchecked
        entry.setCheckState(states.PartiallyChecked if 0 < count < self._scenes else state)
        if name in self._known:
            self.list.addItem(entry)
        else:
            # New tags come above the known ones, in the order of input.
            self._known.append(name)
            self.list.insertItem(self._written, entry)
            self._written += 1
        return entry

    def _entry(self, name: str) -> QListWidgetItem | None:
        entries = (self.list.item(at) for at in range(self.list.count()))
        return next((entry for entry in entries if entry.data(NAME) == name), None)

    def _on_main_clicked(self) -> None:
        if self.field.text().strip():
            self.take_in(self.field.text())
        added, removed = [], []
        for at in range(self.list.count()):
            entry = self.list.item(at)
            name, count = str(entry.data(NAME)), self._counts[entry.data(NAME)]
            # A partially checked box was not changed: scenes with the tag keep it, the others stay
            # without.
            if entry.checkState() == Qt.CheckState.Checked and count < self._scenes:
                added.append(name)
            elif entry.checkState() == Qt.CheckState.Unchecked and count:
                removed.append(name)
        self.accept()
        self.submitted.emit(tuple(added), tuple(removed))
