from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.e2e.conftest import Open
from tests.e2e.random_keys import RandomKeys
from tests.e2e.two_scenes import make_two_scenes

SEED = int(os.environ.get("VANTAGE_KEYS_SEED", "7"))
QUICK, MANY = 150, 5000
NO_RAISING = pytest.mark.allow_messages("does not support raise", "does not support grabbing")
"""What Qt's offscreen platform says when a menu opens, or a window is made active."""


@NO_RAISING
def test_keys_when_pressed_at_random_then_each_acts_on_what_is_seen(
    tmp_path: Path, open_window: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_two_scenes(tmp_path)
    keys = RandomKeys(open_window(path), path=path, seed=2, monkeypatch=monkeypatch)
    keys.press_many(QUICK, settle_each=1)
    assert len(keys.ran) > 15


@NO_RAISING
@pytest.mark.slow
def test_five_thousand_keys_when_pressed_at_random_then_each_acts_on_what_is_seen(
    tmp_path: Path, open_window: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_two_scenes(tmp_path)
    keys = RandomKeys(open_window(path), path=path, seed=SEED, monkeypatch=monkeypatch)
    keys.press_many(MANY, settle_each=1)
    assert len(keys.ran) > 50
