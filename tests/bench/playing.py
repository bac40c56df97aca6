"""Figures of playing, judged by what was painted: programs of ``tests.bench.probes`` read it from the screen.

Videos carry their numbers burnt in; a frame counts once its number was read from the window after a painting.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from tests.bench.canvas import probe, where
from tests.bench.clock import median, timed
from tests.bench.figure import Figure
from tests.bench.ground import Ground
from tests.bench.numbered_videos import large, make_video
from tests.bench.screen import OFFSCREEN, screen
from tests.bench.video import CODED, Reader

ROUNDS = 5
SIZE_PX = (1280, 720)
LENGTH_S = 14
SECONDS = 8.0
"""Of a video that are played at its own pace; at four times it is played to its end."""
RATES = {"one": ("25", 25), "two": ("30000/1001", 30)}
"""Rates of the videos: those of the views differ, as they do for cameras of two makers."""
GROUP_S = 2
FAST = 4
_STAGE = ("-m", "tests.bench.probes.playing")
_PLAIN = ("-m", "tests.bench.probes.plain_player")
_OPENING = ("-m", "tests.bench.probes.opening")


def measure_playing(ground: Ground) -> Iterator[Figure]:
    """Play two videos and four at their own pace, and two at four times it, beside a plain player."""
    videos = make_videos(ground.scratch)
    pair, four = [*videos.values()], [*videos.values(), *_copies(videos.values())]
    slow: list[dict[str, Any]] = []
    quad: list[dict[str, Any]] = []
    fast: dict[str, list[float]] = {"stage": [], "items": [], "lines": []}
    with screen(ground.scratch) as environment:
        ground.begin("playing", rounds=ROUNDS)
        for _ in range(ROUNDS):
            slow.append(_play(_STAGE, pair, speed=1, environment=environment))
            quad.append(_play(_STAGE, four, speed=1, environment=environment))
            fast["stage"].append(_rate(_play(_STAGE, pair, speed=FAST, environment=environment)))
            for overlay in ("items", "lines"):
                ran = _play(_PLAIN, pair, speed=FAST, environment=environment, overlay=overlay)
                fast[overlay].append(_rate(ran))
            ground.progress.step()
    yield _painted("video.pair_painted", slow, where=where(environment))
    yield _gain(fast)
    yield _painted("video.quad_painted", quad, where=where(environment))


def measure_opening_video(ground: Ground) -> Iterator[Figure]:
    """Open a clip that was never seen, until its first frame is on the screen."""
    video = make_videos(ground.scratch)["two"]
    first: list[float] = []
    times: list[float] = []
    plain: list[float] = []
    with screen(ground.scratch) as environment:
        ground.begin("opening a video", rounds=ROUNDS)
        for _ in range(ROUNDS):
            found = probe((*_OPENING, str(video)), environment=environment or OFFSCREEN)["opened_ms"]
            first.append(found[0])
            times += found[1:]
            plain.append(timed(_open_plain, video) * 1000)
            ground.progress.step()
    note = f"worst {max(times):.0f} ms; the first of a sitting {median(first):.0f} ms; {where(environment)}"
    yield Figure(
        name="video.open_ms", value=median(times), n=len(times), ratio=median(times) / median(plain),
        baseline="ms, cv2.VideoCapture, open and read, no window", baseline_value=median(plain), note=note,
    )  # fmt: skip


def make_videos(folder: Path) -> dict[str, Path]:
    """Return videos of 14 s of 720p with their numbers burnt in, by name; made where they are not there."""
    made = {}
    for name, (rate, rounded) in RATES.items():
        recipe = msgspec.structs.replace(
            large(CODED, size_px=SIZE_PX, frames=LENGTH_S * rounded, gop=GROUP_S * rounded), rate=rate
        )
        path = made[name] = folder / f"playing_{name}.{recipe.ending}"
        if not path.exists():
            make_video(folder, name=path.stem, recipe=recipe)
    return made


def _copies(videos: Iterable[Path]) -> Iterator[Path]:
    for video in videos:
        copy = video.with_stem(f"{video.stem}_again")
        shutil.copy(video, copy)
        yield copy


def _play(
    program: tuple[str, ...],
    videos: Sequence[Path],
    *,
    speed: int,
    environment: Mapping[str, str],
    overlay: str = "items",
) -> dict[str, Any]:
    request = {
        "videos": [str(video) for video in videos],
        "size_px": SIZE_PX,
        "frames": LENGTH_S * max(rounded for _, rounded in RATES.values()),
        "speed": speed,
        "seconds": SECONDS if speed == 1 else LENGTH_S,
        "overlay": overlay,
    }
    return probe((*program, msgspec.json.encode(request).decode()), environment=environment or OFFSCREEN)


def _rate(ran: Mapping[str, Any]) -> float:
    """Return how many frames a second were painted, over all views."""
    return float(sum(view["painted"] for view in ran["views"]) / ran["seconds"])


def _painted(name: str, runs: Sequence[Mapping[str, Any]], *, where: str) -> Figure:
    """Return the share of the frames due that were painted, the median of the rounds."""
    shares = [
        sum(view["painted"] for view in ran["views"]) / sum(view["due"] for view in ran["views"])
        for ran in runs
    ]
    counts = {
        text: sum(sum(view[key] for view in ran["views"]) for ran in runs)
        for key, text in (("unread", "not readable"), ("misnamed", "under another number"))
    }
    counts["out of step"] = sum(ran["out_of_step"] for ran in runs)
    paintings = sum(ran["paintings"] for ran in runs)
    faults = ", ".join(f"{count} {text}" for text, count in counts.items())
    note = f"worst round {min(shares):.4f}; of {paintings:,} paintings {faults}; {where}"
    return Figure(
        name=name,
        value=median(shares),
        n=sum(view["due"] for ran in runs for view in ran["views"]),
        note=note,
    )


def _gain(rates: Mapping[str, Sequence[float]]) -> Figure:
    plain = median(rates["items"])
    gains = [own / other for own, other in zip(rates["stage"], rates["items"], strict=True)]
    sparse = [own / other for own, other in zip(rates["stage"], rates["lines"], strict=True)]
    return Figure(
        name="video.pair_4x_gain",
        value=median(gains),
        n=len(gains),
        ratio=median(gains),
        baseline="frames/s painted, cv2.VideoCapture + ImageItem, an item a box and number",
        baseline_value=plain,
        note=f"{median(rates['stage']):.0f} frames/s; {median(sparse):.2f} × with its boxes as one bare line",
    )


def _open_plain(path: Path) -> None:
    reader = Reader(path)
    reader.seek(0)
    reader.close()
