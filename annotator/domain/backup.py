"""A backup of a project file."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

BackupContent = Literal["unchecked", "sound", "damaged"]


@dataclass(frozen=True, kw_only=True)
class Backup:
    """One backup file.

    Attributes:
        path: The file; it can be opened like any project.
        made_at: UTC time.
        reason: Why it was made: ``timer``, ``before migration`` …
        content: What the check of its content found. Each backup has been checked page by page.
        is_examined: Whether its content was looked at; one of an older version stays ``unchecked``.
    """

    path: Path
    made_at: datetime
    reason: str
    content: BackupContent = "unchecked"
    is_examined: bool = False
