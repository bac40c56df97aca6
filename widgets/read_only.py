"""Why a project is open for reading only, as a sentence for the user."""

from __future__ import annotations

import os

from PySide6.QtWidgets import QWidget

from annotator.session import Session
from widgets.translation import tr


def read_only_reason(session: Session | None) -> str:
    """Return why a project cannot be changed and what to do, "" for one that can or for none."""
    if session is None or not session.is_read_only:
        return ""
    if os.access(session.path, os.W_OK) and os.access(session.path.parent, os.W_OK):
        return tr("The project is open for reading only. To change it, close it and open it again.")
    return tr(
        "The project is open for reading only: its file or folder is not writable. To change it, copy it "
        "with its media files to a writable folder and open it there."
    )


def disable_edits(reason: str, *parts: QWidget) -> None:
    """Disable widgets that would change a project which is open for reading only, and say why.

    Args:
        reason: As ``read_only_reason`` returns it; with "" nothing is disabled.
        parts: The widgets.
    """
    if reason:
        for part in parts:
            part.setEnabled(False)
            part.setToolTip(reason)
