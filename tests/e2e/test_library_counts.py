from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotator.domain.query import ItemQuery
from tests.e2e.conftest import Open
from tests.unit.cli.conftest import Verb, verb
from tests.windows import make_item, make_project
from widgets.library.progress_page import ProgressPage
from widgets.library.reports import OperationReport
from widgets.release_dialog import ReleaseDialog

__all__ = ["verb"]

MATCHING = {"AirCopBench": "aircop", "SpatialUAV": "spatialuav"}


@pytest.fixture(scope="module")
def two_sets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a project in which two task sets have a task of the same id and title."""
    items = [
        make_item(n, task_set=task_set, task="object_matching", state=state)
        for n, (task_set, state) in enumerate(
            [("aircop", "drafted")] * 2 + [("spatialuav", "drafted")] * 3 + [("aircop", "accepted")]
        )
    ]
    items.append(make_item(9, task="object_counting"))
    return make_project(tmp_path_factory.mktemp("sets") / "sets.vantage", list(items))


def test_tasks_of_same_title_when_filtered_then_are_kept_apart_with_their_own_counts(
    two_sets: Path, open_window: Open
) -> None:
    person = open_window(two_sets)
    rows = [
        r for r in person.library.listing().facet_model.rows if r.facet.id == "task" and r.part == "value"
    ]
    assert {row.text: row.count for row in rows} == {
        "Object Matching · AirCopBench": 3,
        "Object Matching · SpatialUAV": 3,
        "Object Counting": 1,
    }
    person.toggle("task", "spatialuav/object_matching")
    assert person.library.filters.count.text() == "3 of 7"
    assert person.names() == ["item_00002", "item_00003", "item_00004"]


def test_progress_when_two_sets_share_a_title_then_names_both_and_opens_the_list_with_the_same_number(
    two_sets: Path, open_window: Open
) -> None:
    person = open_window(two_sets)
    person.library.pages.open_progress()
    person.settle()
    page = person.library.pages.shown
    assert isinstance(page, ProgressPage)
    person.qtbot.waitUntil(lambda: bool(page.tables))
    rows = {row.name: row for row in page.tables[0]._model.shares}
    for title, task_set in MATCHING.items():
        row = rows[f"Object Matching · {title}"]
        assert row.open_row is not None
        row.open_row(-1)
        person.settle()
        assert person.library.listing().query == ItemQuery(tasks=(f"{task_set}/object_matching",))
        assert len(person.names()) == row.total == 3


def test_release_when_made_then_dialog_report_command_and_files_have_the_same_numbers(
    two_sets: Path, tmp_path: Path, open_window: Open, verb: Verb
) -> None:
    person = open_window(two_sets)
    person.press("Ctrl+Shift+E")
    person.settle()
    sheet = person.window.findChild(ReleaseDialog)
    assert sheet.summary.text() == "The release takes 1 item: Accepted 1."
    sheet.states["drafted"].setChecked(True)
    assert sheet.summary.text() == "The release takes 7 items: Drafted 6, Accepted 1."
    sheet.folder.setText(str(tmp_path / "window"))
    person.click(sheet.main)
    person.qtbot.waitUntil(lambda: person.window.findChild(OperationReport) is not None)
    report = person.window.findChild(OperationReport)
    released, withheld = (figure.number for figure in report.figures)
    assert [figure.word for figure in report.figures] == ["items released", "withheld"]
    assert released + withheld == 7
    person.click(report.close_button)

    said = verb("release", two_sets, tmp_path / "verb", "--form", "native", "--json")
    assert (said.json["items"], said.json["withheld"]) == (released, withheld)
    assert said.json["selected"] == {"drafted": 6, "accepted": 1}
    assert "Items that the release takes: 7 (drafted 6, accepted 1). Not accepted: 6." in said.err
    options = ("--form", "native", "--state", "accepted", "--include-flagged", "--json")
    accepted = verb("release", two_sets, tmp_path / "one", *options)
    assert (accepted.json["items"], accepted.json["selected"]) == (1, {"accepted": 1})
    for folder, items in (("window", released), ("verb", released), ("one", 1)):
        lines = (tmp_path / folder / "records.jsonl").read_text(encoding="utf-8").splitlines()
        assert sum(json.loads(line)["entity"] == "item" for line in lines) == items
