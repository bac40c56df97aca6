"""Verbs in processes whose n-th operation on files of a folder ends them, or fails.

A library that stands before libc counts writes, syncs, truncations and changes of names (`disk_faults.c`).
One process loads Vantage and forks for each verb, since a start takes longer than most verbs.
"""

from __future__ import annotations

import errno
import functools
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import pytest

PROGRAM = Path(__file__).with_name("verb_process.py")
SOURCE = Path(__file__).with_name("disk_faults.c")
KILL = -1
FULL, BROKEN = errno.ENOSPC, errno.EIO
WRITES, SYNCS, NAMES = 1, 2, 4
ALL = WRITES | SYNCS | NAMES
needs_compiler = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("cc") is None, reason="the library needs Linux and a C compiler"
)


@functools.cache
def library(folder: Path) -> Path:
    """Build the library and return its path."""
    path = folder / "disk_faults.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", path, SOURCE, "-ldl"], check=True)
    return path


@dataclass(frozen=True)
class Ended:
    """How a verb ended.

    Attributes:
        status: Of the process; -9 where it was killed.
        operations: How many were counted; -1 of a killed process.
        failed: How many of them failed.
        out: What it wrote to standard output.
        err: What it wrote to standard error.
    """

    status: int
    operations: int
    failed: int
    out: str
    err: str


class FaultyDisk:
    """Runs verbs on a disk that fails when it is told.

    Args:
        folder: For the library and for what the verbs write.
    """

    def __init__(self, folder: Path) -> None:
        environment = os.environ | {"LD_PRELOAD": str(library(folder))}
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            [sys.executable, str(PROGRAM), str(folder)], env=environment, stdin=pipe, stdout=pipe, text=True
        )

    def run(
        self, *arguments: object, under: Path, at: int = 0, act: int = KILL, more: int = 0, of: int = ALL
    ) -> Ended:
        """Run a verb.

        Args:
            arguments: Verb and arguments.
            under: Folder whose files count.
            at: Number of the operation that ends the process or fails, from 1; 0 for none.
            act: ``KILL``, or the errno of the failure.
            more: How many operations after it fail, too; -1 for all.
            of: Which operations count.
        """
        order = {
            "arguments": [str(one) for one in arguments],
            "fault": [f"{under}/", at, act, more, of],
        }
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{json.dumps(order)}\n")
        self._process.stdin.flush()
        return Ended(**json.loads(self._process.stdout.readline()))

    def __enter__(self) -> FaultyDisk:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # It ends with its input.
        self._process.communicate()
