"""Making and opening project files."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from annotator.domain.actor import Actor
from annotator.domain.event import CREATED, Edit
from annotator.domain.project import Project, is_inner_folder
from annotator.domain.record import new_id
from annotator.domain.signature import TrustedKey
from annotator.errors import EnvironmentFailure, UserError
from annotator.progress import Progress
from annotator.store.bundles.bundle_file import BundledEvent, BundleReader
from annotator.store.bundles.exchange import merge_bundle
from annotator.store.bundles.merge import MergeCounts, Merger, merge_record
from annotator.store.connection import SIDE_FILES, Connection, connect, convert_disk_errors, transaction
from annotator.store.log import EventLog, LogCursor
from annotator.store.migration import migrate
from annotator.store.project_path import require_new_file, require_project_file
from annotator.store.schema import create_schema, is_current, require_project_schema
from annotator.store.staging import delete_abandoned


def create_project(path: Path, *, title: str, actor: Actor) -> Connection:
    """Create a project file and return a connection for writing.

    Args:
        path: Must not exist; its folder must.
        title: Displayed name; "" for the name of the file.
        actor: Author of the first events.

    Raises:
        UserError: The file exists, the folder does not exist, or the title cannot be stored as text.
        EnvironmentFailure: The file cannot be written.
    """
    return _create(path, lambda connection: _write_first_events(connection, path, title=title, actor=actor))


def create_project_from_bundle(
    path: Path, bundle: Path, *, actor: Actor, progress: Progress, trusted: Sequence[TrustedKey] = ()
) -> Connection:
    """Create a project file with the events of a bundle and return a connection for writing.

    Args:
        path: Must not exist; its folder must.
        bundle: A bundle with all events of its project.
        actor: Who makes the copy.
        progress: One step per event.
        trusted: Keys that prove who wrote the bundle.

    Raises:
        UserError: The file exists, or the bundle is not sound or not complete.
        EnvironmentFailure: A file cannot be read or written.
        Cancelled: The user stopped it; there is no file.
    """

    def fill(connection: Connection) -> None:
        _write_bundle(connection, bundle, actor=actor, progress=progress, trusted=trusted)

    return _create(path, fill)


def _create(path: Path, fill: Callable[[Connection], None]) -> Connection:
    require_new_file(path)
    connection = None
    try:
        connection = connect(path, read_only=False)
        with transaction(connection):
            create_schema(connection)
            fill(connection)
    # BaseException: after Ctrl-C, on a full disk or with an invalid title, the empty file would block the
    # next attempt.
    except BaseException:
        if connection is not None:
            connection.close()
        for ending in ("", *SIDE_FILES):
            path.with_name(f"{path.name}{ending}").unlink(missing_ok=True)
        raise
    return connection


def _write_bundle(
    connection: Connection, path: Path, *, actor: Actor, progress: Progress, trusted: Sequence[TrustedKey]
) -> None:
    with BundleReader.open(path) as bundle:
        project, author = bundle.manifest.project, bundle.manifest.author
    merger, total = Merger(connection), MergeCounts()

    def merge(events: list[BundledEvent], _author: str) -> MergeCounts:
        counts = merger.merge(events)
        total.add(counts)
        return counts

    report = merge_bundle(path, project=project, merge=merge, progress=progress, trusted=trusted)
    found = connection.execute("SELECT id FROM project").fetchall()
    if report.waiting or found != [(project,)]:
        raise UserError(
            f"{path.name} does not contain all events of its project.",
            hint="Make the project from a bundle of all events; merge the others into it.",
        )
    # The first event of the copy: what is done in it has seen all of these.
    record = merge_record(total, author=author)
    edits = [Edit(entity="command", entity_id=record.id, field=CREATED, value=record)]
    if actor.id not in total.ids.get("actor", ()):
        edits.insert(0, Edit(entity="actor", entity_id=actor.id, field=CREATED, value=actor))
    chain = LogCursor.read(connection, actor=actor.id, session_id=new_id())
    # The event that arrived last need not have the largest number among merged ones.
    chain.lamport = connection.execute("SELECT max(lamport) FROM event").fetchone()[0]
    for _ in EventLog(connection).append(
        edits, chain=chain, command=record.id, seen=tuple(total.ends.values())
    ):
        pass


def open_project(path: Path, *, progress: Progress) -> Connection:
    """Open an existing project for writing; one of an older version is migrated first.

    Args:
        path: The project file.
        progress: Of the migration, which reads the whole log.

    Raises:
        UserError: The file does not exist, has several names, or this version cannot open it.
        EnvironmentFailure: The file cannot be opened or migrated.
        Cancelled: The user cancelled the migration; the file is unchanged.
    """
    require_project_file(path)
    _require_one_name(path)
    connection = connect(path, read_only=True)
    # Checked read-only first: opening for writing sets the journal mode, which would change a file that is
    # not a project.
    try:
        with convert_disk_errors():
            require_project_schema(connection, path=path, may_be_older=True)
            is_older = not is_current(connection)
    finally:
        connection.close()
    _require_writable(path, is_older=is_older)
    connection = connect(path, read_only=False)
    try:
        migrate(connection, path=path, progress=progress)
        delete_abandoned(connection)
    # BaseException: Cancelled is one, and the caller gets no connection to close.
    except BaseException:
        connection.close()
        raise
    return connection


def open_for_reading(path: Path) -> Connection:
    """Open an existing project of this version without writing, also in a folder where that is forbidden.

    Args:
        path: The project file.

    Raises:
        UserError: There is none, or it is not one that this version can read as it is.
        EnvironmentFailure: It cannot be opened.
    """
    require_project_file(path)
    connection = connect(path, read_only=True)
    try:
        with convert_disk_errors():
            require_project_schema(connection, path=path)
    except BaseException:
        connection.close()
        raise
    return connection


def is_older(path: Path) -> bool:
    """Return whether opening a project migrates it, which can take minutes.

    Raises:
        UserError: The file does not exist, or this version cannot open it.
        EnvironmentFailure: The file cannot be opened.
    """
    require_project_file(path)
    connection = connect(path, read_only=True)
    try:
        require_project_schema(connection, path=path, may_be_older=True)
        return not is_current(connection)
    finally:
        connection.close()


def _require_one_name(path: Path) -> None:
    """Refuse to write a file with several names: SQLite keeps a log of its own beside each of them."""
    count = path.stat().st_nlink
    if count > 1:
        raise UserError(
            f"{path} is one file with {count} names (hard links). Opening it by another name damages it.",
            hint="Copy the file and open the copy, or delete its other names. As it is, it can be opened for "
            "reading.",
        )


def _require_writable(path: Path, *, is_older: bool) -> None:
    # File and folder: SQLite creates the write-ahead log in the folder.
    if not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        if is_older:
            raise EnvironmentFailure(
                f"{path} was written by an older Vantage and cannot be upgraded: the file or its folder is "
                "not writable.",
                hint="Copy the project and its media files to a writable folder and open it there. As it is, "
                "it can be verified: verify PROJECT",
            )
        raise EnvironmentFailure(
            f"{path} is read-only: the file or its folder is not writable.",
            hint="Open the project for reading. To change it, change the folder's permissions, or copy the "
            "project and its media files to a writable folder and open it there.",
        )


def _write_first_events(connection: Connection, path: Path, *, title: str, actor: Actor) -> None:
    folder = f"{path.stem}.media"
    project = Project(
        id=new_id(),
        title=title or path.stem,
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        # Relative, so that project and media can be moved together. A name such as '3: morning' would be a
        # drive on Windows; the folder has it all the same.
        media_root=folder if is_inner_folder(folder) else "",
    )
    edits = [
        Edit(entity="actor", entity_id=actor.id, field=CREATED, value=actor),
        Edit(entity="project", entity_id=project.id, field=CREATED, value=project),
    ]
    chain = LogCursor.read(connection, actor=actor.id, session_id=new_id())
    for _ in EventLog(connection).append(edits, chain=chain, command=""):
        pass
