from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.bench.figure import TARGETS, Figure, rounded
from tests.bench.suite import MEASURES
from tests.bench.table import HEAD, table_rows


@pytest.mark.parametrize(
    ("name", "value", "is_met"),
    [
        ("store.open_s", 1.9, True),
        ("store.open_s", 2.1, False),
        ("store.open_s", None, False),
        ("score.letters_per_s", 60_000, True),
        ("score.letters_per_s", 40_000, False),
        ("store.save_p50_ratio", 9.0, None),
    ],
)
def test_figure_when_compared_with_its_target_then_the_better_side_counts(
    name: str, value: float | None, is_met: bool | None
) -> None:
    assert Figure(name=name, value=value).is_met is is_met


def test_figure_when_written_then_it_has_all_that_the_file_promises() -> None:
    figure = Figure(
        name="store.save_ratio", value=1.23456, n=7, baseline="bare", baseline_value=0.5, ratio=1.23456
    )
    row = figure.to_json(machine="two cores")
    promised = {"value", "unit", "target", "baseline", "baseline_value", "ratio", "n", "machine"}
    assert promised <= row.keys()
    assert (row["value"], row["target"], row["machine"]) == (1.235, 1.5, "two cores")


@pytest.mark.parametrize(("value", "shown"), [(0.00123456, 0.001235), (123456.0, 123500.0), (None, None)])
def test_value_when_rounded_then_four_digits_stay(value: float | None, shown: float | None) -> None:
    assert rounded(value) == shown


def test_targets_when_listed_then_each_is_measured_once() -> None:
    measured = [name for _, names in MEASURES for name in names]
    assert sorted(measured) == sorted(TARGETS)


def test_table_when_a_figure_misses_its_target_then_it_says_so() -> None:
    figures = (
        Figure(name="store.open_s", value=3.0, n=7),
        Figure(name="store.peak_mb", value=200.0, n=1, baseline="idle", baseline_value=1234.5, ratio=0.16),
        Figure(name="app.start_s", value=None, note="it did not start"),
    )
    head, lines = table_rows({figure.name: figure.to_json(machine="") for figure in figures})
    assert head == HEAD
    assert [line[4] for line in lines] == ["MISSED", "met", "MISSED"]
    assert lines[1][5] == "1,234  idle"
    assert lines[2][1] == "not measured"
    assert lines[2][-1] == "it did not start"


def test_page_of_figures_when_compared_with_the_bench_then_every_name_is_measured() -> None:
    page = (Path(__file__).parents[3] / "docs" / "performance.md").read_text(encoding="utf-8")
    measured = [name for _, names in MEASURES for name in names]
    first_cells = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    for name in re.findall(r"`(.+?)`", " ".join(first_cells)):
        # ``*`` and ``<kind>`` stand for parts of several names.
        pattern = re.compile(re.sub(r"\*|<\w+>", r"\\w+", name))
        assert any(map(pattern.fullmatch, measured)), name


def test_page_of_figures_when_it_names_a_part_then_make_bench_runs_it() -> None:
    root = Path(__file__).parents[3]
    pages = [*(root / "docs").rglob("*.md"), root / "README.md", root / "Makefile"]
    parts = {
        part for page in pages for part in re.findall(r"--only ([a-z_.]+)", page.read_text(encoding="utf-8"))
    }
    measured = [name for _, names in MEASURES for name in names]
    assert parts
    assert [part for part in parts if not any(part in name for name in measured)] == []
