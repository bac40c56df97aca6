"""The verb ``stats --figures``: the distributions of a project as tables."""

from __future__ import annotations

from pathlib import Path

from tests.unit.cli.conftest import Verb
from tests.windows import make_project


def test_stats_when_figures_are_wanted_then_each_is_a_table_in_the_folder(tmp_path: Path, verb: Verb) -> None:
    path, folder = make_project(tmp_path / "p.vantage"), tmp_path / "figures"
    said = verb("stats", path, "--figures", folder, "--json")
    assert (said.status, said.json["items"]) == (0, 3)
    lines = (folder / "items.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "name,count,share"
    assert "spatialuav/object_matching,1,0.3333" in lines
