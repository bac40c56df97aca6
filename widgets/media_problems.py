"""Messages for media files that cannot be displayed."""

from __future__ import annotations

from annotator.errors import VantageError
from annotator.media.image_loader import Cause, ImageUnavailable
from widgets.message_text import error_text
from widgets.translation import mark, tr

PROBLEMS: dict[Cause, str] = {
    "outside": mark("File is outside the media folder"),
    "missing": mark("Media file missing"),
    "no_preview": mark("No preview for this media type"),
    "too_large": mark("Image too large to display"),
    "unreadable": mark("Image cannot be read"),
}


def problem_text(error: Exception) -> str:
    """Return the full message."""
    if isinstance(error, ImageUnavailable):
        return tr(PROBLEMS[error.cause])
    if isinstance(error, VantageError):
        return error_text(error)
    return tr("Internal error while reading the image: {error}", error=repr(error))


def short_problem_text(error: Exception) -> str:
    """Return the short message."""
    return tr(PROBLEMS[error.cause if isinstance(error, ImageUnavailable) else "unreadable"])
