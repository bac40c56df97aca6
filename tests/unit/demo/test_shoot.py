from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path

import av
import msgspec
import pytest

from annotator.demo import cache
from annotator.demo import shoot as module
from annotator.demo.cache import code_digest, encode_captures, provide_captures
from annotator.demo.captures import Captures
from annotator.demo.clips import enlarged, record_clip
from annotator.demo.flights import Flight, Leg, all_flights
from annotator.demo.project import make_demo
from annotator.demo.shoot import WORKERS, Order, shoot
from annotator.demo.studio import studio_of
from annotator.domain.medium import Medium
from annotator.domain.query import ItemQuery
from annotator.errors import Cancelled
from annotator.progress import Progress, ProgressUpdate
from annotator.session import Session
from tests.patience import wait_until
from tests.processes import children_of, is_alive

SEED = 7
REPO = Path(__file__).resolve().parents[3]


def _short() -> Flight:
    legs = (Leg(do="forward", amount=1, seconds=0.4), Leg(do="turn_left", amount=4, seconds=0.4))
    return msgspec.structs.replace(all_flights()[2], legs=legs)


def test_clip_when_filmed_then_it_has_its_frames_and_times(tmp_path: Path) -> None:
    flight = _short()
    told: list[int] = []
    clip = record_clip(
        studio_of(SEED, "small"), flight, folder=tmp_path, seed=SEED, told=lambda: told.append(1)
    )
    assert len(clip.frames) == len(told) == 8
    with av.open(str(tmp_path / clip.name)) as container:
        stream = container.streams.video[0]
        times = sorted(float(frame.pts * stream.time_base) for frame in container.decode(stream))
        assert (stream.codec_context.name, stream.width, stream.height) == ("h264", 1280, 720)
    assert times == pytest.approx([frame.time_s for frame in clip.frames])
    assert times[1] - times[0] == pytest.approx(1 / 10)


@pytest.mark.slow
def test_clip_when_filmed_again_then_bytes_are_equal(tmp_path: Path) -> None:
    names = [
        record_clip(
            studio_of(SEED, "small"), _short(), folder=tmp_path / str(n), seed=SEED, told=lambda: None
        ).name
        for n in (1, 2)
    ]
    first, second = ((tmp_path / str(n) / name).read_bytes() for n, name in enumerate(names, 1))
    assert first == second


def test_box_when_enlarged_then_no_pixel_of_it_is_lost() -> None:
    assert enlarged((1, 2, 4, 8)) == (1, 2, 5, 10)
    assert enlarged((0, 0, 1024, 576)) == (0, 0, 1280, 720)


def test_shoot_when_cancelled_then_it_stops_and_no_process_is_left(tmp_path: Path) -> None:
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        shoot(Order(folder=tmp_path, size="small", seed=SEED), progress=progress)
    assert multiprocessing.active_children() == []


@pytest.mark.skipif(sys.platform == "win32", reason="a process has no signal there")
def test_shoot_when_cancelled_at_work_then_its_processes_are_killed_and_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contexts: list[module._KillableContext] = []
    progress = Progress()

    class WatchedContext(module._KillableContext):
        def __init__(self) -> None:
            super().__init__()
            contexts.append(self)

    def follow(futures: Sequence[Future[object]], done: object, progress: Progress) -> None:
        wait_until(lambda: all(future.running() for future in futures[:WORKERS]))
        progress.cancel()
        progress.step()

    monkeypatch.setattr(module, "_KillableContext", WatchedContext)
    monkeypatch.setattr(module, "_follow", follow)
    with pytest.raises(Cancelled):
        shoot(Order(folder=tmp_path, size="small", seed=SEED), progress=progress)
    assert multiprocessing.active_children() == []
    assert [process.exitcode for process in contexts[0]._started] == [-signal.SIGKILL] * WORKERS


