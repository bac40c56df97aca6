"""The objects of the collected tests are left out of Python's cyclic garbage collector.

They are a million and live until the end. Tests that collect garbage, and each file of tests of the window,
took 0.3 s for each look through all of them, a tenth of the whole run.
"""

from __future__ import annotations

import gc
from collections.abc import Generator

import pytest


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
