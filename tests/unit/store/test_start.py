"""What a process imports before it reads a project: each program and each child process waits for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

REPO = Path(__file__).parents[3]
HEAVY = {"pandas", "PIL", "cv2", "onnxruntime", "PySide6", "multiprocessing.pool"}


def modules_after(program: str, *arguments: str) -> set[str]:
    """Run a program in a process of its own and return the modules that it imported."""
    ran = subprocess.run(
        [sys.executable, "-c", f"{program}\nimport sys\nprint(*sys.modules)", *arguments],
        cwd=REPO,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(ran.stdout.split())


def test_reader_when_it_is_imported_then_no_heavy_package_is() -> None:
    assert HEAVY & modules_after("import annotator.queries.reader") == set()


def test_project_when_it_is_made_and_opened_then_no_package_of_tables_is_imported(tmp_path: Path) -> None:
    program = """
import sys
from pathlib import Path
from annotator.session import Session
path = Path(sys.argv[1])
Session.create(path, title="pilot").close()
Session.open(path).close()
"""
    assert {"pandas", "sqlite_utils"} & modules_after(program, str(tmp_path / "pilot.vantage")) == set()
