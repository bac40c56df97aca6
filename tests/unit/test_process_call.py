"""A call in a child process that is cancelled: it ends at once, or by itself where it has time."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotator.errors import Cancelled
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
