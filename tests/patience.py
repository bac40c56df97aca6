"""How long tests wait: one limit for all, far above what any of them needs, also on a busy machine."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

PATIENCE_S = 120.0
"""After so long something hangs; a shorter limit would measure the machine."""
PATIENCE_MS = 120_000


def wait_until(condition: Callable[[], bool], *, poll_s: float = 0.01) -> None:
    """Wait for what other threads or processes do.

    Raises:
        AssertionError: The condition does not come true.
    """
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, f"not true after {PATIENCE_S:.0f} s"
        threading.Event().wait(poll_s)
