"""The dialog for the file in which a table or a plot of scores is saved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget


def ask_file(parent: QWidget, *, title: str, filters: Sequence[str], call: Callable[[str], object]) -> None:
    """Ask for a file whose ending decides the form.

    Args:
        parent: Where the dialog is opened.
        title: Title of the dialog.
        filters: Names of the forms with their endings, the usual one first: ``CSV (*.csv)``.
        call: Gets the path of the file.
    """
    dialog = QFileDialog(parent, title, str(Path.home()))
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setNameFilters(list(filters))
    _follow_filter(dialog, filters[0])
    dialog.filterSelected.connect(partial(_follow_filter, dialog))
    dialog.fileSelected.connect(call)
    # open(), not exec(): a nested event loop would allow commands while the dialog is open.
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def _follow_filter(dialog: QFileDialog, chosen: str) -> None:
    """Complete names with the ending of the chosen form."""
    dialog.setDefaultSuffix(chosen.partition("*.")[2].rstrip(")"))
