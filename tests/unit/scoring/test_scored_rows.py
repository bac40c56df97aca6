from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from annotator.domain.answers import Mode
from annotator.domain.error_label import ErrorLabel
from annotator.domain.settled_text import SettledText
from annotator.errors import EnvironmentFailure, UserError
from annotator.progress import Progress
from annotator.scoring import scored_rows as opening
from annotator.scoring.evaluation import TextReadings
from annotator.scoring.released_items import ReleasedItems
from annotator.scoring.row_file import write_scored_rows
from annotator.scoring.row_filter import UNLABELLED, RowFilter
from annotator.scoring.scored_row import ScoredRow, scored_rows
from annotator.scoring.scored_rows import ScoredRows
from annotator.scoring.settled_texts import SettledTexts
from annotator.store.connection import Connection, DatabaseError, connect
from tests.unit.scoring.released import evaluated, letter_items, made_release, write_lines

MODELS = ("first", "second")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Score two models on four items, whose keys are A to D, and return the file of rows."""
    file_path = tmp_path_factory.mktemp("rows")
    folder = made_release(file_path, *letter_items(4))
    released = ReleasedItems.read(folder, progress=Progress())
    texts = {"first": ("A", "C", "l**k", "Sorry, I cannot see it."), "second": ("A", "B", "C", "l**k")}
    settled = SettledTexts(records=[SettledText(item="", text="l**k", answer="C")])
    rows: list[ScoredRow] = []
    for model, said in texts.items():
        lines = [{"item": f"Real2_OC_UAV1_{n}", "prediction": text} for n, text in enumerate(said)]
        path = write_lines(file_path / f"{model}.jsonl", lines)
        evaluation = evaluated(folder, path, settled=settled)
        rows += scored_rows(evaluation, released, model=model, mode=Mode.STRICT)
    assert write_scored_rows(file_path / "rows.db", rows, released=released) == 8
    assert [path.name for path in file_path.iterdir() if "rows" in path.name] == ["rows.db"]
    return file_path / "rows.db"


@pytest.fixture
def rows(written: Path) -> Iterator[ScoredRows]:
    found = ScoredRows(written)
    yield found
    found.close()


def names(rows: list[ScoredRow]) -> list[tuple[str, str]]:
    return [(row.model, row.item[-1]) for row in rows]


def test_rows_when_a_later_model_answers_an_earlier_item_then_are_in_the_order_of_the_release(
    tmp_path: Path,
) -> None:
    folder = made_release(tmp_path, *letter_items(3))
    released, found = ReleasedItems.read(folder, progress=Progress()), list[ScoredRow]()
    for model, indices in {"first": (1,), "second": (0, 2)}.items():
        lines = [{"item": f"Real2_OC_UAV1_{n}", "prediction": "A"} for n in indices]
        evaluation = evaluated(folder, write_lines(tmp_path / f"{model}.jsonl", lines))
        found += scored_rows(evaluation, released, model=model, mode=Mode.STRICT)
    write_scored_rows(tmp_path / "rows.db", found, released=released)
    with closing(ScoredRows(tmp_path / "rows.db")) as rows:
        assert names(rows.page()) == [("second", "0"), ("first", "1"), ("second", "2")]
        assert [row.position for row in rows.page()] == [0, 1, 2]


def test_rows_when_written_then_are_read_back_as_they_were_scored(rows: ScoredRows) -> None:
    (row,) = rows.page(RowFilter(model="first", item="Real2_OC_UAV1_2"))
    assert (row.text, row.answer, row.key, row.score, row.exact) == ("l**k", "C", "C", 1.0, True)
    assert (row.readable, row.settled) == (True, True)
    assert (row.task, row.group, row.format) == ("aircop/object_counting", "aircop/object", "option_letter")
    assert row.project_item
    assert rows.names("model") == MODELS
    assert not row.read_by_model
    (wrong,) = rows.page(RowFilter(model="first", item="Real2_OC_UAV1_3"))
    assert (wrong.text, wrong.answer, wrong.score, wrong.settled) == (
        "Sorry, I cannot see it.",
        "",
        0.0,
        False,
    )


def test_rows_when_a_model_has_read_a_reply_then_are_marked_and_found(tmp_path: Path) -> None:
    folder = made_release(tmp_path, *letter_items(2))
    released = ReleasedItems.read(folder, progress=Progress())
    lines = [{"item": f"Real2_OC_UAV1_{n}", "prediction": text} for n, text in enumerate(("l**k", "B"))]
    readings = TextReadings(name="helper", answers={(0, "l**k"): "A"})
    evaluation = evaluated(folder, write_lines(tmp_path / "m.jsonl", lines), readings=readings)
    found = scored_rows(evaluation, released, model="m", mode=Mode.STRICT)
    write_scored_rows(tmp_path / "rows.db", found, released=released)
    with closing(ScoredRows(tmp_path / "rows.db")) as rows:
        (row,) = rows.page(RowFilter(outcome="read_by_model"))
        assert (row.text, row.answer, row.exact, row.settled, row.read_by_model) == (
            "l**k", "A", True, False, True,
        )  # fmt: skip
        assert rows.count(RowFilter(outcome="settled")) == 0
        assert [one.read_by_model for one in rows.page()] == [True, False]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (RowFilter(outcome="right"), [
            ("first", "0"), ("second", "0"), ("second", "1"), ("first", "2"), ("second", "2"),
        ]),
        (RowFilter(outcome="wrong"), [("first", "1"), ("second", "3")]),
        (RowFilter(outcome="not_right"), [("first", "1"), ("first", "3"), ("second", "3")]),
        (RowFilter(outcome="unparsed"), [("first", "3")]),
        (RowFilter(outcome="settled"), [("first", "2"), ("second", "3")]),
        (RowFilter(model="second", outcome="wrong"), [("second", "3")]),
        (RowFilter(model="third"), []),
        (
            RowFilter(tasks=("aircop/object_counting", "aircop/other"), outcome="wrong"),
            [("first", "1"), ("second", "3")],
        ),
        (RowFilter(tasks=("aircop/other",)), []),
        (RowFilter(text="CANNOT see"), [("first", "3")]),
        (RowFilter(text="L*"), [("first", "2"), ("second", "3")]),
        (RowFilter(text="%"), []),
        (RowFilter(text='"quoted'), []),
        (RowFilter(text="Real2_OC_UAV1_1"), [("first", "1"), ("second", "1")]),
        (
            RowFilter(task="aircop/object_counting", format="option_letter", text="A", model="first"),
            [("first", "0"), ("first", "3")],
        ),
    ],
)  # fmt: skip
def test_page_when_filtered_then_has_the_rows_in_the_order_of_the_release(
    rows: ScoredRows, wanted: RowFilter, found: list[tuple[str, str]]
) -> None:
    assert names(rows.page(wanted)) == found
    assert rows.count(wanted) == len(found)


def test_page_when_sorted_and_cut_then_continues_where_the_last_one_ended(rows: ScoredRows) -> None:
    by_score = [row.n for row in rows.page(order="score", is_descending=True)]
    pages = [
        [row.n for row in rows.page(order="score", is_descending=True, offset=at, limit=3)]
        for at in (0, 3, 6)
    ]
    assert [n for page in pages for n in page] == by_score
    assert {row.score for row in rows.page(order="score", limit=3)} == {0.0}
    assert names(rows.page(order="model", limit=2)) == [("first", "0"), ("first", "1")]


def test_of_item_when_several_models_answered_then_has_all_of_them(rows: ScoredRows) -> None:
    (row,) = rows.page(RowFilter(model="first", item="Real2_OC_UAV1_1"))
    assert names(rows.of_item(row.n)) == [("first", "1"), ("second", "1")]


def label(model: str, item: int, name: str, *, at: str = "1") -> ErrorLabel:
    return ErrorLabel(
        id=f"{model}{item}{name}", release="r", item=f"Real2_OC_UAV1_{item}", model=model, error_class=name,
        labelled_at=at,
    )  # fmt: skip


def test_use_labels_when_given_then_filters_and_counts_know_the_classes(rows: ScoredRows) -> None:
    rows.use_labels([
        label("first", 1, "spatial"), label("second", 3, "spatial"), label("first", 3, "older"),
        label("first", 3, "format", at="2"), label("nobody", 1, "spatial"),
    ])  # fmt: skip
    assert names(rows.page(RowFilter(error_class="spatial"))) == [("first", "1"), ("second", "3")]
    assert rows.count(RowFilter(error_class=UNLABELLED)) == 5
    assert rows.label_counts("model") == {
        ("format", "first"): 1, ("spatial", "first"): 1, ("spatial", "second"): 1,
    }  # fmt: skip
    assert rows.label_of(rows.page(RowFilter(error_class="format"))[0].n) == "format"
    rows.use_labels([])
    assert rows.count(RowFilter(error_class=UNLABELLED)) == 8


def test_rows_when_the_file_is_no_such_file_then_says_so(tmp_path: Path) -> None:
    path = tmp_path / "rows.db"
    with pytest.raises((UserError, EnvironmentFailure)):
        ScoredRows(path)
    path.write_text("no database", encoding="utf-8")
    with pytest.raises(UserError, match="does not contain scored predictions"):
        ScoredRows(path)


def test_rows_when_the_file_has_other_tables_then_it_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Connection] = []

    def note(path: Path, *, read_only: bool) -> Connection:
        opened.append(connect(path, read_only=read_only))
        return opened[-1]

    with closing(sqlite3.connect(tmp_path / "rows.db")) as other:
        other.execute("CREATE TABLE release (id)")
    monkeypatch.setattr(opening, "connect", note)
    with pytest.raises(UserError, match="does not contain scored predictions"):
        ScoredRows(tmp_path / "rows.db")
    with pytest.raises(DatabaseError, match="closed"):
        opened[0].execute("SELECT 1")


def test_use_labels_when_the_file_was_damaged_then_says_so(written: Path, tmp_path: Path) -> None:
    path = tmp_path / "rows.db"
    shutil.copy(written, path)
    with closing(ScoredRows(path)) as rows:
        path.write_bytes(b"x" * path.stat().st_size)
        with pytest.raises(EnvironmentFailure, match="damaged"):
            rows.use_labels([label("first", 1, "spatial")])


def test_rows_when_nothing_was_scored_then_are_empty(tmp_path: Path) -> None:
    assert write_scored_rows(tmp_path / "rows.db", []) == 0
    rows = ScoredRows(tmp_path / "rows.db")
    assert (rows.total, rows.page(RowFilter(text="abc")), rows.count()) == (0, [], 0)
    rows.close()
