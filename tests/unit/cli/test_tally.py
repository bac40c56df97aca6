"""The bar of model work: what others answered moves it too."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotator.cli import tally as tallies
from annotator.cli.tally import Tally
from annotator.progress import Progress, Step
from annotator.store.reader import Reader
from main import main
from tests.unit.jobs.working import Voice, enter, make_project, plans, work


def test_tally_when_others_answer_then_the_bar_follows_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = make_project(tmp_path / "p.vantage")
    enter(project, plans(5))
    reader = Reader.open(project)
    told: list[Step] = []
    tally = Tally(reader, runs=("r1",), progress=Progress(told.append))
    work(project, Voice())
    tally.end()
    assert {(one.what, one.done, one.total) for one in told} == {("Asking", 0, 5), ("Asking", 5, 5)}
    enter(project, plans(3, first=5), run="r2")
    monkeypatch.setattr(tallies, "LOOK_EVERY_S", 0.0)
    monkeypatch.setattr("annotator.progress.REPORT_EVERY_S", 0.0)
    told.clear()
    tally = Tally(reader, runs=("r1", "r2"), progress=Progress(told.append))
    work(project, Voice())
    tally.look()
    assert [(one.done, one.total) for one in told] == [(0, 3), (3, 3)]
    reader.close()


@pytest.mark.parametrize("number", ["0", "65", "-1", "two"])
def test_workers_when_no_number_of_processes_then_says_which_are(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], number: str
) -> None:
    assert main(["worker", str(make_project(tmp_path / "p.vantage")), "--workers", number]) == 2
    assert "a number from 1 to 64, or 'auto'" in capfd.readouterr().err
