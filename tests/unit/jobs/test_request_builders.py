"""Threads that make material."""

from __future__ import annotations

import queue
import threading
from pathlib import Path
from typing import Any

import pytest

from annotator.domain.medium import Medium
from annotator.domain.work import Claim
from annotator.errors import Cancelled
from annotator.jobs.job_type import WorkerContext
from annotator.jobs.open_media import open_media
from annotator.jobs.request_builders import THREADS, BuiltRequest, RequestBuilders
from annotator.media import content_hash
from annotator.model_api import ChatRequest
from tests.patience import PATIENCE_S, wait_until
from tests.unit.jobs.working import EchoKind, profile


class CountingKind(EchoKind):
    """Notes how many threads make material at once."""

    def __init__(self, *, together: int = THREADS) -> None:
        self.at_once: list[int] = []
        self.together = together
        self.may_end = threading.Event()
        self._now = 0
        self._lock = threading.Lock()

    def request(self, claim: Claim, worker_context: WorkerContext) -> ChatRequest:
        with self._lock:
            self._now += 1
            self.at_once.append(self._now)
            if self._now == self.together:
                self.may_end.set()
            is_first = len(self.at_once) == 1
        if is_first:
            # A chance for another to come in beside it, which it must not.
            self.may_end.wait(0.05)
        else:
            assert self.may_end.wait(PATIENCE_S)
        with self._lock:
            self._now -= 1
        return super().request(claim, worker_context)


def claim(job: int, *, run: str = "r") -> Claim:
    return Claim(
        job=job,
        fence=job,
        run=run,
        kind="blind",
        request_key=b"k",
        model="m",
        target=f"{job}",
        spec={},
        worst_micro=0,
        attempts=0,
    )


def test_build_when_a_kind_is_new_then_one_thread_makes_its_first_material_alone_and_then_all_do() -> None:
    kind, told = CountingKind(), queue.SimpleQueue[BuiltRequest]()
    worker_context: Any = WorkerContext(reader=None, roots=None, profiles={"m": profile()})  # type: ignore[arg-type]
    builders = RequestBuilders(
        kinds=lambda _: kind, context_of=lambda _: worker_context, leave=lambda: None, on_built=told.put
    )
    for job in range(8):
        builders.build(claim(job))
    made = {told.get(timeout=PATIENCE_S).claim.job for _ in range(8)}
    builders.close()
    assert made == set(range(8))
    assert kind.at_once[:2] == [1, 1]
    assert max(kind.at_once) == 2


def test_close_when_material_waits_to_be_made_then_it_is_left() -> None:
    kind, told, left = CountingKind(together=THREADS + 1), queue.SimpleQueue[BuiltRequest](), []
    worker_context: Any = WorkerContext(reader=None, roots=None, profiles={"m": profile()})  # type: ignore[arg-type]
    builders = RequestBuilders(
        kinds=lambda _: kind,
        context_of=lambda _: worker_context,
        leave=lambda: left.append(1),
        on_built=told.put,
    )
    for job in range(100):
        builders.build(claim(job))
    # The first alone, then one in each thread; these stay until the closing has begun.
    wait_until(lambda: len(kind.at_once) == 1 + THREADS)
    closing = threading.Thread(target=builders.close)
    closing.start()
    wait_until(lambda: builders._is_closing)
    kind.may_end.set()
    closing.join(PATIENCE_S)
    assert not closing.is_alive()
    assert len(kind.at_once) == 1 + THREADS
    assert left == [1, 1]


class ShowingKind(EchoKind):
    """Reads the picture of a medium whose content is known."""

    def __init__(self, medium: Medium, file: Path) -> None:
        self.began = threading.Event()
        self._medium, self._file = medium, file

    def request(self, claim: Claim, worker_context: WorkerContext) -> ChatRequest:
        self.began.set()
        list(open_media().pictures(self._medium, file=self._file))
        return super().request(claim, worker_context)


def test_close_when_a_long_video_is_being_read_then_does_not_wait_for_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # So slow that only a cancel ends it: byte by byte.
    monkeypatch.setattr(content_hash, "CHUNK_BYTES", 1)
    video = tmp_path / "long.mp4"
    video.write_bytes(bytes(30_000_000))
    kind = ShowingKind(Medium(id="m", name="long.mp4", media_type="video", sha256="0" * 64), video)
    told = queue.SimpleQueue[BuiltRequest]()
    worker_context: Any = WorkerContext(reader=None, roots=None, profiles={"m": profile()})  # type: ignore[arg-type]
    builders = RequestBuilders(
        kinds=lambda _: kind, context_of=lambda _: worker_context, leave=lambda: None, on_built=told.put
    )
    builders.build(claim(1))
    assert kind.began.wait(PATIENCE_S)
    builders.close()
    assert isinstance(told.get(timeout=PATIENCE_S).error, Cancelled)
