"""Workers, and who watches over them, are killed during a run: no job is lost, none billed twice."""

from __future__ import annotations

from pathlib import Path

from tests.faults.fault_rows import Trials, fault_row, trials
from tests.unit.jobs.test_crash import needs_processes, survive


@needs_processes
@trials(short=5, full=60)
def test_run_when_workers_and_watchers_are_killed_then_each_job_is_answered_and_billed_once(
    tmp_path: Path, trials: Trials
) -> None:
    jobs = 2_000 if trials.form == "full" else 100
    with fault_row(
        "A worker is killed during a run, every third time with its supervisor", test=__file__, trials=trials
    ) as row:
        calls = survive(tmp_path, jobs=jobs, kills=trials.count)
        row.tried = trials.count
        row.add("jobs", jobs)
        row.add("calls that the server counted", calls)
