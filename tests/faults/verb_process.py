"""Runs verbs, each in a fork of this process; orders come as JSON lines, and so do the answers.

See `disk_faults.py`, which starts it with the library of `disk_faults.c`.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import annotator.cli.command_line
import main

assert annotator.cli.command_line
LIBRARY = ctypes.CDLL(None)


def run(order: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Run a verb in a fork and tell how it ended."""
    texts = {number: folder / f"{name}.txt" for number, name in ((1, "out"), (2, "err"))}
    counts = folder / "counts.txt"
    counts.unlink(missing_ok=True)
    if (child := os.fork()) == 0:
        with suppress(BaseException):
            _run_here(order, texts, counts)
        os._exit(99)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    operations, failed, modules = json.loads(counts.read_text()) if counts.exists() else (-1, -1, [])
    load(modules)
    said = {name: texts[number].read_text(errors="replace") for number, name in ((1, "out"), (2, "err"))}
    return {"status": status, "operations": operations, "failed": failed, **said}


def load(modules: list[str]) -> None:
    """Load what a fork has loaded, so that the next ones need not."""
    for name in modules:
        if name not in sys.modules:
            with suppress(ImportError):
                importlib.import_module(name)


def _run_here(order: dict[str, Any], texts: dict[int, Path], counts: Path) -> None:
    for number, path in texts.items():
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    under, *numbers = order["fault"]
    LIBRARY.fault_arm(under.encode(), ctypes.c_long(numbers[0]), *numbers[1:])
    try:
        status = main.start(order["arguments"])
    except SystemExit as ended:
        status = int(ended.code or 0)
    sys.stdout.flush()
    sys.stderr.flush()
    counts.write_text(json.dumps([LIBRARY.fault_count(), LIBRARY.fault_failed(), list(sys.modules)]))
    os._exit(status)


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line), Path(sys.argv[1]))), flush=True)
