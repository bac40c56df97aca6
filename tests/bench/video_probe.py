"""The memory that views of a video take: ``python -m tests.bench.video_probe VIDEO``, a process of its own.

Prints two numbers of megabytes: the largest memory over the budget and what was there before; what twenty
rounds of opening, seeking and closing leave behind.
"""

from __future__ import annotations

import gc
import os
import queue
import random
import sys
from pathlib import Path

from annotator.media.video.cache import CacheBudget
from annotator.media.video.frame_reader import FrameReader
from annotator.media.video.frames import Frame
from annotator.media.video.video import Video
from tests.bench.process import high_water_mb
from tests.patience import PATIENCE_S

BUDGET_BYTES = 100_000_000
ROUNDS = 20
WARM_UP = 4


def use(video: Video, *, budget: CacheBudget, seed: int, seeks: int) -> int:
    """Show frames here and there, with what the view fetches around them; return its share in bytes."""
    came: queue.Queue[Frame] = queue.Queue()
    rng = random.Random(seed)
    with FrameReader(video, on_frame=came.put, budget=budget) as view:
        for number in (rng.randrange(video.frame_count) for _ in range(seeks)):
            frame = view.request(number)
            (frame or came.get(timeout=PATIENCE_S)).bgra()
            view.request(max(0, number - 1))
            view.settle(timeout_s=PATIENCE_S)
            while not came.empty():
                came.get()
        return budget.share_bytes(view)


def play(video: Video, *, budget: CacheBudget) -> None:
    """Play a video through, so that its cache is full."""
    came: queue.Queue[Frame] = queue.Queue()
    with FrameReader(video, on_frame=came.put, budget=budget) as view:
        view.play(8.0)
        for number in range(video.frame_count):
            frame = view.request(number)
            while frame is None or frame.number != number:
                frame = came.get(timeout=PATIENCE_S)
            frame.bgra()


def main(path: Path) -> None:
    """Measure and print."""
    budget = CacheBudget(BUDGET_BYTES)
    video = Video.open(path)
    video.frame(0).bgra()
    video.close()
    before = _resident_mb()
    share = use(video, budget=budget, seed=1, seeks=10)
    play(video, budget=budget)
    print(high_water_mb(os.getpid()) - before - share / 2**20)
    settled = 0.0
    for number in range(ROUNDS + WARM_UP):
        if number == WARM_UP:
            settled = _resident_mb()
        use(Video.open(path), budget=budget, seed=number, seeks=3)
        gc.collect()
    print(_resident_mb() - settled)


def _resident_mb() -> float:
    """Return the memory that this process has now, 0.0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


if __name__ == "__main__":
    main(Path(sys.argv[1]))
