"""The objects of the collected tests are left out of Python's cyclic garbage collector, which works seldom.

They are a million and live until the end. Tests that collect garbage, and each file of tests of the window,
took 0.3 s for each look through all of them, a tenth of the whole run. At Python's own thresholds (700
objects, 10, 10) looks through what a single test makes took another 2 to 4 % of the processor time.
"""

from __future__ import annotations

import gc
from collections.abc import Generator

import pytest

THRESHOLDS = (20_000, 10, 10)
"""How many more objects there are when the collector looks through the newest, and of these looks each how
manieth goes further."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Import the tests without looking for garbage: what they make is kept."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Free what reading the tests has left, and look through the rest no more."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
