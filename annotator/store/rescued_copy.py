"""Writes what an open connection still sees into a new file, when the project file was taken away from it."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from annotator.errors import EnvironmentFailure
from annotator.store.backups import require_whole
from annotator.store.connection import SIDE_FILES, Connection, DatabaseError, connect

log = logging.getLogger(__name__)


def write_rescued_copy(connection: Connection, *, name: str, folders: Iterable[Path]) -> Path | None:
    """Copy the committed state of a project into the first folder that takes it.

    Args:
        connection: Open, in no transaction. Its file may be deleted.
        name: Name of the project, for the name of the copy.
        folders: Folders in the order of preference; the first one keeps relative paths of media valid.

    Returns:
        The copy; None if the connection cannot read all pages any more, or no folder can be written to.
    """
    stamp = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
    for folder in folders:
        target = folder / f"{name}-rescued-{stamp}.vantage"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _copy(connection, target)
            require_whole(target)
        except (OSError, DatabaseError, EnvironmentFailure) as error:
            log.info("the project cannot be copied to %s: %s", folder, error)
            # A half copy would be taken for the project.
            for ending in ("", *SIDE_FILES):
                # The name itself can be the fault: too long.
                with suppress(OSError):
                    target.with_name(f"{target.name}{ending}").unlink(missing_ok=True)
        else:
            return target
    return None


def _copy(connection: Connection, target: Path) -> None:
    copy = connect(target, read_only=False)
    try:
        # Through the open descriptor: the path leads elsewhere, or nowhere.
        connection.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")
    finally:
        copy.close()
