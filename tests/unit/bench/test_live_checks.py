from __future__ import annotations

from pathlib import Path

import pytest

from annotator.progress import Progress
from tests.bench import live_checks
from tests.bench.ground import Ground


def test_live_checks_when_measured_then_checks_and_near_duplicates_have_a_figure_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.bench.ground.SOME", 60)
    monkeypatch.setattr(live_checks, "SOME", 60)
    monkeypatch.setattr(live_checks, "EDITED", 8)
    ground = Ground(folder=tmp_path, progress=Progress())
    figures = {figure.name: figure for figure in live_checks.measure_live_checks(ground)}
    assert set(figures) == {"refine.live_checks_ms", "refine.near_duplicates_ms"}
    assert all(figure.value is not None and figure.value > 0 for figure in figures.values())
    assert figures["refine.live_checks_ms"].n == 8
