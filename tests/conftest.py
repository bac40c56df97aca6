"""What every test gets: the guards of tests/guards.py, a steady Hypothesis, and the shared sample data."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

from tests.guards import (
    guard_messages,
    homes,
    no_leaked_threads,
    no_network,
    prepare_environment,
    private_home,
    quiet_log,
)

__all__ = [
    "guard_messages",
    "homes",
    "no_leaked_threads",
    "no_network",
    "private_home",
    "quiet_log",
    "shared_data",
]

REPO = Path(__file__).resolve().parent.parent

prepare_environment()
# No deadline: on a busy machine of two cores the same example takes 2 or 200 ms.
settings.register_profile("house", deadline=None)
settings.load_profile("house")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Give the folder of real sample files, which lies beside the project and is no part of it."""
    folder = REPO.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"the real sample files are not on this machine ({folder})")
    return folder
