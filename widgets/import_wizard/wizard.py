"""The import wizard: parts on the left, settings of the current part on the right, one button to import."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from widgets.box_layout import row_layout
from widgets.dialog import FormDialog
from widgets.drag_drop import dropped_paths
from widgets.import_wizard.choices import Choice, FileChoice, MediaChoice
from widgets.import_wizard.file_page import FilePage
from widgets.import_wizard.import_scanner import ImportScanner
from widgets.import_wizard.media_page import MediaPage
from widgets.import_wizard.part_list import PartList
from widgets.key_bindings import shown
from widgets.labels import ElidedLabel, label
from widgets.project_controller import ProjectController
from widgets.settings import Settings
from widgets.translation import join_texts, tr, trn

WIDTH_PX, HEIGHT_PX = 1180, 760
LIST_PX = 320
TYPING_PAUSE_MS = 200


class ImportWizard(FormDialog):
    """Accepts selected or dropped files and folders, shows their formats, and allows corrections.

    Signals:
        submitted: Emitted on acceptance; carries the list of choices to import, media first.
    """

    submitted = Signal(object)

    def __init__(
        self,
        window: QWidget,
        *,
        controller: ProjectController,
        settings: Settings,
        paths: tuple[Path, ...] = (),
    ) -> None:
        super().__init__(window, width=WIDTH_PX, height=HEIGHT_PX, title=tr("Import"))
        self.setAcceptDrops(True)
        self._settings = settings
        self.choices: list[Choice] = []
        self._known: set[Path] = set()
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(TYPING_PAUSE_MS)
        self._scanner = ImportScanner(controller, parent=self)
        self._lay_out()
        self._connect()
        self._show_choices()
        if paths:
            self.add_paths(paths)

    def add_paths(self, paths: tuple[Path, ...]) -> None:
        """Scan files and folders and show their content; paths that are already listed are skipped."""
        new = tuple(path for path in dict.fromkeys(paths) if path not in self._known)
        if new:
            self._known.update(new)
            self._settings.keep("folders/import", str(new[0] if new[0].is_dir() else new[0].parent))
            self._scanner.scan(new)

    def choose_files(self) -> None:
        """Open the system's dialog for files."""
        self._choose(QFileDialog.FileMode.ExistingFiles, tr("Files to import"))

    def choose_folder(self) -> None:
        """Open the system's dialog for a folder."""
        self._choose(QFileDialog.FileMode.Directory, tr("Folder to import"))

    def has_entries(self) -> bool:
        """Return whether files were added, whose settings a cancellation would discard."""
        return bool(self.choices)

    def is_settled(self) -> bool:
        """Return whether all parts are scanned and counted."""
        return self._scanner.is_settled()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept dragged files."""
        if dropped_paths(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Accept dropped files."""
        self.add_paths(dropped_paths(event))
        event.acceptProposedAction()

    def _lay_out(self) -> None:
        self.files = QPushButton(tr("Add files…"))
        self.folder = QPushButton(tr("Add a folder…"))
        adding = QHBoxLayout()
        adding.addWidget(self.files)
        adding.addWidget(self.folder)
        adding.addWidget(label(tr("or drop them here"), role="dim"))
        adding.addStretch()
        self.state = label(role="dim")
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(120)
        self.bar.hide()
        adding.addWidget(self.state)
        adding.addWidget(self.bar)
        self.parts = PartList()
        self.parts.setFixedWidth(LIST_PX)
        self.file_page, self.media_page = FilePage(), MediaPage()
        self._stack = QStackedWidget()
        for page in (_empty(), self.file_page, self.media_page):
            self._stack.addWidget(page)
        middle = row_layout(spacing_px=16)
        middle.addWidget(self.parts)
        middle.addWidget(self._stack, 1)
        text = tr(
            "The original records are kept. Contradictions become flags. Records already present are "
            "skipped. Undo reverts the import."
        )
        self.body.addLayout(adding)
        self.body.addSpacing(4)
        self.body.addLayout(middle, 1)
        start = QShortcut(QKeySequence("Ctrl+Return"), self)
        start.activated.connect(self._on_start_activated)
        self.main = self.add_buttons(tr("Import"), left=ElidedLabel(text, role="label"))

    def _connect(self) -> None:
        self.files.clicked.connect(self.choose_files)
        self.folder.clicked.connect(self.choose_folder)
        self.parts.chosen.connect(self._on_part_chosen)
        self.parts.selection_changed.connect(self._show_main)
        self.file_page.reading_changed.connect(self._on_reading_changed)
        # Each letter restarts the timer: a folder of 100,000 files is not grouped again for every letter.
        self.media_page.grouping_changed.connect(self._typing.start)
        self._typing.timeout.connect(self._on_typing_paused)
        self._scanner.found.connect(self._on_found)
        self._scanner.part_changed.connect(self._on_part_changed)
        self._scanner.counted.connect(self.parts.refresh)
        self._scanner.progress_changed.connect(self._on_progress_changed)
        self.main.clicked.connect(self._on_main_clicked)
        self.finished.connect(self._on_closed)

    def _show_choices(self) -> None:
        self.parts.setVisible(bool(self.choices))
        self.parts.show_choices(self.choices)
        self._show_main()

    def _show_main(self) -> None:
        selected = self._selected()
        new = sum(
            choice.report.added for choice in selected if isinstance(choice, FileChoice) and choice.report
        )
        groupings = (choice.grouping for choice in selected if isinstance(choice, MediaChoice))
        media = sum(grouping.files for grouping in groupings if grouping is not None)
        texts = [trn("{n} record", "{n} records", n=new)] if new else []
        texts += [trn("{n} media file", "{n} media files", n=media)] if media else []
        self.name_main(self.main, tr("Import {what}", what=join_texts(texts)) if texts else tr("Import"))
        self.main.setEnabled(bool(selected))
        self.main.setToolTip(shown("Ctrl+Return"))

    def _selected(self) -> list[Choice]:
        selected = [choice for choice in self.choices if choice.is_selected and choice.is_ready]
        # Media first: labels in relative coordinates need the image sizes, and find the images by name.
        return sorted(selected, key=lambda choice: isinstance(choice, FileChoice))

    def _choose(self, mode: QFileDialog.FileMode, title: str) -> None:
        dialog = QFileDialog(self, title, self._settings.text("folders/import", str(Path.home())))
        dialog.setFileMode(mode)
        if mode == QFileDialog.FileMode.Directory:
            dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.filesSelected.connect(self._on_files_selected)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_files_selected(self, names: list[str]) -> None:
        self.add_paths(tuple(Path(name) for name in names))

    def _on_found(self, choices: list[Choice]) -> None:
        self.choices = sorted([*self.choices, *choices], key=lambda choice: isinstance(choice, FileChoice))
        self._show_choices()
        self.parts.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_part_changed(self, choice: Choice, is_read_anew: bool) -> None:
        self.parts.refresh(choice)
        self._show_main()
        if self._front() is not choice:
            return
        if isinstance(choice, MediaChoice):
            self.media_page.refresh()
        elif is_read_anew:
            self.file_page.show_choice(choice)
        else:
            self.file_page.refresh()

    def _on_progress_changed(self, text: str, is_busy: bool) -> None:
        self.state.setText(text)
        self.bar.setRange(0, 0 if is_busy else 1)
        self.bar.setVisible(is_busy)

    def _front(self) -> Choice | None:
        at = self.parts.currentRow()
        return self.choices[at] if 0 <= at < len(self.choices) else None

    def _on_part_chosen(self, _at: int) -> None:
        choice = self._front()
        if isinstance(choice, FileChoice):
            self.file_page.show_choice(choice)
            self._stack.setCurrentWidget(self.file_page)
        elif isinstance(choice, MediaChoice):
            self.media_page.show_choice(choice)
            self._stack.setCurrentWidget(self.media_page)
        else:
            self._stack.setCurrentIndex(0)

    def _on_reading_changed(self) -> None:
        choice = self._front()
        if isinstance(choice, FileChoice):
            self._scanner.read_again(choice)

    def _on_typing_paused(self) -> None:
        choice = self._front()
        if isinstance(choice, MediaChoice):
            self._scanner.group(choice)

    def _on_start_activated(self) -> None:
        if self.main.isEnabled():
            self._on_main_clicked()

    def _on_main_clicked(self) -> None:
        selected = self._selected()
        self.accept()
        self.submitted.emit(selected)

    def _on_closed(self, _result: int) -> None:
        # A timeout after closing would start a grouping for a deleted page.
        self._typing.stop()
        self._scanner.stop()


def _empty() -> QWidget:
    made = QWidget()
    column = QVBoxLayout(made)
    column.addStretch()
    choose = tr("Choose files or a folder, or drop them here")
    formats = tr(
        "Annotations, questions, boxes, tracks, poses, spreadsheets, archives, images and "
        "videos. The format is detected from the content."
    )
    for text, role in ((choose, "strong"), (formats, "dim")):
        line = label(text, role=role, wrap=True)
        line.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(line)
    column.addStretch()
    return made
