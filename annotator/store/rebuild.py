"""Makes all projections of a project anew from its log, in a new file that takes the place of the old one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from annotator.domain.record import new_id
from annotator.errors import EnvironmentFailure, UserError
from annotator.progress import Progress
from annotator.store.connection import (
    Connection,
    OperationalError,
    connect,
    connect_in_memory,
    convert_disk_errors,
)
from annotator.store.log_copy import EVIDENCE, copy_project, table_columns
from annotator.store.project_path import require_project_file
from annotator.store.replay import event_count
from annotator.store.schema import APPLICATION_ID, USER_VERSION, create_evidence, version_of
from annotator.store.staging_check import see_what_is_hidden_wrongly, staging_problem
from annotator.store.verification import log_problems, verify_project

RESTORE = "The project is unchanged. Restore a backup."


@dataclass(frozen=True, kw_only=True)
class RebuiltProject:
    """What a rebuild did.

    Attributes:
        events: Number of events that the tables were made from.
        kept: The file as it was before.
    """

    events: int
    kept: Path


def rebuild_project(path: Path, *, progress: Progress) -> RebuiltProject:
    """Make all projections anew and put the new file in the place of the project; the old one is kept.

    The log and the model work are copied row by row into a file with the tables of this version. Nothing else
    of the old file survives: no foreign trigger, view or table, and no damaged index. The new file is
    verified before it takes the place.

    Args:
        path: The project file; no window and no other program may have it open.
        progress: One step per event, in each phase.

    Raises:
        UserError: It is no project of this version, its log is not sound, or it is open elsewhere.
        EnvironmentFailure: The file cannot be read, or the new one cannot be written.
        Cancelled: The user cancelled. In all these cases the project is unchanged.
    """
    # The file itself: through a link, the link would be replaced and the file stay as it is.
    path = Path(os.path.realpath(path))
    made = path.with_name(f".{path.stem}.{new_id()}.rebuilt")
    try:
        with convert_disk_errors(), _locked(path) as source:
            _require_sound_log(source, path, progress=progress)
            # Before the first row: a file that others cannot read has no copy that they can.
            made.touch(mode=0o600)
            shutil.copymode(path, made)
            with closing(connect(made, read_only=False)) as target:
                events = copy_project(source, target, progress=progress)
                target.execute("PRAGMA journal_mode=DELETE")
            _require_verified(made, progress=progress)
            kept = _keep(path)
        # After the file is closed: Windows replaces none that is open.
        made.replace(path)
    except OSError as error:
        raise EnvironmentFailure(
            f"The project could not be rebuilt: {error.strerror}.", hint="The project is unchanged."
        ) from error
    finally:
        for file in (made, *(made.with_name(f"{made.name}{end}") for end in ("-wal", "-shm"))):
            with suppress(OSError):
                file.unlink(missing_ok=True)
    return RebuiltProject(events=events, kept=kept)


def _require_writable_folder(path: Path) -> None:
    if not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        raise EnvironmentFailure(
            f"{path} cannot be rebuilt: the file or its folder is not writable.",
            hint="The project is unchanged. Copy it to a writable folder and rebuild the copy.",
        )


@contextmanager
def _locked(path: Path) -> Iterator[Connection]:
    """Open a project that nobody else has open, and let nobody open it."""
    require_project_file(path)
    _require_writable_folder(path)
    with closing(connect(path, read_only=True)) as connection:
        _require_version(connection, path)
    with closing(connect(path, read_only=False)) as connection:
        try:
            # Only the sole user of a file can end its write-ahead log. What it holds is in the file then.
            connection.execute("PRAGMA journal_mode=DELETE")
            connection.execute("BEGIN EXCLUSIVE")
        except OperationalError as error:
            raise UserError(
                f"{path} is open in a window or in another program.",
                hint="Close it there, then rebuild. The project is unchanged.",
            ) from error
        try:
            if staging_problem(connection):
                see_what_is_hidden_wrongly(connection)
            yield connection
        finally:
            connection.execute("ROLLBACK")


def _require_version(connection: Connection, path: Path) -> None:
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise UserError(
            f"{path} is not a Vantage project.", hint="Choose a .vantage file, or create a new project."
        )
    if version_of(connection) != USER_VERSION:
        raise UserError(
            f"{path} is of another project version: {version_of(connection)}; current: {USER_VERSION}.",
            hint="Open the project once for writing. That makes a backup and makes its tables anew.",
        )


def _require_sound_log(source: Connection, path: Path, *, progress: Progress) -> None:
    with closing(connect_in_memory()) as empty:
        create_evidence(empty)
        for table in ("event", *EVIDENCE):
            if table_columns(source, table) != table_columns(empty, table):
                raise UserError(
                    f"{path} cannot be rebuilt: its table {table!r} is not that of a project.", hint=RESTORE
                )
    progress.begin("Checking the hash chain", total=event_count(source))
    problem = next(log_problems(source, progress=progress), None)
    if problem is not None:
        raise UserError(f"{path} cannot be rebuilt: its log is not sound. {problem.message}", hint=RESTORE)


def _require_verified(made: Path, *, progress: Progress) -> None:
    found = verify_project(made, progress=progress)
    # Model work was copied as it is; what was changed there stays visible.
    problem = next((one for one in found if one.kind != "model_work"), None)
    if problem is not None:
        raise EnvironmentFailure(
            f"The rebuilt project is not sound: {problem.message}", hint="The project is unchanged."
        )


def _keep(path: Path) -> Path:
    """Give the old file a second name, so that the project is never without a file; return it."""
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    kept = path.with_name(f"{path.stem}-before-rebuild-{stamp}{path.suffix}")
    try:
        os.link(path, kept)
    except OSError:
        # A file system without hard links.
        shutil.copy2(path, kept)
    return kept
