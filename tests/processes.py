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
