from __future__ import annotations

from pathlib import Path

import pytest

from annotator.progress import Progress
from tests.bench import import_load
from tests.bench.ground import Ground


@pytest.mark.slow
def test_import_load_when_measured_small_then_has_its_three_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_load, "BESIDE", 3000)
    monkeypatch.setattr(import_load, "LARGE_MB", 1)
    ground = Ground(folder=tmp_path, progress=Progress())
    figures = {figure.name: figure for figure in import_load.measure_import_load(ground)}
    assert list(figures) == ["import.edit_wait_ms", "import.peak_mb", "import.project_ratio"]
    assert figures["import.edit_wait_ms"].n > 1
    assert 1 < (figures["import.project_ratio"].value or 0) < 6
