"""What the program does before its window is made."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

REPO = Path(__file__).parents[2]
PROGRAM = """
import gc, sys, main
def build(project):
    print(gc.get_freeze_count() > 10_000, "widgets.window" in sys.modules, "annotator.session" in sys.modules)
    raise SystemExit(0)
main.build = build
main.main([])
"""


def test_open_window_when_called_then_modules_are_exempt_from_collection_before_the_window_is_made() -> None:
    # In a process of its own: what is exempt here would never be searched for leaks again.
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=REPO, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["True", "True", "True"]


COLLECTION = """
import gc, sys, main
from PySide6.QtWidgets import QApplication
def run():
    print(gc.isenabled(), gc.get_freeze_count() > 0)
    return 0
QApplication.exec = run
main.main([])
"""


def test_open_window_when_called_then_other_threads_do_not_collect_cycles(tmp_path: Path) -> None:
    folders = {"VANTAGE_HOME": str(tmp_path / "home"), "VANTAGE_CONFIG": str(tmp_path / "settings")}
    done = subprocess.run(
        [sys.executable, "-c", COLLECTION],
        cwd=REPO,
        env={**os.environ, **folders},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["False", "True"]
