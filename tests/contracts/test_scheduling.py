"""A test that ends its own process is reported, and a run always comes to its end."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S

REPO = Path(__file__).resolve().parents[2]
# The fault handler ends a process as it does for a test that hangs; os._exit as a crash in a library does.
SUITE = {
    "test_middle.py": """
import os, pytest
@pytest.mark.parametrize("number", range(5))
def test_number(number):
    if number == 2: os._exit(1)
""",
    "test_end.py": """
import os, pytest
@pytest.mark.parametrize("number", range(3))
def test_number(number):
    if number == 2: os._exit(1)
""",
    "test_alone.py": """
import faulthandler, threading
def test_hangs():
    faulthandler.dump_traceback_later(0.01, exit=True)
    threading.Event().wait()
""",
    "test_sound.py": "def test_sound(): pass\n",
}
# The process that hands out the work reads each report late, and sees the end of a process after its reports.
LATE_READER = """
import os, time
from xdist.workermanage import WorkerController
WorkerController.shutting_down = property(lambda node: node._shutdown_sent)
def pytest_runtest_logreport(report):
    if "PYTEST_XDIST_WORKER" not in os.environ: time.sleep(0.1)
"""


@pytest.mark.parametrize("conftest", ["", LATE_READER], ids=["reports read at once", "reports read late"])
def test_run_when_tests_end_their_processes_then_each_is_reported_once_and_all_others_run(
    tmp_path: Path, conftest: str
) -> None:
    for name, text in {**SUITE, "conftest.py": conftest}.items():
        (tmp_path / name).write_text(text)
    options = ["-n", "2", "--dist", "loadfile", "-p", "tests.scheduling", "-p", "no:cacheprovider"]
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "--rootdir", tmp_path, tmp_path],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(REPO)},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert ended.returncode == 1, ended.stdout
    assert re.search(r"\b3 failed, 7 passed\b", ended.stdout), ended.stdout
    crashed = re.findall(r"^worker '\w+' crashed while running '(.*)'", ended.stdout, re.MULTILINE)
    assert sorted(crashed) == [
        "test_alone.py::test_hangs",
        "test_end.py::test_number[2]",
        "test_middle.py::test_number[2]",
    ]


def test_conftest_when_tests_are_run_by_file_then_its_scheduling_is_ours() -> None:
    from tests import conftest, scheduling

    assert conftest.pytest_xdist_make_scheduler is scheduling.pytest_xdist_make_scheduler


def test_files_that_take_long_when_listed_then_are_there() -> None:
    from tests import scheduling

    assert [name for name in scheduling.LONG_FILES if not (REPO / name).is_file()] == []


def test_run_when_a_file_takes_long_then_begins_with_it(tmp_path: Path) -> None:
    (tmp_path / "tests" / "gui").mkdir(parents=True)
    for name, text in {
        "tests/gui/test_soak.py": "def test_long(): pass\n",
        "tests/test_many.py": "".join(f"def test_{number}(): pass\n" for number in range(9)),
    }.items():
        (tmp_path / name).write_text(text)
    options = ["-n", "1", "--dist", "loadfile", "-p", "tests.scheduling", "-p", "no:cacheprovider", "-v"]
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "--rootdir", tmp_path, "tests"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(REPO)},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    ran = re.findall(r"PASSED (\S+)", ended.stdout)
    assert len(ran) == 10, ended.stdout
    assert ran[0] == "tests/gui/test_soak.py::test_long"


@pytest.mark.parametrize("processes", [(), ("-n", "2")], ids=["one process", "two processes"])
def test_run_when_its_time_is_over_then_it_ends_and_names_what_was_running(
    tmp_path: Path, processes: tuple[str, ...]
) -> None:
    (tmp_path / "test_quick.py").write_text("def test_quick(): pass\n")
    (tmp_path / "test_still.py").write_text(
        "import threading\ndef test_stands_still(): threading.Event().wait()\n"
    )
    options = [*processes, "-m", "not slow", "-p", "tests.run_limit", "-p", "no:cacheprovider"]
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "--rootdir", tmp_path, tmp_path],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(REPO), "VANTAGE_TEST_LIMIT_S": "10"},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert ended.returncode == 1, ended.stdout
    assert "The run was ended after 10 s. Not finished:\ntest_still.py::test_stands_still" in ended.stderr
    assert "test_quick.py::test_quick" not in ended.stderr
