"""Makes the tables of a file anew where they are not those of this version; log and model work stay."""

from __future__ import annotations

from pathlib import Path

from annotator.progress import Progress
from annotator.store.backups import make_backup
from annotator.store.connection import Connection, transaction
from annotator.store.event_upgrade import upgrade_heads
from annotator.store.replay import replay
from annotator.store.schema import (
    USER_VERSION,
    add_packed_values,
    create_staging,
    is_current,
    version_of,
)
from annotator.store.staging import delete_staged_events
from annotator.store.work.tables import TABLES, create_work_tables

KEPT = ("event", "head", *TABLES)
"""The log, and the evidence of model work, which nothing else could tell again."""
VIRTUAL_FIRST = f"""
SELECT name FROM sqlite_schema
WHERE type='table' AND name NOT IN {KEPT} AND name NOT LIKE 'sqlite!_%' ESCAPE '!'
ORDER BY sql NOT LIKE 'CREATE VIRTUAL%' LIMIT 1
"""
FIRST_WITH_WORK = 3
"""Files of an older version know nothing of model work."""
FIRST_RENAMED = 8
"""Files of an older version have former names of fields in their table of newest values."""


def migrate(connection: Connection, *, path: Path, progress: Progress) -> bool:
    """Make the tables of a project anew where they are not those of this version, after a backup of it.

    All of it is one transaction: stopped or broken off, the file is as it was.

    Args:
        connection: The project, for writing.
        path: Its file.
        progress: One step per event.

    Returns:
        Whether there was anything to do.

    Raises:
        EnvironmentFailure: The backup or the new tables could not be written.
        UserError: The log cannot be replayed.
        Cancelled: The user stopped it.
    """
    if is_current(connection):
        return False
    # Outside of the transaction: it is the way back where the new version itself is at fault.
    make_backup(path, reason="before an update of the file", progress=progress)
    with transaction(connection):
        # Two windows may have asked at once; the second finds it done.
        if not is_current(connection):
            delete_staged_events(connection)
            _drop_tables(connection)
            create_staging(connection)
            add_packed_values(connection)
            if version_of(connection) < FIRST_WITH_WORK:
                create_work_tables(connection)
            if version_of(connection) < FIRST_RENAMED:
                upgrade_heads(connection)
            replay(connection, connection, progress=progress)
            connection.execute(f"PRAGMA user_version={USER_VERSION}")
    return True


def _drop_tables(connection: Connection) -> None:
    # A search table takes its own parts along, so the list is asked for anew each time.
    while (found := connection.execute(VIRTUAL_FIRST).fetchone()) is not None:
        connection.execute(f'DROP TABLE "{found[0]}"')
