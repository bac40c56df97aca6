"""Whether a process that has written into the project file still exists."""

from __future__ import annotations

import os
import socket


def is_process_gone(*, host: str, pid: int) -> bool:
    """Return whether a process is known to have ended; False if it runs on another machine.

    Args:
        host: Name of its machine, as in ``socket.gethostname()``.
        pid: Its number. If another process has the number now, it counts as running.
    """
    # Windows has no signal 0 to test whether a process exists.
    if host != socket.gethostname() or os.name == "nt":
        return False
    # A number from a file can be any: 0 and less stand for groups of processes.
    if pid < 1:
        return True
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        # OverflowError: larger than any number of a process.
        return True
    except PermissionError:
        # It exists, and belongs to another user.
        return False
    return False
