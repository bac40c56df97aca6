"""Reports that a project cannot be opened: reason and options, as a page and as a dialog."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from annotator.domain.backup import Backup
from annotator.project_recovery import OpenFailure
from widgets import display_text
from widgets.box_layout import column_layout, row_layout
from widgets.combo_box import ComboBox
from widgets.dialog import FormDialog
from widgets.empty_state import EmptyStateIcon
from widgets.labels import ElidedLabel, caption, label
from widgets.message_text import message_text
from widgets.translation import mark, tr

WIDTH_PX = 560

BACKUP_REASONS = {
    "timer": mark("automatic"),
    "before undo": mark("before an undo"),
    "before redo": mark("before a redo"),
    "before an update of the file": mark("before an upgrade of the file"),
}
"""English texts of the reasons for a backup."""
CONTENTS = {"sound": mark("content checked"), "damaged": mark("damaged")}
"""English texts of what is known of a backup's content."""


class OpenFailurePanel(QWidget):
    """Message, advice and buttons for a project that cannot be opened.

    Signals:
        open_requested: Emitted when the user wants to open another project.
        read_requested: Emitted when the user wants to open the project read-only.
        restore_requested: Emitted when the user restores a backup; carries the ``Backup``.
    """

    open_requested = Signal()
    read_requested = Signal()
    restore_requested = Signal(object)

    def __init__(self, failure: OpenFailure) -> None:
        super().__init__()
        self.failure = failure
        error = failure.error
        self.headline = label(tr("The project cannot be opened"), role="big")
        self.message = label(message_text(error.message), wrap=True, selectable=True)
        self.advice = label(message_text(error.hint), role="dim", wrap=True, selectable=True)
        self.read = QPushButton(tr("Open for reading"))
        self.read.setToolTip(tr("Show the project without changing it"))
        self.read.clicked.connect(self.read_requested)
        self.other = QPushButton(tr("Open another project…"))
        self.other.clicked.connect(self.open_requested)
        # With a parent, like the button below: without backups no layout gives them one.
        self.backups = ComboBox(self)
        self.backups.setAccessibleName(tr("Backup"))
        for backup in failure.backups:
            self.backups.addItem(_backup_text(backup), backup)
        whole = (number for number, one in enumerate(failure.backups) if one.content != "damaged")
        self.backups.setCurrentIndex(next(whole, 0))
        self.restore = QPushButton(tr("Restore backup"), self)
        self.restore.setToolTip(tr("Open a copy of the backup; the project file stays as it is"))
        self.restore.clicked.connect(self._on_restore_clicked)
        self._lay_out()

    def main_button(self) -> QPushButton:
        """Return the button of the option that is most likely to help."""
        if self.failure.can_read:
            return self.read
        return self.restore if self.failure.backups else self.other

    def _lay_out(self) -> None:
        self.main_button().setProperty("kind", "main")
        column = column_layout(self, margins_px=0, spacing_px=8)
        column.addWidget(self.headline)
        column.addWidget(ElidedLabel(str(self.failure.path), role="label", mode=Qt.TextElideMode.ElideMiddle))
        for part in (self.message, self.advice):
            column.addWidget(part)
            part.setVisible(bool(part.text()))
            if part.text():
                # A word-wrapped label reports its height only when its width and font are known.
                part.ensurePolished()
                part.setMinimumHeight(part.heightForWidth(WIDTH_PX))
        column.addSpacing(12)
        column.addLayout(_row(self.read, self.other))
        self.read.setVisible(self.failure.can_read)
        self.backups.setVisible(bool(self.failure.backups))
        self.restore.setVisible(bool(self.failure.backups))
        if self.failure.backups:
            column.addSpacing(12)
            column.addWidget(caption(tr("Backups of this project")))
            column.addLayout(_row(self.backups, self.restore))

    def _on_restore_clicked(self) -> None:
        self.restore_requested.emit(self.backups.currentData())


class OpenFailurePage(QWidget):
    """The panel in the centre of the window while no project is open."""

    def __init__(self, panel: OpenFailurePanel) -> None:
        super().__init__()
        self.panel = panel
        inner = QWidget()
        inner.setFixedWidth(WIDTH_PX)
        column = column_layout(inner, margins_px=0)
        column.addWidget(EmptyStateIcon("library"))
        column.addSpacing(8)
        column.addWidget(panel)
        outer = QVBoxLayout(self)
        outer.addStretch(2)
        outer.addWidget(inner, alignment=Qt.AlignmentFlag.AlignHCenter)
        outer.addStretch(3)


class OpenFailureDialog(FormDialog):
    """The panel as a dialog, while another project is open."""

    def __init__(self, window: QWidget, panel: OpenFailurePanel) -> None:
        super().__init__(window, width=WIDTH_PX + 40)
        self.setWindowTitle(panel.headline.text())
        self.body.addWidget(panel)
        cancel = QPushButton(tr("Cancel"))
        cancel.clicked.connect(self.reject)
        row = QHBoxLayout()
        row.addStretch()
        row.addWidget(cancel)
        self.body.addLayout(row)
        self.name_main(panel.main_button(), panel.main_button().text())
        panel.main_button().setDefault(True)
        for request in (panel.open_requested, panel.read_requested, panel.restore_requested):
            request.connect(self.accept)


def _row(*parts: QWidget) -> QHBoxLayout:
    row = row_layout(spacing_px=8)
    for part in parts:
        row.addWidget(part)
    row.addStretch()
    return row


def _backup_text(backup: Backup) -> str:
    made_at = backup.made_at.astimezone().strftime("%Y-%m-%d %H:%M")
    reason = tr(BACKUP_REASONS[backup.reason]) if backup.reason in BACKUP_REASONS else backup.reason
    size = display_text.size_text(backup.path.stat().st_size) if backup.path.is_file() else ""
    content = tr(CONTENTS[backup.content]) if backup.content in CONTENTS else ""
    return " · ".join(part for part in (made_at, reason, size, content) if part)
