"""The projects that tests make have the same ids at each run, so that letters drawn with them are the same.

Answer keys are drawn with the id of the project, which is random. A test that draws four letters and counts
them would fail once in some runs.
"""

from __future__ import annotations

import hashlib
import itertools
import os
from collections import defaultdict

from annotator.store import project_file

_made: defaultdict[str, itertools.count[int]] = defaultdict(itertools.count)


def use_steady_project_ids() -> None:
    """Give new projects of this process the ids of a series of the running test file, each id once."""
    project_file.new_id = _next_id


def _next_id() -> str:
    # By file: a process runs all tests of a file; which files it runs before depends on the other process.
    file = os.environ.get("PYTEST_CURRENT_TEST", "").partition("::")[0]
    return hashlib.sha256(f"{file} {next(_made[file])}".encode()).hexdigest()[:32]
