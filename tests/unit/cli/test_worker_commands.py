"""The verb worker: as a process over real HTTP, and what it refuses."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from annotator.cli.command_line import run
from annotator.queries.reader import Reader
from main import main
from tests.patience import PATIENCE_S, wait_until
from tests.servers.chat_server import Behaviour, ChatServer, texts_of
from tests.unit.jobs import work_process
from tests.unit.jobs.working import answers, echoed, enter, plans, profile

PROCESS = Path(work_process.__file__)


def echo_server(**behaviour: Any) -> ChatServer:
    return ChatServer(answer=lambda body: texts_of(body).strip(), behaviour=Behaviour(**behaviour))


def started(*arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, PROCESS, "worker", *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_worker_when_a_run_waits_then_asks_over_http_and_tells_lines_of_json(project: Path) -> None:
    with echo_server() as server:
        enter(project, plans(20), model=profile(base_url=server.base_url))
        process = started(project, "--until-done", "--json")
        out, err = process.communicate(timeout=PATIENCE_S)
        assert len(server.calls) == 20
    assert process.returncode == 0, err
    events = [json.loads(line) for line in out.splitlines()]
    assert [one["event"] for one in events] == ["began", *["progress"] * (len(events) - 3), "run", "ended"]
    assert events[0]["pid"] == process.pid
    assert events[-3]["done"] == 20
    assert (events[-2]["run"], events[-2]["state"]) == ("r1", "done")
    reader = Reader.open(project)
    assert answers(reader) == echoed(20)
    reader.close()


def test_worker_when_told_to_end_then_waits_for_its_calls_and_leaves_the_rest(project: Path) -> None:
    with echo_server(delay_s=0.3) as server:
        enter(project, plans(500), model=profile(base_url=server.base_url))
        process = started(project, "--json")
        reader = Reader.open(project)
        while not reader.runs.progress("r1").done:
            assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=PATIENCE_S)
        asked = len(server.calls)
    assert process.returncode == 0, err
    assert json.loads(out.splitlines()[-1])["event"] == "ended"
    progress = reader.runs.progress("r1")
    assert (progress.in_flight, progress.done) == (0, asked)
    assert progress.waiting == 500 - asked > 0
    reader.close()


def test_worker_when_told_to_end_twice_then_ends_at_once(project: Path) -> None:
    with echo_server(delay_s=60.0) as server:
        enter(project, plans(5), model=profile(base_url=server.base_url))
        process = started(project)
        while not server.calls:
            assert process.poll() is None

        def end() -> bool:
            # The first waits for the calls, of a minute; one that comes after it was taken ends it.
            process.send_signal(signal.SIGTERM)
            return process.poll() is not None

        wait_until(end, poll_s=0.05)
        process.communicate(timeout=PATIENCE_S)
    assert process.returncode == -signal.SIGTERM
    assert len(server.calls) <= 5


def test_worker_when_its_parent_is_gone_then_drains(project: Path) -> None:
    with echo_server(delay_s=0.2) as server:
        enter(project, plans(500), model=profile(base_url=server.base_url))
        process = started(project, "--with-parent", "--json")
        reader = Reader.open(project)
        while not reader.runs.progress("r1").done:
            assert process.poll() is None
        process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    assert reader.runs.progress("r1").in_flight == 0
    reader.close()


def test_worker_when_a_run_stops_then_says_why_and_ends_with_1(project: Path) -> None:
    enter(project, plans(3), model=profile(adapter="openai", key_from="env:VANTAGE_NO_SUCH_KEY"))
    process = started(project, "--until-done")
    out, _err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1
    assert "Blind filter 1: Stopped by errors. 0 of 3 answered, 0 failed." in out
    assert "VANTAGE_NO_SUCH_KEY" in out


def test_worker_when_a_run_begins_after_it_then_says_how_its_calls_fail(project: Path) -> None:
    process = started(project)
    assert process.stderr is not None
    assert "Asking" in process.stderr.readline()
    enter(project, plans(1))
    said = next(line for line in process.stderr if "A call failed" in line)
    assert said.startswith("A call failed (server not reachable): http://127.0.0.1:9 cannot be reached")
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0


def test_worker_when_the_run_is_not_there_then_says_so(project: Path, capfd: Any) -> None:
    assert main(["worker", str(project), "--until-done", "--run", "nobody"]) == 2
    assert "There is no run 'nobody'." in capfd.readouterr().err


def test_worker_when_no_models_come_with_it_then_says_so(project: Path, capfd: Any) -> None:
    assert run(["worker", str(project), "--until-done"]) == 2
    assert "models package is not installed" in capfd.readouterr().err


def test_worker_when_there_is_no_project_then_says_so(tmp_path: Path, capfd: Any) -> None:
    assert main(["worker", str(tmp_path / "no.vantage"), "--until-done"]) == 2
    assert "does not exist" in capfd.readouterr().err


def test_worker_when_nothing_waits_then_ends_at_once(project: Path, capfd: Any) -> None:
    assert main(["worker", str(project), "--until-done", "--json"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert [json.loads(line)["event"] for line in lines] == ["began", "ended"]


def test_worker_when_no_cluster_is_kept_then_says_what_to_write(project: Path, capfd: Any) -> None:
    assert main(["worker", str(project), "--cluster", "settings"]) == 2
    assert '{"address": "tcp://HOST:8786"}' in capfd.readouterr().err


def test_worker_when_the_cluster_is_not_encrypted_then_warns_at_every_start_before_it_connects(
    project: Path, capfd: Any
) -> None:
    for _ in range(2):
        assert main(["worker", str(project), "--cluster", "tcp://127.0.0.1:9"]) in (2, 3)
        assert "tcp://127.0.0.1:9 is not encrypted" in capfd.readouterr().err


def test_worker_when_a_run_is_from_elsewhere_then_tells_so_and_asks_nobody(project: Path) -> None:
    with echo_server() as server:
        enter(project, plans(5), model=profile(base_url=server.base_url), is_confirmed=False)
        process = started(project, "--until-done")
        out, err = process.communicate(timeout=PATIENCE_S)
        assert server.calls == []
    assert "not started on this machine" in err
    assert "Not confirmed (started elsewhere)" in out
