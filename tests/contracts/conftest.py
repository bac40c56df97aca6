"""Tests of contracts read the whole project, whose syntax trees hold a million objects each time."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module", autouse=True)
def no_garbage_collection() -> Iterator[None]:
    """Leave syntax trees, which have no cycles, to the counts of their references: half of the time."""
    gc.disable()
    yield
    gc.enable()
