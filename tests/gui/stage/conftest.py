"""A stage of two views with regions, in somebody's hands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.gui.stage.hands import HEIGHT, WIDTH, Hands, make_scene
from widgets.bridge import Bridge
from widgets.stage.pictures import StagePictures
from widgets.stage.stage import Stage


@pytest.fixture
def hands(bridge: Bridge, qtbot: QtBot, tmp_path: Path) -> Iterator[Hands]:
    pictures = StagePictures(bridge)
    stage = Stage(pictures)
    qtbot.addWidget(stage)
    # Two views one above the other, each twice as wide as its picture: a pixel of it is two of the window.
    stage.resize(2 * WIDTH, 2 * 2 * HEIGHT + 2)
    stage.show()
    made = Hands(stage, qtbot)
    made.show(make_scene(tmp_path))
    yield made
    stage.show_scene(None)
    pictures.close()
