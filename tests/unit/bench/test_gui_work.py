from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from annotator.progress import Progress
from tests.bench import gui_work, screen
from tests.bench.ground import Ground
from tests.bench.process import Ran


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ground]:
    monkeypatch.setattr(screen.shutil, "which", lambda _: None)
    ground = Ground(folder=tmp_path, progress=Progress())
    monkeypatch.setattr(ground, "_project", lambda count: tmp_path / f"{count}.vantage")
    yield ground
    ground.clear()


def test_window_beside_model_work_when_measured_then_stands_beside_the_same_minute_without(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, ...]] = []

    def run(arguments: tuple[str, ...], *, environment: Mapping[str, str]) -> Ran:
        asked.append(arguments)
        assert environment["VANTAGE_CONFIG"].startswith(str(ground.folder))
        is_idle = arguments[-1] == "idle"
        told = {"gaps_ms": [4.0, 10.0 if is_idle else 30.0], "turns": 3, "answered": 0 if is_idle else 600}
        return Ran(lines=(json.dumps(told),), at_s=(0.0,), peak_mb=0.0)

    monkeypatch.setattr(gui_work, "run_python", run)
    figures = {figure.name: figure for figure in gui_work.measure_gui_work(ground)}
    assert [len(arguments) for arguments in asked] == [4, 5]
    assert asked[0][2] == str(ground.folder / "100000.vantage")
    worst = figures["jobs.gui_worst_ms"]
    assert (worst.value, worst.baseline_value, worst.ratio) == (30.0, 10.0, 3.0)
    assert worst.is_met
    assert "10 answers/s" in worst.note
    assert figures["jobs.gui_p99_ms"].value == pytest.approx(29.74)
