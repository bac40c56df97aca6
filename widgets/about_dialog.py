"""The dialog with the versions of Vantage and its libraries, and the licences."""

from __future__ import annotations

from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QWidget

import resources
from annotator.diagnostics.crash_report import versions
from widgets.dialog import FormDialog
from widgets.labels import caption, label
from widgets.translation import tr

VERSIONS_PX = 150


class AboutDialog(FormDialog):
    """Shows versions, which can be copied, and the notice about licences."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window, width=680, height=620, title=tr("About Vantage"))
        about = tr(
            "Vantage is a workbench for building question-answering benchmarks from drone video and images."
        )
        self.versions = _text_field(
            "\n".join(f"{name}: {version}" for name, version in versions().items()), name=tr("Versions")
        )
        self.versions.setFixedHeight(VERSIONS_PX)
        self.licences = _text_field(_notice(), name=tr("Licences"))
        self.copy = QPushButton(tr("Copy versions"))
        self.copy.clicked.connect(self._on_copy_clicked)
        self.body.addWidget(label(about, wrap=True))
        for field in (self.versions, self.licences):
            self.body.addWidget(caption(field.accessibleName()))
            self.body.addWidget(field)
        self.add_close_button(left=self.copy)

    def _on_copy_clicked(self) -> None:
        QGuiApplication.clipboard().setText(self.versions.toPlainText())
        self.copy.setText(tr("Copied"))


def _text_field(text: str, *, name: str) -> QPlainTextEdit:
    field = QPlainTextEdit()
    field.setReadOnly(True)
    field.setTabChangesFocus(True)
    field.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
    field.setPlainText(text)
    field.setAccessibleName(name)
    return field


def _notice() -> str:
    """Return the notice; a build without the notice file gets the name of the licence only."""
    path = resources.document("NOTICE")
    return path.read_text(encoding="utf-8") if path.is_file() else "Apache-2.0"
