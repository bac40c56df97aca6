"""The project's own record: what it is called and where its media lie."""

from __future__ import annotations

from annotator.domain.record import Record, Table


class Project(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One project.

    Attributes:
        title: Name that people see.
        created_at: ISO 8601 UTC time.
        media_root: Folder of the media, relative to the project file's folder.
        task_set: Id of the task set that it drafts for, "" while none was chosen.
    """

    title: str
    created_at: str = ""
    media_root: str = ""
    task_set: str = ""

    table = Table(
        entity="project",
    )
