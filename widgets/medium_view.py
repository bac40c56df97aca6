"""The view of a media file, for the Library and the stage."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from annotator.domain.medium import Medium


@dataclass(frozen=True, kw_only=True)
class MediumView:
    """A medium as a view of a scene or item.

    Attributes:
        view: Name of the view, "" for none.
        medium: The medium.
        file: Expected path; None if it is outside the media folder.
    """

    view: str
    medium: Medium
    file: Path | None
