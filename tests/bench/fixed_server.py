"""The bench's chat server as a process of its own, for as long as somebody asks it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from annotator.errors import EnvironmentFailure
from tests.bench.process import REPO


@contextmanager
def answering() -> Iterator[str]:
    """Start the server and give its address; it ends with the block.

    Raises:
        EnvironmentFailure: It says nothing.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.answering"],
        cwd=REPO,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        address = process.stdout.readline().strip() if process.stdout else ""
        if not address:
            raise EnvironmentFailure("The server of the bench says nothing.")
        yield address
    finally:
        process.communicate()
