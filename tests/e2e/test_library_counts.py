from __future__ import annotations

from pathlib import Path

import pytest

from annotator.domain.query import ItemQuery
from tests.e2e.conftest import Open
from tests.windows import make_item, make_project
from widgets.library.progress_page import ProgressPage

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
