from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from annotator.domain.region import Region
from annotator.progress import Progress
from annotator.session import Session
from tests.bench import editing, screen
from tests.bench.ground import Ground


def test_editing_when_measured_then_command_and_window_have_a_figure_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(editing, "REGIONS", 12)
    monkeypatch.setattr(editing, "COMMANDS", 3)
    monkeypatch.setattr(editing, "LARGE_PX", (640, 360))
    monkeypatch.setattr(screen.shutil, "which", lambda _: None)
    asked: list[Path] = []

    def probe(arguments: tuple[str, ...], *, environment: Mapping[str, str]) -> dict[str, Any]:
        assert environment == screen.OFFSCREEN
        asked.append(Path(arguments[-1]))
        return {"refresh_ms": [4.0, 9.0, 5.0], "work_ms": [3.0, 4.0, 2.0]}

    monkeypatch.setattr(editing, "probe", probe)
    ground = Ground(folder=tmp_path, progress=Progress())
    figures = {figure.name: figure for figure in editing.measure_editing(ground)}
    assert set(figures) == {"edit.region_ms", "edit.refresh_ms"}
    assert figures["edit.refresh_ms"].value == 5.0
    assert figures["edit.refresh_ms"].is_met is True
    assert "CPU of the GUI thread 3.0 ms, offscreen" in figures["edit.refresh_ms"].note
    assert figures["edit.region_ms"].n == 3
    with Session.open(asked[0]) as session:
        regions = list(session.reader.records(Region))
    # Those of the scene, and those that were measured.
    assert [one.number for one in regions] == list(range(12 + editing.WARM_UP + 3))
    ground.clear()
