"""A call in a child process that does not end well: cancelled, killed, out of memory, or with a bug."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.diagnostics.child_failure import ChildFailure
from annotator.diagnostics.crash_report import CrashReport
from annotator.errors import Cancelled, EnvironmentFailure
from annotator.process_call import call_in_process
from annotator.progress import Progress, ProgressUpdate
from tests.patience import PATIENCE_S


def work_until_cancelled(kept: Path, *, progress: Progress) -> str:
    """Work for as long as nobody cancels, then keep what was done; what the child does."""
    progress.begin("Working")
    try:
        while True:
            progress.step()
    except Cancelled:
        kept.write_text("kept", encoding="utf-8")
        raise


@pytest.mark.parametrize(("grace_s", "is_kept"), [(PATIENCE_S, True), (0.0, False)])
def test_call_when_cancelled_then_keeps_its_work_only_where_it_is_given_time(
    tmp_path: Path, grace_s: float, is_kept: bool
) -> None:
    kept = tmp_path / "kept"

    def cancel(step: ProgressUpdate) -> None:
        if step.what == "Working" and step.done:
            progress.cancel()

    progress = Progress(cancel)
    with pytest.raises(Cancelled):
        call_in_process(work_until_cancelled, kept, kind=str, progress=progress, grace_s=grace_s)
    assert kept.is_file() == is_kept


WORDS = "the red car near the bridge"


def raise_bug(text: str, *, progress: Progress) -> str:
    progress.begin("Working")
    raise KeyError(text)


def test_call_when_its_function_raises_what_nobody_foresaw_then_it_is_reported_as_a_bug_there() -> None:
    with pytest.raises(ChildFailure, match=f"KeyError: '{WORDS}'") as info:
        call_in_process(raise_bug, WORDS, kind=str, progress=Progress())
    report = CrashReport.of(info.value, process="window", thread="main")
    assert "In a child process:" in report.traceback
    assert "in raise_bug\n    raise KeyError(text)\nKeyError\n" in report.traceback
    # A report never holds the message of an exception, which may be the text of an item.
    assert WORDS not in report.text()
    assert report.signature.startswith("KeyError@tests/unit/test_process_call.py:")


def lack_memory(*, progress: Progress) -> str:
    progress.begin("Working")
    raise MemoryError


def kill_itself(*, progress: Progress) -> str:
    progress.begin("Working")
    os.kill(os.getpid(), signal.SIGKILL)
    return ""


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lack_memory, "There is not enough memory."),
        pytest.param(
            kill_itself,
            "The system ended a process, usually for lack of memory.",
            marks=pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals"),
        ),
    ],
)
def test_call_when_memory_ran_out_then_says_to_free_some(function: Callable[..., str], message: str) -> None:
    with pytest.raises(EnvironmentFailure) as info:
        call_in_process(function, kind=str, progress=Progress(), grace_s=PATIENCE_S)
    assert info.value.message == message
    assert info.value.hint == "Close other programs to free memory, then try again."
