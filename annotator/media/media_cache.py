"""What was loaded of media, the last used ones kept by their bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any

ENTRY_BYTES = 500
"""What an entry takes without its value: an error with its text, a key."""


@dataclass(frozen=True, kw_only=True, eq=False)
class MediaResult:
    """What came of loading something.

    Attributes:
        value: What was loaded, None where there is nothing.
        error: Why there is nothing; None where it was loaded.
    """

    value: Any = None
    error: Exception | None = None

    @property
    def nbytes(self) -> int:
        """Memory that it takes."""
        return ENTRY_BYTES + int(getattr(self.value, "nbytes", 0))


class MediaCache:
    """An LRU cache of results with a limit in bytes. Not thread-safe: its owner holds a lock.

    Args:
        most_bytes: The limit; the newest result is kept even if it exceeds it.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._kept: OrderedDict[Hashable, MediaResult] = OrderedDict()
        self._bytes = 0

    def __contains__(self, key: Hashable) -> bool:
        return key in self._kept

    def get(self, key: Hashable) -> MediaResult | None:
        """Return a result and note its use."""
        if (result := self._kept.get(key)) is not None:
            self._kept.move_to_end(key)
        return result

    def put(self, key: Hashable, result: MediaResult, *, is_pinned: Callable[[Hashable], bool]) -> None:
        """Store a result, and drop the least recently used ones above the limit.

        Args:
            key: Key of the result.
            result: The result.
            is_pinned: Returns whether a key must be kept, because it is visible and would be loaded again.
        """
        self.forget([key])
        self._kept[key] = result
        self._bytes += result.nbytes
        if self._bytes > self._most_bytes:
            self._make_room(key, is_pinned)

    def forget(self, keys: Iterable[Hashable] | None = None) -> list[Hashable]:
        """Drop results, all of them without keys, and return the keys of those that were there."""
        dropped = [key for key in (list(self._kept) if keys is None else keys) if key in self._kept]
        for key in dropped:
            self._bytes -= self._kept.pop(key).nbytes
        return dropped

    def _make_room(self, newest: Hashable, is_pinned: Callable[[Hashable], bool]) -> None:
        # Of a copy of the keys: a dictionary must not shrink while it is iterated.
        for key in list(self._kept):
            if self._bytes <= self._most_bytes:
                return
            if key != newest and not is_pinned(key):
                self._bytes -= self._kept.pop(key).nbytes
