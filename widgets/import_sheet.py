"""The sheet that asks which files to import, and says what will happen."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from widgets import icons
from widgets.choice_box import ChoiceBox
from widgets.labels import ElidedLabel, label
from widgets.settings import Settings
from widgets.sheet import Sheet
from widgets.translation import mark as _
from widgets.translation import tr

FORMATS = {
    "": _("Found from the content"),
    "aircop-labels": _("AirCopBench labels (Label Studio JSON)"),
    "aircop-questions": _("AirCopBench questions (JSON)"),
    "spatialuav": _("SpatialUAV items (JSON lines)"),
    "urbanvideo": _("UrbanVideo-Bench questions (CSV)"),
    "native": _("Vantage records (JSON lines)"),
}
"""Ids of the readers of files with their English words; the empty one lets the content decide."""


class ImportSheet(Sheet):
    """Takes files by choice or by drop.

    Signals:
        accepted: Carries the paths, the id of the format ("" for found) and the name of the dataset.
    """

    accepted = Signal(object, str, str)

    def __init__(self, window: QWidget, *, settings: Settings, paths: tuple[Path, ...] = ()) -> None:
        super().__init__(window, width=640, title=tr("Import files"))
        self.setAcceptDrops(True)
        self._settings = settings
        self.paths: list[Path] = []
        self.format = ChoiceBox()
        for name, words in FORMATS.items():
            self.format.addItem(tr(words), name)
        self.dataset = QLineEdit()
        self.dataset.setPlaceholderText(tr("Taken from the files"))
        self._list = QVBoxLayout()
        self._list.setSpacing(0)
        self._lay_out()
        self.main = self.add_buttons(tr("Import"))
        self.main.clicked.connect(self._on_main_clicked)
        self.add_paths(paths)

    def add_paths(self, paths: tuple[Path, ...]) -> None:
        """Take files into the list; those that are in it already stay once."""
        self.paths += [path for path in dict.fromkeys(paths) if path not in self.paths]
        self._show_paths()

    def choose_files(self) -> None:
        """Open the system's dialog for files."""
        dialog = QFileDialog(
            self, tr("Files to import"), self._settings.text("folders/import", str(Path.home()))
        )
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        patterns = "*.json *.jsonl *.csv"
        dialog.setNameFilters(
            [tr("Annotations and questions ({patterns})", patterns=patterns), tr("All files (*)")]
        )
        dialog.filesSelected.connect(self._on_files_selected)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files that are dragged here."""
        if dropped_files(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Take files that are dropped here."""
        self.add_paths(dropped_files(event))
        event.acceptProposedAction()

    def _lay_out(self) -> None:
        inner = QWidget()
        inner.setLayout(self._list)
        self._list.setContentsMargins(0, 0, 8, 0)
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setWidget(inner)
        self.choose = QPushButton(tr("Choose files…"))
        self.choose.clicked.connect(self.choose_files)
        row = QHBoxLayout()
        row.addWidget(self.choose)
        row.addWidget(label(tr("or drop them on the window"), role="dim"))
        row.addStretch()
        fields = QFormLayout()
        fields.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        fields.setHorizontalSpacing(16)
        fields.setVerticalSpacing(8)
        fields.addRow(label(tr("Format"), role="dim"), self.format)
        fields.addRow(label(tr("Dataset"), role="dim"), self.dataset)
        words = tr(
            "Each record keeps its original text. What is put right is written beside it, a contradiction"
            " becomes a flag, and a record that cannot be read is listed with file, line and field. A "
            "record that the project has already is not taken twice. Cancel, or undo, leaves the project "
            "as it was."
        )
        self.body.addLayout(row)
        self.body.addWidget(self._area)
        self.body.addLayout(fields)
        self.body.addSpacing(4)
        self.body.addWidget(label(words, role="dim", wrap=True))

    def _show_paths(self) -> None:
        while (entry := self._list.takeAt(0)) is not None:
            if (part := entry.widget()) is not None:
                part.deleteLater()
        for path in self.paths:
            self._list.addWidget(self._row(path))
        self._list.addStretch()
        self._area.setVisible(bool(self.paths))
        self._area.setFixedHeight(min(len(self.paths), 6) * 32 + 4)
        self.main.setEnabled(bool(self.paths))
        if self.isVisible():
            self.resettle()

    def _row(self, path: Path) -> QWidget:
        made = QWidget()
        made.setFixedHeight(32)
        row = QHBoxLayout(made)
        row.setContentsMargins(0, 0, 0, 0)
        name = ElidedLabel(path.name, role="mono", mode=Qt.TextElideMode.ElideMiddle)
        folder = ElidedLabel(str(path.parent), role="label", mode=Qt.TextElideMode.ElideMiddle)
        remove = QToolButton()
        remove.setIcon(icons.icon("close"))
        remove.setIconSize(icons.SMALL)
        remove.setToolTip(tr("Take this file off the list"))
        remove.setAccessibleName(tr("Take this file off the list"))
        remove.clicked.connect(partial(self._remove, path))
        row.addWidget(name, 1)
        row.addWidget(folder, 1)
        row.addWidget(remove)
        return made

    def _remove(self, path: Path) -> None:
        self.paths.remove(path)
        self._show_paths()

    def _on_files_selected(self, names: list[str]) -> None:
        paths = tuple(Path(name) for name in names)
        self._settings.keep("folders/import", str(paths[0].parent))
        self.add_paths(paths)

    def _on_main_clicked(self) -> None:
        form, dataset = str(self.format.currentData()), self.dataset.text().strip()
        self.close_sheet()
        self.accepted.emit(tuple(self.paths), form, dataset)


def dropped_files(event: QDropEvent) -> tuple[Path, ...]:
    """Return the files of a drop that lie on this machine."""
    paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
    return tuple(path for path in paths if path.is_file())
