"""Figures of exact video that need no window, against OpenCV's reader on the same video in the same run."""

from __future__ import annotations

import queue
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2

from annotator.errors import EnvironmentFailure, UserError
from annotator.media.video.cache import CacheBudget
from annotator.media.video.frame_reader import FrameReader
from annotator.media.video.frames import Frame
from annotator.media.video.opening import open_container
from annotator.media.video.video import Video
from tests.bench.clock import median, p95, timed
from tests.bench.figure import Figure
from tests.bench.ground import Ground
from tests.bench.numbered_videos import KINDS, Recipe, large, make_video, read_number
from tests.bench.process import run_python
from tests.patience import PATIENCE_S

ROUNDS = 5
SIZE_PX = (1280, 720)
FRAMES = 420
GROUP = 250
"""Frames from key frame to key frame, as x264 and most cameras' programs set it by themselves."""
SEEKS = 8
STEPS_BACK = 60
RISING = 20
KEY_REPEAT_S = 1 / 30
"""A held key comes 25 to 33 times a second on the systems that we know."""
SEED = 4
CODED = Recipe(rate="30000/1001", options={"preset": "veryfast", "bf": "3", "b_strategy": "0", "crf": "26"})
"""Coded as real videos come out, three frames in four of kind B: ours moves too evenly to be left to x264."""
PLAY_GROUP, PLAY_BUDGET_BYTES, PLAY_WARM_UP = 60, 180_000_000, 160
"""Decoding is measured with a full cache, as it is for all but a video's first seconds: until then memory
is touched for the first time, which takes half as long as decoding."""
_CV2 = "cv2.VideoCapture, median seek"


class Reader:
    """OpenCV's reader, as most tools use it: set the frame's number, read."""

    def __init__(self, path: Path) -> None:
        self._capture = cv2.VideoCapture(str(path))

    def seek(self, number: int) -> None:
        """Read one frame.

        Raises:
            EnvironmentFailure: It gives none.
        """
        self._capture.set(cv2.CAP_PROP_POS_FRAMES, number)
        if not self._capture.read()[0]:
            raise EnvironmentFailure(f"OpenCV gives no frame {number}.")

    def close(self) -> None:
        """Close the file."""
        self._capture.release()


class Watched:
    """A view whose frames are waited for, and made into colours as a window would.

    Args:
        video: The video.
    """

    def __init__(self, video: Video, *, budget: CacheBudget | None = None) -> None:
        self._came: queue.Queue[Frame | str] = queue.Queue()
        self.view = FrameReader(
            video, on_frame=self._came.put, on_lost=lambda _, why: self._came.put(why), budget=budget
        )

    def __enter__(self) -> Watched:
        return self

    def __exit__(self, *_: object) -> None:
        self.view.close()

    def show(self, number: int) -> None:
        """Ask for a frame and wait until it is there in colours.

        Raises:
            EnvironmentFailure: It is lost, or does not come.
        """
        frame = self.view.request(number)
        while frame is None or frame.number != number:
            frame = self._next(number)
        frame.bgra()

    def preview(self, number: int) -> None:
        """Ask for a frame while scrubbing, and wait for the first that comes, in colours.

        Raises:
            EnvironmentFailure: None comes.
        """
        (self.view.request_preview(number) or self._next(number)).bgra()

    def rest(self) -> None:
        """Wait until the view has fetched all that it wants, and forget what came."""
        self.view.settle(timeout_s=PATIENCE_S)
        while not self._came.empty():
            self._came.get()

    def _next(self, number: int) -> Frame:
        try:
            came = self._came.get(timeout=PATIENCE_S)
        except queue.Empty:
            raise EnvironmentFailure(f"Frame {number} did not come.") from None
        if isinstance(came, str):
            raise EnvironmentFailure(came)
        return came


@dataclass(frozen=True, kw_only=True)
class _Steps:
    """Seconds of steps back in each round, and OpenCV's median seek in the same round."""

    rounds: list[list[float]]
    seeks: list[float]

    def figures(self, name: str, *, note: str) -> Iterator[Figure]:
        shares = [
            [step / seek for step in steps] for steps, seek in zip(self.rounds, self.seeks, strict=True)
        ]
        count = sum(len(steps) for steps in self.rounds)
        seek_ms = median(self.seeks) * 1000
        for ending, value in (
            ("p95", median([p95(s) for s in shares])),
            ("worst", max(max(s) for s in shares)),
        ):
            yield Figure(
                name=f"video.{name}_{ending}", value=value, n=count, ratio=value, baseline=f"ms, {_CV2}",
                baseline_value=seek_ms, note=note,
            )  # fmt: skip


