"""What is scored: the release, the files of predictions, and the rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

import msgspec
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFormLayout, QPushButton, QWidget

from annotator.domain.answers import Mode
from annotator.release.manifest import MANIFEST
from annotator.scoring.forms import FORMS
from annotator.scoring.score_report import ScoreReport
from widgets.action_registry import ActionRegistry
from widgets.box_layout import column_layout, row_layout
from widgets.combo_box import ComboBox
from widgets.labels import caption, label
from widgets.scores.file_table import FileTable
from widgets.scores.file_text import file_detail, file_rows, release_note
from widgets.scores.score_choice import ChosenFile, ScoreChoice
from widgets.scores.setup_dialogs import SetupDialogs
from widgets.text_prompt import LinePrompt
from widgets.translation import tr

MODES = (Mode.STRICT, Mode.COMPATIBLE)
ASK = "?"
"""Data of the entry that asks for a file."""
TIP_ROLE = Qt.ItemDataRole.ToolTipRole


class ScoreSetup(QWidget):
    """Shows what is scored, and changes it.

    Attributes:
        choice: What is scored.
        report: What scoring found out, None while it is not known.

    Signals:
        changed: Emitted when something else is to be scored; carries the ``ScoreChoice``.
        file_chosen: Emitted when another file is current.
    """

    changed = Signal(object)
    file_chosen = Signal()

    def __init__(self, *, registry: ActionRegistry) -> None:
        super().__init__()
        self.setObjectName("pane")
        self._registry = registry
        self.choice = self._scored = ScoreChoice()
        self.report: ScoreReport | None = None
        self.buttons: dict[str, QPushButton] = {}
        self.dialogs = SetupDialogs(self, choice=lambda: self.choice)
        self._folders: tuple[str, ...] = ()
        self.release, self.form, self.mode, self.missing = ComboBox(), ComboBox(), ComboBox(), ComboBox()
        self.release_note = label(role="dim", wrap=True)
        self.files = FileTable()
        self.detail = label(role="dim", wrap=True, selectable=True)
        self._lay_out()
        self.files.row_chosen.connect(self._on_files_row_chosen)
        self.release.activated.connect(self._on_release_activated)
        self.form.activated.connect(self._on_form_activated)
        self.mode.activated.connect(self._on_mode_activated)
        self.missing.activated.connect(self._on_missing_activated)
        self.dialogs.release_chosen.connect(self.choose_release)
        self.dialogs.keys_chosen.connect(self.choose_keys)
        self.dialogs.files_chosen.connect(self.add_files)
        registry.connect_owner("score_dialogs", self.dialogs)
        self.setFocusProxy(self.files)

    @property
    def current_position(self) -> int:
        """Position of the current file, -1 for none."""
        return self.files.currentIndex().row()

    def show_choice(self, choice: ScoreChoice, *, folders: tuple[str, ...]) -> None:
        """Show what was scored last.

        Args:
            choice: What was scored.
            folders: Folders of recorded releases.
        """
        self.choice = self._scored = choice
        self._folders = folders
        self._show()

    def show_folders(self, folders: tuple[str, ...]) -> None:
        """Offer the folders of recorded releases."""
        if folders != self._folders:
            self._folders = folders
            self._show_releases()

    def show_report(self, report: ScoreReport | None) -> None:
        """Show what scoring found out about release and files, None while it is not known."""
        self.report = report
        if report is not None:
            self._scored, self.choice = self.choice, self.choice.with_digests(report)
        self._show()

    def ask_name(self) -> None:
        """Ask what the model of the current file is called."""
        file = self.choice.files[self.current_position]
        dialog = LinePrompt(
            self.window(),
            title=tr("Rename model"),
            explanation=tr("The tables show this name. Without one, they show the name in the file."),
            placeholder=Path(file.path).stem,
            button=tr("Rename model"),
            text=file.name,
            may_be_empty=True,
        )
        dialog.answered.connect(self._on_name_answered)
        dialog.open(dialog.field)

    def remove(self) -> None:
        """Remove the current file from the list; the file itself stays."""
        files = list(self.choice.files)
        del files[self.current_position]
        self.change(files=tuple(files))

    def toggle_mode(self) -> None:
        """Score by the other rules."""
        self.change(mode=MODES[1 - MODES.index(self.choice.mode)])

    def toggle_missing(self) -> None:
        """Leave missing predictions out, or count them as wrong."""
        self.change(scores_missing=not self.choice.scores_missing)

    def choose_release(self, paths: Sequence[str]) -> None:
        """Score against another release; the last of the paths."""
        # Hidden answer keys belong to one release.
        if paths[-1] != self.choice.release:
            self.change(release=paths[-1], keys="")

    def choose_keys(self, paths: Sequence[str]) -> None:
        """Use the hidden answer keys in another folder; the last of the paths."""
        self.change(keys=paths[-1])

    def add_files(self, paths: Iterable[str]) -> None:
        """Add files or folders of predictions; those that are in the list already are left out."""
        self.change(files=self._with(paths))

    def take(self, paths: Iterable[str]) -> None:
        """Take what was dropped: a release folder is the release, anything else is predictions."""
        chosen = list(paths)
        releases = [path for path in chosen if (Path(path) / MANIFEST).is_file()]
        files = self._with(path for path in chosen if path not in releases)
        release = (self.choice.release, *releases)[-1]
        keys = self.choice.keys if release == self.choice.release else ""
        self.change(release=release, keys=keys, files=files)

    def _with(self, paths: Iterable[str]) -> tuple[ChosenFile, ...]:
        known = {file.path for file in self.choice.files}
        new = dict.fromkeys(path for path in paths if path not in known)
        return (*self.choice.files, *(ChosenFile(path=path) for path in new))

    def change(self, **fields: object) -> None:
        """Change parts of what is scored; fields as in ``ScoreChoice``."""
        changed = msgspec.structs.replace(self.choice, **fields)
        if changed != self.choice:
            self.choice = changed
            self._show()
            self.changed.emit(changed)

    def _change_file(self, **fields: object) -> None:
        files = list(self.choice.files)
        if 0 <= self.current_position < len(files):
            files[self.current_position] = msgspec.structs.replace(files[self.current_position], **fields)
            self.change(files=tuple(files))

    def _lay_out(self) -> None:
        column = column_layout(self, margins_px=(16, 12, 16, 12), spacing_px=8)
        column.addWidget(caption(tr("Release")))
        column.addWidget(self.release)
        column.addWidget(self.release_note)
        column.addWidget(self._button("scores.release"))
        column.addWidget(self._button("scores.keys"))
        column.addSpacing(8)
        column.addWidget(caption(tr("Predictions")))
        column.addWidget(self.files, 1)
        column.addWidget(self.detail)
        row = row_layout(spacing_px=8)
        for name in ("scores.add", "scores.remove"):
            row.addWidget(self._button(name), 1)
        column.addLayout(row)
        column.addSpacing(8)
        column.addWidget(caption(tr("Rules")))
        fields = QFormLayout()
        fields.setHorizontalSpacing(12)
        fields.setVerticalSpacing(8)
        key = self._registry.key
        for title, field in (
            (tr("Form"), self.form),
            (f"{tr('Mode')}  {key('scores.mode')}", self.mode),
            (f"{tr('Missing')}  {key('scores.missing')}", self.missing),
        ):
            field.setAccessibleName(title)
            field.fit_column()
            fields.addRow(label(title, role="dim"), field)
        column.addLayout(fields)
        self.release.setAccessibleName(tr("Release"))
        self.release.fit_column()
        self.form.addItem(tr("Found from the fields"), "")
        for form in FORMS.values():
            self.form.addItem(tr(form.title), form.id)
        self.mode.addItem(tr("Strict"), MODES[0])
        self.mode.addItem(tr("Compatible"), MODES[1])
        self.mode.setToolTip(
            tr(
                "Strict: only certain answers are read. Compatible: replies are read as the papers' "
                "scripts do."
            )
        )
        self.missing.addItem(tr("Left out"), False)
        self.missing.addItem(tr("Wrong (score 0)"), True)

    def _button(self, action_id: str) -> QPushButton:
        action = self._registry.action(action_id)
        made = QPushButton(f"{action.text()}  {self._registry.key(action_id)}".strip())
        self.buttons[action_id] = made
        made.clicked.connect(partial(self._registry.run, action_id))
        return made

    def _show(self) -> None:
        self._show_releases()
        self.release_note.setText(release_note(self.choice, self.report, scored=self._scored))
        self.release_note.setVisible(bool(self.release_note.text()))
        is_hidden = self.report is not None and bool(self.report.hidden)
        self.buttons["scores.keys"].setVisible(is_hidden or bool(self.choice.keys))
        self.files.show_rows(file_rows(self.choice, self.report, scored=self._scored))
        self.mode.setCurrentIndex(MODES.index(self.choice.mode))
        self.missing.setCurrentIndex(int(self.choice.scores_missing))
        self._show_file()

    def _show_releases(self) -> None:
        self.release.clear()
        if not self.choice.release:
            self.release.addItem(tr("No release chosen"), "")
        for folder in dict.fromkeys(filter(None, (self.choice.release, *self._folders))):
            self.release.addItem(Path(folder).name, folder)
            self.release.setItemData(self.release.count() - 1, folder, TIP_ROLE)
        self.release.addItem(tr("Published file of questions…"), ASK)
        self.release.setToolTip(self.choice.release)

    def _show_file(self) -> None:
        has_file = 0 <= self.current_position < len(self.choice.files)
        file = self.choice.files[self.current_position] if has_file else None
        self.form.setEnabled(has_file)
        self.buttons["scores.remove"].setEnabled(has_file)
        self.form.setCurrentIndex(max(0, self.form.findData(file.form_id)) if file else 0)
        self.detail.setText(
            file_detail(self.choice, self.current_position, self.report, scored=self._scored)
            if has_file
            else ""
        )
        self.detail.setVisible(has_file)
        self.file_chosen.emit()

    def _on_files_row_chosen(self, _index: int) -> None:
        self._show_file()

    def _on_release_activated(self, at: int) -> None:
        chosen = str(self.release.itemData(at))
        if chosen == ASK:
            # The entry that asks is no release: the box shows the chosen one again, also after a cancel.
            self._show()
            self.dialogs.ask_questions()
        elif chosen:
            self.choose_release([chosen])

    def _on_form_activated(self, at: int) -> None:
        self._change_file(form_id=self.form.itemData(at))

    def _on_mode_activated(self, at: int) -> None:
        self.change(mode=MODES[at])

    def _on_missing_activated(self, at: int) -> None:
        self.change(scores_missing=bool(at))

    def _on_name_answered(self, name: str) -> None:
        self._change_file(name=name)
