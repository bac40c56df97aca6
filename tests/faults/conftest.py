"""A disk that fails when it is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.disk_faults import FaultyDisk
from tests.faults.fault_rows import begin_test


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Count what the fixtures of a test set up as a part of its row."""
    begin_test()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[FaultyDisk]:
    """Give a process that runs verbs."""
    with FaultyDisk(tmp_path) as disk:
        yield disk