def measure_exactness(ground: Ground) -> Iterator[Figure]:
    """Ask for frames of the eight kinds of video in every order and read the numbers burnt into them."""
    ground.begin("exact frames", rounds=len(KINDS))
    right = asked = 0
    wrong_kinds = []
    for name, recipe in KINDS.items():
        good, count = _exact(ground.scratch / "kinds", name=name, recipe=recipe)
        right, asked = right + good, asked + count
        if good < count:
            wrong_kinds.append(name)
        ground.progress.step()
    yield Figure(name="video.exact_share", value=right / asked, n=asked, note=", ".join(wrong_kinds))


def measure_seeking(ground: Ground) -> Iterator[Figure]:
    """Seek anywhere, scrub, and step back after a seek, each beside OpenCV's seeks."""
    video, rng = Video.open(_clip(ground)), random.Random(SEED)
    seeks: list[float] = []
    previews: list[float] = []
    plain: list[float] = []
    rising: list[float] = []
    cold = _Steps(rounds=[], seeks=[])
    ground.begin("seeking", rounds=ROUNDS)
    for _ in range(ROUNDS):
        reader = Reader(video.path)
        numbers = rng.sample(range(STEPS_BACK, video.frame_count), SEEKS)
        own = [timed(reader.seek, number) for number in numbers]
        plain += own
        seeks += _seeks(video, numbers, how=Watched.show)
        previews += _seeks(video, numbers, how=Watched.preview)
        rising.append(_rising(video, reader))
        reader.close()
        cold.rounds.append([step for number in numbers[:2] for step in _cold_steps(video, number)])
        cold.seeks.append(median(own))
        ground.progress.step()
    seek = median(plain)
    for name, values in (("seek_p50", seeks), ("preview_p50", previews)):
        yield _share(f"video.{name}", median(values), seek, n=len(values), baseline=_CV2)
    yield Figure(
        name="video.scrub", value=median(rising), n=ROUNDS, ratio=median(rising),
        baseline=f"cv2.VideoCapture, the same {RISING} rising seeks",
    )  # fmt: skip
    yield from cold.figures(
        "back_cold", note=f"{STEPS_BACK} steps back, 30 a second, after each of {2 * ROUNDS} seeks"
    )


def measure_steps_back(ground: Ground) -> Iterator[Figure]:
    """Play forward, then step back, beside OpenCV's seeks."""
    video, rng = Video.open(_clip(ground)), random.Random(SEED)
    warm = _Steps(rounds=[], seeks=[])
    ground.begin("steps back", rounds=ROUNDS)
    for _ in range(ROUNDS):
        reader = Reader(video.path)
        seeks = [timed(reader.seek, n) for n in rng.sample(range(video.frame_count), SEEKS)]
        reader.close()
        with Watched(video) as watched:
            watched.view.play(1.0)
            played = video.frame_count * 3 // 4
            for number in range(played):
                watched.show(number)
            watched.view.pause()
            back = range(played - 2, played - 2 - 2 * STEPS_BACK, -1)
            warm.rounds.append([timed(watched.show, number) for number in back])
        warm.seeks.append(median(seeks))
        ground.progress.step()
    yield from warm.figures(
        "back_play", note=f"{2 * STEPS_BACK} steps back after {video.frame_count * 3 // 4} frames"
    )


def measure_decoding(ground: Ground) -> Iterator[Figure]:
    """Play a video through, in colours, as fast as it goes, beside bare decoding without colours."""
    video = Video.open(_clip(ground, group=PLAY_GROUP))
    shares, rates, bare = [], [], []
    ground.begin("decoding", rounds=ROUNDS)
    for _ in range(ROUNDS):
        bare.append(video.frame_count / timed(_decode_bare, video.path))
        rates.append(_playing_rate(video))
        shares.append(rates[-1] / bare[-1])
        ground.progress.step()
    yield Figure(
        name="video.decode_share", value=median(shares), n=ROUNDS, ratio=median(shares),
        baseline="frames/s, the same decoder without conversion", baseline_value=median(bare),
        note=f"{median(rates):.0f} frames/s with conversion",
    )  # fmt: skip


