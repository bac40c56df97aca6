"""What is set aside is no longer walked; only a program that says so sets anything aside."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path

from widgets import garbage

REPO = Path(__file__).parents[2]
PROGRAM = """
import gc
from widgets import garbage
garbage.set_aside()
first = gc.get_freeze_count()
kept = [[] for _ in range(1000)]
garbage.set_aside_more()
print(first > 1000, gc.get_freeze_count() - first >= 1000, len(gc.get_objects()) < first)
"""


def test_set_aside_when_called_then_what_is_loaded_is_walked_no_more() -> None:
    # In a process of its own: what is set aside here would never be searched for leaks again.
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=REPO, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["True", "True", "True"]


def test_set_aside_more_when_nothing_was_set_aside_then_does_nothing() -> None:
    before = gc.get_freeze_count()
    garbage.set_aside_more()
    assert gc.get_freeze_count() == before == 0
