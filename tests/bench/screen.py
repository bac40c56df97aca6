"""The screen that windows are measured on: a virtual X server of the bench's own, where one is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from annotator.errors import EnvironmentFailure

OFFSCREEN = {"QT_QPA_PLATFORM": "offscreen"}


@contextmanager
def screen(folder: Path) -> Iterator[Mapping[str, str]]:
    """Give the environment of a virtual X screen of its own, nothing where Xvfb is not installed."""
    program = shutil.which("Xvfb")
    if program is None:
        yield {}
        return
    # The server picks a free display itself and writes its number there once it is ready.
    read, write = os.pipe()
    with (folder / "xvfb.log").open("w") as log:
        server = subprocess.Popen(
            [program, "-displayfd", str(write), "-screen", "0", "1920x1080x24", "-nolisten", "tcp",
             # It would start anew when its last program leaves, and refuse a window that comes meanwhile.
             "-noreset"],
            pass_fds=(write,), stdout=log, stderr=log,
        )  # fmt: skip
    os.close(write)
    try:
        with os.fdopen(read) as told:
            number = told.readline().strip()
        if not number:
            raise EnvironmentFailure("Xvfb did not start.", hint=f"See {folder / 'xvfb.log'}.")
        yield {"DISPLAY": f":{number}", "QT_QPA_PLATFORM": "xcb"}
    finally:
        server.terminate()
        server.wait()
