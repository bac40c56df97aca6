"""Connections to a project file, with the pragmas that protect it from damage."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from annotator.database_files import track_open_database
from annotator.errors import EnvironmentFailure, ProjectFileFailure, UserError, VantageError
from annotator.store.disk_errors import (
    BUSY,
    CANNOT_OPEN,
    CORRUPT,
    DAMAGE_HINT,
    FULL,
    LOW_BYTE,
    NO_SHARED_MEMORY,
    NOT_A_DATABASE,
    READ_ONLY,
    meaning_of,
)
from annotator.store.event_upgrade import upgrade_value
from annotator.store.file_identity import FileIdentity
from annotator.store.lock_holder import lock_holder
from annotator.store.lock_waiters import is_lock_wanted, waiting_for_lock
from annotator.store.packing import unpack_or_nothing

log = logging.getLogger(__name__)
if TYPE_CHECKING:
    import sqlite3
    from sqlite3 import Connection as Connection  # noqa: PLC0414 - re-exported: one name for all of store
    from sqlite3 import Cursor as Cursor  # noqa: PLC0414 - the same
else:
    try:
        # Its SQLite is newer than the system's.
        import pysqlite3 as sqlite3
    except ImportError:
        import sqlite3
    Connection, Cursor = sqlite3.Connection, sqlite3.Cursor

SQLITE_NEEDED = (3, 51, 3)
"""First SQLite with the WAL-reset fix: older ones can lose committed pages (sqlite.org, 2026)."""
BUSY_TIMEOUT_MS = 10_000
LOCK_POLL_S = 0.001
"""Time between two attempts to get the write lock."""
SHORTEST_PAUSE_S, LONGEST_PAUSE_S = 0.004, 0.05
"""Limits of the pause between two transactions of long work; the shorter one lasts several attempts."""
LONGEST_TRANSACTION_S = 0.1
"""Limit of a transaction of long work while nobody else wants the lock; its COMMIT takes a third of that."""
# Of each connection, and a window opens half a dozen.
CACHE_KIB = 64 * 1024
LONGEST_LOG_BYTES = 64 << 20
"""Length of the write-ahead log from which on it is emptied. Beside writers who never pause, it grew to ten
times the size of the records (800 MB for 100,000); beside an idle window, commands that wrote a little each
let it grow for ever (4.6 GB)."""
# Of a damaged text SQLite has no result code of its own: for invalid UTF-8, for JSON, and for a search table
# that cannot be opened.
TEXT_DAMAGE = ("malformed JSON", "Could not decode to UTF-8", "vtable constructor failed")
SIDE_FILES = ("-wal", "-shm", "-journal")

DatabaseError = sqlite3.DatabaseError
OperationalError = sqlite3.OperationalError
IntegrityError = sqlite3.IntegrityError


class _TrackedConnection(sqlite3.Connection):
    """A connection that registers its file as open, for the checks of ``database_files``."""

    deferred: object = None
    """What the connection collects instead of writing it, see ``deferred``."""
    identity: FileIdentity | None = None
    """The file that is open, compared with its path before each COMMIT."""
    _untrack: Callable[[], object] = staticmethod(lambda: None)

    def track(self, path: Path) -> None:
        """Note that the file is open."""
        self._untrack = track_open_database(self, path)
        self.identity = FileIdentity(path)

    def close(self) -> None:
        """Close the connection, and no longer count its file as open."""
        super().close()
        self._untrack()


def sqlite_version() -> tuple[str, bool]:
    """Return the version of the SQLite in use, and whether it is new enough."""
    return sqlite3.sqlite_version, sqlite3.sqlite_version_info >= SQLITE_NEEDED


def require_sqlite() -> None:
    """Refuse to work with an SQLite that can lose data.

    Raises:
        EnvironmentFailure: The library is too old; the hint names the package that brings a newer one.
    """
    version, is_new_enough = sqlite_version()
    if not is_new_enough:
        needed = ".".join(map(str, SQLITE_NEEDED))
        raise EnvironmentFailure(
            f"SQLite {version} is too old: version {needed} or later is required.",
            hint="Install the package pysqlite3 (run ./vantage setup) and start again.",
        )


def _opening_failure(path: Path, error: DatabaseError) -> VantageError:
    # The order matters: damage can be any DatabaseError, an OperationalError comes from the system, and any
    # other DatabaseError means 'file is not a database'.
    if is_damage(error):
        return EnvironmentFailure(f"{path} is damaged: {error}.", hint=DAMAGE_HINT)
    if not isinstance(error, OperationalError):
        return UserError(f"{path} is not a Vantage project.", hint="Choose a .vantage file.")
    meaning = meaning_of(_code_of(error))
    if meaning is not None and _code_of(error) & LOW_BYTE != CANNOT_OPEN:
        return EnvironmentFailure(f"{path} cannot be opened: {meaning.message}", hint=meaning.hint)
    return EnvironmentFailure(
        f"{path} cannot be opened: {error}.",
        hint="Check that the folder exists and that you have permission to use it.",
    )


def connect(path: Path, *, read_only: bool) -> Connection:
    """Open a connection with the project file's settings.

    Args:
        path: The project file; it need not exist when it is opened for writing.
        read_only: Whether writes are refused by SQLite itself.

    Raises:
        EnvironmentFailure: The file cannot be opened, or is damaged.
        UserError: The file is not an SQLite database, or what lies in place of SQLite's own files is none.
    """
    require_sqlite()
    _require_plain_side_files(path)
    try:
        try:
            return _open(path, mode="ro" if read_only else "rwc")
        except OperationalError as error:
            # SQLite needs -wal and -shm files even to read. In a folder without write permission, and on a
            # read-only medium, it can only read the main file, as if it never changed.
            if not (read_only and _is_refused_folder(path, error)):
                raise
            if _has_unmoved_log(path):
                raise EnvironmentFailure(
                    f"{path} cannot be read here: its newest changes are in {path.name}-wal, and nothing can "
                    "be written beside it.",
                    hint="Copy both files to a writable folder, and open the copy there.",
                ) from error
            return _open(path, mode="ro&immutable=1")
    except DatabaseError as error:
        raise _opening_failure(path, error) from error
    except UnicodeDecodeError as error:
        # SQLite's message quotes the damaged text of a schema, which the module then cannot decode.
        raise EnvironmentFailure(f"{path} is damaged: {error}.", hint=DAMAGE_HINT) from error


def _require_plain_side_files(path: Path) -> None:
    """Refuse what is no file in place of SQLite's own ones.

    It would empty the file that a link leads to, and wait for ever for what a pipe has to say.
    """
    real = Path(os.path.realpath(path))
    for file in (real.with_name(f"{real.name}{ending}") for ending in SIDE_FILES):
        if file.is_symlink():
            raise UserError(
                f"{file} is a link. SQLite never makes one; the project was prepared by somebody.",
                hint="Do not use this project unless you trust its source. To use it, delete the link.",
            )
        if file.exists() and not file.is_file():
            raise UserError(
                f"{file} is a folder, a pipe or a device. SQLite keeps a file of its own under this name.",
                hint="Do not use this project unless you trust its source. To use it, rename what is there.",
            )


def connect_in_memory() -> Connection:
    """Return an empty database in memory."""
    return sqlite3.connect(":memory:", isolation_level=None)


def _open(path: Path, *, mode: str) -> Connection:
    # None: the module's own way opens a transaction before the first write, too late and not IMMEDIATE. A
    # connection is made on one thread and used by another, never by two at a time.
    connection = sqlite3.connect(
        # Quoted: a '?' or '#' in the path would end the path of a URI.
        f"file:{quote(str(path.absolute()))}?mode={mode}",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        factory=_TrackedConnection,
    )
    assert isinstance(connection, _TrackedConnection)
    # At once: anybody who opened and closed the file from here on would drop SQLite's locks on it.
    connection.track(path)
    try:
        connection.create_function("unpack", 1, unpack_or_nothing, deterministic=True)
        connection.create_function("upgrade_value", 4, upgrade_value, deterministic=True)
        _apply_pragmas(connection, read_only=mode.startswith("ro"))
        file_identity(connection).note_log()
    except BaseException:
        connection.close()
        raise
    return connection


def _is_refused_folder(path: Path, error: OperationalError) -> bool:
    """Return whether a project could not be opened because nothing can be created beside it."""
    kind = _code_of(error) & LOW_BYTE
    # Who has the project open on a full disk has made these files already.
    if kind in {READ_ONLY, FULL} or _code_of(error) in NO_SHARED_MEMORY:
        return True
    # On a read-only medium, for the superuser as well.
    is_readable = path.is_file() and os.access(path, os.R_OK)
    return kind == CANNOT_OPEN and is_readable and not os.access(path.parent, os.W_OK)


def _has_unmoved_log(path: Path) -> bool:
    """Return whether the write-ahead log has changes that are not in the file yet."""
    log = path.with_name(f"{path.name}-wal")
    return log.is_file() and log.stat().st_size > 0


def is_damage(error: Exception) -> bool:
    """Return whether an error means that pages or texts of the file are damaged."""
    if not isinstance(error, DatabaseError):
        return False
    return primary_code_of(error) == CORRUPT or any(text in str(error) for text in TEXT_DAMAGE)


def primary_code_of(error: DatabaseError) -> int:
    """Return SQLite's primary result code, 0 for an error of the Python module itself."""
    return _code_of(error) & LOW_BYTE


