"""The supervisor, over processes that end as told."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from annotator.jobs import supervisor as supervising
from annotator.jobs.supervisor import Supervisor, WorkerState, worker_command
from tests.patience import PATIENCE_S

WAITS = "import sys; sys.stdin.read()"


class Watched:
    """A supervisor of a process that runs a line of Python, and what it told of itself."""

    def __init__(self, line: str) -> None:
        self.told: list[WorkerState] = []
        self._changed = threading.Condition()
        self.supervisor = Supervisor(
            Path("p.vantage"),
            command=(sys.executable, "-c", line),
            first_pause_s=0.01,
            changed=self._note,
        )

    def wait_for(self, condition: Callable[[WorkerState], bool]) -> WorkerState:
        with self._changed:
            assert self._changed.wait_for(lambda: any(map(condition, self.told)), PATIENCE_S)
            return next(filter(condition, self.told))

    def _note(self) -> None:
        with self._changed:
            self.told.append(self.supervisor.state())
            self._changed.notify_all()


@pytest.fixture
def watch() -> Iterator[Callable[[str], Watched]]:
    made: list[Watched] = []

    def make(line: str) -> Watched:
        made.append(Watched(line))
        return made[-1]

    yield make
    for one in made:
        one.supervisor.stop(wait_s=PATIENCE_S)


def test_start_when_called_then_a_process_runs_until_stopped(watch: Callable[[str], Watched]) -> None:
    watched = watch(WAITS)
    assert watched.supervisor.state() == WorkerState()
    watched.supervisor.start()
    pid = watched.wait_for(lambda state: state.condition == "running").pid
    os.kill(pid, 0)
    watched.supervisor.stop(wait_s=PATIENCE_S)
    assert watched.supervisor.state().condition == "off"
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_start_when_it_runs_already_then_no_second_one_runs_beside_it(
    watch: Callable[[str], Watched], tmp_path: Path
) -> None:
    file = tmp_path / "runs"
    watched = watch(f"open({str(file)!r}, 'a').write('x'); {WAITS}")
    watched.supervisor.start()
    watched.wait_for(lambda state: state.condition == "running")
    watched.supervisor.start()
    watched.supervisor.start()
    watched.supervisor.stop(wait_s=PATIENCE_S)
    assert file.read_text() in {"", "x"}


def test_start_when_the_process_was_about_to_end_then_another_takes_over(
    watch: Callable[[str], Watched], tmp_path: Path
) -> None:
    file = tmp_path / "runs"
    watched = watch(f"open({str(file)!r}, 'a').write('x')")
    watched.supervisor.start()
    watched.supervisor.start()
    watched.wait_for(lambda state: state.condition == "running")
    watched.supervisor.start()
    assert watched.supervisor.wait(PATIENCE_S)
    assert len(file.read_text()) >= 2
    assert watched.supervisor.state().condition == "off"


def test_watch_when_the_process_dies_then_it_is_started_again_and_says_why(
    watch: Callable[[str], Watched],
) -> None:
    watched = watch(
        "import os, sys; sys.stderr.write('no memory'); sys.stderr.flush(); os.kill(os.getpid(), 9)"
    )
    watched.supervisor.start()
    state = watched.wait_for(lambda state: state.condition == "resting" and state.restarts >= 2)
    assert state.last_output == "no memory\nIt was ended by signal 9."


def test_watch_when_the_process_is_killed_then_another_runs(watch: Callable[[str], Watched]) -> None:
    watched = watch(WAITS)
    watched.supervisor.start()
    first = watched.wait_for(lambda state: state.condition == "running").pid
    os.kill(first, signal.SIGKILL)
    second = watched.wait_for(lambda state: state.condition == "running" and state.restarts == 1).pid
    assert first != second


def test_watch_when_the_process_refuses_then_it_is_left_alone_with_its_words(
    watch: Callable[[str], Watched],
) -> None:
    watched = watch("import sys; sys.stderr.write('There is no project.'); sys.exit(2)")
    watched.supervisor.start()
    state = watched.wait_for(lambda state: state.condition == "refused")
    assert state.last_output == "There is no project.\nIt ended with status 2."
    assert watched.supervisor.wait(PATIENCE_S)
    assert watched.supervisor.state().condition == "refused"


def test_worker_command_when_frozen_then_is_the_program_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = worker_command(Path("p.vantage"))
    assert usual[:1] == (sys.executable,)
    assert Path(usual[1]).is_file()
    monkeypatch.setattr(supervising.sys, "frozen", True, raising=False)
    assert worker_command(Path("p.vantage")) == (sys.executable, *usual[2:])


def test_start_when_the_program_cannot_be_started_then_says_why_and_tries_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervising, "program", lambda: (str(tmp_path / "gone"),))
    told = threading.Event()
    watching = Supervisor(tmp_path / "p.vantage", first_pause_s=0.01, changed=told.set)
    watching.start()
    while watching.state().restarts < 2:
        assert told.wait(PATIENCE_S)
        told.clear()
    text = watching.state().last_output
    watching.stop(wait_s=PATIENCE_S)
    assert "The worker cannot be started: " in text
    assert "gone" in text
    assert watching.state().condition == "off"


def test_stop_when_nobody_is_to_wait_then_the_process_ends_by_itself(
    watch: Callable[[str], Watched], tmp_path: Path
) -> None:
    last = tmp_path / "last"
    # It drains for as long as the file is not there.
    watched = watch(f"import os, time; {WAITS}\nwhile not os.path.exists({str(last)!r}): time.sleep(0.01)")
    watched.supervisor.start()
    watched.wait_for(lambda state: state.condition == "running")
    watched.supervisor.stop(wait_s=0)
    assert watched.supervisor.state().condition == "running"
    assert not watched.supervisor.wait(0)
    last.touch()
    assert watched.supervisor.wait(PATIENCE_S)
    assert watched.supervisor.state() == WorkerState()


def test_start_when_it_has_an_environment_of_its_own_then_the_process_sees_that(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    line = f"import os; open({str(seen)!r}, 'w').write(os.environ['GPU'])"
    watching = Supervisor(
        tmp_path / "p.vantage",
        command=(sys.executable, "-c", line),
        environment={**os.environ, "GPU": "GPU-b2"},
    )
    assert watching.wait(0)
    watching.start()
    assert watching.wait(PATIENCE_S)
    assert seen.read_text() == "GPU-b2"


@pytest.mark.skipif(not hasattr(os, "getpriority"), reason="this system has no such priorities")
@pytest.mark.parametrize(("gives_way", "steps"), [(True, supervising.NICE), (False, 0)])
def test_start_when_the_worker_has_low_priority_then_all_its_threads_do(
    tmp_path: Path, gives_way: bool, steps: int
) -> None:
    found = tmp_path / "found"
    line = (
        "import os, sys, threading; sys.stdin.read();"
        f"told = lambda: open({str(found)!r}, 'w').write(str(os.getpriority(os.PRIO_PROCESS, 0)));"
        "thread = threading.Thread(target=told); thread.start(); thread.join()"
    )
    watching = Supervisor(
        tmp_path / "p.vantage",
        command=(sys.executable, "-c", line),
        has_low_priority=gives_way,
        first_pause_s=0.01,
    )
    watching.start()
    # It reads until its standard input ends, which stopping does: by then its priority is set.
    started = threading.Event()
    while watching.state().condition != "running" and not started.wait(0.01):
        pass
    watching.stop(wait_s=PATIENCE_S)
    assert int(found.read_text()) == min(19, os.getpriority(os.PRIO_PROCESS, 0) + steps)
