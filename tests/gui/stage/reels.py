"""Videos on a stage, and eyes that read the number that is burnt into what is painted."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from pytestqt.qtbot import QtBot

from annotator.domain.medium import Medium
from annotator.domain.scene import Scene, SceneView
from annotator.media.render import Overlay
from tests.bench.numbered_videos import Recipe, make_video, read_number
from tests.gui.stage.test_painting import pixels_of
from widgets.medium_view import MediumView
from widgets.stage.canvas import StageCanvas
from widgets.stage.image_cache import StageImages
from widgets.stage.player import Player
from widgets.stage.scene import StageScene
from widgets.stage.stage import Stage
from widgets.stage.video_playback import VideoPlayback

SIZE = (384, 256)
_FAST = {"bf": "2", "preset": "ultrafast"}
RECIPES = {
    "pal": Recipe(size_px=SIZE, frames=100, gop=25, options=_FAST),
    "ntsc": Recipe(size_px=SIZE, frames=110, gop=30, rate="30000/1001", options=_FAST),
    "short": Recipe(size_px=SIZE, frames=25, gop=10, options=_FAST),
    "turned": Recipe(size_px=(256, 384), frames=25, gop=10, turn_deg=-90, options=_FAST),
}


def make_reels(folder: Path) -> dict[str, Path]:
    """Make the videos of all tests; none may change their files."""
    return {name: Path(make_video(folder, name=name, recipe=recipe).path) for name, recipe in RECIPES.items()}


def video_scene(
    files: Iterable[Path], *, offsets: Iterable[float] = (), marks: Overlay | None = None, kind: str = "video"
) -> StageScene:
    """Return a scene of videos; their media are m1, m2 and so on."""
    shown = tuple(
        MediumView(view=f"UAV{at}", medium=Medium(id=f"m{at}", name=file.name, media_type=kind), file=file)
        for at, file in enumerate(files, start=1)
    )
    starts = [*offsets, *[0.0] * len(shown)]
    views = tuple(
        SceneView(name=one.view, medium=one.medium.id, offset_s=start)
        for one, start in zip(shown, starts, strict=False)
    )
    return StageScene(scene=Scene(id="s", name="0001", views=views), media=shown, marks=marks or Overlay())


def number_on(canvas: StageCanvas) -> int | None:
    """Read the number burnt into what a canvas paints, None where none can be read."""
    transform = canvas.transform
    left, top = max(0, transform.left), max(0, transform.top)
    pixels = pixels_of(canvas.grab().toImage())
    width, height = (
        round(transform.image_width * transform.zoom),
        round(transform.image_height * transform.zoom),
    )
    return read_number(np.ascontiguousarray(pixels[top : top + height, left : left + width]))


class Reels:
    """A stage with videos in somebody's hands."""

    def __init__(self, stage: Stage, qtbot: QtBot, *, pictures: StageImages, files: dict[str, Path]) -> None:
        self.stage, self.qtbot, self.files = stage, qtbot, files
        self.prefetch = pictures.prefetch

    @property
    def player(self) -> Player:
        return self.stage.player

    @property
    def canvases(self) -> tuple[StageCanvas, ...]:
        return self.stage.canvases

    def video(self, index: int = 0) -> VideoPlayback:
        return self.player.videos[index]

    def show(self, *names: str, offsets: Iterable[float] = (), marks: Overlay | None = None) -> None:
        """Show videos and wait for their first frames."""
        self.show_scene(video_scene([self.files[name] for name in names], offsets=offsets, marks=marks))

    def show_scene(self, scene: StageScene) -> None:
        self.stage.show_scene(scene)
        self.wait(self.stage.is_settled)
        self.rest()

    def wait(self, is_done: object) -> None:
        self.qtbot.waitUntil(is_done)

    def rest(self) -> None:
        """Wait until every view has painted what the clock asks for."""
        self.wait(lambda: not any(video.is_late for video in self.player.videos))

    def numbers(self) -> list[int]:
        """Return the numbers of the frames on the screen; what is painted must say the same."""
        read = [number_on(canvas) for canvas in self.canvases]
        assert read == [canvas.frame for canvas in self.canvases]
        assert read == [video.painted for video in self.player.videos]
        return [number for number in read if number is not None]
