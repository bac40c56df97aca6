"""What SQLite's result codes mean for a person: the cause in one sentence, and what to do.

The codes are those of sqlite.org/rescode.html.
"""

from __future__ import annotations

from dataclasses import dataclass

DAMAGE_HINT = "Do not change the file. Continue from the newest backup in the same folder."
LOW_BYTE = 0xFF
"""Extended codes have the primary code in their low byte."""


@dataclass(frozen=True, kw_only=True)
class Meaning:
    """What a code means.

    Attributes:
        message: The cause.
        hint: What to do.
        may_pass: As in ``ProjectFileFailure``.
    """

    message: str
    hint: str
    may_pass: bool = True


_DISK = Meaning(
    message="The disk cannot write the project file.",
    hint="Check that the drive is connected, has space left and is within its quota, then try again.",
)
_READ = Meaning(
    message="The disk cannot read the project file.",
    hint="Check that the drive is connected. If this happens again, copy the project to another drive.",
)
_LOCKS = Meaning(
    message="The file system cannot lock the project file.",
    hint="Copy the project and its media files to a local disk, and exchange bundles with others.",
)
_SHARED_MEMORY = Meaning(
    message="The file NAME-shm beside the project cannot be created or enlarged.",
    hint="Check that the folder is writable, on a local disk and not full, then try again.",
)
_FOLDER = Meaning(
    message="The project is read-only: its folder is not writable, and SQLite needs a file in it.",
    hint="Change the folder's permissions, or copy the project and its media files to a writable folder "
    "and open it there.",
)
_OPEN = Meaning(
    message="The project file cannot be opened.",
    hint="Check that the drive is connected, and that you have permission to use the file and its folder.",
)
_MEMORY = Meaning(
    message="There is not enough memory to read or write the project.",
    hint="Close other programs, then try again.",
)
_BUSY = Meaning(
    message="Another program is writing to the project.",
    hint="Wait until it has finished, or end it.",
)
_DAMAGED = Meaning(message="The project file is damaged.", hint=DAMAGE_HINT, may_pass=False)
# Primary result codes: sqlite.org/rescode.html.
BUSY, READ_ONLY, CORRUPT, FULL, CANNOT_OPEN, NOT_A_DATABASE = 5, 8, 11, 13, 14, 26
# SQLITE_IOERR, SQLITE_IOERR_WRITE, SQLITE_IOERR_SHMOPEN, SQLITE_IOERR_SHMSIZE.
NO_SHARED_MEMORY = {10, 778, 4618, 4874}
"""Codes of a file NAME-shm that cannot be created or written, if a connection that only reads is opened."""
_MEANINGS: dict[int, Meaning] = {
    3: _OPEN,  # SQLITE_PERM
    BUSY: _BUSY,
    261: Meaning(  # SQLITE_BUSY_RECOVERY
        message="Another program is repairing the project after a crash.",
        hint="Wait until it has finished, then try again.",
    ),
    6: _BUSY,  # SQLITE_LOCKED
    7: _MEMORY,  # SQLITE_NOMEM
    READ_ONLY: Meaning(
        message="The project is read-only: the file or its folder is not writable.",
        hint="Change the folder's permissions, or copy the project and its media files to a writable folder "
        "and open it there.",
    ),
    264: _FOLDER,  # SQLITE_READONLY_RECOVERY
    520: _LOCKS,  # SQLITE_READONLY_CANTLOCK
    1032: Meaning(  # SQLITE_READONLY_DBMOVED
        message="The project file was moved or deleted while it was open.",
        hint="Move it back to its place, then try again.",
    ),
    1288: _FOLDER,  # SQLITE_READONLY_CANTINIT
    1544: _FOLDER,  # SQLITE_READONLY_DIRECTORY
    10: _DISK,  # SQLITE_IOERR, also for codes that are not listed here
    266: _READ,  # SQLITE_IOERR_READ
    522: _READ,  # SQLITE_IOERR_SHORT_READ
    1802: _READ,  # SQLITE_IOERR_FSTAT
    2058: _LOCKS,  # SQLITE_IOERR_UNLOCK
    2314: _LOCKS,  # SQLITE_IOERR_RDLOCK
    3082: _MEMORY,  # SQLITE_IOERR_NOMEM
    3594: _LOCKS,  # SQLITE_IOERR_CHECKRESERVEDLOCK
    3850: _LOCKS,  # SQLITE_IOERR_LOCK
    4618: _SHARED_MEMORY,  # SQLITE_IOERR_SHMOPEN
    4874: _SHARED_MEMORY,  # SQLITE_IOERR_SHMSIZE
    5130: _LOCKS,  # SQLITE_IOERR_SHMLOCK
    5386: _SHARED_MEMORY,  # SQLITE_IOERR_SHMMAP
    5642: _READ,  # SQLITE_IOERR_SEEK
    6154: _READ,  # SQLITE_IOERR_MMAP
    8458: _DAMAGED,  # SQLITE_IOERR_CORRUPTFS
    CORRUPT: _DAMAGED,
    FULL: Meaning(
        message="The disk is full.",
        hint="Free disk space on the drive of the project, then try again.",
    ),
    CANNOT_OPEN: _OPEN,
    270: Meaning(  # SQLITE_CANTOPEN_NOTEMPDIR
        message="There is no folder for temporary files.",
        hint="Free disk space on the drive of the temporary folder, and check its permissions.",
    ),
    526: Meaning(
        message="There is a folder at the place of the project file.", hint="Move it away."
    ),  # SQLITE_CANTOPEN_ISDIR
    782: Meaning(  # SQLITE_CANTOPEN_FULLPATH
        message="The path of the project is too long.",
        hint="Move the project to a folder with a shorter path.",
        may_pass=False,
    ),
    15: _LOCKS,  # SQLITE_PROTOCOL: no lock after many attempts
    18: Meaning(  # SQLITE_TOOBIG
        message="The edit is larger than a project file can store.", hint="Shorten it.", may_pass=False
    ),
    22: Meaning(  # SQLITE_NOLFS
        message="The file system cannot store a file of this size.",
        hint="Copy the project to a drive with another file system, for instance NTFS or ext4.",
    ),
    NOT_A_DATABASE: _DAMAGED,
}


def meaning_of(code: int) -> Meaning | None:
    """Return what a result code means for a person; None for a code that is a fault of the program.

    Args:
        code: SQLite's extended result code.
    """
    return _MEANINGS.get(code) or _MEANINGS.get(code & LOW_BYTE)
