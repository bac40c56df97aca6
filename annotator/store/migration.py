"""Rebuilds the tables of an older project file from its log; the log and the model work are kept."""

from __future__ import annotations

from pathlib import Path

from annotator.progress import Progress
from annotator.store.backups import make_backup
from annotator.store.connection import Connection, transaction
from annotator.store.event_upgrade import upgrade_heads
from annotator.store.replay import replay
from annotator.store.schema import (
    FIRST_WITH,
    USER_VERSION,
    add_packed_values,
    create_staging,
    is_current,
    version_of,
)
from annotator.store.staging import delete_staged_events
from annotator.store.work.seals import create_seals
from annotator.store.work.tables import TABLES, create_work_tables, rename_work_tables

KEPT = ("event", "head", "work_seal", *TABLES)
"""Tables that are kept: the log and the model work, which cannot be computed from anything else."""
# Escaped: a bare underscore stands for any character in LIKE.
VIRTUAL_FIRST = f"""
SELECT name FROM sqlite_schema
WHERE type='table' AND name NOT IN {KEPT} AND name NOT LIKE 'sqlite!_%' ESCAPE '!'
ORDER BY sql NOT LIKE 'CREATE VIRTUAL%' LIMIT 1
"""
FIRST_WITH_WORK = FIRST_WITH["run"]
"""First version with tables of model work."""
FIRST_RENAMED = 8
"""First version whose table ``head`` has the current field names."""
FIRST_WITH_PREDICTIONS = FIRST_WITH["prediction"]
"""First version whose tables of model work have the current names."""
FIRST_WITH_SEALS = FIRST_WITH["work_seal"]
"""First version that seals model work."""


def migrate(connection: Connection, *, path: Path, progress: Progress) -> bool:
    """Rebuild the tables of a project of an older version, after a backup.

    The rebuild is one transaction: if it is cancelled or interrupted, the file is unchanged.

    Args:
        connection: The project, for writing.
        path: Its file.
        progress: One step per event.

    Returns:
        Whether the tables were rebuilt.

    Raises:
        EnvironmentFailure: The backup or the new tables could not be written.
        UserError: The log cannot be replayed.
        Cancelled: The user stopped it.
    """
    if is_current(connection):
        return False
    # Committed separately from the rebuild: the backup is the way back if the new version has a bug.
    make_backup(path, reason="before an update of the file", progress=progress)
    with transaction(connection):
        # Checked again under the lock: another process may have migrated the file meanwhile.
        if not is_current(connection):
            # Before the log is replayed: what was never published must not appear.
            delete_staged_events(connection)
            _upgrade_work_tables(connection)
            _drop_tables(connection)
            create_staging(connection)
            add_packed_values(connection)
            if version_of(connection) < FIRST_RENAMED:
                upgrade_heads(connection)
            replay(connection, connection, progress=progress)
            connection.execute(f"PRAGMA user_version={USER_VERSION}")
    return True


def _upgrade_work_tables(connection: Connection) -> None:
    version = version_of(connection)
    if version < FIRST_WITH_WORK:
        create_work_tables(connection)
    elif version < FIRST_WITH_PREDICTIONS:
        rename_work_tables(connection)
    if version < FIRST_WITH_SEALS:
        create_seals(connection, is_new=version < FIRST_WITH_WORK)


def _drop_tables(connection: Connection) -> None:
    # Queried again after each drop: dropping a search table also drops its shadow tables.
    while (found := connection.execute(VIRTUAL_FIRST).fetchone()) is not None:
        connection.execute(f'DROP TABLE "{found[0]}"')