@contextmanager
def convert_disk_errors(path: Path | None = None) -> Iterator[None]:
    """Convert SQLite's errors about the disk and the file into a failure with its cause and a hint.

    Args:
        path: The project, to find who holds its lock; None where no lock is asked for.

    Raises:
        ProjectFileFailure: The disk is full, or the file is locked, read-only, damaged or not accessible.
    """
    try:
        yield
    except DatabaseError as error:
        code = _code_of(error)
        if is_damage(error) or code & LOW_BYTE == NOT_A_DATABASE:
            raise ProjectFileFailure(f"The project file is damaged: {error}.", hint=DAMAGE_HINT) from error
        meaning = meaning_of(code)
        if meaning is None:
            raise
        log.info("SQLite refuses with code %d: %s", code, error)
        holder = lock_holder(path) if code & LOW_BYTE == BUSY and path is not None else ""
        message = f"Another program is writing to the project: {holder}." if holder else meaning.message
        hint = f"The project is unchanged. {meaning.hint}"
        raise ProjectFileFailure(message, hint=hint, may_pass=meaning.may_pass) from error


def _code_of(error: DatabaseError) -> int:
    """Return SQLite's extended result code, 0 for an error of the Python module itself."""
    return getattr(error, "sqlite_errorcode", None) or 0


