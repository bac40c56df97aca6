"""Reads the state of a project file of any version without changing it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from annotator.store.connection import Connection, DatabaseError, connect, convert_disk_errors, is_damage
from annotator.store.project_path import require_project_file
from annotator.store.schema import USER_VERSION, require_project_schema, version_of

MEDIA_OF_STATE = "SELECT health, count(*) FROM medium WHERE removed=0 GROUP BY health ORDER BY health"


@dataclass(frozen=True, kw_only=True)
class ProjectHealth:
    """The state of a project file.

    Attributes:
        version: Version of its tables.
        size_bytes: Size of the file.
        events: Number of events in the log.
        damage: SQLite's report of damaged pages, "" for none.
        media: Number of media by the health of their files at the last check; empty for a file of an older
            version.
    """

    version: int
    size_bytes: int
    events: int = 0
    damage: str = ""
    media: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_current(self) -> bool:
        """Whether this version of Vantage made the tables."""
        return self.version == USER_VERSION


def inspect_project(path: Path) -> ProjectHealth:
    """Return the state of a project file, read over a read-only connection.

    Raises:
        UserError: There is none, or this version cannot open it.
        EnvironmentFailure: It cannot be read.
    """
    require_project_file(path)
    connection = connect(path, read_only=True)
    try:
        with convert_disk_errors():
            require_project_schema(connection, path=path, may_be_older=True)
            return _inspect(connection, size_bytes=path.stat().st_size)
    finally:
        connection.close()


def _inspect(connection: Connection, *, size_bytes: int) -> ProjectHealth:
    version = version_of(connection)
    try:
        # The first line suffices to report damage; ``verify`` lists all of it.
        damage = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
        if damage != "ok":
            return ProjectHealth(version=version, size_bytes=size_bytes, damage=damage)
        (events,) = connection.execute("SELECT count(*) FROM event").fetchone()
        media = dict(connection.execute(MEDIA_OF_STATE)) if version == USER_VERSION else {}
    except DatabaseError as error:
        if not is_damage(error):
            raise
        return ProjectHealth(version=version, size_bytes=size_bytes, damage=str(error))
    return ProjectHealth(version=version, size_bytes=size_bytes, events=events, media=media)
