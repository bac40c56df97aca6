from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from annotator.errors import EnvironmentFailure
from annotator.progress import Progress
from tests.bench import ground as ground_module
from tests.bench import screen, window
from tests.bench.ground import Ground
from tests.bench.process import Ran


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ground:
    monkeypatch.setattr(ground_module, "SOME", 100)
    monkeypatch.setattr(window, "ROUNDS", 3)
    monkeypatch.setattr(screen.shutil, "which", lambda _: None)
    return Ground(folder=tmp_path, progress=Progress())


def test_window_when_measured_then_large_empty_and_bare_starts_are_compared(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = {str(ground.some): 0.8, str(ground.empty): 0.4, window._BARE_WINDOW: 0.2}
    started: list[tuple[str, ...]] = []
    homes: list[str] = []

    def start(arguments: Sequence[str], *, environment: Mapping[str, str]) -> Ran:
        started.append(tuple(arguments))
        assert environment.items() >= screen.OFFSCREEN.items()
        took = 0.3 if "--demo" in arguments else seconds[arguments[-1]]
        homes.append(environment.get("VANTAGE_HOME", ""))
        return Ran(lines=("0.1",), at_s=(took,), peak_mb=100 * took)

    monkeypatch.setattr(window, "run_python", start)
    figures = {figure.name: figure for figure in window.measure_window(ground)}
    assert figures["app.start_s"].value == pytest.approx(0.8)
    assert figures["app.start_s"].ratio == pytest.approx(4)
    assert figures["app.start_ratio"].value == pytest.approx(2)
    assert figures["app.rss_mb"].value == pytest.approx(80)
    assert ("main.py", "--time-start", str(ground.empty)) in started
    assert figures["app.first_start_s"].value == pytest.approx(0.3)
    assert len(started) == 4 * 4
    # Each first start has a home that nobody has used.
    assert len(set(filter(None, homes))) == 4


def test_window_when_it_never_tells_that_it_painted_then_that_is_the_reason(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(window, "run_python", lambda *_, **__: Ran(lines=(), at_s=(), peak_mb=0.0))
    with pytest.raises(EnvironmentFailure, match="did not tell"):
        list(window.measure_window(ground))