def _apply_pragmas(connection: Connection, *, read_only: bool) -> None:
    # busy_timeout first: switching to WAL itself can meet another process.
    connection.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}")
    # A project can come from other people, and its schema may contain triggers and views that call functions.
    connection.execute("PRAGMA trusted_schema=OFF")
    # Damage is noticed when a page is read, before it spreads (sqlite.org/pragma.html).
    connection.execute("PRAGMA cell_size_check=ON")
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute(f"PRAGMA cache_size=-{CACHE_KIB}")
    if read_only:
        connection.execute("PRAGMA query_only=ON")
    else:
        connection.execute("PRAGMA journal_mode=WAL")
        # NORMAL would lose the newest commits in a power cut, after 'saved' was shown.
        connection.execute("PRAGMA synchronous=FULL")
        # The store's Checkpointer does it between commits instead of inside one.
        connection.execute("PRAGMA wal_autocheckpoint=0")
        # Whoever starts the log anew cuts it; without a limit the file keeps its greatest length.
        connection.execute(f"PRAGMA journal_size_limit={LONGEST_LOG_BYTES}")


@contextmanager
def transaction(connection: Connection) -> Iterator[None]:
    """Run the block in BEGIN IMMEDIATE … COMMIT; any exception rolls back.

    IMMEDIATE, because a transaction that reads first and writes later fails under several
    writers: 1,200 of 1,600 attempts with plain BEGIN, none with IMMEDIATE.

    Raises:
        EnvironmentFailure: The disk is full, or the file is locked, damaged or cannot be written.
        ReplacedFileError: The path does not lead to the open file any more.
    """
    with convert_disk_errors(_path_of(connection)):
        _begin(connection)
        try:
            yield
            require_same_file(connection)
            connection.execute("COMMIT")
        # BaseException: after Ctrl-C or Cancelled an open transaction would keep the write lock.
        except BaseException:
            # On a full disk SQLite may have rolled back already; a second ROLLBACK raises and hides the
            # cause.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def require_same_file(connection: Connection) -> None:
    """Refuse to go on writing into a file that was deleted, replaced or overwritten while it was open.

    Raises:
        ReplacedFileError: The path does not lead to the open file any more.
    """
    if isinstance(connection, _TrackedConnection) and connection.identity is not None:
        connection.identity.require_same(connection)


