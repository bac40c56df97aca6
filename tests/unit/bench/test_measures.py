from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from annotator.domain.item import Item
from annotator.errors import EnvironmentFailure, UserError
from annotator.progress import Progress
from annotator.session import Session
from annotator.store.connection import connect
from tests.bench import ground as ground_module
from tests.bench import importing, lists, process, saving, scoring, suite, whole_project
from tests.bench.bare import BareCommits, encode_and_write
from tests.bench.export import export_native, measure_export
from tests.bench.figure import Figure
from tests.bench.ground import Ground
from tests.bench.machine import machine_text
from tests.bench.material import project_of
from tests.bench.process import run_python
from tests.bench.suite import run

COUNT = 2000
ONE_LINE = (
    "import os, sys, time; print('one', flush=True)\n"
    "while not os.path.exists(sys.argv[1]): time.sleep(0.01)\n"
    "None"
)
"""Prints a line, and goes on when it was noted."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bench")


@pytest.fixture
def ground(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ground]:
    monkeypatch.setattr(ground_module, "MANY", COUNT)
    monkeypatch.setattr(ground_module, "SOME", COUNT)
    monkeypatch.setattr(lists, "MANY", COUNT)
    for module in (lists, importing, scoring):
        monkeypatch.setattr(module, "ROUNDS", 1)
    monkeypatch.setattr(scoring, "CASES", COUNT)
    monkeypatch.setattr(saving, "EDITS", 20)
    monkeypatch.setattr(saving, "WARM_UP", 1)
    ground = Ground(folder=folder, progress=Progress())
    yield ground
    ground.clear()


def test_lists_when_measured_then_each_figure_has_value_and_baseline(ground: Ground) -> None:
    figures = {f.name: f for f in (*lists.measure_lists(ground), *lists.measure_searches(ground))}
    assert figures.keys() == {
        "store.page_p95_ms", "store.facets_ms", "store.search_p95_ms", "store.search_all_p95_ms",
    }  # fmt: skip
    assert all(figure.value and figure.n for figure in figures.values())
    page = figures["store.page_p95_ms"]
    assert page.ratio == pytest.approx(page.value / page.baseline_value)


def test_sorting_when_measured_then_pages_and_orders_have_values(ground: Ground) -> None:
    figures = {figure.name: figure for figure in lists.measure_sorting(ground)}
    assert figures.keys() == {"store.sorted_page_p95_ms", "store.sort_p95_ms"}
    assert figures["store.sort_p95_ms"].n == len(lists.SORTED)
    assert all(figure.value for figure in figures.values())


def test_saving_when_measured_then_every_edit_was_written(ground: Ground) -> None:
    with Session.open(ground.many) as session:
        before = session.reader.counts()["command"]
    ratio, median = saving.measure_saving(ground)
    with Session.open(ground.many) as session:
        assert session.reader.counts()["command"] == before + 21
    assert ratio.value > 0
    assert median.baseline_value > 0


def test_edits_when_made_again_then_they_change_something_again(ground: Ground) -> None:
    with Session.open(ground.many) as session:
        for _ in range(3):
            edit = saving.some_edits(session.reader, count=1)[0]
            assert session.execute(edit).result().counts["item"] == 1


def test_export_when_measured_then_the_baseline_writes_about_as_much(ground: Ground) -> None:
    with Session.open(ground.many) as session:
        file = export_native(session.reader, out=ground.scratch / "out", progress=Progress())
        items = [("item", item) for item in session.reader.records(Item)]
    written = encode_and_write(items, count=len(items), path=ground.scratch / "bare.jsonl")
    lines = (ground.scratch / "bare.jsonl").read_bytes().splitlines()
    released = (ground.scratch / "out" / file.name).read_bytes().splitlines()
    assert written == (ground.scratch / "bare.jsonl").stat().st_size
    assert set(lines) >= {line for line in released if line.startswith(b'{"entity":"item"')}
    figure = next(measure_export(ground))
    assert figure.value == pytest.approx(figure.ratio)


@pytest.mark.slow
def test_opening_and_memory_when_measured_then_processes_of_their_own_tell(ground: Ground) -> None:
    opening = next(lists.measure_opening(ground))
    assert 0 < opening.baseline_value < 10
    memory = next(saving.measure_memory(ground))
    if sys.platform == "linux":
        assert memory.value > memory.baseline_value > 10


@pytest.mark.slow
def test_import_when_the_published_files_are_absent_then_made_up_ones_have_their_size(
    ground: Ground, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(importing, "REPO", tmp_path / "elsewhere")
    figure = next(importing.measure_import(ground))
    assert figure.note.startswith("made-up")
    sizes = [(ground.scratch / name).stat().st_size for name in importing._NAMES]
    assert sizes == [pytest.approx(size, rel=0.25) for size in (2_715_219, 3_081_912)]


def test_commit_when_bare_then_it_is_on_the_disk(tmp_path: Path) -> None:
    with BareCommits(tmp_path / "bare.db") as bare:
        bare.commit()
        assert (tmp_path / "bare.db-wal").stat().st_size > 600


@pytest.fixture
def noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a file that is there as soon as a line of a process was noted."""
    file = tmp_path / "noted"
    sample = process._Watch.sample

    def sample_and_tell(watch: process._Watch) -> None:
        sample(watch)
        file.touch()

    # The thread beside it does not come to its turn.
    monkeypatch.setattr(process, "_SAMPLE_EVERY_S", 60)
    monkeypatch.setattr(process._Watch, "sample", sample_and_tell)
    return file


