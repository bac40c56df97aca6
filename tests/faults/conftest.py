"""A disk that fails when it is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.disk_faults import FaultyDisk


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[FaultyDisk]:
    """Give a process that runs verbs."""
    with FaultyDisk(tmp_path) as disk:
        yield disk
