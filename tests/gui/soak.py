"""A restless person at a stage of videos: does anything at any time, and looks at what is painted then."""

from __future__ import annotations

import random
import threading
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication

from annotator.domain.medium import Medium
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene, SceneView
from annotator.media.render import Overlay
from annotator.media.video.video import Video
from tests.bench.numbered_videos import Recipe, make_video, read_number
from tests.bench.probes.eyes import Eyes
from tests.bench.probes.stand import image_location
from tests.guards_qt import PatientBot
from widgets.medium_view import MediumView
from widgets.overlay_kinds import KINDS
from widgets.stage.canvas import StageCanvas
from widgets.stage.region_navigator import RegionNavigator
from widgets.stage.scene import StageScene
from widgets.stage.stage import Stage
from widgets.stage.video_playback import VideoPlayback

SIZE = (320, 180)
LEAST_WIDTH_PX = 320
"""Of a picture whose number can be read: in smaller ones the name of the view covers a row of its blocks."""
MOST_VIEWS = 6
_FAST = {"preset": "ultrafast", "bf": "2"}
_HEVC = {"preset": "ultrafast", "x265-params": "log-level=error:open-gop=1:bframes=3:pools=1:frame-threads=1"}
RECIPES = {
    "steady": Recipe(size_px=SIZE, frames=150, options=_FAST),
    "uneven": Recipe(size_px=SIZE, frames=120, rate="30", steps=(1, 1, 3, 1, 2, 5, 1), options=_FAST),
    "hevc": Recipe(size_px=SIZE, frames=90, codec="libx265", options=_HEVC),
    "turned": Recipe(size_px=SIZE, frames=90, turn_deg=-90, options=_FAST),
    "open_gop": Recipe(
        size_px=SIZE, frames=120, options={**_FAST, "x264-params": "open-gop=1:log-level=error"}
    ),
    "ntsc_stream": Recipe(
        size_px=SIZE, frames=130, ending="ts", start_s=3.0, rate="30000/1001", options=_FAST
    ),
    "long_group": Recipe(size_px=SIZE, frames=200, gop=200, options=_FAST),
    "torn": Recipe(size_px=SIZE, frames=120, gop=20, options=_FAST),
}
"""Videos of several kinds; a part in the middle of ``torn`` is overwritten with zeros."""


@dataclass(frozen=True, kw_only=True)
class Reel:
    """A video on the disk, and what its frames show.

    Attributes:
        path: The file.
        numbers: Number burnt into each frame.
        times_s: Time of each frame, from the first.
        torn: Frames of groups in which a part cannot be decoded: they may show anything, or cannot be had.
    """

    path: Path
    numbers: tuple[int, ...]
    times_s: tuple[float, ...]
    torn: frozenset[int] = frozenset()

    def frame_at(self, time_s: float) -> int:
        """Return the frame that is due at a time from the first: the latest not after it."""
        return max(0, bisect_right(self.times_s, time_s + 1e-6) - 1)


