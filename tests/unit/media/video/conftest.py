"""Videos for the tests of exact video."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.media.video.video_shelf import VideoShelf


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> VideoShelf:
    return VideoShelf(tmp_path_factory.mktemp("videos"))


@pytest.fixture(autouse=True)
def private_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give each test a cache of its own."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("VANTAGE_CACHE", str(folder))
    return folder
