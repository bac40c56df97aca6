"""The dialog for the licence of media files."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QCompleter, QLineEdit, QWidget

from widgets.dialog import FormDialog
from widgets.labels import label
from widgets.translation import tr, trn


class LicenceDialog(FormDialog):
    """Asks for a licence text.

    Signals:
        submitted: Emitted on acceptance; carries the licence text, and whether it applies to whole sources.
    """

    submitted = Signal(str, bool)

    def __init__(
        self, window: QWidget, *, licences: set[str], media: int, sources: int, known: Iterable[str]
    ) -> None:
        """Create the dialog.

        Args:
            window: The parent window.
            licences: Current licences of the selected media.
            media: Number of selected media.
            sources: Number of import sources of these media.
            known: All licences of the project, for completion.
        """
        super().__init__(
            window, width=520, title=trn("Licence of {n} media file", "Licence of {n} media files", n=media)
        )
        self.field = QLineEdit(next(iter(licences)) if len(licences) == 1 else "")
        self.field.setPlaceholderText(
            tr("Multiple licences") if len(licences) > 1 else tr("For example: CC BY-NC-SA 4.0")
        )
        self.field.setAccessibleName(tr("Licence"))
        completer = QCompleter(sorted(filter(None, known)), self.field)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.field.setCompleter(completer)
        self.of_source = QCheckBox(
            trn(
                "Apply to all media files of the same source",
                "Apply to all media files of the same {n} sources",
                n=sources,
            )
        )
        self.of_source.setVisible(sources > 0)
        text = tr(
            "The licence under which the media files may be used and redistributed. An empty field "
            "removes the licence."
        )
        self.body.addWidget(label(text, role="dim", wrap=True))
        self.body.addWidget(self.field)
        self.body.addWidget(self.of_source)
        self.main = self.add_buttons(tr("Set licence"))
        self.main.clicked.connect(self._on_main_clicked)

    def _on_main_clicked(self) -> None:
        text, is_of_source = self.field.text().strip(), self.of_source.isChecked()
        self.accept()
        self.submitted.emit(text, is_of_source)