def make_soak_reels(folder: Path) -> dict[str, Reel]:
    """Make the videos."""
    reels = {}
    for name, recipe in RECIPES.items():
        made = make_video(folder, name=name, recipe=recipe)
        path = Path(made.path)
        if name == "torn":
            content = bytearray(path.read_bytes())
            middle = len(content) // 2
            content[middle : middle + len(content) // 20] = bytes(len(content) // 20)
            path.write_bytes(content)
        torn = _torn_frames(path, numbers=made.numbers)
        assert bool(torn) == (name == "torn")
        reels[name] = Reel(path=path, numbers=made.numbers, times_s=made.times_s, torn=torn)
    return reels


def _torn_frames(path: Path, *, numbers: tuple[int, ...]) -> frozenset[int]:
    """Return the frames of all groups in which one is missing or damaged."""
    video = Video.open(path)
    assert video.frame_count == len(numbers)
    source = video.new_source()
    whole = {
        frame.number
        for frame in source.run(0, last=len(numbers) - 1)
        if not frame.is_damaged and read_number(frame.rgb()) == numbers[frame.number]
    }
    source.close()
    groups = {video.group_of(number) for number in range(len(numbers)) if number not in whole}
    return frozenset(number for first, last in groups for number in range(first, last + 1))


class RestlessPerson:
    """Does one thing after the other, at random, and checks what is on the screen after each.

    Args:
        stage: In a window of its own.
        eyes: On it.
        reels: Videos by name.
        seed: Of the random choices; the same one does the same things.
    """

    def __init__(
        self, stage: Stage, *, eyes: Eyes, reels: dict[str, Reel], qtbot: PatientBot, seed: int
    ) -> None:
        self.seen: Counter[str] = Counter()
        self.diary: list[str] = []
        self._stage, self._eyes, self._reels, self._qtbot = stage, eyes, reels, qtbot
        self._rng = random.Random(seed)
        self._names: dict[str, str] = {}
        self._still: Path | None = None
        self._scenes = 0
        self._deeds: tuple[tuple[int, Callable[[], None]], ...] = (
            (10, self.seek), (10, self.step), (4, self.step_key), (3, self.step_second), (3, self.go_end),
            (10, self.play), (6, self.scrub), (3, self.mark_and_loop), (5, self.resize), (5, self.open_scene),
            (1, self.close_scene), (4, self.toggle_overlay), (3, self.toggle_large), (3, self.shift),
            (3, self.choose_rendering), (2, self.toggle_model), (4, self.zoom), (2, self.next_layout),
            (2, self.select),
        )  # fmt: skip

    def act(self) -> None:
        """Do something, wait until all is at rest, and look."""
        weights, deeds = zip(*self._deeds, strict=True)
        deed = self._rng.choices(deeds, weights)[0]
        self.diary.append(deed.__name__)
        deed()
        self.settle()
        self.check()

    def open_scene(self) -> None:
        """Show another scene of one to six views: videos, and now and then a still."""
        self._scenes += 1
        has_still = self._still is not None and self._rng.random() < 0.3
        most = MOST_VIEWS - has_still
        views = self._rng.choices(list(self._reels), k=self._rng.randint(1, most))
        self._names = {f"m{self._scenes}-{at}": name for at, name in enumerate(views)}
        shown = [
            MediumView(
                view=f"UAV{at}",
                medium=Medium(id=medium, name=name, media_type="video"),
                file=self._reels[name].path,
            )
            for at, (medium, name) in enumerate(self._names.items(), start=1)
        ]
        if has_still:
            still = Medium(id=f"still-{self._scenes}", name="still.png")
            shown = [*shown, MediumView(view="map", medium=still, file=self._still)]
        scene = Scene(
            id=f"s{self._scenes}",
            name="soak",
            views=tuple(
                SceneView(
                    name=one.view, medium=one.medium.id, offset_s=self._rng.choice((0.0, 0.0, 0.5, -0.4))
                )
                for one in shown
            ),
        )
        marks = Overlay(regions=tuple(_box(one.medium.id) for one in shown))
        self._stage.show_scene(StageScene(scene=scene, media=tuple(shown), marks=marks))
        self.diary[-1] += f" {views}"

    def take_still(self, path: Path) -> None:
        """Have a picture that may join scenes."""
        self._still = path

    def close_scene(self) -> None:
        """Show nothing for a moment."""
        self._stage.show_scene(None)
        self._names = {}
        self.open_scene()

    def seek(self) -> None:
        """Go anywhere on the clock, also beyond its ends; sometimes thrice in a row."""
        for _ in range(self._rng.choice((1, 1, 3))):
            self._stage.player.seek(self._any_time())

    def step(self) -> None:
        """Step by frames, a few times without a pause as with a key that is held down."""
        frames = self._rng.choice(("1", "-1", "1", "-1", "10", "-10"))
        for _ in range(self._rng.choice((1, 2, 6))):
            self._stage.player.step(frames)
            QApplication.processEvents()

    def step_key(self) -> None:
        """Go to the next key frame or the one before."""
        self._stage.player.step_key(self._rng.choice(("1", "-1")))

    def step_second(self) -> None:
        """Go on by a second or back."""
        self._stage.player.step_second(self._rng.choice(("1", "-1")))

    def go_end(self) -> None:
        """Go to the first frame or the last."""
        self._stage.player.go_end(self._rng.choice(("1", "-1")))

    def play(self) -> None:
        """Play at any pace, either way, for a moment; do something else meanwhile now and then."""
        player = self._stage.player
        for _ in range(self._rng.randint(1, 5)):
            player.play_faster(self._rng.choice(("1", "1", "-1")))
            self._work(self._rng.uniform(0.02, 0.25))
        if self._rng.random() < 0.5:
            player.seek(self._any_time())
            self._work(0.05)
        if self._rng.random() < 0.3:
            self.resize()
        if self._rng.random() < 0.3:
            player.slower()
        self._work(self._rng.uniform(0.0, 0.3))
        player.pause()

    def scrub(self) -> None:
        """Drag the playhead about."""
        begin, end = self._any_time(), self._any_time()
        for share in np.linspace(0, 1, 12):
            self._stage.player.scrub(begin + (end - begin) * float(share))
            QApplication.processEvents()

    def mark_and_loop(self) -> None:
        """Mark a segment and play it over and over for a moment."""
        player = self._stage.player
        player.mark_in()
        player.seek(self._any_time())
        player.mark_out()
        player.toggle_loop()
        player.play_or_pause()
        self._work(self._rng.uniform(0.05, 0.4))
        player.pause()
        if self._rng.random() < 0.5:
            player.toggle_loop()
            player.clear_marks()

    def resize(self) -> None:
        """Make the window larger or smaller."""
        self._stage.resize(self._rng.randint(1000, 1400), self._rng.randint(640, 900))

    def toggle_overlay(self) -> None:
        """Switch a kind of overlay."""
        self._stage.overlays.toggle(self._rng.choice(KINDS))

    def toggle_large(self) -> None:
        """Make a view large, or show all."""
        if self._stage.canvases:
            self._stage.front = self._rng.choice(self._stage.canvases)
            self._stage.toggle_large()

    def choose_rendering(self) -> None:
        """Show other marks."""
        self._stage.choose_rendering(self._rng.choice(("clean", "detected", "annotated")))

    def toggle_model(self) -> None:
        """Show what a model gets, step on, and go back."""
        self._stage.toggle_model()
        self._stage.player.step("1")
        self._work(0.1)
        self._stage.toggle_model()

    def shift(self) -> None:
        """Let a video begin at another time of the clock."""
        videos = self._stage.player.videos
        if videos:
            self._stage.player.shift(self._rng.choice(videos), self._rng.uniform(-1.0, 1.0))

    def zoom(self) -> None:
        """Turn the wheel over a view, then look at whole pictures again."""
        if not self._stage.canvases:
            return
        canvas = self._rng.choice(self._stage.canvases)
        for turn in (120, 120, -120, 120):
            at = QPointF(self._rng.uniform(0, canvas.width()), self._rng.uniform(0, canvas.height()))
            event = QWheelEvent(
                at, canvas.mapToGlobal(at), QPoint(), QPoint(0, turn), Qt.MouseButton.NoButton,
                Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
            )  # fmt: skip
            QApplication.sendEvent(canvas, event)
            QApplication.processEvents()

    def next_layout(self) -> None:
        """Let the views stand otherwise."""
        self._stage.viewports.next_layout()

    def select(self) -> None:
        """Select a region and drop it."""
        RegionNavigator(self._stage).step_region("1")
        QApplication.processEvents()
        self._stage.select([])

    def settle(self) -> None:
        """Wait until every view has painted what the clock asks for, or says why it cannot."""
        for canvas in self._stage.canvases:
            canvas.show_transform(canvas.transform.fitted())
        self._qtbot.settle(self._stage.is_settled)
        self._qtbot.waitUntil(self._has_all)
        self._stage.update()
        self._eyes.next_paint()

    def _has_all(self) -> None:
        """Hold that every view that is visible shows its frame, or says why it cannot."""
        late = [
            (canvas.shown.medium.name, video.wanted, video.painted)
            for canvas in self._stage.canvases
            if (video := canvas.video) is not None
            and canvas.isVisible()
            and video.is_late
            and not video.problem
        ]
        assert not late, (late, self.diary[-8:])

    def check(self) -> None:
        """Compare what is painted with what the view says and with what the clock asks for."""
        videos = {video.shown.medium.id: video for video in self._stage.player.videos}
        assert videos.keys() == self._names.keys()
        for canvas in self._stage.canvases:
            video = videos.get(canvas.medium)
            if video is not None and canvas.isVisible():
                self._check_video(canvas, video, reel=self._reels[self._names[canvas.medium]])

    def _check_video(self, canvas: StageCanvas, video: VideoPlayback, *, reel: Reel) -> None:
        rect = image_location(canvas)
        if rect.width() < LEAST_WIDTH_PX:
            self.seen["too small"] += 1
            return
        wanted = reel.frame_at(self._stage.player.time_s - video.offset_s)
        read = self._eyes.number_in(canvas, picture=rect)
        if wanted in reel.torn:
            self.seen["torn"] += 1
            return
        assert not video.problem, video.problem
        assert (canvas.frame, read) == (wanted, reel.numbers[wanted]), (reel.path.name, self.diary[-8:])
        self.seen[f"{reel.path.stem} whole" if reel.torn else reel.path.stem] += 1

    def _any_time(self) -> float:
        span = self._stage.player.span
        return self._rng.uniform(span.first_s - 0.5, span.last_s + 0.5)

    def _work(self, seconds: float) -> None:
        self._qtbot.wait(max(1, round(seconds * 1000)))


def video_threads() -> list[str]:
    """Return the names of the threads that decode videos."""
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("vantage-view")]


def _box(medium: str) -> Region:
    return Region(
        id=f"{medium}-0", medium=medium, number=0, frame=10, box=Box(x1=120, y1=100, x2=180, y2=150)
    )
