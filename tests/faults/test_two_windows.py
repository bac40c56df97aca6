"""Two windows and two workers on one project: no edit and no answer is lost, and all counts are the same."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

from annotator.domain.query import ItemQuery
from annotator.queries.reader import Reader
from annotator.release.manifest import read_manifest
from annotator.session import Session
from tests.faults.fault_rows import FaultRow, Trials, fault_row, trials
from tests.faults.test_window_kills import PROGRAM, look_for
from tests.patience import PATIENCE_S, wait_until
from tests.servers.chat_server import Behaviour, ChatServer, texts_of
from tests.unit.jobs.test_crash import count, needs_processes, run_state, supervised
from tests.unit.jobs.working import answers, echoed, enter, plans, profile
from tests.unit.release.samples import release
from tests.unit.store.making import problems
from tests.windows import make_item, make_project

STATES = ("drafted", "in_refinement", "refined", "flagged", "accepted")


class EditedWindow:
    """A window in a process of its own, in which somebody edits until it is stopped."""

    def __init__(self, project: Path, name: str) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            [sys.executable, str(PROGRAM), str(project), name], stdin=pipe, stdout=pipe, text=True
        )
        self.lines: list[str] = []
        self._reading = threading.Thread(target=self._read)
        self._reading.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        self.lines.extend(line.strip() for line in self._process.stdout)

    def stop(self) -> None:
        """Ask it to stop, and wait for its end."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("stop\n")
        self._process.stdin.close()
        assert self._process.wait(PATIENCE_S) == 0
        self._reading.join(PATIENCE_S)
        self._process.stdout.close()

    def kill(self) -> None:
        """End it at once, if it has not ended."""
        self._process.kill()
        self._process.wait()
        self._reading.join(PATIENCE_S)


def compare_counts(shown: list[str], project: Path, row: FaultRow) -> None:
    """Note where the screen of the last window, SQL and a release differ in the number of items."""
    in_sql = count(project, "SELECT count(*) FROM item WHERE removed=0")
    with Session.open(project) as session:
        release(
            session,
            project.parent / "out",
            "native",
            selection=ItemQuery(states=STATES),
            include_flagged=True,
        )
    released = read_manifest(project.parent / "out").records
    row.expect(shown[-1] == f"shown {in_sql}", f"{in_sql} items, and on the screen: {shown[-1]}")
    row.expect(released == in_sql, f"{in_sql} items, and in the release: {released}")
    row.add("items", in_sql)


def work_together(project: Path, *, seconds: float, jobs: int, row: FaultRow) -> None:
    """Edit in two windows while two workers ask a model, and compare what became of it."""
    with ChatServer(answer=lambda body: texts_of(body).strip(), behaviour=Behaviour(delay_s=0.2)) as server:
        enter(project, plans(jobs), model=profile(base_url=server.base_url, in_flight=4))
        windows = [EditedWindow(project, name) for name in ("one", "two")]
        try:
            with supervised(project), supervised(project):
                wait_until(lambda: all(window.lines for window in windows))
                end = time.monotonic() + seconds
                wait_until_later(end)
                reader = Reader.open(project)
                wait_until(lambda: run_state(reader) != "running")
            shown = []
            for window in windows:
                window.stop()
                shown.append(window.lines.pop())
        finally:
            for window in windows:
                window.kill()
        asked = Counter(texts_of(call.body).strip() for call in server.calls)
    row.expect(answers(reader) == echoed(jobs), "answers are missing, or there twice")
    row.expect(sum(asked.values()) == jobs, f"{sum(asked.values())} calls for {jobs} jobs")
    row.add("answers", jobs)
    reader.close()
    look_for([line for window in windows for line in window.lines], project, row)
    compare_counts(shown, project, row)


def wait_until_later(end: float) -> None:
    """Let the others work until a moment."""
    threading.Event().wait(max(0.0, end - time.monotonic()))


@needs_processes
@trials(short=1, full=10, limit_s=75)
def test_project_when_two_windows_and_two_workers_use_it_then_nothing_is_lost_and_counts_agree(
    tmp_path: Path, trials: Trials
) -> None:
    minutes = trials.count
    project = make_project(tmp_path / "p.vantage", [make_item(number) for number in range(3)])
    fault = "Two windows and two workers use one project at once, for so many minutes"
    with fault_row(fault, test=__file__, trials=trials) as row:
        work_together(project, seconds=60.0 * minutes, jobs=200 * minutes, row=row)
        row.tried = minutes
        row.faults.extend(f"{found}" for found in problems(project))
