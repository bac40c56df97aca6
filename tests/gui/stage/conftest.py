"""A stage of two views with regions in somebody's hands, and one of films."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.gui.stage.hands import HEIGHT, WIDTH, Hands, make_scene
from tests.gui.stage.reels import SIZE, Reels, make_reels
from widgets.bridge import Bridge
from widgets.media_loader import MediaLoader
from widgets.stage.pictures import StagePictures
from widgets.stage.stage import Stage


@pytest.fixture
def hands(bridge: Bridge, media: MediaLoader, qtbot: QtBot, tmp_path: Path) -> Iterator[Hands]:
    pictures = StagePictures(bridge, media=media)
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


@pytest.fixture(scope="session")
def reel_files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return make_reels(tmp_path_factory.mktemp("reels"))


@pytest.fixture
def reels(bridge: Bridge, media: MediaLoader, qtbot: QtBot, reel_files: dict[str, Path]) -> Iterator[Reels]:
    pictures = StagePictures(bridge, media=media)
    stage = Stage(pictures)
    qtbot.addWidget(stage)
    # Two films one above the other, each pixel two of the window: the numbers in them are read from that.
    stage.resize(2 * SIZE[0], 2 * 2 * SIZE[1] + 2)
    stage.show()
    yield Reels(stage, qtbot, pictures=pictures, files=reel_files)
    stage.show_scene(None)
    pictures.close()
