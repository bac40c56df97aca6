"""What the Runs workspace loads when it is first opened, on the thread of the window."""

from __future__ import annotations

import subprocess
import sys

LOADED = """
import sys
import widgets.window
before = set(sys.modules)
import widgets.runs.workspace
expensive = ("pyqtgraph", "annotator.draft.llm", "annotator.release.exporters")
print(*sorted(name for name in sys.modules.keys() - before if name in expensive))
"""


def test_runs_when_first_opened_then_load_neither_plots_nor_the_commands_of_outcomes() -> None:
    said = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert said.stdout.split() == []
