"""The editor for shortcuts: one field per action; conflicts are shown immediately."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QGridLayout, QKeySequenceEdit, QLineEdit, QPushButton, QScrollArea, QWidget

from widgets.action_registry import ActionRegistry
from widgets.dialog import FormDialog
from widgets.key_bindings import chosen_keys, collisions, keep_keys, sequence
from widgets.labels import label
from widgets.search_box import SearchBox
from widgets.settings import Settings
from widgets.translation import tr

FIELD_PX = 200
MODIFIERS = frozenset({Qt.Key.Key_Shift, Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_Meta})


class KeyField(QKeySequenceEdit):
    """Input field for a shortcut; shows whether it has the keyboard focus."""

    def __init__(self, key: str, *, name: str) -> None:
        super().__init__(sequence(key))
        self.setMaximumSequenceLength(1)
        self.setClearButtonEnabled(True)
        self.setAccessibleName(name)
        self.setFixedWidth(FIELD_PX)
        self._before = QKeySequence()

    def event(self, event: QEvent) -> bool:
        """Move back at Shift+Tab, which Qt would otherwise record as the shortcut."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Backtab:
                return self.focusNextPrevChild(False)
            if event.key() not in MODIFIERS:
                self._before = QKeySequence()
            elif not self.keySequence().isEmpty():
                # Qt clears the field at the first of several held keys. After Shift+Tab, and after Alt+Tab to
                # another window, no second one follows.
                self._before = self.keySequence()
        return super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the focus frame."""
        super().focusInEvent(event)
        self._before = QKeySequence()
        self._show_focus(has_focus=True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hide the focus frame; an incomplete shortcut restores the previous one."""
        if self.keySequence().isEmpty() and not self._before.isEmpty():
            self.setKeySequence(self._before)
        super().focusOutEvent(event)
        self._show_focus(has_focus=False)

    def _show_focus(self, *, has_focus: bool) -> None:
        # The visible line edit never has the focus itself, so that ':focus' in the style sheet has no effect.
        for line in self.findChildren(QLineEdit):
            line.setProperty("is_at_hand", has_focus)
            line.style().polish(line)


class KeyEditor(FormDialog):
    """Dialog that changes shortcuts and stores them in the settings."""

    def __init__(self, window: QWidget, *, registry: ActionRegistry, settings: Settings) -> None:
        super().__init__(window, width=640, height=620, title=tr("Change shortcuts"))
        self._registry, self._settings = registry, settings
        self._table = registry.table
        self.search = SearchBox()
        self.search.setPlaceholderText(tr("Find an action"))
        self.search.textChanged.connect(self._on_search_text_changed)
        self.search.left.connect(self._on_search_left)
        self.fields: dict[str, KeyField] = {}
        self._rows: dict[str, tuple[QWidget, ...]] = {}
        self.warning = label(role="warn", wrap=True)
        self.body.addWidget(self.search)
        self.body.addWidget(self._make_rows())
        self.body.addWidget(self.warning)
        defaults = QPushButton(tr("Restore defaults"))
        defaults.clicked.connect(self._on_defaults_clicked)
        self._save = self.add_buttons(tr("Save shortcuts"), left=defaults)
        self._save.clicked.connect(self._on_save_clicked)
        self._check()

    def _make_rows(self) -> QScrollArea:
        inner = QWidget()
        grid = QGridLayout(inner)
        grid.setContentsMargins(0, 0, 12, 0)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(0, 1)
        keys = chosen_keys(self._settings, table=self._table)
        for row, action in enumerate(self._table.actions):
            text_label, menu = (
                label(tr(action.text), wrap=True),
                label(tr(action.menu) if action.menu else "", role="dim"),
            )
            field = KeyField(keys[action.id], name=tr(action.text))
            field.keySequenceChanged.connect(self._on_field_changed)
            self.fields[action.id] = field
            self._rows[action.id] = (text_label, menu, field)
            for column, part in enumerate((text_label, menu, field)):
                grid.addWidget(part, row, column)
        area = QScrollArea()
        # It follows the focused field; as a tab stop of its own it would show nothing.
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidgetResizable(True)
        area.setWidget(inner)
        return area

    def _keys(self) -> dict[str, str]:
        portable = QKeySequence.SequenceFormat.PortableText
        return {name: field.keySequence().toString(portable) for name, field in self.fields.items()}

    def _on_field_changed(self, _key: QKeySequence) -> None:
        self._check()

    def _check(self) -> None:
        pairs = collisions(self._keys(), table=self._table)
        texts = [
            tr("“{one}” and “{other}” have the same shortcut.", one=tr(a.text), other=tr(b.text))
            for a, b in pairs
        ]
        self.warning.setText("\n".join(texts))
        self.warning.setVisible(bool(pairs))
        self._save.setEnabled(not pairs)

    def _on_search_text_changed(self, typed: str) -> None:
        for name, parts in self._rows.items():
            text = self._table.by_id[name].text
            fits = any(typed.casefold() in told.casefold() for told in (tr(text), text))
            for part in parts:
                part.setVisible(fits)

    def _on_search_left(self) -> None:
        found = next((field for field in self.fields.values() if not field.isHidden()), None)
        if found is not None:
            found.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_defaults_clicked(self) -> None:
        for name, field in self.fields.items():
            field.setKeySequence(sequence(self._table.by_id[name].key))

    def _on_save_clicked(self) -> None:
        keep_keys(self._settings, self._keys(), table=self._table)
        self._registry.set_keys(chosen_keys(self._settings, table=self._table))
        self.accept()