def _path_of(connection: Connection) -> Path | None:
    is_tracked = isinstance(connection, _TrackedConnection) and connection.identity is not None
    return file_identity(connection).path if is_tracked else None


def file_identity(connection: Connection) -> FileIdentity:
    """Return the file that a connection of ``connect`` has open."""
    assert isinstance(connection, _TrackedConnection)
    assert connection.identity is not None
    return connection.identity


class SharingTransactions:
    """Transactions of long work that leave the write lock free for others as long as they hold it.

    SQLite does not queue writers, it lets them ask again and again. Without the pauses an edit of another
    process waited for 2.9 s, until the last of 50,000 rows was removed (measured); on a machine whose cores
    are all busy, pauses of a fixed 4 ms left 1.7 s. Where nobody else can want the lock there is none: a
    third of the time of a large undo was pauses.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._began = self._free_until = 0.0

    @contextmanager
    def next(self) -> Iterator[Connection]:
        """Run the block in a transaction of the connection, after the pause that others need.

        Raises:
            EnvironmentFailure: As in ``transaction``.
        """
        if is_lock_wanted(file_identity(self._connection)):
            time.sleep(max(0.0, self._free_until - time.monotonic()))
        with transaction(self._connection):
            self._began = time.monotonic()
            yield self._connection
        ended = time.monotonic()
        self._free_until = ended + min(max(ended - self._began, SHORTEST_PAUSE_S), LONGEST_PAUSE_S)

    def has_time(self) -> bool:
        """Return whether the running transaction can do another short step instead of ending.

        Pages that several steps change are written once, which is most of what the removal of an import
        writes.
        """
        is_short = time.monotonic() < self._began + LONGEST_TRANSACTION_S
        return is_short and not is_lock_wanted(file_identity(self._connection))


def _begin(connection: Connection) -> None:
    """Get the write lock.

    SQLite's own wait sleeps for up to 100 ms between two attempts. Beside an import, which releases the lock
    for a few milliseconds at a time, an edit of another process missed it for up to 1.1 s (measured).
    """
    limit = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    connection.execute("PRAGMA busy_timeout=0")
    try:
        if _has_begun(connection, limit=limit):
            return
        with waiting_for_lock(file_identity(connection)):
            while not _has_begun(connection, limit=limit):
                time.sleep(LOCK_POLL_S)
    finally:
        connection.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}")


def _has_begun(connection: Connection, *, limit: float) -> bool:
    try:
        connection.execute("BEGIN IMMEDIATE")
    except OperationalError as error:
        # The low byte is the kind of error, for example of SQLITE_BUSY_RECOVERY.
        if error.sqlite_errorcode & LOW_BYTE != BUSY or time.monotonic() > limit:
            raise
        return False
    return True
