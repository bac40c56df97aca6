"""A stand-in called ``vllm`` on the path: a real process that serves HTTP, or does what it is told."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import msgspec
import pytest

from annotator.domain.profile import ModelProfile
from annotator.errors import Cancelled, EnvironmentFailure, UserError
from annotator.model_api import CallFailed, ChatRequest
from annotator.progress import Progress
from annotator.queries.reader import Reader
from models import local_checkpoint, vllm_server, weights_folder
from models.child_process import LOG_LINES, LOG_WIDTH, ChildProcess
from models.vllm_server import VllmServer, open_model
from tests.patience import PATIENCE_S, wait_until
from tests.processes import is_alive
from tests.unit.jobs import work_process
from tests.unit.jobs.working import enter, make_project, plans

REPO = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.skipif(os.name != "posix", reason="vLLM and its child process run on POSIX systems")
# Writes down its number, arguments and port, then serves; the first lines of `plan` say what it does instead.
STAND_IN = """#!{python}
import os, sys, json, time
from pathlib import Path
folder = Path({folder!r})
with open(folder / "starts", "a") as starts:
    told = {{"pid": os.getpid(), "arguments": sys.argv[1:], "offline": os.environ["HF_HUB_OFFLINE"]}}
    starts.write(json.dumps(told | {{"device": os.environ.get("CUDA_VISIBLE_DEVICES", "")}}) + "\\n")
number = len((folder / "starts").read_text().splitlines())
plan = json.loads((folder / "plan").read_text())
todo = plan[number - 1] if number <= len(plan) else "serve"
print("INFO stand-in", number, todo, flush=True)
if todo == "die":
    sys.exit("torch.OutOfMemoryError: CUDA out of memory")
if todo == "slow":
    time.sleep(2.0)
if todo == "hang":
    time.sleep(600)
sys.path.insert(0, {repo!r})
import asyncio
from tests.servers import chat_server
port = int(sys.argv[sys.argv.index("--port") + 1])
serve = asyncio.start_server
asyncio.start_server = lambda handler, host, _, **told: serve(handler, host, port, **told)
served = chat_server.ChatServer(answer=lambda body: body.get("model", "") + " " + str(number))
served.serve_until_stopped(tell=lambda url: print("serving", url, flush=True))
"""


class Bench:
    """A folder with a model, and a vllm that does what its plan says."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "config.json").write_text("{}")
        (folder / "model.safetensors").write_bytes(b"weights")
        self.plan()
        program = folder / "vllm"
        program.write_text(STAND_IN.format(python=sys.executable, folder=str(folder), repo=str(REPO)))
        program.chmod(0o755)

    def plan(self, *todo: str) -> None:
        (self.folder / "plan").write_text(json.dumps(todo))

    @property
    def starts(self) -> list[dict]:
        file = self.folder / "starts"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def profile(self, **options: object) -> ModelProfile:
        return ModelProfile(
            name="large",
            adapter="vllm",
            model="qwen",
            path=str(self.folder),
            options={"start_s": 60.0, "first_wait_s": 0.05, **options},
        )


