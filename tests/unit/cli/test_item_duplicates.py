"""The verb ``items duplicates``: pairs of items that ask nearly the same."""

from __future__ import annotations

from pathlib import Path

from annotator.session import Session
from tests.unit.cli.conftest import Verb
from tests.windows import AddRecords, make_item, make_project


def test_items_duplicates_when_items_repeat_each_other_then_each_pair_is_listed_once(
    tmp_path: Path, verb: Verb
) -> None:
    path = make_project(tmp_path / "p.vantage")
    said = verb("items", path, "duplicates", "--json")
    assert (said.status, said.json["count"]) == (0, 0)
    twins = [make_item(n, question="Which of the barges carries the yellow crane?") for n in (91, 92)]
    with Session.open(path) as session:
        session.execute(AddRecords(records=list(twins))).result()
    said = verb("items", path, "duplicates", "--json")
    assert (said.status, said.json["count"]) == (1, 1)
    assert {item["name"] for item in said.json["pairs"][0]["items"]} == {"item_00091", "item_00092"}
    assert "yellow crane" in verb("items", path, "duplicates").out
    assert verb("items", path, "duplicates", "--task-set", "spatialuav").status == 0
