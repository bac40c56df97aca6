"""The first start as a person meets it: a real process, on a real screen, without a demo project."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.bench.screen import screen
from tests.patience import wait_until
from tests.processes import children_of, is_alive

REPO = Path(__file__).resolve().parents[2]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (shutil.which("Xvfb") and shutil.which("xdotool")), reason="needs Xvfb and xdotool"
    ),
]


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[Mapping[str, str]]:
    """Give the environment of a screen and of a home that nobody has used yet."""
    with screen(tmp_path) as shown:
        folders = {f"VANTAGE_{name}": str(tmp_path / name.lower()) for name in ("HOME", "CONFIG", "LOG")}
        yield {**os.environ, **shown, **folders, "LC_ALL": "C.UTF-8"}


def titles(environment: Mapping[str, str]) -> list[str]:
    """Return the titles of the windows on the screen."""
    found = subprocess.run(
        ["xdotool", "search", "--onlyvisible", "--name", "Vantage$", "getwindowname", "%@"],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return found.stdout.split("\n")[:-1]


def start(environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "main.py", "--demo"], cwd=REPO, env=environment)


def test_first_start_when_killed_and_repeated_in_two_windows_then_one_demo_is_made(
    environment: Mapping[str, str],
) -> None:
    home = Path(environment["VANTAGE_HOME"])
    with start(environment) as killed:
        wait_until(lambda: titles(environment) == ["Vantage"])
        # The window is there before the demo.
        assert not (home / "demo").exists()
        wait_until(lambda: any(home.glob("demo-cache/.shoot-*")) and bool(children_of(killed.pid)))
        workers = children_of(killed.pid)
        killed.kill()
    wait_until(lambda: not any(is_alive(pid) for pid in workers))
    with start(environment) as one, start(environment) as other:
        wait_until(lambda: titles(environment) == ["Demo city – Vantage"] * 2)
        one.terminate()
        other.terminate()
    # Which comments of the author of the demo a person has seen is noted when the window shows them.
    assert {path.name for path in home.iterdir()} - {"read-comments"} == {"demo", "demo-cache"}
