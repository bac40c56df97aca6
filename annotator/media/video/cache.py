"""Decoded frames kept by the memory they take, those near the playhead longest; one budget for all views."""

from __future__ import annotations

import ctypes
import os
import threading
from bisect import bisect_left, insort
from collections.abc import Hashable
from itertools import groupby

from annotator.media.video.frames import Frame

MOST_BYTES = 1_000_000_000
_MEMORY_SHARE = 4
"""At most this part of the machine's memory is taken: a quarter."""
_MEMORY_GUESS = 4_000_000_000


class FrameCache:
    """Decoded frames by number. Not thread-safe: the view holds a lock.

    Frames that cannot be decoded are recorded too, so that they are not decoded again and again.

    Args:
        capacity_bytes: Limit of all frames together.
    """

    def __init__(self, capacity_bytes: int) -> None:
        self._capacity = capacity_bytes
        self._frames: dict[int, Frame | None] = {}
        self._order: list[int] = []
        self._used = 0

    def __contains__(self, number: int) -> bool:
        return number in self._frames

    def __len__(self) -> int:
        return len(self._frames)

    @property
    def used_bytes(self) -> int:
        """Memory of all its frames."""
        return self._used

    def get(self, number: int) -> Frame | None:
        """Return a frame, None where it is not here or is lost."""
        return self._frames.get(number)

    def is_lost(self, number: int) -> bool:
        """Tell whether a frame was found to be undecodable."""
        return number in self._frames and self._frames[number] is None

    def put(self, frame: Frame, *, centre: float) -> None:
        """Keep a frame; those furthest from a centre make room."""
        if frame.number not in self._frames:
            self._frames[frame.number] = frame
            insort(self._order, frame.number)
            self._used += frame.nbytes
            self._make_room(centre)

    def put_lost(self, first: int, *, last: int) -> None:
        """Note that frames cannot be decoded, where they are not here."""
        for number in range(first, last + 1):
            if number not in self._frames:
                # Lost frames take no memory, so there is no room to make for them.
                self._frames[number] = None
                insort(self._order, number)

    def resize(self, capacity_bytes: int, *, centre: float) -> bool:
        """Change what the frames may take together, and tell whether some had to go."""
        before = len(self._frames)
        self._capacity = capacity_bytes
        self._make_room(centre)
        return len(self._frames) < before

    def clear(self) -> None:
        """Let all frames go."""
        self._frames.clear()
        self._order.clear()
        self._used = 0

    def runs(self) -> list[tuple[int, int]]:
        """Return what is here as pairs of first and last number, rising."""
        # Numbers of a run differ from their rank by the same amount.
        groups = groupby(enumerate(self._order), key=lambda ranked: ranked[1] - ranked[0])
        runs = ([number for _, number in group] for _, group in groups)
        return [(run[0], run[-1]) for run in runs]

    def missing_below(self, number: int, *, low: int) -> tuple[int, int] | None:
        """Return the stretch of frames that is missing next below a number, None where all are here.

        Args:
            number: Where to begin; the frame itself is not looked for.
            low: Lowest number of interest.
        """
        last = number - 1
        while last >= low and last in self._frames:
            last -= 1
        if last < low:
            return None
        at = bisect_left(self._order, last)
        return max(low, self._order[at - 1] + 1 if at else low), last

    def missing_above(self, number: int, *, high: int) -> tuple[int, int] | None:
        """Return the stretch of frames that is missing next above a number, None where all are here.

        Args:
            number: Where to begin; the frame itself is not looked for.
            high: Highest number of interest.
        """
        first = number + 1
        while first <= high and first in self._frames:
            first += 1
        if first > high:
            return None
        at = bisect_left(self._order, first)
        return first, min(high, self._order[at] - 1 if at < len(self._order) else high)

    def _make_room(self, centre: float) -> None:
        while self._used > self._capacity and self._order:
            # The furthest is always one of the ends; of two that are as far, the later frame goes.
            is_low_far = centre - self._order[0] > self._order[-1] - centre
            gone = self._frames.pop(self._order.pop(0 if is_low_far else -1))
            self._used -= gone.nbytes if gone is not None else 0


class CacheBudget:
    """The memory limit for the caches of all views together. Thread-safe.

    All views have equal shares. A view whose video needs more for two groups of frames gets more, as long as
    all shares together remain within a quarter of the machine's memory.

    Args:
        total_bytes: Limit for all views; 0 for the default, the smaller of 1 GB and a quarter of the memory.
    """

    def __init__(self, total_bytes: int = 0) -> None:
        self._ceiling = memory_bytes() // _MEMORY_SHARE
        self._total = total_bytes or min(MOST_BYTES, self._ceiling)
        self._needs: dict[Hashable, int] = {}
        self._lock = threading.Lock()

    def join(self, view: Hashable, *, need_bytes: int) -> None:
        """Count a view in.

        Args:
            view: Who it is.
            need_bytes: What two groups of its video take.
        """
        with self._lock:
            self._needs[view] = need_bytes

    def leave(self, view: Hashable) -> None:
        """Count a view out; its share goes to the others."""
        with self._lock:
            self._needs.pop(view, None)

    def share_bytes(self, view: Hashable) -> int:
        """Return what a view may keep."""
        with self._lock:
            views = max(1, len(self._needs))
            # A view gets what two of its groups take even where that is more than its share: with less it
            # would decode the same group again for each step back.
            return max(self._total // views, min(self._needs.get(view, 0), self._ceiling // views))


def memory_bytes() -> int:
    """Return the machine's memory, a cautious guess where the system does not tell."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return _windows_memory_bytes() or _MEMORY_GUESS


def _windows_memory_bytes() -> int:
    kernel = getattr(getattr(ctypes, "windll", None), "kernel32", None)
    kilobytes = ctypes.c_ulonglong(0)
    if kernel is None or not kernel.GetPhysicallyInstalledSystemMemory(ctypes.byref(kilobytes)):
        return 0
    return kilobytes.value * 1024
