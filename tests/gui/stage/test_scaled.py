from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE_S

REPO = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module", params=[1.25, 1.5, 2.0], ids=lambda scale: f"{scale:.0%}")
def looks(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Look at a stage on a screen of a scale, which a process can only have from its start."""
    scale = request.param
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "QT_SCALE_FACTOR": str(scale)}
    done = subprocess.run(
        [sys.executable, "-m", "tests.gui.stage.scaled", str(tmp_path_factory.mktemp("scaled"))],
        cwd=REPO,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["ratio"] == scale
    return found


def test_views_when_the_screen_is_scaled_then_stand_on_its_whole_pixels(looks: dict[str, Any]) -> None:
    assert all(float(value).is_integer() for value in (*looks["edges"], *looks["sizes"], looks["gap"]))
    assert looks["lens"] == [looks["sizes"][:2], looks["sizes"][2:]]
    assert 2 <= looks["gap"] / looks["ratio"] <= 4


def test_views_when_the_screen_is_scaled_then_each_pixel_on_it_is_one_that_was_painted(
    looks: dict[str, Any],
) -> None:
    assert looks["differing"] == [0.0, 0.0]


def test_loupe_when_the_screen_is_scaled_then_its_middle_is_the_pixel_pointed_at(
    looks: dict[str, Any],
) -> None:
    assert looks["loupe"] == looks["expected"]
    assert looks["is_loupe_sharp"]
