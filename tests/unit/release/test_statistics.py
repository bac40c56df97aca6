from __future__ import annotations

import statistics as reference
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.medium import Medium
from annotator.domain.query import ItemQuery
from annotator.errors import Cancelled
from annotator.progress import Progress
from annotator.release.statistics import Lengths, TaskStatistics, statistics
from annotator.session import Session
from annotator.store.connection import connect
from tests.unit.release.samples import aircop_item, fill, flag, label, spatialuav_item


@given(st.lists(st.integers(0, 50), min_size=1))
def test_lengths_when_numbers_are_added_then_they_answer_as_the_list_would(numbers: list[int]) -> None:
    lengths = Lengths()
    for number in numbers:
        lengths.add(number)
    assert lengths.to_json() == {
        "min": min(numbers),
        "median": reference.median(numbers),
        "mean": round(reference.fmean(numbers), 2),
        "max": max(numbers),
    }


def test_lengths_when_there_are_none_then_all_are_zero() -> None:
    assert Lengths().to_json() == {"min": 0, "median": 0.0, "mean": 0.0, "max": 0}


def test_task_statistics_when_questions_are_chinese_then_each_character_is_a_word() -> None:
    numbers = TaskStatistics()
    numbers.add(aircop_item(question="图中有几辆车？"))
    numbers.add(aircop_item(question="How many cars?", answer_key="unclear"))
    numbers.add(spatialuav_item(answer_key="A"))
    assert numbers.words.to_json()["min"] == 3
    # The question mark after the six characters is no word.
    assert numbers.words.counts == {3: 1, 6: 2}
    assert numbers.letters == {"B": 1}


def test_statistics_when_a_project_is_counted_then_the_numbers_are_those_of_its_records(
    tmp_path: Path,
) -> None:
    items = [
        aircop_item(name="q0", question="one two three"),
        aircop_item(name="q1", question="one two three four", answer_key="D", state="accepted"),
        aircop_item(name="q2", question="one", task="", options=aircop_item().options[:3]),
        spatialuav_item(),
    ]
    seen = Medium(id="c" * 32, name="seen.jpg", sha256="0" * 64)
    with Session.create(tmp_path / "p.vantage") as session:
        fill(
            session,
            *items,
            label(),
            seen,
            flag(items[0]),
            flag(items[1], kind="odd"),
            flag(items[2], kind="odd"),
        )
        found = statistics(session.reader, progress=Progress())
        part = statistics(
            session.reader, selection=ItemQuery(tasks=("object_counting",)), progress=Progress()
        )
    assert found.to_json() == {
        "items": 4,
        "scenes": 1,
        "views": 2,
        "annotation": {"open": 1},
        "event_labels": 1,
        "regions": 0,
        "sources": 0,
        "releases": 0,
        "media": {"known": 5, "unseen": 4},
        "open_flags": {"key_wrong": 1, "odd": 2},
        "states": {"accepted": 1, "drafted": 3},
        "answer_formats": {"option_letter": 3, "region_set": 1},
        "task_sets": {
            "aircop": {
                "": {
                    "items": 1,
                    "states": {"drafted": 1},
                    "answer_formats": {"option_letter": 1},
                    "letters": {"B": 1},
                    "words": {"min": 1, "median": 1.0, "mean": 1.0, "max": 1},
                    "options": {"3": 1},
                },
                "object_counting": {
                    "items": 2,
                    "states": {"accepted": 1, "drafted": 1},
                    "answer_formats": {"option_letter": 2},
                    "letters": {"B": 1, "D": 1},
                    "words": {"min": 3, "median": 3.5, "mean": 3.5, "max": 4},
                    "options": {"4": 2},
                },
            },
            "spatialuav": {
                "region_recognition": {
                    "items": 1,
                    "states": {"drafted": 1},
                    "answer_formats": {"region_set": 1},
                    "letters": {},
                    "words": {"min": 6, "median": 6.0, "mean": 6.0, "max": 6},
                    "options": {"0": 1},
                }
            },
        },
    }
    assert list(part.tasks) == [("aircop", "object_counting")]


def test_tables_when_printed_then_each_row_has_the_cells_of_its_head(tmp_path: Path) -> None:
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, aircop_item(), aircop_item(task="", name="q"))
        tables = statistics(session.reader, progress=Progress()).tables()
    assert [table.title for table in tables] == ["Project", "Items per task"]
    assert all(len(row) == len(table.head) for table in tables for row in table.rows)
    assert tables[1].rows[0][:5] == ("aircop", "(none)", "1", "drafted 1", "B 1")
    assert tables[1].rows[1][5:] == ("11 to 11, median 11, mean 11", "4: 1")
    assert ("Items", "2") in tables[0].rows


def test_statistics_when_the_project_is_empty_then_only_zeros_are_told(tmp_path: Path) -> None:
    with Session.create(tmp_path / "p.vantage") as session:
        found = statistics(session.reader, progress=Progress())
    assert (found.items, found.to_json()["task_sets"]) == (0, {})
    assert [table.title for table in found.tables()] == ["Project"]


def test_statistics_when_cancelled_then_it_stops(tmp_path: Path) -> None:
    progress = Progress()
    progress.cancel()
    with Session.create(tmp_path / "p.vantage") as session, pytest.raises(Cancelled):
        statistics(session.reader, progress=progress)


def test_statistics_when_an_item_of_a_damaged_project_has_no_combination_then_it_is_counted_by_itself(
    tmp_path: Path,
) -> None:
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, aircop_item(), aircop_item(task="", name="q"))
        before = statistics(session.reader, progress=Progress()).to_json()
        with closing(connect(session.path, read_only=False)) as connection:
            connection.execute("UPDATE item SET facet=999 WHERE n=(SELECT max(n) FROM item)")
        assert statistics(session.reader, progress=Progress()).to_json() == before
