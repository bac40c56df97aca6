from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from annotator.progress import Progress
from tests.bench import gui_share
from tests.bench.figure import TARGETS
from tests.bench.ground import Ground
from tests.bench.process import Ran


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ground]:
    ground = Ground(folder=tmp_path, progress=Progress())
    monkeypatch.setattr(ground, "_project", lambda count: tmp_path / f"{count}.vantage")
    yield ground
    ground.clear()


def test_gui_share_when_measured_then_the_least_of_all_kinds_counts(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def run(arguments: tuple[str, ...], *, environment: Mapping[str, str]) -> Ran:
        asked.append(arguments[2])
        assert arguments[3] == str(ground.folder / "100000.vantage")
        assert environment["VANTAGE_HOME"] == arguments[4]
        share = 0.4 if arguments[2] == "timeline" else 0.9
        told = {"alone": [100, 300, 200], "beside": [150, 200 * share, 10], "ended": 7, "share": share}
        return Ran(lines=(json.dumps(told),), at_s=(0.0,), peak_mb=0.0)

    monkeypatch.setattr(gui_share, "run_python", run)
    figures = {figure.name: figure for figure in gui_share.measure_gui_share(ground)}
    assert tuple(figures) == gui_share.NAMES
    assert asked == list(gui_share.KINDS)
    assert set(figures) <= set(TARGETS)
    least = figures["app.gui_share"]
    assert least.value == 0.4
    assert not least.is_met
    assert "timeline" in least.note
    beside = figures["app.gui_share_images"]
    assert (beside.value, beside.baseline_value) == (0.9, 200)
    assert "7 times" in beside.note