@pytest.mark.skipif(sys.platform != "linux", reason="finds the processes in /proc")
def test_shoot_when_its_process_is_killed_then_the_others_end_too(tmp_path: Path) -> None:
    program = f"""
from pathlib import Path
from annotator.demo import shoot
from annotator.demo.shoot import Order
from annotator.progress import Progress
if __name__ == "__main__":
    shoot.shoot(Order(folder=Path({str(tmp_path)!r}), size="small", seed=1), progress=Progress())
"""
    script = tmp_path / "shooting.py"
    script.write_text(program)
    with subprocess.Popen(
        [sys.executable, str(script)], cwd=REPO, env={**os.environ, "PYTHONPATH": "."}
    ) as run:
        wait_until(lambda: len(children_of(run.pid)) >= WORKERS)
        workers = children_of(run.pid)
        run.kill()
    wait_until(lambda: not any(is_alive(pid) for pid in workers))


@pytest.mark.slow
def test_shoot_when_two_processes_work_then_it_is_what_one_makes(
    tmp_path: Path, small_demo: tuple[Captures, Path]
) -> None:
    steps: list[ProgressUpdate] = []
    order = Order(folder=tmp_path, size="small", seed=SEED)
    captures = shoot(order, progress=Progress(steps.append))
    first = small_demo[0].pictures[0]
    assert captures.pictures[0] == first
    assert (tmp_path / first.name).read_bytes() == (small_demo[1] / first.name).read_bytes()
    assert (steps[-1].done, steps[-1].total) == (13, 13)
    assert multiprocessing.active_children() == []


def test_cache_when_a_demo_was_shot_before_then_its_files_are_copied(
    tmp_path: Path, undrawn: Captures, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VANTAGE_HOME", str(tmp_path / "home"))
    shot: list[Order] = []

    def pretend(order: Order, *, progress: Progress) -> Captures:
        progress.step()
        shot.append(order)
        (order.folder / "maps").mkdir()
        (order.folder / "maps" / "a.png").write_bytes(b"map")
        return undrawn

    monkeypatch.setattr(cache, "shoot", pretend)
    for name in ("one", "two"):
        order = Order(folder=tmp_path / name, size="small", seed=SEED)
        assert provide_captures(order, progress=Progress()) == undrawn
        assert (tmp_path / name / "maps" / "a.png").read_bytes() == b"map"
    assert len(shot) == 1
    provide_captures(Order(folder=tmp_path / "other", size="small", seed=8), progress=Progress())
    monkeypatch.setattr(cache, "code_digest", lambda: "newer")
    provide_captures(Order(folder=tmp_path / "newer", size="small", seed=SEED), progress=Progress())
    assert len(shot) == 3
    kept = sorted(path.name for path in (tmp_path / "home" / "demo-cache").iterdir())
    assert kept == ["small-7-newer", f"small-8-{code_digest()}"]


def test_cache_when_the_shoot_fails_then_nothing_half_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VANTAGE_HOME", str(tmp_path))
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        provide_captures(Order(folder=tmp_path / "x", size="small", seed=SEED), progress=progress)
    assert list((tmp_path / "demo-cache").iterdir()) == []


def test_takings_when_written_and_read_then_they_are_the_same(small_demo: tuple[Captures, Path]) -> None:
    assert msgspec.json.decode(encode_captures(small_demo[0]), type=Captures) == small_demo[0]


@pytest.mark.slow
def test_standard_demo_when_made_then_it_is_what_is_promised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VANTAGE_HOME", str(tmp_path / "home"))
    project = make_demo(tmp_path / "demo", progress=Progress(), size="standard")
    with Session.open(project) as session:
        counts = session.reader.counts()
        tasks = {facet.value for facet in session.reader.items.facets(ItemQuery())["task"]}
        missing = [m for m in session.reader.records(Medium) if not m.sha256]  # type: ignore[attr-defined]
    assert counts["item"] >= 300
    assert len(tasks) >= 50
    assert missing == []
