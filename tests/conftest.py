"""What every test gets: the guards of tests/guards.py, a steady Hypothesis, and the shared sample data."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

from tests.garbage_collection import pytest_collection, pytest_collection_finish
from tests.guards import (
    guard_messages,
    homes,
    no_leaked_threads,
    no_network,
    prepare_environment,
    private_home,
    quiet_log,
)
from tests.quick_disk import use_quick_disk
from tests.run_limit import pytest_configure
from tests.scheduling import pytest_xdist_make_scheduler
from tests.steady_projects import use_steady_project_ids

__all__ = [
    "guard_messages",
    "homes",
    "no_leaked_threads",
    "no_network",
    "private_home",
    "pytest_collection",
    "pytest_collection_finish",
    "pytest_configure",
    "pytest_xdist_make_scheduler",
    "quiet_log",
    "shared_data",
]

REPO = Path(__file__).resolve().parent.parent

prepare_environment()
use_quick_disk()
use_steady_project_ids()
# No deadline: on a busy machine of two cores the same example takes 2 or 200 ms. Derandomized: the quick
# suite tries the same examples at each run; slow tests say derandomize=False.
settings.register_profile("quick", deadline=None, derandomize=True, database=None)
settings.load_profile("quick")
# Hypothesis also tries constants of all project modules imported so far, which depend on the tests before.
providers._get_local_constants = providers.Constants


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Give the folder of real sample files, which lies beside the project and is no part of it."""
    folder = REPO.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"the real sample files are not on this machine ({folder})")
    return folder
