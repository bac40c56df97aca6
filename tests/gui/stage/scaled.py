"""A stage on a screen of another scale, which Qt knows once per process: run, it prints what it looks like.

QT_SCALE_FACTOR=1.25 python -m tests.gui.stage.scaled FOLDER
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QEventLoop, QPoint, QRect, QTimer
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from tests.gui.stage.hands import MARKS, make_scene
from tests.gui.stage.test_painting import pixels_of
from widgets import theme
from widgets.bridge import Bridge
from widgets.media_loader import MediaLoader
from widgets.stage.canvas import StageCanvas
from widgets.stage.image_cache import StageImages
from widgets.stage.stage import Stage
from widgets.stage.tools.tool_sets import TOOLS

MARGINS = 61, 33, 12, 7
"""Around the stage: it seldom begins at a whole pixel of the screen."""


def in_pixels(rect: QRect, ratio: float) -> tuple[float, float, float, float]:
    """Return left, top, width and height in pixels of the screen."""
    return rect.x() * ratio, rect.y() * ratio, rect.width() * ratio, rect.height() * ratio


def part_of(shot: np.ndarray[Any, Any], position: tuple[float, float, float, float]) -> np.ndarray[Any, Any]:
    left, top, width, height = (round(value) for value in position)
    return shot[top : top + height, left : left + width]


def differing(
    canvas: StageCanvas, shot: np.ndarray[Any, Any], position: tuple[float, float, float, float]
) -> float:
    """Return the share of pixels on the screen that are not the painted ones, without the view's name."""
    ground: QImage = canvas.ground()
    painted, seen = pixels_of(ground), part_of(shot, position)
    if painted.shape != seen.shape:
        return 1.0
    below = slice(round(60 * canvas.ratio()), None)
    return float(np.mean(np.any(painted[below] != seen[below], axis=2)))


def look(stage: Stage, window: QWidget) -> dict[str, Any]:
    """Return what a person sees, in numbers."""
    ratio = window.devicePixelRatioF()
    for canvas in stage.canvases:
        # The frame of the view with the keyboard lies over its picture.
        canvas.clearFocus()
        canvas.show_transform(canvas.transform.zoomed(1.0 / canvas.transform.zoom))
    shot = pixels_of(window.grab().toImage())
    rects = [QRect(one.mapTo(window, QPoint(0, 0)), one.size()) for one in stage.canvases]
    positions = [in_pixels(rect, ratio) for rect in rects]
    stage.viewports.show_loupe()
    first = stage.canvases[0]
    first.pointer = (320.5, 180.5)
    stage.viewports.place_loupes()
    loupe = stage.viewports.loupes.loupes[first]
    shown, picture = pixels_of(loupe.grab().toImage()), first.picture
    at = round(shown.shape[0] / 2 + 3 * loupe.zoom())
    seen = pixels_of(window.grab().toImage())
    position = in_pixels(QRect(loupe.mapTo(window, QPoint(0, 0)), loupe.size()), ratio)
    return {
        "ratio": ratio,
        "edges": [value for position in positions for value in (position[0], position[1])],
        "sizes": [value for position in positions for value in position[2:]],
        "gap": positions[1][0] - positions[0][0] - positions[0][2],
        "lens": [(canvas.transform.width, canvas.transform.height) for canvas in stage.canvases],
        "differing": [
            differing(one, shot, position) for one, position in zip(stage.canvases, positions, strict=True)
        ],
        "is_loupe_sharp": bool(np.array_equal(part_of(seen, position), shown)),
        "loupe": shown[at, at].tolist(),
        "expected": picture.pixels[183, 323].tolist() if picture is not None else [],
    }


def main(folder: Path) -> None:
    """Show two views with regions and print what they look like."""
    application = QApplication([])
    application.setStyle("Fusion")
    theme.apply("dark")
    bridge = Bridge()
    media = MediaLoader()
    pictures = StageImages(bridge, media=media)
    stage, window = Stage(pictures, tools=TOOLS), QWidget()
    row = QVBoxLayout(window)
    row.setContentsMargins(*MARGINS)
    row.addWidget(stage)
    window.resize(1003, 517)
    window.show()
    stage.show_scene(make_scene(folder, marks=MARKS))
    # Leaving the application's own loop would close the window.
    loop, timer = QEventLoop(), QTimer()
    timer.timeout.connect(lambda: loop.quit() if stage.is_settled() else None)
    timer.start(5)
    loop.exec()
    timer.stop()
    application.processEvents()
    print(json.dumps(look(stage, window)))
    stage.show_scene(None)
    pictures.close()
    media.close()
    media.drain()
    bridge.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
