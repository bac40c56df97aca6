"""Whether processes that a test started are alive, and waiting for what they do."""

from __future__ import annotations

import os
from pathlib import Path


def is_alive(pid: int) -> bool:
    """Tell whether a process runs; one that has ended and that nobody waited for yet does not."""
    try:
        os.kill(pid, 0)
        # Between two looks the process may end, so there is one look; without /proc the signal decides.
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except ProcessLookupError:
        return False
    except FileNotFoundError:
        return not Path("/proc/self/stat").exists()
    return state != "Z"


def children_of(pid: int) -> list[int]:
    """Return the processes that a process has started and that have not ended; Linux alone."""
    return [
        int(child)
        for task in Path(f"/proc/{pid}/task").glob("*/children")
        for child in task.read_text().split()
        if is_alive(int(child))
    ]


def as_ordinary_user(command: list[str]) -> list[str]:
    """Return a command that respects the permissions of files, also where root runs the tests."""
    if os.geteuid() != 0:
        return command
    return ["setpriv", "--bounding-set=-dac_override,-dac_read_search", *command]
