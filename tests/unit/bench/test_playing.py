from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from annotator.progress import Progress
from tests.bench import playing, screen
from tests.bench.ground import Ground


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ground]:
    monkeypatch.setenv("VANTAGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(playing, "ROUNDS", 2)
    monkeypatch.setattr(playing, "SIZE_PX", (192, 128))
    monkeypatch.setattr(playing, "LENGTH_S", 1)
    monkeypatch.setattr(screen.shutil, "which", lambda _: None)
    ground = Ground(folder=tmp_path, progress=Progress())
    yield ground
    ground.clear()


def ran(*painted: int, due: int = 100, out_of_step: int = 0, seconds: float = 2.0) -> dict[str, Any]:
    views = [{"painted": one, "due": due, "unread": 0, "misnamed": 0} for one in painted]
    return {"views": views, "paintings": 90, "out_of_step": out_of_step, "seconds": seconds}


def test_playing_when_measured_then_painted_frames_count_and_fast_ones_are_compared(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, int, int, str]] = []

    def probe(arguments: tuple[str, ...], *, environment: Mapping[str, str]) -> dict[str, Any]:
        assert environment == screen.OFFSCREEN
        request = json.loads(arguments[-1])
        program, videos, speed = arguments[1], request["videos"], request["speed"]
        assert all(Path(video).is_file() for video in videos)
        asked.append((program, len(videos), speed, request["overlay"]))
        if program.endswith("plain_player"):
            return ran(40, 40) if request["overlay"] == "items" else ran(60, 60)
        return ran(90, 90) if speed == 4 else ran(*[99] * len(videos), out_of_step=3)

    monkeypatch.setattr(playing, "probe", probe)
    figures = {figure.name: figure for figure in playing.measure_playing(ground)}
    assert figures["video.pair_painted"].value == pytest.approx(0.99)
    assert figures["video.quad_painted"].n == 2 * 4 * 100
    assert "6 out of step" in figures["video.quad_painted"].note
    gain = figures["video.pair_4x_gain"]
    assert gain.value == pytest.approx(90 / 40)
    assert gain.baseline_value == pytest.approx(40)
    assert "1.50 ×" in gain.note
    assert [one[1:3] for one in asked[:5]] == [(2, 1), (4, 1), (2, 4), (2, 4), (2, 4)]


def test_opening_when_measured_then_the_first_of_a_sitting_is_told_apart(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playing, "probe", lambda *_, **__: {"opened_ms": [400.0, 60.0, 50.0, 70.0]})
    (figure,) = playing.measure_opening_video(ground)
    assert figure.value == 60.0
    assert figure.n == 6
    assert "sitting 400 ms" in figure.note
    assert figure.baseline_value is not None
    assert figure.baseline_value > 0
