from __future__ import annotations

import ctypes
import gc
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.bench.probes.eyes import Eyes
from tests.gui.soak import RECIPES, Reel, RestlessPerson, make_soak_reels, video_threads
from tests.gui.stage.hands import write_picture
from widgets.bridge import Bridge
from widgets.media_loader import MediaLoader
from widgets.stage.image_cache import StageImages
from widgets.stage.stage import Stage
from widgets.stage.tools.tool_sets import TOOLS

SOAK_S = float(os.environ.get("VANTAGE_SOAK_S", "300"))
"""How long each of the two long soaks lasts."""
SEED = int(os.environ.get("VANTAGE_SOAK_SEED", "4"))
WARM_UP_SHARE = 0.2
MOST_GROWTH_MB = 40
QUICK_DEEDS = 25


@pytest.fixture(scope="module")
def reels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Reel]:
    return make_soak_reels(tmp_path_factory.mktemp("reels"))


@pytest.fixture
def stage(bridge: Bridge, media: MediaLoader, qtbot: QtBot) -> Iterator[Stage]:
    pictures = StageImages(bridge, media=media)
    made = Stage(pictures, tools=TOOLS)
    qtbot.addWidget(made)
    made.resize(1280, 800)
    made.show()
    yield made
    made.show_scene(None)
    pictures.close()


def person(stage: Stage, reels: dict[str, Reel], *, qtbot: QtBot, folder: Path, seed: int) -> RestlessPerson:
    made = RestlessPerson(stage, eyes=Eyes(stage), reels=reels, qtbot=qtbot, seed=seed)
    made.take_still(write_picture(folder / "still.png", seed=1))
    made.diary.append("open")
    made.open_scene()
    made.settle()
    made.check()
    return made


def resident_mb() -> float:
    gc.collect()
    try:
        # What the allocator keeps for itself in pieces is no growth of ours: it grew by 50 MB, this by none.
        ctypes.CDLL("libc.so.6").malloc_trim(0)
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        pytest.skip("this system does not tell how much memory a process has")
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def test_stage_when_used_at_random_then_every_painted_frame_is_the_one_asked_for(
    stage: Stage, reels: dict[str, Reel], qtbot: QtBot, tmp_path: Path
) -> None:
    restless = person(stage, reels, qtbot=qtbot, folder=tmp_path, seed=SEED)
    for _ in range(QUICK_DEEDS):
        restless.act()
    assert restless.seen.total() > QUICK_DEEDS
    stage.show_scene(None)
    qtbot.waitUntil(lambda: not video_threads())


@pytest.mark.slow
@pytest.mark.parametrize("round_number", [0, 1])
def test_stage_when_used_at_random_for_long_then_frames_stay_right_and_memory_stays_small(
    stage: Stage, reels: dict[str, Reel], qtbot: QtBot, tmp_path: Path, round_number: int
) -> None:
    restless = person(stage, reels, qtbot=qtbot, folder=tmp_path, seed=SEED + 1000 + round_number)
    began = time.monotonic()
    deeds, warm_mb = 0, 0.0
    while (passed_s := time.monotonic() - began) < SOAK_S:
        if not warm_mb and passed_s > WARM_UP_SHARE * SOAK_S:
            stage.show_scene(None)
            qtbot.waitUntil(lambda: not video_threads())
            warm_mb = resident_mb()
            restless.close_scene()
            restless.settle()
        restless.act()
        deeds += 1
    stage.show_scene(None)
    qtbot.waitUntil(lambda: not video_threads())
    growth_mb = resident_mb() - warm_mb
    print(f"{deeds} deeds, {dict(restless.seen)}, {warm_mb:.0f} MB, {growth_mb:+.1f} MB since the warm-up")
    assert all(restless.seen[name] for name in (*RECIPES, "torn whole"))
    assert growth_mb < MOST_GROWTH_MB
