"""A set of digests that takes 16 to 43 bytes for each: a Python set of texts takes 150."""

from __future__ import annotations

import struct
from array import array

FIRST_SLOTS = 1024
_HALVES = struct.Struct("<QQ")


class DigestSet:
    """Digests of 16 bytes, in one table with open addressing."""

    def __init__(self) -> None:
        self._slots = FIRST_SLOTS
        self._halves = array("Q", bytes(16 * self._slots))
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, digest: bytes) -> bool:
        """Add a digest of 16 bytes; returns whether it is new."""
        low, high = _HALVES.unpack(digest)
        # A low half of 0 marks a free slot; one digest in 2^64 is moved by this.
        low = low or 1
        at = self._slot_of(low, high)
        if self._halves[at]:
            return False
        self._halves[at], self._halves[at + 1] = low, high
        self._count += 1
        if 4 * self._count > 3 * self._slots:
            self._grow()
        return True

    def _slot_of(self, low: int, high: int) -> int:
        """Return where a digest is, or where it would be put."""
        halves, last = self._halves, 2 * self._slots - 1
        at = 2 * low & last
        while (found := halves[at]) and (found != low or halves[at + 1] != high):
            at = at + 2 & last
        return at

    def _grow(self) -> None:
        before = self._halves
        self._slots *= 2
        self._halves = array("Q", bytes(16 * self._slots))
        for at in range(0, len(before), 2):
            if low := before[at]:
                high = before[at + 1]
                to = self._slot_of(low, high)
                self._halves[to], self._halves[to + 1] = low, high
