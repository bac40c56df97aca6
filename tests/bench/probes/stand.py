"""A stage on a stand: in a window of its own, with nothing around it but eyes."""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QRect, QSize
from PySide6.QtWidgets import QApplication

from annotator.domain.medium import Medium
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene, SceneView
from annotator.media.render import Overlay
from tests.bench.probes.eyes import Eyes, wait_until
from widgets import theme
from widgets.bridge import Bridge
from widgets.media_loader import MediaLoader
from widgets.medium_view import MediumView
from widgets.stage.canvas import StageCanvas
from widgets.stage.image_cache import StageImages
from widgets.stage.scene import StageScene
from widgets.stage.stage import Stage
from widgets.stage.tools.tool_sets import TOOLS

SIZE_PX = (1280, 760)
BOXES_A_FRAME = 20
BOX_TOP = 0.35
"""Boxes lie below this share of the picture's height: above it are the blocks of the number."""


@dataclass(frozen=True, kw_only=True)
class Stand:
    """A stage in a window of its own.

    Attributes:
        stage: The stage.
        eyes: On its window.
    """

    stage: Stage
    eyes: Eyes

    def show(self, shown: StageScene | None) -> None:
        """Show a scene and wait until all of it is on the screen."""
        self.stage.show_scene(shown)
        wait_until(self.stage.is_settled, what="the pictures of a scene")
        self.stage.update()
        self.eyes.next_paint()

    def numbers(self) -> tuple[int | None, ...]:
        """Return the burnt-in number that the screen shows in each view, None where there is none."""
        return tuple(
            self.eyes.number_in(canvas, picture=image_location(canvas)) if canvas.isVisible() else None
            for canvas in self.stage.canvases
        )


@contextmanager
def stand(*, size_px: tuple[int, int] = SIZE_PX) -> Iterator[Stand]:
    """Give a stage on the screen, and take everything down afterwards."""
    theme.apply("dark")
    bridge = Bridge()
    media = MediaLoader()
    pictures = StageImages(bridge, media=media)
    stage = Stage(pictures, tools=TOOLS)
    eyes = Eyes(stage)
    theme.style_window(stage)
    stage.resize(QSize(*size_px))
    stage.show()
    try:
        yield Stand(stage=stage, eyes=eyes)
    finally:
        eyes.close()
        stage.show_scene(None)
        pictures.close()
        media.close()
        media.drain()
        bridge.close()
        stage.close()
        stage.deleteLater()


def image_location(canvas: StageCanvas) -> QRect:
    """Return where the whole picture lies in a view, pixels of the window."""
    ratio, transform = canvas.ratio(), canvas.transform
    width, height = transform.image_width * transform.zoom, transform.image_height * transform.zoom
    return QRect(
        round(transform.left / ratio),
        round(transform.top / ratio),
        round(width / ratio),
        round(height / ratio),
    )


def video_scene(
    videos: Sequence[Path], *, size_px: tuple[int, int], frames: int, boxes: int = 0
) -> StageScene:
    """Return a scene of videos, one view each, with boxes that wander from frame to frame.

    Args:
        videos: The files.
        size_px: Width and height of their pictures.
        frames: Number of frames that have boxes.
        boxes: Number of boxes in each of them.
    """
    media = tuple(
        MediumView(
            view=f"UAV{number}",
            medium=Medium(
                id=f"video-{video.stem}-{number}",
                name=video.name,
                path=video.name,
                media_type="video",
                width_px=size_px[0],
                height_px=size_px[1],
            ),
            file=video,
        )
        for number, video in enumerate(videos, start=1)
    )
    regions = tuple(
        region
        for shown in media
        for frame in range(frames)
        for region in _boxes(shown.medium.id, frame=frame, size_px=size_px, count=boxes)
    )
    name = "-".join(shown.medium.id for shown in media)
    scene = Scene(id=name, name=name, views=tuple(SceneView(name=m.view, medium=m.medium.id) for m in media))
    return StageScene(scene=scene, media=media, marks=Overlay(regions=regions))


def _boxes(medium: str, *, frame: int, size_px: tuple[int, int], count: int) -> Iterator[Region]:
    width, height = size_px
    side = width // 24
    for number in range(count):
        x = (number * 97 + frame * 3) % (width - side)
        y = height * BOX_TOP + (number * 61 + frame) % int(height * (0.95 - BOX_TOP) - side)
        box = Box(x1=x, y1=y, x2=x + side, y2=y + side)
        yield Region(
            id=f"{medium}-{frame}-{number}",
            medium=medium,
            number=number,
            box=box,
            frame=frame,
            category="van",
        )


def application() -> QApplication:
    """Return the application; to be held as long as there are windows."""
    # As the window does it.
    gc.freeze()
    return QApplication([sys.argv[0]])


def tell(found: Mapping[str, object]) -> None:
    """Print what was measured as one line of JSON."""
    sys.stdout.write(json.dumps(found) + "\n")
