from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from annotator.errors import Cancelled
from annotator.file_lock import exclusive_lock
from annotator.progress import Progress, ProgressUpdate
from tests.patience import wait_until

REPO = Path(__file__).resolve().parents[2]
HOLDER = """
import sys, time
from pathlib import Path
from annotator.file_lock import exclusive_lock
from annotator.progress import Progress
with exclusive_lock(Path(sys.argv[1]), waiting_for="Waiting", progress=Progress()):
    print("held", flush=True)
    time.sleep(3600)
"""


def hold(path: Path) -> subprocess.Popen[str]:
    """Start a process that holds a lock."""
    held = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], cwd=REPO, stdout=subprocess.PIPE, text=True
    )
    assert held.stdout is not None
    assert held.stdout.readline() == "held\n"
    return held


def test_lock_when_nobody_holds_it_then_is_held_inside_the_block_and_leaves_no_file(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    with exclusive_lock(path, waiting_for="Waiting", progress=Progress()):
        assert path.exists()
    assert not path.exists()


def test_lock_when_its_holder_is_killed_then_the_next_gets_it(tmp_path: Path) -> None:
    path, steps = tmp_path / "x.lock", list[ProgressUpdate]()
    is_held = threading.Event()

    def take() -> None:
        with exclusive_lock(path, waiting_for="Waiting", progress=Progress(steps.append)):
            is_held.set()

    with hold(path) as holder:
        thread = threading.Thread(target=take)
        thread.start()
        wait_until(lambda: bool(steps))
        assert not is_held.is_set()
        holder.kill()
        assert is_held.wait(120)
        thread.join()
    assert [step.what for step in steps] == ["Waiting"]


def test_lock_when_the_wait_is_cancelled_then_ends_at_once(tmp_path: Path) -> None:
    path, progress = tmp_path / "x.lock", Progress()
    with hold(path) as holder:
        progress.cancel()
        with (
            pytest.raises(Cancelled),
            exclusive_lock(path, waiting_for="Waiting", progress=progress),
        ):
            pass
        holder.kill()
