"""The project's own record: what it is called and where its media lie."""

from __future__ import annotations

from annotator.domain.link import MISMATCH_LIMIT
from annotator.domain.record import Record, Table


class Project(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One project.

    Attributes:
        title: Name that people see.
        created_at: ISO 8601 UTC time.
        media_root: Folder of the media, relative to the project file's folder.
        task_set: Id of the task set that it drafts for, "" while none was chosen.
        link_limit: Largest mismatch of a link that is not flagged, as a share of the longer side of an image.
    """

    title: str
    created_at: str = ""
    media_root: str = ""
    task_set: str = ""
    link_limit: float = MISMATCH_LIMIT

    table = Table(
        entity="project",
    )
