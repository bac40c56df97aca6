"""sqlite-utils without pandas, which it imports wherever that is installed.

Imported where tables are created only: pandas takes 0.25 s, in each process that opens a project, and adds
27,000 objects to each garbage collection of the window.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["Database"]


@contextmanager
def hidden_module(name: str) -> Iterator[None]:
    """Make imports of a module fail meanwhile, as if it was not installed, unless it is loaded already."""
    is_hidden = name not in sys.modules
    if is_hidden:
        sys.modules[name] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        if is_hidden:
            del sys.modules[name]


with hidden_module("pandas"):
    from sqlite_utils import Database
