from __future__ import annotations

from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtWidgets import QApplication

from annotator.progress import Progress
from tests.bench import gui_share as figures
from tests.bench import importing
from tests.bench.material import project_of
from tests.bench.probes import gui_share


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return project_of(300, folder=tmp_path_factory.mktemp("items"), progress=Progress())


def test_program_when_the_figures_are_made_then_knows_each_kind_of_work() -> None:
    assert tuple(gui_share.KINDS) == figures.KINDS


@pytest.mark.parametrize("kind", figures.KINDS)
def test_program_when_it_measures_then_widgets_are_made_alone_and_beside_work_that_ends(
    kind: str, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("TURN_S", 0.1), ("TURNS", 1), ("THUMBNAILS", 3), ("IMAGES", 1), ("FRAMES", 6)):
        monkeypatch.setattr(gui_share, name, value)
    monkeypatch.setattr(gui_share, "IMAGE_PX", (400, 300))
    for name in ("_PAIRS", "_TRIPLES"):
        monkeypatch.setattr(importing, name, 20)
    told = gui_share.measure(kind, project, tmp_path)
    assert told["alone"][0] > 0
    assert told["beside"][0] > 0
    assert told["ended"] > 0
    assert told["share"] > 0


def test_cards_when_other_programs_have_the_cores_then_that_time_is_left_out(
    monkeypatch: pytest.MonkeyPatch, qapp: QApplication
) -> None:
    rates = []
    for waited_s in (0.0, 0.15):
        # Each look at the clock takes 0.05 s: three cards in 0.2 s.
        clock = count()
        waits = iter((5.0, 5.0 + waited_s))
        monkeypatch.setattr(
            gui_share, "time", SimpleNamespace(monotonic=lambda clock=clock: next(clock) * 0.05)
        )
        monkeypatch.setattr(gui_share, "waited_for_core_s", lambda waits=waits: next(waits))
        rates.append(gui_share.make_cards(0.2, work=gui_share.rest))
    assert rates == pytest.approx([3 / 0.25, 3 / 0.1])
