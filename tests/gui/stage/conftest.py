"""A stage of two views with regions in somebody's hands, and one of videos."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from annotator.media.video.clock import PlaybackClock
from tests.gui.stage.hands import HEIGHT, WIDTH, Hands, make_scene
from tests.gui.stage.reels import SIZE, Reels, make_reels
from widgets.bridge import Bridge
from widgets.media_loader import MediaLoader
from widgets.stage import playback_clock
from widgets.stage.image_cache import StageImages
from widgets.stage.player import Player
from widgets.stage.stage import Stage
from widgets.stage.tools.tool_sets import TOOLS

STEP_S = 0.02
"""Shorter than any frame, so that each is shown, and longer than a tick, so that nobody waits."""


@pytest.fixture
def hands(bridge: Bridge, media: MediaLoader, qtbot: QtBot, tmp_path: Path) -> Iterator[Hands]:
    pictures = StageImages(bridge, media=media)
    stage = Stage(pictures, tools=TOOLS)
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


class PatientTime:
    """Seconds that pass only while every video shows what it should: as on a machine that is fast enough."""

    def __init__(self) -> None:
        self.at_s = 0.0

    def __call__(self) -> float:
        return self.at_s

    def follow(self, player: Player) -> None:
        """Pass with the ticks of a player."""

        def pass_on() -> None:
            if not any(video.is_late for video in player.videos):
                self.at_s += STEP_S

        player._timer.timeout.connect(pass_on)


@pytest.fixture
def steady_reels(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Reels:
    """Give the videos on a clock that waits for them."""
    time = PatientTime()
    monkeypatch.setattr(playback_clock, "PlaybackClock", partial(PlaybackClock, now=time))
    made: Reels = request.getfixturevalue("reels")
    time.follow(made.player)
    return made


@pytest.fixture
def reels(bridge: Bridge, media: MediaLoader, qtbot: QtBot, reel_files: dict[str, Path]) -> Iterator[Reels]:
    pictures = StageImages(bridge, media=media)
    stage = Stage(pictures, tools=TOOLS)
    qtbot.addWidget(stage)
    # Two videos one above the other, each pixel two of the window: the numbers in them are read from that.
    stage.resize(2 * SIZE[0], 2 * 2 * SIZE[1] + 2)
    stage.show()
    yield Reels(stage, qtbot, pictures=pictures, files=reel_files)
    stage.show_scene(None)
    pictures.close()
