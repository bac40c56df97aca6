"""Keeps all others from changing rows that an undo is removing, or a redo restoring.

Totals have already been counted without these rows, and who removes them counts nothing again: a change of
one in between would leave wrong totals and searches.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from annotator.errors import UserError
from annotator.progress import Progress
from annotator.store.connection import Connection, IntegrityError, connect, convert_disk_errors, file_identity
from annotator.store.file_identity import FileIdentity
from annotator.store.staged_rows import STAGED_ENTITIES
from annotator.store.staging import delete_abandoned

POLL_S = 0.1
"""Time between two looks whether the rows are gone."""
_REFUSAL = "row is hidden"
_HIDDEN = "SELECT hidden_from, hidden_to FROM staging WHERE hidden_from<=hidden_to"


@contextmanager
def refusing_hidden(connection: Connection) -> Iterator[None]:
    """Refuse changes of hidden rows in the block, also those that follow from changes of other records.

    Args:
        connection: In a transaction, which the caller rolls back if the block raises.

    Raises:
        UserError: A hidden row would be changed.
    """
    hidden = connection.execute(_HIDDEN).fetchone()
    if hidden is None:
        yield
        return
    # Triggers see every change, whichever hook makes it. A rollback takes them back with the rest.
    for entity in STAGED_ENTITIES:
        connection.execute(
            f"CREATE TEMP TRIGGER hidden_{entity} BEFORE UPDATE ON main.{entity} "
            f"WHEN OLD.n BETWEEN {int(hidden[0])} AND {int(hidden[1])} "
            f"BEGIN SELECT RAISE(ABORT, '{_REFUSAL}'); END"
        )
    try:
        yield
    except IntegrityError as error:
        if str(error) != _REFUSAL:
            raise
        raise UserError(
            "A large undo or redo is removing or restoring these records.", hint="Try again in a moment."
        ) from error
    for entity in STAGED_ENTITIES:
        connection.execute(f"DROP TRIGGER temp.hidden_{entity}")


def wait_for_hidden_rows(path: Path, *, file: FileIdentity, progress: Progress) -> None:
    """Wait until no rows are hidden; what a process left when it ended is completed here.

    Args:
        path: The project.
        file: The file that the project has open.
        progress: Ends the wait.

    Raises:
        Cancelled: The user asked to stop.
        ReplacedFileError: The path does not lead to ``file`` any more.
        EnvironmentFailure: The disk refused.
    """
    with closing(connect(path, read_only=False)) as connection:
        file_identity(connection).require_same_as(file)
        while _is_hiding(connection):
            if not delete_abandoned(connection):
                progress.wait(POLL_S)


def _is_hiding(connection: Connection) -> bool:
    with convert_disk_errors():
        return connection.execute(_HIDDEN).fetchone() is not None