def measure_video_memory(ground: Ground) -> Iterator[Figure]:
    """Fill a view's cache, then open and close views, in a process of its own."""
    ground.begin("memory of videos")
    recipe = large(CODED, size_px=(640, 360), frames=700, gop=60)
    video = make_video(ground.scratch, name="memory", recipe=recipe)
    ran = run_python(["-m", "tests.bench.video_probe", video.path])
    over, growth = (float(line) for line in ran.lines)
    yield Figure(name="video.rss_over_mb", value=over, n=1, note="over the budget and the process before")
    yield Figure(
        name="video.rss_growth_mb", value=growth, n=20, note="20 rounds of opening, seeking, closing"
    )


def _share(name: str, value: float, plain: float, *, n: int, baseline: str) -> Figure:
    return Figure(
        name=name, value=value / plain, n=n, ratio=value / plain, baseline=f"ms, {baseline}",
        baseline_value=plain * 1000, note=f"{value * 1000:.1f} ms",
    )  # fmt: skip


def _clip(ground: Ground, *, group: int = GROUP) -> Path:
    path = ground.scratch / f"clip_{group}.{CODED.ending}"
    if not path.exists():
        recipe = large(CODED, size_px=SIZE_PX, frames=FRAMES, gop=group)
        make_video(ground.scratch, name=path.stem, recipe=recipe)
    return path


def _exact(folder: Path, *, name: str, recipe: Recipe) -> tuple[int, int]:
    """Return how many frames of a kind of video were right, and how many were asked for."""
    made = make_video(folder, name=name, recipe=recipe)
    video, rng = Video.open(Path(made.path)), random.Random(SEED)
    count = len(made.numbers)
    order = [0, count - 1, *rng.sample(range(count), 40), *range(count - 1, count - 30, -1)]
    if video.frame_count != count:
        return 0, len(order)
    try:
        seen = [read_number(frame.rgb()) for frame in video.frames(order)]
    except UserError:
        return 0, len(order)
    finally:
        video.close()
    return sum(a == made.numbers[b] for a, b in zip(seen, order, strict=True)), len(order)


def _seeks(video: Video, numbers: Sequence[int], *, how: Callable[[Watched, int], None]) -> list[float]:
    """Return the seconds of seeks by a view that has read its first frame, and nothing of what is sought."""
    times = []
    for number in numbers:
        with Watched(video) as watched:
            watched.show(0)
            watched.rest()
            times.append(timed(how, watched, number))
    return times


def _cold_steps(video: Video, number: int) -> list[float]:
    """Return the seconds of steps back after a seek, at the pace of a key that is held down."""
    times = []
    with Watched(video) as watched:
        watched.show(number)
        for step in range(1, STEPS_BACK + 1):
            times.append(timed(watched.show, number - step))
            time.sleep(max(0.0, KEY_REPEAT_S - times[-1]))
    return times


def _rising(video: Video, reader: Reader) -> float:
    """Return the seconds of rising seeks over OpenCV's."""
    numbers = range(10, video.frame_count, video.frame_count // RISING)[:RISING]
    plain = sum(timed(reader.seek, number) for number in numbers)
    with Watched(video) as watched:
        watched.show(0)
        watched.rest()
        return sum(timed(watched.show, number) for number in numbers) / plain


def _decode_bare(path: Path) -> None:
    opened = open_container(path)
    opened.stream.thread_type = "AUTO"
    for _ in opened.container.decode(opened.stream):
        pass
    opened.container.close()


def _playing_rate(video: Video) -> float:
    """Return how many frames a second come in colours, one after the other, when the cache is full."""
    with Watched(video, budget=CacheBudget(PLAY_BUDGET_BYTES)) as watched:
        watched.view.play(8.0)
        for number in range(PLAY_WARM_UP):
            watched.show(number)
        began = time.perf_counter()
        for number in range(PLAY_WARM_UP, video.frame_count):
            watched.show(number)
        return (video.frame_count - PLAY_WARM_UP) / (time.perf_counter() - began)
