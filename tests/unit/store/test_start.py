"""What a process imports before it reads a project: each program and each child process waits for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

REPO = Path(__file__).parents[3]
HEAVY = {"pandas", "sqlite_utils", "PIL", "cv2", "onnxruntime", "PySide6", "multiprocessing.pool"}


def test_reader_when_it_is_imported_then_no_heavy_package_is() -> None:
    program = "import sys, annotator.queries.reader; print(*sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=REPO, capture_output=True, text=True, check=True
    )
    assert HEAVY & set(ran.stdout.split()) == set()
