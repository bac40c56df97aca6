"""The dialog of the exchange folder: where it is, and what was exchanged."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QLineEdit, QListWidget, QPushButton, QWidget

from widgets.box_layout import row_layout
from widgets.bundles.bundle_files import typed_path
from widgets.dialog import FormDialog
from widgets.labels import caption, label
from widgets.translation import tr

LIST_PX = 140


class ExchangeDialog(FormDialog):
    """Form for the exchange folder of a project.

    Signals:
        submitted: Emitted on acceptance; carries the folder, None to end the exchange.
    """

    submitted = Signal(object)

    def __init__(self, window: QWidget, *, folder: Path | None, lines: tuple[str, ...]) -> None:
        """Create the dialog.

        Args:
            window: Parent window.
            folder: The folder now, None for none.
            lines: What was exchanged since the project was opened, newest first.
        """
        super().__init__(window, width=640, title=tr("Exchange folder"))
        text = tr(
            "While the project is open, your changes are written to this folder, and the changes of others "
            "are merged when they appear in it. Choose a folder that a sync program shares with the others: "
            "each of them chooses it for their copy of the project. The choice applies to you and this copy."
        )
        self.body.addWidget(label(text, role="dim", wrap=True))
        self.folder = QLineEdit(str(folder) if folder is not None else "")
        self.folder.setPlaceholderText(tr("No folder: bundles are exported and merged by hand"))
        self.folder.setAccessibleName(tr("Exchange folder"))
        self.choose = QPushButton(tr("Choose…"))
        row = row_layout(spacing_px=8)
        row.addWidget(self.folder, 1)
        row.addWidget(self.choose)
        self.body.addLayout(row)
        self.problem_label = label(role="warn", wrap=True)
        self.body.addWidget(self.problem_label)
        if lines:
            self.body.addWidget(caption(tr("Exchanged since the project was opened")))
            self.log = QListWidget()
            self.log.setFixedHeight(LIST_PX)
            self.log.addItems(list(lines))
            self.body.addWidget(self.log)
        self.body.addStretch()
        self.end = QPushButton(tr("Stop exchange"))
        self.end.setVisible(folder is not None)
        self.main = self.add_buttons(tr("Use folder"), left=self.end)
        self.choose.clicked.connect(self._on_choose_clicked)
        self.end.clicked.connect(self._on_end_clicked)
        self.main.clicked.connect(self._on_main_clicked)
        self.folder.textChanged.connect(self._check)
        self._check()

    def _check(self) -> None:
        text = self.folder.text().strip()
        is_there = bool(text) and typed_path(text).is_dir()
        self.problem_label.setText(
            "" if is_there or not text else tr("The folder {folder} does not exist.", folder=text)
        )
        self.problem_label.setVisible(bool(self.problem_label.text()))
        self.main.setEnabled(is_there)

    def _on_choose_clicked(self) -> None:
        dialog = QFileDialog(self, tr("Exchange folder"), self.folder.text() or str(Path.home()))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self.folder.setText)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_end_clicked(self) -> None:
        self.accept()
        self.submitted.emit(None)

    def _on_main_clicked(self) -> None:
        folder = typed_path(self.folder.text())
        self.accept()
        self.submitted.emit(folder)
