"""Workers beside a worker, as real processes: one a GPU, each job asked by one of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from annotator.domain.run import Run
from annotator.jobs import supervisor
from annotator.jobs import worker_pool as worker_pools
from annotator.jobs.worker_pool import WorkerPool
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.store.work.queue import WorkQueue
from tests.patience import PATIENCE_S, wait_until
from tests.unit.jobs.nvidia import install
from tests.unit.jobs.working import enter, plans, profile

PROCESS = Path(__file__).with_name("gpu_process.py")
THREE = ("GPU-a1", "GPU-b2", "GPU-c3")
pytestmark = pytest.mark.skipif(os.name != "posix", reason="the stand-in of the driver's program is a script")


class Folder:
    """The folder of a model whose processes leave notes in it."""

    def __init__(self, path: Path, *, wanted: int) -> None:
        self.path = path
        path.mkdir()
        (path / "wanted").write_text(f"{wanted}")

    def asked(self) -> list[tuple[int, str]]:
        """Return process and question of each call."""
        file = self.path / "asked"
        lines = file.read_text().splitlines() if file.is_file() else []
        return [(int(pid), question) for pid, question in (line.split() for line in lines)]

    def processes(self) -> dict[int, str]:
        """Return the GPU of each process that opened the model."""
        return {int(one.name): one.read_text() for one in self.path.iterdir() if one.name.isdigit()}


def started(project: Path, *options: str, environment: dict[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, PROCESS, "worker", str(project), "--until-done", *options],
        env={"VANTAGE_TEST_LEASE_S": "30", **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def local(folder: Folder, **changes: object) -> object:
    return profile(adapter="transformers", path=str(folder.path), in_flight=2, **changes)


def test_worker_when_there_are_three_gpus_then_each_has_a_process_and_they_share_the_jobs(
    project: Path, reader: Reader, tmp_path: Path
) -> None:
    folder = Folder(tmp_path / "model", wanted=3)
    enter(project, plans(90), model=local(folder))
    process = started(project, "--json", environment=install(tmp_path / "bin", *THREE))
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, err
    assert sorted(folder.processes().values()) == sorted(THREE)
    assert process.pid not in folder.processes()
    by_question = Counter(question for _, question in folder.asked())
    assert by_question == {f"{n}": 1 for n in range(90)}
    gpus = Counter(one.answer for one in reader.runs.predictions("r1"))
    assert set(gpus) == set(THREE)
    assert gpus.total() == 90
    # All have said that they ended, the one that started them too.
    assert [one.status for one in reader.runs.workers()] == ["ended"] * 4
    assert '"done":90' in out


@pytest.mark.slow
def test_worker_when_one_of_a_pool_is_killed_then_the_others_go_on_and_it_is_started_again(
    project: Path, reader: Reader, tmp_path: Path
) -> None:
    folder = Folder(tmp_path / "model", wanted=2)
    environment = install(tmp_path / "bin", *THREE)
    environment |= {"CUDA_VISIBLE_DEVICES": "GPU-c3,GPU-a1", "VANTAGE_TEST_LEASE_S": "3"}
    enter(project, plans(600), model=local(folder))
    process = started(project, environment=environment)
    wait_until(lambda: len(folder.processes()) == 2 and reader.runs.progress("r1").done > 20)
    victim, gpu = next(iter(folder.processes().items()))
    os.kill(victim, signal.SIGKILL)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, err
    assert f"The worker {gpu} ended and is restarted." in err
    processes = folder.processes()
    assert sorted(processes.values()) == sorted([gpu, "GPU-c3", "GPU-a1"])
    heirs = [pid for pid, own in processes.items() if own == gpu and pid != victim]
    assert any(pid in heirs for pid, _ in folder.asked())
    predictions = reader.runs.predictions("r1")
    assert sorted(int(one.target) for one in predictions) == list(range(600))
    repeated = sum(count - 1 for count in Counter(question for _, question in folder.asked()).values())
    # What it had in hand: two calls, and what was noted as sent a little ahead of them.
    assert repeated <= 2 + 2 * 4


@pytest.mark.slow
def test_worker_when_a_model_is_bound_to_a_gpu_then_the_worker_itself_asks_it_and_sees_all(
    project: Path, reader: Reader, tmp_path: Path
) -> None:
    free, bound = Folder(tmp_path / "free", wanted=3), Folder(tmp_path / "bound", wanted=1)
    enter(project, plans(30), model=local(free))
    enter(project, plans(30, first=30), run="r2", model=local(bound, options={"device": "cuda:1"}))
    process = started(project, environment=install(tmp_path / "bin", *THREE))
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, err
    assert bound.processes() == {process.pid: "none"}
    assert process.pid not in free.processes()
    assert [reader.runs.progress(run).done for run in ("r1", "r2")] == [30, 30]


@pytest.mark.slow
def test_worker_when_told_how_many_and_there_is_no_gpu_then_so_many_share_the_work(
    project: Path, reader: Reader, tmp_path: Path
) -> None:
    folder = Folder(tmp_path / "model", wanted=2)
    enter(project, plans(60), model=local(folder))
    environment = install(tmp_path / "bin", status=9)
    process = started(project, "--workers", "2", environment=environment)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, err
    assert len(folder.processes()) == 2
    assert process.pid in folder.processes()
    assert Counter(question for _, question in folder.asked()) == {f"{n}": 1 for n in range(60)}
    assert reader.runs.progress("r1").done == 60


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_pools, "CHECK_EVERY_S", 0.01)


@pytest.fixture
def pool_of(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quick: None) -> Iterator[object]:
    """Give worker_pools whose processes run a line of Python."""
    opened: list[WorkerPool] = []

    def make(line: str, *gpus: str, **told: object) -> WorkerPool:
        monkeypatch.setattr(supervisor, "program", lambda: (sys.executable, "-c", line))
        environment = install(tmp_path / "bin", *gpus)
        told.setdefault("is_confirmed", lambda _run: True)
        opened.append(WorkerPool(project, environment=environment, first_pause_s=0.01, **told))
        return opened[-1].__enter__()

    yield make
    for one in opened:
        one.__exit__()


WAITS = "import sys; sys.stdin.read()"
DIES = "import sys; sys.exit('no torch here')"
REFUSES = "import sys; sys.stderr.write('nothing to work with'); sys.exit(2)"


def test_pool_when_no_run_wants_a_gpu_then_nobody_is_started_and_gpus_are_not_counted(
    pool_of: Callable[..., WorkerPool], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[int] = []
    look = WorkerPool._check_workers
    monkeypatch.setattr(
        WorkerPool, "_check_workers", lambda self, reader: (look(self, reader), looks.append(1))
    )
    enter(project, plans(3), model=profile())
    pool = pool_of(WAITS, *THREE)
    wait_until(lambda: len(looks) > 3)
    assert pool.states() == {}
    assert pool.handles(profile())
    assert pool._gpus is None


def test_pool_when_a_run_begins_later_then_its_models_are_left_to_one_process_a_gpu(
    pool_of: Callable[..., WorkerPool], project: Path, tmp_path: Path
) -> None:
    pool = pool_of(WAITS, *THREE)
    model = local(Folder(tmp_path / "model", wanted=3))
    enter(project, plans(3), model=model)
    wait_until(lambda: [one.condition for one in pool.states().values()] == ["running"] * 3)
    assert list(pool.states()) == list(THREE)
    assert not pool.handles(model)
    assert pool.handles(profile())


def test_pool_when_there_is_one_gpu_then_nobody_is_started_and_the_caller_does_it(
    pool_of: Callable[..., WorkerPool], project: Path, tmp_path: Path
) -> None:
    model = local(Folder(tmp_path / "model", wanted=1))
    enter(project, plans(3), model=model)
    pool = pool_of(WAITS, "GPU-a1")
    # Until the GPUs are counted it is nobody's.
    wait_until(lambda: pool.handles(model))
    assert pool.states() == {}


def test_pool_when_more_are_wanted_than_gpus_then_some_share_one(
    pool_of: Callable[..., WorkerPool], project: Path, tmp_path: Path
) -> None:
    enter(project, plans(3), model=local(Folder(tmp_path / "model", wanted=1)))
    pool = pool_of(WAITS, "GPU-a1", "GPU-b2", workers=3)
    wait_until(lambda: len(pool.states()) == 3)
    assert list(pool.states()) == ["GPU-a1", "GPU-b2", "GPU-a1 (2)"]


def test_pool_when_its_processes_die_at_their_start_then_says_why_and_goes_on_trying(
    pool_of: Callable[..., WorkerPool], project: Path, tmp_path: Path
) -> None:
    told: list[str] = []
    enter(project, plans(3), model=local(Folder(tmp_path / "model", wanted=1)))
    pool = pool_of(DIES, "GPU-a1", "GPU-b2", report=told.append)
    wait_until(lambda: all(one.restarts >= 1 for one in pool.states().values()) and len(pool.states()) == 2)
    assert any("The worker GPU-b2 ended and is restarted. no torch here" in text for text in told)


def test_pool_when_none_can_work_then_the_caller_does_it(
    pool_of: Callable[..., WorkerPool], project: Path, tmp_path: Path
) -> None:
    told: list[str] = []
    model = local(Folder(tmp_path / "model", wanted=1))
    enter(project, plans(3), model=model)
    pool = pool_of(REFUSES, "GPU-a1", "GPU-b2", report=told.append)
    wait_until(lambda: pool.handles(model))
    assert sorted(text.splitlines()[0] for text in told if "cannot run" in text) == [
        "The worker GPU-a1 cannot run. nothing to work with",
        "The worker GPU-b2 cannot run. nothing to work with",
    ]


def test_pool_when_a_strangers_run_holds_nonsense_then_is_not_read_and_starts_nobody(project: Path) -> None:
    queue = WorkQueue.open(project)
    stranger = Run(id="foreign", kind="blind", models=("m",), profiles={"m": {"adapter": 5}})
    queue.runs.plan(stranger, plans(3), progress=Progress())
    queue.close()
    pool = WorkerPool(project, is_confirmed=lambda _run: False, workers=2)
    reader = Reader.open(project)
    pool._check_workers(reader)
    reader.close()
    assert pool.states() == {}