@pytest.fixture
def bench(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    return Bench(tmp_path)


@contextlib.contextmanager
def opened(profile: ModelProfile):
    model = open_model(profile)
    try:
        yield model
    finally:
        model.close()


def wait_until_dead(pid: int) -> None:
    wait_until(lambda: not is_alive(pid))


def ask(model: VllmServer) -> str:
    return model.ask(ChatRequest(text="Which?"), timeout_s=PATIENCE_S).text


def test_server_when_opened_then_answers_and_says_what_it_serves(bench) -> None:
    with opened(bench.profile(device="1", arguments=["--max-model-len", "4096"])) as model:
        assert ask(model) == "qwen 1"
        assert len(model.identity.sha256) == 64
        assert model.identity.base_url == ""
        (start,) = bench.starts
    assert start["arguments"][:2] == ["serve", str(bench.folder)]
    assert start["arguments"][-2:] == ["--max-model-len", "4096"]
    assert start["arguments"][start["arguments"].index("--host") + 1] == "127.0.0.1"
    assert "--trust-remote-code" not in start["arguments"]
    assert (start["offline"], start["device"]) == ("1", "1")
    wait_until_dead(start["pid"])


def test_server_when_killed_then_the_next_question_starts_it_again(bench) -> None:
    with opened(bench.profile()) as model:
        assert ask(model) == "qwen 1"
        os.kill(bench.starts[0]["pid"], signal.SIGKILL)
        wait_until_dead(bench.starts[0]["pid"])
        wait_until(lambda: not model.is_running)
        assert ask(model) == "qwen 2"
    for start in bench.starts:
        wait_until_dead(start["pid"])


def test_server_when_it_comes_back_slower_than_a_question_may_take_then_is_waited_for(bench) -> None:
    bench.plan("serve", "slow")
    with opened(bench.profile()) as model:
        assert ask(model) == "qwen 1"
        os.kill(bench.starts[0]["pid"], signal.SIGKILL)
        wait_until(lambda: not model.is_running)
        assert model.ask(ChatRequest(text="Which?"), timeout_s=1.9).text == "qwen 2"
    assert len(bench.starts) == 2


def test_server_when_it_dies_before_it_is_ready_then_is_started_again(bench) -> None:
    bench.plan("die", "die")
    with opened(bench.profile()) as model:
        assert ask(model) == "qwen 3"


def test_server_when_it_always_dies_then_gives_up_with_its_last_words(bench) -> None:
    bench.plan(*["die"] * 9)
    with pytest.raises(EnvironmentFailure, match="CUDA out of memory"):
        open_model(bench.profile())
    assert len(bench.starts) == vllm_server.STARTS


def test_server_when_it_cannot_come_back_then_questions_fail_for_good_after_some(bench) -> None:
    bench.plan("serve", *["die"] * 9)
    with opened(bench.profile()) as model:
        ask(model)
        os.kill(bench.starts[0]["pid"], signal.SIGKILL)
        wait_until(lambda: not model.is_running)
        failures = []
        for _ in range(vllm_server.STARTS - 1):
            with pytest.raises(CallFailed, match="is not running") as failed:
                ask(model)
            failures.append(failed.value)
        # No question's fault: what stops the run, and not each of its jobs.
        for _ in range(2):
            with pytest.raises(EnvironmentFailure, match="is not running"):
                ask(model)
        assert len(bench.starts) == 1 + vllm_server.STARTS
    assert {(each.kind, each.is_retryable) for each in failures} == {("model", True)}
    assert [each.was_sent for each in failures] == [False] * len(failures)
    # Every wait is twice the one before.
    waits = [each.retry_after_s for each in failures]
    assert waits == [pytest.approx(0.05 * 2**n) for n in range(len(waits))]


def test_server_when_never_ready_then_is_ended_after_the_limit(bench) -> None:
    bench.plan("hang")
    with pytest.raises(EnvironmentFailure, match="was not ready within 1 s"):
        open_model(bench.profile(start_s=1.0))
    wait_until_dead(bench.starts[0]["pid"])


def worker_of(project: Path) -> subprocess.Popen[str]:
    """Start the program with a worker of a project whose runs only repeat."""
    return subprocess.Popen(
        [sys.executable, work_process.__file__, "worker", str(project), "--json"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_start(bench: Bench, process: subprocess.Popen[str], *, count: int = 1) -> None:
    wait_until(lambda: process.poll() is not None or len(bench.starts) >= count)
    assert process.poll() is None


@pytest.mark.parametrize("todo", ["hang", "die"])
def test_worker_when_told_to_end_while_a_server_gets_ready_then_ends_both_at_once(
    bench, tmp_path, todo
) -> None:
    bench.plan(*[todo] * 9)
    project = make_project(tmp_path / "p.vantage")
    # Ready within a quarter of an hour, and a minute between two starts.
    slow = bench.profile(start_s=900.0, first_wait_s=60.0)
    enter(project, plans(5), model=msgspec.structs.replace(slow, name="m"))
    process = worker_of(project)
    wait_for_start(bench, process)
    if todo == "die":
        wait_until_dead(bench.starts[0]["pid"])
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, err
    assert json.loads(out.splitlines()[-1])["event"] == "ended"
    wait_until_dead(bench.starts[0]["pid"])
    reader = Reader.open(project)
    progress, run = reader.runs.progress("r1"), reader.runs.get("r1")
    assert (progress.waiting, progress.in_flight, run.state, run.message) == (5, 0, "running", "")
    reader.close()


def test_server_when_wanted_no_more_while_it_is_started_again_then_questions_are_given_up(bench) -> None:
    bench.plan("serve", "hang")
    progress = Progress()
    model = open_model(bench.profile(), progress=progress)
    try:
        assert ask(model) == "qwen 1"
        os.kill(bench.starts[0]["pid"], signal.SIGKILL)
        wait_until(lambda: not model.is_running)
        came: list[BaseException] = []

        def ask_in_vain() -> None:
            try:
                ask(model)
            except Cancelled as error:
                came.append(error)

        threads = [threading.Thread(target=ask_in_vain) for _ in range(3)]
        for thread in threads:
            thread.start()
        wait_until(lambda: len(bench.starts) >= 2)
        progress.cancel()
        for thread in threads:
            thread.join(PATIENCE_S)
        assert len(came) == 3
    finally:
        model.close()
    wait_until_dead(bench.starts[1]["pid"])


class Asked(Progress):
    """Counts how often it is asked whether to go on."""

    count = 0

    def raise_if_cancelled(self) -> None:
        self.count += 1
        super().raise_if_cancelled()


@pytest.mark.parametrize("opener", [open_model, local_checkpoint.open_model])
def test_open_when_wanted_no_more_then_large_weights_are_not_read_to_their_end(bench, opener) -> None:
    with (bench.folder / "a.safetensors").open("wb") as file:
        file.truncate(3 * weights_folder.PIECE_BYTES)
    progress = Asked()
    progress.cancel()
    profile = msgspec.structs.replace(bench.profile(), options={})
    with pytest.raises(Cancelled):
        opener(profile, progress=progress)
    assert progress.count == 1
    assert bench.starts == []


def test_server_when_its_port_is_taken_then_another_is_tried(bench, monkeypatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        # A port that is bound and does not listen: nothing answers there, and nobody else can have it.
        free = vllm_server._free_port
        ports = iter([taken.getsockname()[1]])
        monkeypatch.setattr(vllm_server, "_free_port", lambda: next(ports, None) or free())
        with opened(bench.profile()) as model:
            assert ask(model) == "qwen 2"


def test_server_when_vllm_is_not_installed_then_says_how_to_get_it(bench, monkeypatch) -> None:
    (bench.folder / "vllm").unlink()
    monkeypatch.setenv("PATH", str(bench.folder))
    with pytest.raises(UserError, match="pip install vllm"):
        open_model(bench.profile())


def test_server_when_an_option_of_its_endpoint_is_wrong_then_nothing_is_started(bench) -> None:
    with pytest.raises(UserError, match=r"'large' are invalid.*rnak"):
        open_model(bench.profile(chat={"rnak": True}))
    assert bench.starts == []


def test_server_when_its_endpoint_cannot_be_opened_then_is_ended(bench, monkeypatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise UserError("There is no key.")

    monkeypatch.setattr(vllm_server, "ChatEndpoint", refuse)
    with pytest.raises(UserError, match="no key"):
        open_model(bench.profile())
    wait_until_dead(bench.starts[0]["pid"])


def test_server_when_the_folder_has_no_safe_weights_then_nothing_is_started(bench) -> None:
    (bench.folder / "model.safetensors").rename(bench.folder / "model.bin")
    with pytest.raises(UserError, match="pickle files"):
        open_model(bench.profile())
    assert not (bench.folder / "starts").exists()


def test_child_process_when_its_process_is_killed_then_the_program_ends_too(tmp_path) -> None:
    import subprocess

    code = (
        "import sys, time; sys.path.insert(0, sys.argv[1])\n"
        "from models.child_process import ChildProcess\nimport os\n"
        "program = ChildProcess(['sleep', '600'], environment=os.environ)\n"
        "print(program._process.pid, flush=True)\ntime.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(REPO)], stdout=subprocess.PIPE) as owner:
        shell = int(owner.stdout.readline())
        assert is_alive(shell)
        owner.kill()
    wait_until_dead(shell)


def test_child_process_when_the_program_ignores_the_wish_to_end_then_is_killed(monkeypatch) -> None:
    deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN)"
    stubborn = f"{deaf}; print(1, flush=True); time.sleep(600)"
    monkeypatch.setattr("models.child_process.GRACE_S", -1.5)
    program = ChildProcess([sys.executable, "-c", stubborn], environment=os.environ)
    wait_until(lambda: bool(program.last_output(1)))
    program.close()
    assert not program.is_running


def test_child_process_when_the_program_says_much_then_keeps_the_last_lines(tmp_path) -> None:
    loud = f"for n in range({LOG_LINES * 5}): print(n, 'x' * {LOG_WIDTH * 2})"
    program = ChildProcess([sys.executable, "-c", loud], environment=os.environ)
    wait_until(lambda: not program.is_running)
    program.close()
    words = program.last_output(LOG_LINES * 10).splitlines()
    assert len(words) == LOG_LINES
    assert max(map(len, words)) == LOG_WIDTH
    assert words[-1] == "It ended with status 0."


def test_child_process_when_the_program_is_missing_then_its_log_says_so() -> None:
    program = ChildProcess(["no-such-program-here"], environment=os.environ)
    wait_until(lambda: not program.is_running)
    program.close()
    assert "It ended with status 127." in program.last_output(3)
