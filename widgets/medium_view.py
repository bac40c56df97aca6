"""A medium as it is shown: what the Library's pictures and the stage both start from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from annotator.domain.medium import Medium


@dataclass(frozen=True, kw_only=True)
class MediumView:
    """A medium as a view of something.

    Attributes:
        view: Name of the view, "" where there is none.
        medium: The medium.
        file: Where it should lie; None where its path leads out of its media root.
    """

    view: str
    medium: Medium
    file: Path | None
