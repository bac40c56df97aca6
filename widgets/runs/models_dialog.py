"""The dialog for model profiles: a list of profiles, and a form for the selected one."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListWidget,
    QPushButton,
    QScrollArea,
    QWidget,
)

from annotator.domain.profile import ModelProfile
from annotator.errors import UserError, VantageError
from annotator.session import Session
from widgets import theme
from widgets.box_layout import column_layout, row_layout
from widgets.dialog import FormDialog
from widgets.labels import label
from widgets.message_text import error_text
from widgets.runs.connection_test import ConnectionTest
from widgets.runs.profile_form import ProfileForm
from widgets.translation import tr

LIST_PX = 240


class ModelsDialog(FormDialog):
    """Edits the user's model profiles; they are written only by 'Save' or 'Test model'."""

    def __init__(self, window: QWidget, *, session: Session, profiles: Mapping[str, ModelProfile]) -> None:
        """Create the dialog.

        Args:
            window: Parent window.
            session: Stores the profiles.
            profiles: The stored profiles by name.
        """
        super().__init__(window, width=960, height=720, title=tr("Models"))
        self._session = session
        self.profiles = list(profiles.values())
        self._kept = list(self.profiles)
        self.names = QListWidget()
        self.names.setAccessibleName(tr("Models"))
        self.names.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.form = ProfileForm()
        self.connection_test = ConnectionTest()
        self.problem_label = label(role="warn", wrap=True)
        self.add_one, self.copy_one, self.remove_one = (
            QPushButton(text) for text in (tr("Add model"), tr("Copy"), tr("Remove"))
        )
        self._lay_out()
        self.main = self.add_buttons(tr("Save"))
        self.main.clicked.connect(self._on_main_clicked)
        self.add_one.clicked.connect(self._on_add_clicked)
        self.copy_one.clicked.connect(self._on_copy_clicked)
        self.remove_one.clicked.connect(self._on_remove_clicked)
        self.form.changed.connect(self._on_form_changed)
        self.connection_test.requested.connect(self._on_test_requested)
        self.finished.connect(self._on_closed)
        self._show_names(0)
        self.names.currentRowChanged.connect(self._on_name_chosen)

    def has_entries(self) -> bool:
        """Return whether a profile differs from its stored version, or the form is invalid."""
        return self.profiles != self._kept or (bool(self.profiles) and bool(self.problem_label.text()))

    def _lay_out(self) -> None:
        left = column_layout(spacing_px=8)
        left.addWidget(self.names, 1)
        self.names.setFixedWidth(LIST_PX)
        for button in (self.add_one, self.copy_one, self.remove_one):
            left.addWidget(button)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(self.form)
        right = column_layout(spacing_px=8)
        text = tr(
            "Do not enter API keys here. Store the API key in an environment variable or in the "
            "system keyring, and enter env:NAME or keyring:NAME. Model profiles belong to your user "
            "account, not to the project."
        )
        right.addWidget(label(text, role="dim", wrap=True))
        right.addWidget(area, 1)
        right.addWidget(self.problem_label)
        right.addWidget(self.connection_test)
        row = row_layout(spacing_px=24)
        row.addLayout(left)
        row.addLayout(right, 1)
        self.body.addLayout(row, 1)

    def _show_names(self, at: int) -> None:
        # Signals are blocked: each added row would become current and fill the form.
        self.names.blockSignals(True)
        self.names.clear()
        for profile in self.profiles:
            self.names.addItem(profile.name or tr("Unnamed"))
            self.names.item(self.names.count() - 1).setSizeHint(QSize(0, theme.ROW))
        self.names.setCurrentRow(at)
        self.names.blockSignals(False)
        self._on_name_chosen(at)

    def _on_name_chosen(self, at: int) -> None:
        if 0 <= at < len(self.profiles):
            self.form.show_profile(self.profiles[at])
        self.connection_test.forget()
        self._check()

    def _on_form_changed(self) -> None:
        at = self.names.currentRow()
        # The test result describes the profile before this edit.
        self.connection_test.forget()
        if self._check() and at >= 0:
            self.profiles[at] = self.form.profile()
            self.names.item(at).setText(self.profiles[at].name or tr("Unnamed"))
            self._check()

    def _check(self) -> bool:
        """Show the errors of the form, and return whether there are none."""
        try:
            profile = self.form.profile()
        except UserError as error:
            self._show_problem(error_text(error))
            return False
        others = [one.name for at, one in enumerate(self.profiles) if at != self.names.currentRow()]
        missing = tr("Enter a name for the model.") if not profile.name else ""
        self._show_problem(
            missing
            or (tr("Two models have this name. Rename one of them.") if profile.name in others else "")
        )
        return True

    def _show_problem(self, text: str) -> None:
        self.problem_label.setText(text)
        self.problem_label.setVisible(bool(text))
        self.connection_test.button.setEnabled(not text and bool(self.profiles))
        # The first check runs before the buttons are created.
        if hasattr(self, "main"):
            self.main.setEnabled(not text)

    def _on_add_clicked(self) -> None:
        self.profiles.append(ModelProfile(name=_free_name(tr("New model"), self.profiles), adapter="openai"))
        self._show_names(len(self.profiles) - 1)
        self.form.fields["name"].setFocus(Qt.FocusReason.OtherFocusReason)
        self.form.fields["name"].selectAll()

    def _on_copy_clicked(self) -> None:
        at = self.names.currentRow()
        if at >= 0:
            made = msgspec.structs.replace(
                self.profiles[at], name=_free_name(self.profiles[at].name, self.profiles)
            )
            self.profiles.append(made)
            self._show_names(len(self.profiles) - 1)

    def _on_remove_clicked(self) -> None:
        at = self.names.currentRow()
        if at >= 0:
            del self.profiles[at]
            self._show_names(min(at, len(self.profiles) - 1))

    def _on_main_clicked(self) -> None:
        if self._keep():
            self.accept()

    def _on_test_requested(self) -> None:
        at = self.names.currentRow()
        # The child process reads the profiles from the file, so they have to be saved first.
        if at >= 0 and self._keep():
            self.connection_test.try_model(self.profiles[at].name)

    def _on_closed(self, _result: int) -> None:
        self.connection_test.stop()

    def _keep(self) -> bool:
        """Write the profiles, and return whether that succeeded."""
        try:
            # Synchronous: the file is small, and the dialog stays open to show an error beside the form.
            self._session.runs.save_profiles({profile.name: profile for profile in self.profiles})
        except VantageError as error:
            self._show_problem(error_text(error))
            self.main.setEnabled(True)
            self.connection_test.button.setEnabled(True)
            return False
        self._kept = list(self.profiles)
        return True


def _free_name(name: str, profiles: list[ModelProfile]) -> str:
    taken = {profile.name for profile in profiles}
    number = 2
    found = name
    while found in taken:
        found, number = f"{name} {number}", number + 1
    return found
