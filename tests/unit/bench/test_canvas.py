from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from annotator.domain.medium import Medium
from annotator.domain.query import SceneQuery
from annotator.progress import Progress
from annotator.session import Session
from tests.bench import canvas, screen
from tests.bench.ground import Ground


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ground]:
    monkeypatch.setattr(canvas, "ROUNDS", 2)
    monkeypatch.setattr(canvas, "LARGE_PX", (64, 40))
    monkeypatch.setattr(canvas, "USUAL_PX", (32, 24))
    monkeypatch.setattr(screen.shutil, "which", lambda _: None)
    ground = Ground(folder=tmp_path, progress=Progress())
    yield ground
    ground.clear()


def test_canvas_when_measured_then_the_worst_frame_of_all_rounds_counts(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    frames = iter([[5.0, 40.0], [8.0, 9.0], [4.0, 6.0], [7.0, 50.0]])
    asked: list[str] = []

    def probe(arguments: tuple[str, ...], *, environment: Mapping[str, str]) -> dict[str, Any]:
        assert environment == screen.OFFSCREEN
        asked.append(arguments[-1])
        zoom, pan = next(frames)
        times = {"zoom": [zoom], "pan": [pan], "hover": [1.0], "select": [5.5]}
        return {"frames_ms": times, "work_ms": times, "hits_us": [20.0, 30.0]}

    monkeypatch.setattr(canvas, "probe", probe)
    figures = {figure.name: figure for figure in canvas.measure_canvas(ground)}
    assert asked == ["boxes", "mixed", "boxes", "mixed"]
    assert figures["canvas.worst_ms"].value == 40.0
    assert figures["canvas.mixed_worst_ms"].value == 50.0
    assert figures["canvas.p50_ms"].value == pytest.approx(5.25)
    assert figures["canvas.zoom_worst_ms"].value == 8.0
    assert figures["canvas.pan_worst_ms"].value == 50.0
    assert figures["canvas.select_worst_ms"].value == 5.5
    assert "CPU time" in figures["canvas.hover_worst_ms"].note
    assert figures["canvas.hit_us"].value == 25.0
    assert "offscreen" in figures["canvas.worst_ms"].note
    assert figures["canvas.worst_ms"].is_met is False


def test_next_picture_when_measured_then_each_size_has_a_project_of_its_own(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Path] = []

    def probe(arguments: tuple[str, ...], *, environment: Mapping[str, str]) -> dict[str, Any]:
        asked.append(Path(arguments[-1]))
        return {"steps_ms": [10.0 if "large" in arguments[-1] else 4.0] * 3}

    monkeypatch.setattr(canvas, "probe", probe)
    figures = {figure.name: figure.value for figure in canvas.measure_next_picture(ground)}
    assert figures == {"canvas.next_large_ms": 10.0, "canvas.next_ms": 4.0}
    assert all(project.is_file() for project in asked)
    assert len(set(asked)) == 2


def test_pictures_when_made_then_every_scene_has_one_of_that_size(tmp_path: Path) -> None:
    project = canvas.make_pictures(tmp_path / "made", size_px=(48, 32), progress=Progress(), count=3)
    with Session.open(project) as session:
        rows = session.reader.scenes.page(SceneQuery())
        media = list(session.reader.records(Medium))
        files = {session.roots.file_of(one.path) for one in media}
    assert [row.name for row in rows] == ["0000", "0001", "0002"]
    assert all((one.width_px, one.height_px) == (48, 32) for one in media)
    assert len(files) == 3
    assert all(file is not None and file.is_file() for file in files)
