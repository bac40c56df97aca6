"""A limit for what must not hang: searches in long hostile texts."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import pytest

from tests.patience import PATIENCE_S

LIMIT_S = PATIENCE_S
"""Of this process's own time; what grows with the square of the length takes longer."""


@contextmanager
def soon() -> Iterator[None]:
    """Fail where the block takes too long, even in the middle of one search: that looks at signals."""

    def fail(_number: int, _frame: FrameType | None) -> None:
        pytest.fail(f"It takes more than {LIMIT_S} s.")

    before = signal.signal(signal.SIGVTALRM, fail)
    signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