def test_process_when_it_prints_then_lines_come_with_their_times(noted: Path) -> None:
    ran = run_python(["-c", f"{ONE_LINE}; time.sleep(0.1); print('two')", str(noted)])
    assert ran.lines == ("one", "two")
    assert ran.at_s[1] - ran.at_s[0] > 0.05
    if sys.platform == "linux":
        assert 4 < ran.peak_mb < 400


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the memory of another process")
def test_process_when_the_watch_gets_no_turn_then_the_memory_is_that_at_its_last_line(noted: Path) -> None:
    ran = run_python(["-c", ONE_LINE, str(noted)])
    assert 4 < ran.peak_mb < 400


def test_process_when_it_fails_then_its_last_words_are_the_hint() -> None:
    with pytest.raises(EnvironmentFailure) as raised:
        run_python(["-c", "raise SystemExit('no screen')"])
    assert raised.value.hint == "no screen"


def test_machine_when_told_then_words_name_python_and_sqlite(tmp_path: Path) -> None:
    text = machine_text(tmp_path)
    assert f"Python {sys.version_info.major}.{sys.version_info.minor}" in text
    assert "SQLite 3." in text


def test_run_when_no_figure_has_such_a_name_then_it_lists_them(tmp_path: Path) -> None:
    with pytest.raises(UserError) as raised:
        run(only="nonsense", out=tmp_path / "bench.json", progress=Progress())
    assert "store.open_s" in raised.value.hint


def test_run_when_only_some_are_wanted_then_the_file_holds_those(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "ROUNDS", 1)
    monkeypatch.setattr(scoring, "CASES", COUNT)
    out = tmp_path / "deep" / "bench.json"
    rows = run(only="score.letters", out=out, progress=Progress())
    assert list(rows) == ["score.letters_per_s"]
    assert json.loads(out.read_bytes()) == rows
    assert rows["score.letters_per_s"]["value"] > 0


def test_run_when_a_measure_breaks_off_then_the_rest_goes_on_and_the_reason_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(_: Ground) -> Iterator[Figure]:
        yield Figure(name="app.start_s", value=0.5)
        raise EnvironmentFailure("The window did not start.", hint="no display")

    def works(_: Ground) -> Iterator[Figure]:
        yield Figure(name="store.open_s", value=1.0)

    measures = ((breaks, ("app.start_s", "app.rss_mb")), (works, ("store.open_s",)))
    monkeypatch.setattr(suite, "MEASURES", measures)
    rows = run(only="", out=tmp_path / "bench.json", progress=Progress())
    assert list(rows) == ["store.open_s", "app.start_s", "app.rss_mb"]
    assert (rows["app.start_s"]["value"], rows["app.rss_mb"]["value"]) == (0.5, None)
    assert rows["app.rss_mb"]["note"] == "The window did not start. no display"


def test_projects_when_asked_for_twice_then_they_are_the_same(ground: Ground) -> None:
    assert ground.many == project_of(COUNT, folder=ground.folder, progress=Progress())


@pytest.mark.slow
def test_whole_project_when_measured_then_each_work_has_time_and_memory(
    ground: Ground, tmp_path: Path
) -> None:
    # A project of this test's person, who has edited it since it was made.
    ground = Ground(folder=tmp_path, progress=Progress())
    with Session.open(ground.many) as session:
        session.execute(saving.some_edits(session.reader, count=1)[0]).result()
    figures = {figure.name: figure for figure in whole_project.measure_whole_project(ground)}
    units = ("s", "mb")
    assert figures.keys() == {f"whole.{work}_{unit}" for work in whole_project.WORKS for unit in units}
    assert [name for name, figure in figures.items() if not figure.value] == []
    with Session.open(ground.scratch / "whole.vantage") as session:
        assert session.reader.counts()["item"] == 0


def test_whole_project_when_verify_finds_fault_then_the_figure_says_so(ground: Ground) -> None:
    altered = ground.scratch / "altered.vantage"
    shutil.copyfile(ground.many, altered)
    with closing(connect(altered, read_only=False)) as connection:
        connection.execute("UPDATE item SET question='other' WHERE n=(SELECT max(n) FROM item)")
    with pytest.raises(EnvironmentFailure) as caught:
        list(whole_project.figures_of("verify", altered))
    assert "The table differs from the log." in caught.value.hint
